"""PassInfo: what a pass says of itself."""

from dataclasses import dataclass, field

from ge._native import ffi, lib, text

_KINDS = {
    lib.GE_PASS_KIND_MODULE: "module",
    lib.GE_PASS_KIND_PER_GRAPH: "per_graph",
    lib.GE_PASS_KIND_SEQUENCE: "sequence",
    lib.GE_PASS_KIND_FUNCTION: "function",
    lib.GE_PASS_KIND_STREAM: "stream",
    lib.GE_PASS_KIND_FUSION: "fusion",
}


@dataclass(frozen=True)
class PassInfo:
    """name; opt_level, from which on a Sequential runs it; required, names of passes that run first; traceable, a remark of its
    author; kind, told by the library: "module", "per_graph" (TVM's function passes), "sequence", or GE's "function", "stream",
    "fusion"; "" of a PassInfo that a program makes."""

    name: str
    opt_level: int = 0
    required: list = field(default_factory=list)
    traceable: bool = False
    kind: str = field(default="", compare=False)

    @classmethod
    def _from_c(cls, info):
        required = [text(info.required[i]) for i in range(info.required_count)]
        told = info.struct_size >= ffi.offsetof("GePassInfo", "kind") + 4
        kind = _KINDS.get(info.kind, "") if told else ""
        return cls(text(info.name), info.level, required, bool(info.flags & lib.GE_PASS_TRACEABLE), kind)
