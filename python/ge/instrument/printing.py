"""Instruments that show the graph."""

from ge.instrument.base import PassInstrument


def _names(argument, names):
    """Names of passes, TVM's replaced by the library's; None: all."""
    from ge.transform import builtin

    if names is None:
        return None
    if isinstance(names, str):
        raise TypeError(f"{argument} is a list of names, got {names!r}")
    return {builtin._names.get(name, name) for name in names}


class PassPrintingInstrument(PassInstrument):
    """Prints the graph before and after the passes that are named."""

    def __init__(self, print_before_pass_names=(), print_after_pass_names=()):
        self._before = _names("print_before_pass_names", print_before_pass_names)
        self._after = _names("print_after_pass_names", print_after_pass_names)
        self._printed = []

    def _print(self, names, when, mod, info):
        if names is not None and info.name not in names:
            return
        self._printed.append({"pass": info.name, "when": when})
        print(f"# {when} pass {info.name}\n{mod}", flush=True)

    def run_before_pass(self, mod, info):
        """Prints the graph, where the pass is named."""
        self._print(self._before, "before", mod, info)

    def run_after_pass(self, mod, info):
        """Prints the graph, where the pass is named."""
        self._print(self._after, "after", mod, info)

    def to_dict(self) -> dict:
        """A list of all prints: {"printed": [{"pass": name, "when": "before" or "after"}, …]}."""
        return {"printed": list(self._printed)}


class PrintBeforeAll(PassPrintingInstrument):
    """Prints the graph before every pass."""

    def __init__(self):
        super().__init__(None, ())


class PrintAfterAll(PassPrintingInstrument):
    """Prints the graph after every pass."""

    def __init__(self):
        super().__init__((), None)
