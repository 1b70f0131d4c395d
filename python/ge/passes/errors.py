"""Exceptions that hooks of passes raise to say more than that something went wrong."""


class PassSkipException(Exception):  # noqa: N818 (the name says what it does)
    """Raised in a hook: this match (this node) is left as it is, and the pass goes on."""


class PassFatalError(Exception):
    """Raised in a hook: the pass fails, and the compile. In `meet_requirements` and `patterns`, where other exceptions count
    as "no"."""
