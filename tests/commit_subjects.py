"""The form of commit subjects: `part: what`, in at most 72 characters.

`python -m tests.commit_subjects FILE` checks one: pre-commit runs it with the file of the message that is being
written; `tests/test_commits.py` reads the history.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

LONGEST = 72
# A folder, file, component or make target, or several with commas; then what is done to it, without a full stop.
FORM = re.compile(r"(make )?[\w./*-]+(, [\w./*-]+)*: \S(.*[^\s.])?")
BY_GIT = re.compile(r"(fixup|squash|amend)! ")  # of commits that a rebase joins to others


def fault_of(subject: str) -> str:
    """Return what is wrong with a subject, empty if nothing is."""
    if len(subject) > LONGEST:
        return f"has {len(subject)} characters; at most {LONGEST} are allowed"
    if not FORM.fullmatch(subject):
        return "is not of the form `part: what`, such as `sim/engine: name the eager rule`"
    return ""


def main(file: Path) -> int:
    """Check the message in a file; return the exit code."""
    subject = file.read_text(encoding="utf-8").split("\n", 1)[0]
    fault = "" if BY_GIT.match(subject) or subject.startswith("Merge ") else fault_of(subject)
    if fault:
        print(f"{subject!r} {fault}", file=sys.stderr)
    return bool(fault)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
