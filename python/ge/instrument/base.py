"""PassInstrument, the base of instruments, and the decorator that makes one of a class."""


class PassInstrument:
    """Methods that are not overridden do nothing."""

    def __repr__(self):
        return f"<{type(self).__name__}>"

    def enter_pass_ctx(self) -> None:
        """A context with the instrument is entered."""

    def exit_pass_ctx(self) -> None:
        """It is left, also on an error inside."""

    def should_run(self, mod, info) -> bool:
        """False leaves a pass out, unless the context requires it."""
        return True

    def run_before_pass(self, mod, info) -> None:
        """Before each pass that runs. The graph is lent for the time of the call."""

    def run_after_pass(self, mod, info) -> None:
        """After each pass that ran and did not fail."""


def pass_instrument(pi_cls=None):
    """Decorator: makes an instrument of a class that has some of PassInstrument's methods."""

    def create(cls):
        if not isinstance(cls, type):
            raise TypeError(f"pass_instrument expects a class, got {cls!r}")
        if issubclass(cls, PassInstrument):
            return cls
        namespace = {"__module__": cls.__module__, "__doc__": cls.__doc__, "__qualname__": cls.__qualname__}
        return type(cls.__name__, (cls, PassInstrument), namespace)

    return create if pi_cls is None else create(pi_cls)
