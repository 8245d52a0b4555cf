"""`python -m synth.formal.write NAME`: write a property for Yosys, for the hardware that comes first on sys.path."""

from __future__ import annotations

import sys

from synth.formal.prove import rtlil_text
from synth.formal.registry import find

if __name__ == "__main__":
    sys.stdout.write(rtlil_text(find(sys.argv[1]), strengthened=False))
