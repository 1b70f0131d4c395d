#!/usr/bin/env python3
"""Every exported C function is documented directly above it, and its name says who owns what it hands out.

The comment stands on the line above the declaration, says what the function does and answers Owner, Nulls, Threads, Errors
and Since. Declarations that follow one another without a blank line share the comment above the first. `Get` hands out what
stays another's; `Retain`, `Create` and `Clone` hand out what the caller gives back, and `Destroy` is the word for that.

    documented.py [FOLDER]    the headers below FOLDER, capi/include by default
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
QUESTIONS = ("Owner", "Nulls", "Threads", "Errors", "Since")
# Words that say what Destroy says; functions that GE named (Es…) keep theirs.
OTHER_WORDS = re.compile(r"^(?!Es)\w*(?:Release|Free|Dispose|Delete|_free|_release)(?![a-z])")


def declarations(text):
    """(line, function, comment) of each exported function; the comment is "" where none stands directly above."""
    lines = text.split("\n")
    comment, start = "", None  # the comment that the next line may use; the first line of a declaration
    for at, line in enumerate(lines):
        if start is not None:
            if line.rstrip().endswith(";"):
                start = None
            continue
        if re.match(r"\s*GE_API\b", line):
            if not line.rstrip().endswith(";"):
                start = at
            whole = " ".join(lines[at : at + 6])
            yield at + 1, re.search(r"(\w+)\s*\(", whole).group(1), comment
        elif line.strip().startswith("/*"):
            comment = line
        elif comment and "*/" not in comment:
            comment += "\n" + line
        else:
            comment = ""


def problems(text):
    """What is wrong with the functions of one header, one line each, and how many functions there are."""
    found, count = [], 0
    for line, name, comment in declarations(text):
        count += 1
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
    return found, count


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "capi" / "include"
    total, functions = 0, 0
    for path in sorted(folder.rglob("*.h")):
        found, count = problems(path.read_text(encoding="utf-8"))
        for text in found:
            print(f"{path.relative_to(folder)}:{text}")
        total, functions = total + len(found), functions + count
    if not total:
        print(f"{functions} functions")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
