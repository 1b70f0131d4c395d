"""Instruments that the library has: they tell what they gathered as text and as a dict."""

import json
import os

from ge._native import c_text, collect, ffi, lib
from ge.instrument.base import PassInstrument
from ge.transform._calls import check


class _Native(PassInstrument):
    _NAME = ""

    def __init__(self, argument=""):
        out = ffi.new("GeInstrument **")
        check(lib.GeInstrumentFind(c_text(self._NAME), c_text(argument), out))
        self._native_instrument = ffi.gc(out[0], lib.GeInstrumentDestroy)

    def _told(self, form):
        # The handle goes first, the form before the function that writes.
        status, told = collect(lib.GeInstrumentRender, self._native_instrument, form)
        check(status)
        return told

    def render(self) -> str:
        """All that it gathered since its context was entered, as a table."""
        return self._told(lib.GE_INSTRUMENT_TEXT)

    def to_dict(self) -> dict:
        """The same as data."""
        return json.loads(self._told(lib.GE_INSTRUMENT_JSON))

    def __str__(self):
        return self.render()


class PassTimingInstrument(_Native):
    """Total and own time of each pass, as a tree: passes that run inside another are its children."""

    _NAME = "timing"


class PassMemoryInstrument(_Native):
    """Peak of the process's memory during each pass above what it was before, and what stayed allocated."""

    _NAME = "memory"


class PassCounterInstrument(_Native):
    """Candidates tried, matched, applied and declined, by pass and rule."""

    _NAME = "counter"


class DumpIR(_Native):
    """Writes the graph as readable text after each pass that changed it, into numbered files of a folder."""

    _NAME = "dump"

    def __init__(self, dir):
        super().__init__(os.fspath(dir))
