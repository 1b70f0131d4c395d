#!/usr/bin/env python3
"""Fails when public headers of the facade, or modules of the Python package, include one another in a circle."""

import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PUBLIC = ("cxx/include", "compat/ge/include")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


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


def public_cycle():
    """A cycle among the headers that programs include, as a problem to print."""
    public = {p.relative_to(ROOT / folder).as_posix(): p for folder in PUBLIC for p in (ROOT / folder).rglob("*.h")}
    graph = {}
    for name, path in public.items():
        lines = path.read_text(encoding="utf-8").splitlines()
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
    problems = public_cycle() + python_cycle()
    print("\n".join(problems) if problems else "no circles")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
