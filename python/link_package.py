#!/usr/bin/env python3
"""Makes the package in a build tree: links to the sources, so that an edit counts without a build, and their bytecode, as an
installer would: an interpreter that may not write it does not compile the package at every start.

python link_package.py <source package> <target package> [<folder of the generated packages es_*>]
"""

import importlib.util
import os
import py_compile
import struct
import sys


def link(source, target):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.islink(target) and os.readlink(target) == source:
        return
    if os.path.lexists(target):
        os.remove(target)
    os.symlink(source, target)


def link_tree(source, target):
    wanted = set()
    for folder, folders, files in os.walk(source):
        folders[:] = [f for f in folders if f != "__pycache__"]
        for name in files:
            if name.endswith((".py", ".pyi", ".typed")):
                path = os.path.join(folder, name)
                to = os.path.join(target, os.path.relpath(path, source))
                wanted.add(to)
                link(path, to)
                if name.endswith(".py"):
                    compile_to_bytecode(to)
    return wanted


def compile_to_bytecode(path):
    """Unless it is there. An edit makes it stale, and the source counts again."""
    source, made = os.stat(path), importlib.util.cache_from_source(path)
    try:
        with open(made, "rb") as f:
            head = f.read(16)
    except OSError:
        head = b""
    stamp = struct.pack("<LL", int(source.st_mtime) & 0xFFFFFFFF, source.st_size & 0xFFFFFFFF)
    if head != importlib.util.MAGIC_NUMBER + bytes(4) + stamp:
        py_compile.compile(path, invalidation_mode=py_compile.PycInvalidationMode.TIMESTAMP)


def main():
    source, target = (os.path.abspath(p) for p in sys.argv[1:3])
    wanted = link_tree(source, target)
    if len(sys.argv) > 3 and os.path.isdir(sys.argv[3]):
        generated = os.path.abspath(sys.argv[3])
        for name in os.listdir(generated):
            if name.startswith("es_") and os.path.isdir(os.path.join(generated, name)):
                package = os.path.join(os.path.dirname(target), name)
                link_tree(os.path.join(generated, name), package)
                link(os.path.join(source, "py.typed"), os.path.join(package, "py.typed"))
    # A module that is gone from the sources must not stay importable.
    for folder, _, files in os.walk(target):
        for name in files:
            path = os.path.join(folder, name)
            if name.endswith((".py", ".pyi")) and os.path.islink(path) and path not in wanted:
                os.remove(path)


if __name__ == "__main__":
    main()
