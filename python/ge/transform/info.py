"""PassInfo: what a pass says of itself."""

from dataclasses import dataclass, field

from ge._native import lib, text


@dataclass(frozen=True)
class PassInfo:
    """name; opt_level, from which on a Sequential runs it; required, names of passes that run first; traceable, a remark of its
    author."""

    name: str
    opt_level: int = 0
    required: list = field(default_factory=list)
    traceable: bool = False

    @classmethod
    def _from_c(cls, info):
        required = [text(info.required[i]) for i in range(info.required_count)]
        return cls(text(info.name), info.level, required, bool(info.flags & lib.GE_PASS_TRACEABLE))
