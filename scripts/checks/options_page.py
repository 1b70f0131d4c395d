#!/usr/bin/env python3
"""Writes docs/options.md from the library's table of options, or fails when the page says something else.

usage: options_page.py BUILD [--write]
"""

import ctypes
import pathlib
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "options.md"
HEAD = """# Options

Options are pairs of texts. They are given to `GeOptionsSet`, `GEInitialize`, sessions, graphs and builds of C++ and Python,
`ge.load(model, options={…})` and `ge run -O key=value`; a graph's win over a session's, and those over the process's. All go by
the one table in `runtime/options_table.cpp`, which `ge doctor --options --all` and `ge.options()` list and this page is
written from (`scripts/checks/options_page.py build/release --write`).

What another value than the default does:

| effect | meaning |
|---|---|
| acts | it takes effect |
| nothing to do on a CPU | accepted: results and files are what the option asks for |
| not there: warns | accepted, as results do not depend on it (a limit, a cache, a log, …); one warning in a process |
| not there: refused | `GE_UNSUPPORTED`, because results or files would be others; the message says what to do instead |

The default is always accepted, and so are values that mean the same. An unknown option is an error that names near ones;
C++ programs get a warning with the same text instead, as from GE (`GeOptionsSetOrWarn`). A second `GEInitialize` and
`LoadGraph` change no option: of each that they give another value there is a warning. Warnings are in the log, and wait for
`GEGetWarningMsg` and `GeWarningsTake`.
"""


def text(pointer):
    return pointer.value.decode()


def rows(library):
    ge = ctypes.CDLL(str(library))
    ge.GeOptionCount.restype = ctypes.c_size_t
    ge.GeOptionAt.argtypes = [ctypes.c_size_t] + [ctypes.POINTER(ctypes.c_char_p)] * 5
    for i in range(ge.GeOptionCount()):
        fields = [ctypes.c_char_p() for _ in range(5)]
        if ge.GeOptionAt(i, *map(ctypes.byref, fields)) != 0:
            raise SystemExit(f"GeOptionAt({i}) failed")
        yield tuple(map(text, fields))


def table(of):
    lines = ["| option | values | default | what it does |", "|---|---|---|---|"]
    for key, values, default, _, doc in of:
        shown = values.replace("|", " \\| ").replace("<", "&lt;").replace("~", "\\~")
        lines.append(f"| `{key}` | {shown} | {default} | {doc} |")
    return "\n".join(lines)


def page(library):
    every = list(rows(library))
    parts = [HEAD]
    for effect in ("acts", "not there: refused", "not there: warns", "nothing to do on a CPU"):
        of = [row for row in every if row[3] == effect]
        every = [row for row in every if row[3] != effect]
        parts.append(f"\n## {effect[0].upper()}{effect[1:]}: {len(of)} options\n\n{table(of)}\n")
    if every:
        raise SystemExit(f"option {every[0][0]} has the unknown effect {every[0][3]!r}")
    return "".join(parts)


def main():
    new = page(pathlib.Path(sys.argv[1]) / "lib" / "libge.so")
    if "--write" in sys.argv:
        PAGE.write_text(new, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != new:
        print(f"{PAGE} is not what the table of options gives; write it again with --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
