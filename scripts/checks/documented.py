#!/usr/bin/env python3
"""Every exported C function is documented directly above it, and its name says who owns what it hands out.

The comment ends on the line above the declaration, says what the function does and answers Owner, Nulls, Threads, Errors
and Since. No two functions share one. `Get` hands out what stays another's; `Retain`, `Create` and `Clone` hand out what the
caller gives back, and `Destroy` is the word for that. The functions are those of capi/exported_symbols.txt.

    documented.py                     the headers below capi/include
    documented.py FOLDER [SYMBOLS]    those below FOLDER; SYMBOLS lists what is exported, a name on each line
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
QUESTIONS = ("Owner", "Nulls", "Threads", "Errors", "Since")
# Words that say what Destroy says; functions that GE named (Es…) keep theirs.
OTHER_WORDS = re.compile(r"^(?!Es)\w*(?:Release|Free|Dispose|Delete|_free|_release)(?![a-z])")
# Stand-ins for the functions behind + - * / of tensors, which lead to those of a generated library (capi/src/es_hooks.cpp). A
# program has their declarations from the headers that are generated with it.
IN_GENERATED_HEADERS = {"EsAdd", "EsSub", "EsMul", "EsDiv"}


def declarations(text):
    """(line, function, comment) of each exported function; the comment is "" where none ends on the line above."""
    lines = text.split("\n")
    comment, start = "", None  # the comment that the next line may use; the first line of a declaration
    for at, line in enumerate(lines):
        if start is not None:
            if line.rstrip().endswith(";"):
                start = None
        elif re.match(r"\s*GE_API\b", line):
            if not line.rstrip().endswith(";"):
                start = at
            whole = " ".join(lines[at : at + 6])
            above = lines[at - 1].rstrip() if at else ""
            yield at + 1, re.search(r"(\w+)\s*\(", whole).group(1), comment if above.endswith("*/") else ""
            comment = ""
        elif line.strip().startswith("/*"):
            comment = line
        elif comment and "*/" not in comment:
            comment += "\n" + line
        else:
            comment = ""


def problems(text):
    """What is wrong with the functions of one header, one line each, and the names of the functions."""
    found, names = [], []
    for line, name, comment in declarations(text):
        names.append(name)
        if not comment:
            found.append(f"{line}: {name} has no comment directly above")
            continue
        missing = [q for q in QUESTIONS if not re.search(rf"\b{q}:", comment)]
        if missing:
            found.append(f"{line}: the comment of {name} does not say {', '.join(missing)}")
        if re.match(rf"/\*\*?\s*(?:{'|'.join(QUESTIONS)}):", comment):
            found.append(f"{line}: the comment of {name} does not say what it does")
        owned = re.search(r"caller\s+(?:\*\s+)?destroys|new\s+(?:\*\s+)?reference", comment)
        if re.search(r"Get(?![a-z])", name) and owned:
            found.append(f"{line}: {name} hands out what the caller gives back: Retain, Create or Clone, not Get")
        if OTHER_WORDS.match(name):
            found.append(f"{line}: {name} gives back under another word than Destroy")
    return found, names


def unlike(names, exported):
    """What the functions that the headers declare and those that the library exports do not have in common."""
    here, there = set(names), set(exported)
    found = [f"{name} is declared twice" for name in sorted(here) if names.count(name) > 1]
    found += [f"{name} is declared and not exported" for name in sorted(here - there)]
    found += [f"{name} is exported and not declared" for name in sorted(there - here - IN_GENERATED_HEADERS)]
    stale = sorted(IN_GENERATED_HEADERS & here) + sorted(IN_GENERATED_HEADERS - there)
    return found + [f"{name} is no exception any more: see IN_GENERATED_HEADERS" for name in stale]


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "capi" / "include"
    symbols = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if len(sys.argv) == 1:
        symbols = ROOT / "capi" / "exported_symbols.txt"
    wrong, functions = [], []
    for path in sorted(folder.rglob("*.h")):
        found, names = problems(path.read_text(encoding="utf-8"))
        wrong += [f"{path.relative_to(folder)}:{text}" for text in found]
        functions += names
    if symbols:
        wrong += [f"{symbols.name}: {text}" for text in unlike(functions, symbols.read_text(encoding="utf-8").split())]
    print("\n".join(wrong) or f"{len(functions)} functions")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
