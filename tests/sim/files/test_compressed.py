"""Compressed files are recognised by their content, whatever their name."""

import bz2
import gzip
import lzma

import pytest
import zstandard

from sim.files.compressed import ERRORS, first_bytes, is_compressed, open_plain

HOW = {"gzip": gzip.compress, "zstd": zstandard.compress, "bzip2": bz2.compress, "xz": lzma.compress}


@pytest.mark.parametrize("how", HOW)
def test_content_and_not_name_tells_the_compression(tmp_path, how):
    path = tmp_path / "any.txt"
    path.write_bytes(HOW[how](b"begin ") + HOW[how](b"and end"))
    assert is_compressed(path)
    assert first_bytes(path, 5) == b"begin"
    with open_plain(path) as stream:
        assert stream.read() == b"begin and end"
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(ERRORS), open_plain(path) as stream:
        stream.read()


def test_other_files_are_read_as_they_are(tmp_path):
    path = tmp_path / "plain.gz"
    path.write_bytes(b"text")
    assert not is_compressed(path)
    assert first_bytes(path, 99) == b"text"
    assert first_bytes(tmp_path, 9) == first_bytes(tmp_path / "none", 9) == b""
    path.write_bytes(b"\x1f\x8bdamaged")
    assert first_bytes(path, 9) == b""
