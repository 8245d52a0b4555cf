"""`python -m tsuji`: the command line, as `tsuji`."""

from tsuji.cli import main

main()
