"""A function per pass of the library, under its own name and, where there is one, under TVM's."""

from ge._native import ffi, lib, text
from ge.transform._calls import check
from ge.transform.base import get_pass


def _maker(name, of):
    def make():
        return get_pass(of)

    make.__name__ = make.__qualname__ = name
    make.__module__ = __name__
    make.__doc__ = f"The pass {of} of the library." if name == of else f"TVM's name of the pass {of}."
    return make


def _built_in_names():
    """{name: the library's name}"""
    found = {}
    info = ffi.new("GePassInfo *")
    for i in range(lib.GePassCount()):
        info.struct_size = ffi.sizeof("GePassInfo")
        check(lib.GePassAt(i, info))
        name, other = text(info.name), text(info.other_name)
        if info.builtin and name.isidentifier():
            found[name] = name
            if other:
                found[other] = name
    return found


_names = _built_in_names()
__all__ = sorted(_names)
globals().update({name: _maker(name, of) for name, of in _names.items()})
