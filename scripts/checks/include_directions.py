#!/usr/bin/env python3
"""Fails when a folder includes something it may not (docs/architecture.md, "Folders, and who may use whom").

    scripts/checks/include_directions.py [ROOT]

Also fails on a grant that nobody uses, and on folders that include one another in a circle.
"""

import pathlib
import re
import sys

# Folder -> what its files may include besides their own folder and the public C headers (ge/…, esb_funcs.h): a folder of
# this table, all folders with one beginning ("core"), or a single file. A folder stands below those that it may include,
# so a circle cannot be granted.
ALLOWED = {
    "capi/include": [],
    "core/support": [],
    "core/ir": ["core/support"],
    "core/ops": ["core/ir", "core/support"],
    "core/pattern": ["core/ir", "core/ops", "core/support"],
    "core/passes": ["core/ir", "core/ops", "core/pattern", "core/support"],
    "core/placement": ["core/ir", "core/ops", "core/support"],
    "core/variables": ["core/ir", "core/ops", "core/placement", "core/support"],
    "core/serialize": ["core/ir", "core/ops", "core/support"],
    "core/dump": ["core/ir", "core/serialize", "core/support"],
    "core/plan": [],
    "core/compile": [
        "core/pattern",
        "core/dump",
        "core/ir",
        "core/ops",
        "core/passes",
        "core/placement",
        "core/plan",
        "core/serialize",
        "core/support",
        "core/variables",
    ],
    "protos": ["core/ir/symbolic_dim.h", "core/ops/builtin_ops.h", "core/ops/symbolic_dims.h"],
    "parsers": ["core"],
    "parsers/onnx": ["core", "parsers"],
    "parsers/tensorflow": ["core", "parsers", "parsers/onnx"],
    "bridge/python": ["core/support/shared_library.h"],
    "runtime": ["core", "bridge/python/python_bridge.h"],
    "runtime/page": ["core", "runtime"],
    "runtime/flow": ["core", "runtime"],
    "runtime/session": ["core", "runtime", "runtime/flow"],
    "capi/src": [
        "core",
        "parsers",
        "parsers/onnx",
        "parsers/tensorflow",
        "runtime",
        "runtime/page",
        "runtime/flow",
        "runtime/session",
    ],
    "engines/reference": [],
    "engines/views": [],
    "engines/onednn": [],
    "engines/simd": [],
    "engines/cuda": [],
    "codegen": ["core/support/abi_sizes.h", "core/support/shared_library.h"],
    "cxx/include": [],
    "cxx": [],
    "compat/ge/include": ["cxx/include"],
    "compat": ["compat/ge/include"],
    "tools": ["codegen"],
    "java": [],
}
TOP = tuple({folder.split("/")[0] + "/" for folder in ALLOWED} - {"capi/"}) + ("capi/src/",)
# Headers that programs and these folders themselves include by their path below one of them.
PUBLIC = ("cxx/include", "compat/ge/include")
SUFFIXES = (".h", ".hpp", ".c", ".cpp", ".cu", ".inc")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


def inside(path, place):
    return path == place or path.startswith(place + "/")


def folder_of(path, table=ALLOWED):
    """The folder of the table that a file is in: the deepest one."""
    return max((f for f in table if inside(path, f)), key=len, default=None)


def public_headers(root):
    """Path as programs write it -> path in the project."""
    return {p.relative_to(root / f).as_posix(): p.relative_to(root).as_posix() for f in PUBLIC for p in (root / f).rglob("*.h")}


def includes(root, table=ALLOWED):
    """(file, line, folder, what it includes) for every include of a file of this project."""
    public = public_headers(root)
    for path in sorted(p for top in {f.split("/")[0] for f in table} for p in (root / top).rglob("*")):
        relative = path.relative_to(root).as_posix()
        folder = folder_of(relative, table)
        if folder is None or path.suffix not in SUFFIXES:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            found = INCLUDE.match(line)
            if not found:
                continue
            target = public.get(found.group(1), found.group(1)) if relative.startswith(("cxx/", "compat/")) else found.group(1)
            if target.startswith(TOP):
                yield relative, number, folder, target


def covered(grant, table):
    """The folders of the table that a grant is about."""
    if grant in table:
        return [grant]
    return [f for f in table if inside(f, grant)] or [f for f in [folder_of(grant, table)] if f]


def covers(grant, target, table):
    return folder_of(target, table) in covered(grant, table) and inside(target, grant)


def misplaced(table):
    """Grants of what does not stand above the folder that has them."""
    order = list(table)
    for at, (folder, grants) in enumerate(table.items()):
        for grant in grants:
            places = [order.index(f) for f in covered(grant, table)]
            if not places or max(places) >= at:
                yield f"{folder} is granted {grant}, which does not stand above it in the table"


def circle(edges):
    """Folders that include one another in a circle, from one of them back to itself; None when there are none."""
    done, path = set(), []

    def visit(folder):
        if folder in path:
            return [*path[path.index(folder) :], folder]
        if folder in done:
            return None
        path.append(folder)
        for target in sorted(edges.get(folder, ())):
            if found := visit(target):
                return found
        done.add(path.pop())
        return None

    for folder in sorted(edges):
        if found := visit(folder):
            return found
    return None


def check(root, table=ALLOWED):
    """(problems, number of includes)"""
    problems, count, used, edges = list(misplaced(table)), 0, set(), {}
    for file, line, folder, target in includes(root, table):
        count += 1
        to = folder_of(target, table)
        if to == folder:
            continue
        if to:
            edges.setdefault(folder, set()).add(to)
        grant = next((g for g in table[folder] if covers(g, target, table)), None)
        if grant is None:
            problems.append(f"{file}:{line}: {folder} may not include {target}")
        used.add((folder, grant))
    for folder, grants in table.items():
        problems += [f"{folder} has no use for the grant of {g}" for g in grants if (folder, g) not in used]
    if found := circle(edges):
        problems.append("folders include one another: " + " -> ".join(found))
    return problems, count


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
    problems, count = check(root)
    print("\n".join(problems) if problems else f"{count} includes between files of this project")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
