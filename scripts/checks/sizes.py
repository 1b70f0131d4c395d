#!/usr/bin/env python3
"""Files and functions stay small: prints median, 90th percentile and longest of both, and fails above a limit.

    scripts/checks/sizes.py              the limits below
    scripts/checks/sizes.py --list N     the N longest functions, too

Functions of C and C++ are found by a brace tracker, those of Python by `ast`. A function's length counts from the first line of
its signature to its closing brace. What a generator wrote (goldens) does not count. Tests are bound by the limit of files only:
a test is often one long table of cases.
"""

import argparse
import ast
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MEDIAN_FILE, LONGEST_FILE, LONGEST_FUNCTION = 100, 700, 80
C_LIKE = (".c", ".h", ".cpp", ".cu", ".hpp", ".inc")
GENERATED = re.compile(r"(^|/)golden/")
# What is no code: raw strings, strings, characters, comments, preprocessor lines with their continuations.
NO_CODE = re.compile(
    r'R"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
    r"|//[^\n]*|/\*.*?\*/"
    r"|^[ \t]*#(?:\\\n|[^\n])*",
    re.S | re.M,
)
SCOPE = re.compile(r"(?:\b(?:typedef|inline|static)\s+)*\b(?:namespace|class|struct|union|enum|extern)\b[^()]*$")

NAMESPACE = re.compile(r"\bnamespace\b[\s\w:]*$")  # also behind a macro call, where clang-format indents it


def without_comments(text):
    """The text with blanks for what is no code; lines stay where they are."""
    return NO_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def signature(head):
    """Where the signature begins in the text before a function's brace, or None when the brace opens no function."""
    if head.rstrip().endswith(("=", "(", ",")) or NAMESPACE.search(head):
        return None
    # Macro calls without a semicolon may stand before it: it begins with the last line that is indented least.
    begin, least, at = 0, None, 0
    for line in head.splitlines(keepends=True):
        indent = len(line) - len(line.lstrip())
        if line.strip() and line.strip()[0] not in "):" and not line.rstrip().endswith(":"):
            if least is None or indent <= least:
                begin, least = at + indent, indent
        at += len(line)
    return None if ")" not in head[begin:] or SCOPE.match(head[begin:]) else begin


def c_functions(text):
    """(name, first line, lines) of every function; a lambda belongs to the function around it."""
    text = without_comments(text)
    open_braces, statement, found = [], 0, []  # an entry per open brace: (name, line), or None for a scope
    for match in re.finditer(r"[{};]", text):
        at, mark = match.start(), match.group()
        inside = bool(open_braces) and open_braces[-1] is not None
        if mark == "{":
            head = text[statement:at]
            begin = None if inside else signature(head)
            if inside:
                open_braces.append(("", 0))
            elif begin is None:
                open_braces.append(None)
            else:
                name = re.search(r"([\w:~]+|operator\s*\S+?)\s*\(", head[begin:])
                open_braces.append((name.group(1) if name else "?", text.count("\n", 0, statement + begin) + 1))
        elif mark == "}" and open_braces:
            opened = open_braces.pop()
            if opened and opened[0]:
                found.append((opened[0], opened[1], text.count("\n", 0, at) + 2 - opened[1]))
        if not (open_braces and open_braces[-1]):
            statement = at + 1
    return found


def python_functions(text):
    nodes = (n for n in ast.walk(ast.parse(text)) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)))
    return [(n.name, n.lineno, n.end_lineno - n.lineno + 1) for n in nodes]


def sources():
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    for name in names:
        path = ROOT / name
        if path.suffix in (*C_LIKE, ".py") and not GENERATED.search(name) and path.is_file():
            yield name, path.read_text(encoding="utf-8")


def line_of(what, lengths):
    lengths = sorted(lengths)
    return (
        f"{what}: {len(lengths)}, lines: median {statistics.median(lengths):g}, 90th percentile "
        f"{lengths[int(len(lengths) * 0.9)]}, longest {lengths[-1]}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", type=int, default=0, metavar="N", help="the N longest functions")
    args = parser.parse_args()
    files, functions, problems = [], [], []
    for name, text in sources():
        lines = text.count("\n")
        if lines > LONGEST_FILE:
            problems.append(f"{name}: {lines} lines, at most {LONGEST_FILE} are allowed")
        if name.startswith("tests/"):
            continue
        files.append(lines)
        for function, line, length in (python_functions if name.endswith(".py") else c_functions)(text):
            functions.append((length, f"{name}:{line}", function))
    functions.sort(reverse=True)
    for length, where, function in functions:
        if length > LONGEST_FUNCTION:
            problems.append(f"{where}: {function} has {length} lines, at most {LONGEST_FUNCTION} are allowed")
    if statistics.median(files) > MEDIAN_FILE:
        problems.append(f"the median file has {statistics.median(files):g} lines, at most {MEDIAN_FILE} are allowed")
    for length, where, function in functions[: args.list]:
        print(f"{length:5} {where} {function}")
    print(line_of("files", files))
    print(line_of("functions", [f[0] for f in functions]))
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
