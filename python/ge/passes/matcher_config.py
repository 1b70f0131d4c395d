"""Facts that a pattern's nodes are compared by, beyond their types."""

from ge._native import lib


class PatternMatcherConfig:
    """Made by PatternMatcherConfigBuilder. By default constants match by type and attributes are not compared."""

    __slots__ = ("_flags",)

    def __init__(self) -> None:
        raise TypeError("PatternMatcherConfig objects are made by PatternMatcherConfigBuilder")

    @classmethod
    def _of(cls, flags):
        self = object.__new__(cls)
        self._flags = flags
        return self

    def is_enable_const_value_match(self) -> bool:
        """True when constants match equal ones only."""
        return bool(self._flags & lib.GE_MATCH_CONST_VALUES)

    def is_enable_ir_attr_match(self) -> bool:
        """True when attributes of the prototypes must be equal."""
        return bool(self._flags & lib.GE_MATCH_IR_ATTRS)

    def __repr__(self):
        return f"<PatternMatcherConfig: {_compared(self._flags)}>"


def _compared(flags):
    """The comparisons of these flags, in words."""
    values = ["constant values"] if flags & lib.GE_MATCH_CONST_VALUES else []
    return ", ".join(["types", *values, *(["IR attributes"] if flags & lib.GE_MATCH_IR_ATTRS else [])])


class PatternMatcherConfigBuilder:
    """Collects what to compare."""

    __slots__ = ("_flags",)

    def __init__(self) -> None:
        self._flags = 0

    def enable_const_value_match(self) -> "PatternMatcherConfigBuilder":
        """Constants of the pattern that have a value match equal ones only."""
        self._flags |= lib.GE_MATCH_CONST_VALUES
        return self

    def enable_ir_attr_match(self) -> "PatternMatcherConfigBuilder":
        """Attributes of the prototypes must be equal; types of inner nodes are not compared then."""
        self._flags |= lib.GE_MATCH_IR_ATTRS
        return self

    def build(self) -> PatternMatcherConfig:
        """The configuration; the builder may go on."""
        return PatternMatcherConfig._of(self._flags)

    def __repr__(self):
        return f"<PatternMatcherConfigBuilder: {_compared(self._flags)}>"
