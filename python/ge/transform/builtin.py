"""A function per pass of the library, under its own name and, where there is one, under TVM's."""

from ge._native import ffi, lib, text
from ge.transform._calls import check
from ge.transform.base import get_pass

# TVM's names of passes that do the same here.
_TVM = {
    "AlterOpLayout": "LayoutPropagation",
    "DeadCodeElimination": "DeadCode",
    "EliminateCommonSubexpr": "CommonSubexpression",
    "FoldConstant": "ConstantFolding",
    "FuseOps": "FuseElementwise",
    "InferType": "InferShape",
    "Inline": "InlineCalls",
    "SimplifyExpr": "AlgebraicSimplify",
}


def _maker(name, of):
    def make():
        return get_pass(of)

    make.__name__ = make.__qualname__ = name
    make.__module__ = __name__
    make.__doc__ = f"The pass {of} of the library." if name == of else f"TVM's name of the pass {of}."
    return make


def _built_in_names():
    info = ffi.new("GePassInfo *")
    for i in range(lib.GePassCount()):
        info.struct_size = ffi.sizeof("GePassInfo")
        check(lib.GePassAt(i, info))
        name = text(info.name)
        if info.builtin and name.isidentifier():
            yield name


__all__ = [*_built_in_names(), *_TVM]
globals().update({name: _maker(name, _TVM.get(name, name)) for name in __all__})
