"""What operators are: pure, random, element by element, … (ge/op_traits.h lists the traits)."""

from ge._native import NULL, c_text, ffi, lib
from ge._native import check as _check

_PREFIX = "GE_TRAIT_"
_FUSED, _FLOW = "GE_FUSED_", "GE_CONTROL_FLOW_"
_FLAGS = {name[len(_PREFIX) :]: getattr(lib, name) for name in dir(lib) if name.startswith(_PREFIX)}

_OPCODES = {name[len(_FUSED) :]: number for number, name in ffi.typeof("GeFusedOpcode").elements.items()}
_FLOWS = {name[len(_FLOW) :]: number for number, name in ffi.typeof("GeControlFlow").elements.items()}


def _number(op_type, what, name, known):
    if name not in known:
        raise ValueError(f"{op_type}: unknown {what} {name!r}; there are {', '.join(sorted(known))}")
    return known[name]


def op_traits(op_type):
    """The traits of an operator as a set of names: {"PURE", "FOLDABLE"}; empty when nobody said anything."""
    out = ffi.new("const GeOpTraits **")
    _check(lib.GeOpFindTraits(c_text(op_type), out))
    return {name for name, flag in _FLAGS.items() if out[0].flags & flag}


def set_op_traits(op_type, *traits, opcode=None, control_flow=None):
    """Says what an operator of this program is: set_op_traits("MyNorm", "PURE", "FOLDABLE").

    Without PURE, RANDOM or EFFECT an operator is treated as one with effects: its nodes are never merged, removed or
    computed at compile time. For a type that the library has too, it counts where the program's own kernels run it.
    FUSED comes with the opcode that the operator computes (opcode="TANH", a GeFusedOpcode); an operator that runs its
    subgraphs says which (control_flow="IF", a GeControlFlow).
    """
    unknown = sorted(set(traits) - _FLAGS.keys())
    if unknown:
        raise ValueError(f"{op_type}: unknown traits {', '.join(unknown)}; there are {', '.join(sorted(_FLAGS))}")
    given = ffi.new("GeOpTraits *")
    given.struct_size = ffi.sizeof("GeOpTraits")
    for trait in traits:
        given.flags |= _FLAGS[trait]
    if opcode is not None:
        given.fused_opcode = _number(op_type, "opcode", opcode, _OPCODES)
    if control_flow is not None:
        given.control_flow = _number(op_type, "control_flow", control_flow, _FLOWS)
    _check(lib.GeOpSetTraits(c_text(op_type) if op_type else NULL, given))
