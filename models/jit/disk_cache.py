"""Compiled code on disk: every function, for every set of types, in a file of its own.

Numba numbers these files and keeps an index of them. Two processes that add to it at once may take the same number, and
then the code of one is found under the types of the other. Here a file's name is a hash of its key.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile


class _Files(IndexDataCacheFile):
    """One file for each key, which it holds as well."""

    def name(self, key: Any) -> str:
        """Return the file name for a key."""
        return f"{self._index_name}.{sha256(repr((self._source_stamp, key)).encode()).hexdigest()[:24]}"

    def save(self, key: Any, data: Any) -> None:
        """Store data under a key."""
        self._save_data(self.name(key), (key, data))

    def load(self, key: Any) -> Any:
        """Return the data stored under a key; None if there is none."""
        try:
            found, data = self._load_data(self.name(key))
        except OSError:
            return None
        return data if found == key else None


class CodeCache(FunctionCache):
    """The cache of one function, in place of numba's own.

    Parameters
    ----------
    function : function
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        base, stamp = self._impl.filename_base, self._impl.locator.get_source_stamp()
        self._cache_file = _Files(self._cache_path, base, stamp)

    def keeps(self, types: tuple[Any, ...], codegen: Any) -> bool:
        """Return whether code for arguments of these types is on disk."""
        return self._cache_file.load(self._index_key(types, codegen)) is not None
