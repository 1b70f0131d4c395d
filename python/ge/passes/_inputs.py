"""The inputs of an expression: made when they are asked for."""

from ge._native import failed, lib
from ge.es import graph_builder as _scopes
from ge.es.tensor_holder import TensorHolder
from ge.passes._rules import PatternRules

_new = object.__new__


class PatternInputs(PatternRules):
    """`inputs[i]` is input number i, `inputs[:n]` a list of the first n; each is made with its first use.

    In a @pattern method it takes the rules of the pattern as well, of tensors that the method made:
    `inputs.set_commutative(inputs[0] + inputs[1])`.
    """

    __slots__ = ("_builder", "_made", "_rules")

    def __init__(self, builder):
        self._builder = builder
        self._made = []
        self._rules = []

    def _say(self, what, function, arguments, keep):
        if not hasattr(self, "_rules"):
            raise RuntimeError(f"{what}: a replacement has no rules, they belong to the pattern")
        self._rules.append((what, function, arguments, keep))

    def __getitem__(self, index):
        made = self._made
        if index.__class__ is int and 0 <= index < len(made):
            return made[index]
        if isinstance(index, slice):
            return self._slice(index)
        if not isinstance(index, int):
            raise TypeError("PatternInputs index must be an integer or slice")
        if index < 0:
            raise ValueError("PatternInputs index must be non-negative")
        self._make(index + 1)
        return made[index]

    def _slice(self, wanted):
        start, stop, step = wanted.start, wanted.stop, wanted.step
        if stop is None:
            raise ValueError("PatternInputs slice must provide a stop index, for example inputs[:3]")
        if step not in (None, 1):
            raise ValueError("PatternInputs slice step must be 1")
        start = 0 if start is None else start
        if not (isinstance(start, int) and isinstance(stop, int)):
            raise TypeError("PatternInputs index must be an integer or slice")
        if start < 0 or stop < 0:
            raise ValueError("PatternInputs slice indices must be non-negative")
        if stop < start:
            raise ValueError("PatternInputs slice stop must be greater than or equal to start")
        self._make(stop)
        return self._made[start:stop]

    def _make(self, count):
        """Makes inputs up to this number."""
        builder, made = self._builder, self._made
        if count - len(made) > _MOST:
            raise ValueError(f"PatternInputs index is {count - 1}, expected at most {len(made) + _MOST - 1}")
        while len(made) < count:
            if _scopes.scope_count[0]:
                made.append(builder.create_input(len(made)))
                continue
            builder._check_usable("create input")
            handle = lib.EsCreateGraphInput(builder._handle, len(made))
            if not handle:
                raise failed("Failed to create input")
            tensor = _new(TensorHolder)
            tensor._handle = handle
            tensor._builder = builder
            made.append(tensor)

    def __iter__(self):
        raise TypeError("PatternInputs cannot be iterated because the input count is unknown; use inputs[:N]")

    def created(self) -> list:
        """The inputs that were made, by index."""
        return list(self._made)

    def __repr__(self):
        return f"<PatternInputs, {len(self._made)} made>"


_MOST = 100000  # inputs that one index makes: more is a mistake
