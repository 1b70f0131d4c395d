"""What operators are: pure, random, element by element, … (ge/op_traits.h lists the traits)."""

from ge._model import _check
from ge._native import NULL, c_text, ffi, lib

_PREFIX = "GE_TRAIT_"
_FLAGS = {name[len(_PREFIX) :]: getattr(lib, name) for name in dir(lib) if name.startswith(_PREFIX)}


def op_traits(op_type):
    """The traits of an operator as a set of names: {"PURE", "FOLDABLE"}; empty when nobody said anything."""
    out = ffi.new("const GeOpTraits **")
    _check(lib.GeOpFindTraits(c_text(op_type), out))
    return {name for name, flag in _FLAGS.items() if out[0].flags & flag}


def set_op_traits(op_type, *traits):
    """Says what an operator of this program is: set_op_traits("MyNorm", "PURE", "FOLDABLE").

    Without PURE, RANDOM or EFFECT an operator is treated as one with effects: its nodes are never merged, removed or
    computed at compile time. For a type that the library has too, it counts where the program's own kernels run it.
    """
    unknown = sorted(set(traits) - _FLAGS.keys())
    if unknown:
        raise ValueError(f"{op_type}: unknown traits {', '.join(unknown)}; there are {', '.join(sorted(_FLAGS))}")
    given = ffi.new("GeOpTraits *")
    given.struct_size = ffi.sizeof("GeOpTraits")
    for trait in traits:
        given.flags |= _FLAGS[trait]
    _check(lib.GeOpSetTraits(c_text(op_type) if op_type else NULL, given))
