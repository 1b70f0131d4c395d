#!/usr/bin/env python3
"""Fails when a folder includes something it may not (docs/architecture.md, "Who may use whom")."""

import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Public headers that are included by paths below these folders: folder -> folders whose headers it may include, besides itself
# and the public C headers.
PUBLIC = {"cxx/include": [], "compat/ge/include": ["cxx/include"]}
# folder -> folders of this project it may include, besides itself and the public C headers (ge/…, esb_funcs.h)
ALLOWED = {
    "capi/include": [],
    "core": [],
    "protos": ["core/ops/builtin_ops.h", "core/ops/registry.h"],
    "parsers": ["core"],
    "runtime": ["core"],
    "capi/src": ["core", "parsers", "runtime", "capi/src"],
    "engines/reference": [],
    "engines/views": [],
    "engines/onednn": [],
    "engines/simd": [],
    "codegen": ["core/support/shared_library.h"],
    "cxx": [],
    "compat": ["cxx"],
    "tools": ["codegen"],
    "java": [],
}
TOP = ("core/", "protos/", "parsers/", "engines/", "runtime/", "capi/src/", "codegen/", "tools/", "java/")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


def may(folder, target):
    allowed = ALLOWED[folder] + [folder]
    return any(target == a or target.startswith(a + "/") for a in allowed)


def public_headers():
    """Path as programs write it -> the folder of PUBLIC that holds the header."""
    return {str(p.relative_to(ROOT / folder)): folder for folder in PUBLIC for p in (ROOT / folder).rglob("*.h")}


def cycle(graph):
    """A way through the graph that ends where it begins, or None."""
    state = {}  # 1: on the way, 2: done

    def visit(node, way):
        state[node] = 1
        for target in sorted(graph[node]):
            if state.get(target) == 1:
                return [*way[way.index(target) :], target] if target in way else [node, target]
            if target not in state:
                found = visit(target, [*way, target])
                if found:
                    return found
        state[node] = 2
        return None

    for node in sorted(graph):
        if node not in state:
            found = visit(node, [node])
            if found:
                return found
    return None


def public_cycle(public):
    """A cycle among the headers that programs include, as a problem to print."""
    graph = {}
    for name, folder in public.items():
        lines = (ROOT / folder / name).read_text(encoding="utf-8").splitlines()
        graph[name] = {m.group(1) for m in map(INCLUDE.match, lines) if m and m.group(1) in public}
    found = cycle(graph)
    return [f"headers include one another: {' -> '.join(found)}"] if found else []


def python_cycle():
    """A cycle among the modules of the package `ge`, imports inside functions included."""
    root = ROOT / "python" / "ge"
    files = {p.relative_to(root.parent).with_suffix("").as_posix().replace("/", "."): p for p in root.rglob("*.py")}
    modules = {name.removesuffix(".__init__"): path for name, path in files.items()}
    graph = {}
    for name, path in modules.items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        graph[name] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom):
                continue
            base = package.rsplit(".", node.level - 1)[0] if node.level > 1 else package
            module = node.module if node.level == 0 else ".".join(filter(None, (base, node.module)))
            for target in [f"{module}.{alias.name}" for alias in node.names]:
                target = target if target in modules else module
                if target in modules and target != name:
                    graph[name].add(target)
    found = cycle(graph)
    return [f"Python modules import one another: {' -> '.join(found)}"] if found else []


def main():
    public = public_headers()
    problems, files = public_cycle(public) + python_cycle(), 0
    for folder, allowed in PUBLIC.items():
        for path in sorted((ROOT / folder).rglob("*.h")):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                found = INCLUDE.match(line)
                target = public.get(found.group(1)) if found else None
                if target not in (None, folder, *allowed):
                    problems.append(f"{path.relative_to(ROOT)}:{number}: {folder} may not include {target}")
    for folder in ALLOWED:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in (".h", ".hpp", ".c", ".cpp", ".inc"):
                continue
            files += 1
            relative = path.relative_to(ROOT)
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                found = INCLUDE.match(line)
                if found and found.group(1).startswith(TOP) and not may(folder, found.group(1)):
                    problems.append(f"{relative}:{number}: {folder} may not include {found.group(1)}")
    print("\n".join(problems) if problems else f"{files} files")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
