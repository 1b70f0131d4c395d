"""Instruments: they watch passes run. `ge.transform.PassContext(instruments=[…])` holds them.

An instrument is an object with any of the methods of PassInstrument. What one of them raises goes on to whoever enters the
context or runs the pass.
"""

from ge.instrument.base import PassInstrument, pass_instrument
from ge.instrument.builtin import DumpIR, PassCounterInstrument, PassMemoryInstrument, PassTimingInstrument
from ge.instrument.printing import PassPrintingInstrument, PrintAfterAll, PrintBeforeAll

__all__ = [
    "DumpIR",
    "PassCounterInstrument",
    "PassInstrument",
    "PassMemoryInstrument",
    "PassPrintingInstrument",
    "PassTimingInstrument",
    "PrintAfterAll",
    "PrintBeforeAll",
    "pass_instrument",
]
