"""Pages of the documentation that are made from the code; `tsuji.pages.hook` puts them into the site."""
