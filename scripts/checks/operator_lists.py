#!/usr/bin/env python3
"""Fails when core, runtime or an engine lists operator types: what an operator is stands in its traits (ge/op_traits.h),
and in ge/elementwise.def.

Looked at are definitions: a function, or what stands at file scope. One that asks about more than two types of REG_OP is
a list: whether it compares them, hands them to a function, fills a container, quotes them in one string or names them in
a macro. So is a part of a type's name (starts_with("Hcom"), strstr(type, "3D")), and more than two instructions
(GE_FUSED_*) that are compared. No list are tables whose rows hold a function (the kernel maker, handler or rewrite of
the type), and what builds nodes or messages. ALLOWED names the definitions that must name what they match, with their
exact types, and why.

    operator_lists.py              checks the tree
    operator_lists.py --allowed    prints what is found in the form of ALLOWED
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from operator_lists_allowed import ALLOWED

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("core", "runtime", "engines")
SUFFIXES = (".h", ".hpp", ".c", ".cpp", ".cu", ".inc")
MOST = 2  # types in one definition
OLDER = ("AippData", "AnnData", "AnyData")  # types of graph inputs without a prototype

# Calls that make nodes or messages: what they name is no question.
BUILDS = {"Make", "MakeNode", "Fail", "Str", "Refuse", "Declined", "Tried", "At"}
PARTS = re.compile(
    r"\b(?:find|rfind|starts_with|ends_with|contains|strstr|strncmp|compare|substr|StartsWith|EndsWith|Contains)"
    r'\s*\([^;"]*?"(\w+)"'
)
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.S)
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\(([^)\n]*)\))?((?:\\\n|[^\n])*)", re.M)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
STRING = re.compile(r'"((?:\\.|[^"\\\n])*)"')
OPCODE = re.compile(r"(?:\bcase\s+|[=!]=\s*)(GE_FUSED_[A-Z0-9_]+)|\b(GE_FUSED_[A-Z0-9_]+)\s*[=!]=")
SCOPE = re.compile(r'(\bnamespace\b[^;=()]*|\bextern\s*"\w*"\s*|\b(?:struct|class|enum|union)\b[^;=()]*)$')


def operator_types(root=ROOT):
    types = set(OLDER)
    for header in (root / "protos" / "include" / "op_proto").glob("*.h"):
        types.update(re.findall(r"REG_OP\((\w+)\)", header.read_text(encoding="utf-8")))
    return types


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def definitions(text):
    """(name, line, text, function?) of every definition; `text` has no comments and directives. Namespaces and classes
    are looked into."""
    begin, depth, scopes = 0, 0, []
    for match in re.finditer(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|[;{}]', text):
        c = match.group(0)
        if c == "{":
            if depth == 0 and SCOPE.search(text[begin : match.start()]):
                scopes.append(True)
                begin = match.end()
            else:
                depth += 1
        elif c == "}":
            if depth == 0:
                if scopes:
                    scopes.pop()
                begin = match.end()
                continue
            depth -= 1
            whole = text[begin : match.end()]
            if depth == 0 and is_function(whole):
                yield function_name(whole), line_of(text, begin, whole), whole, True
                begin = match.end()
        elif c == ";" and depth == 0:
            whole = text[begin : match.end()]
            yield variable_name(whole), line_of(text, begin, whole), whole, False
            begin = match.end()


def line_of(text, begin, whole):
    return text.count("\n", 0, begin + len(whole) - len(whole.lstrip())) + 1


def is_function(text):
    head = text[: text.index("{")]
    return bool(re.search(r"\)\s*(?:const|noexcept|override|final|->[\w:<>&*\s]+|\s|:[^:].*)*$", head, re.S)) and not re.search(
        r"=\s*(\[.*)?$|=\s*\[", head
    )


def function_name(text):
    found = re.search(r"([\w~]+|operator\s*\S+)\s*\(", text[: text.index("{")])
    return found.group(1) if found else "?"


def variable_name(text):
    head = re.split(r"[={(]|\[", text, maxsplit=1)[0]
    found = re.findall(r"\w+", head)
    return found[-1] if found else "?"


def group_around(text, at, opening, closing):
    """The text of the innermost group of brackets around a position, or ""."""
    depth, begin = 0, at
    while begin > 0:
        begin -= 1
        if text[begin] == closing:
            depth += 1
        elif text[begin] == opening:
            if depth == 0:
                break
            depth -= 1
    else:
        return "", 0
    depth, end = 0, at
    while end < len(text):
        if text[end] == opening:
            depth += 1
        elif text[end] == closing:
            if depth == 0:
                break
            depth -= 1
        end += 1
    return text[begin + 1 : end], begin


def handled(text, match, functions):
    """The literal stands in a row {"Type", …, Function} of a table."""
    row, begin = group_around(text, match.start(), "{", "}")
    if not row or ";" in row:
        return False
    row = STRING.sub('""', row)
    return any(
        name in functions for name in re.findall(r"(?<![\w:.>])&?([A-Z]\w*)(?:<[^<>]*>)?\s*(?=[,}]|$)", row)
    ) or "[](" in row.replace(" ", "")


def builds(text, match):
    """The literal is an argument of a call that makes a node or a message."""
    inside, begin = group_around(text, match.start(), "(", ")")
    callee = re.search(r"(\w+)\s*$", text[:begin]) if inside else None
    return bool(callee) and callee.group(1) in BUILDS


def asked(text, types, functions):
    """The types, parts of types and instructions that a definition asks about."""
    names, parts = set(), set()
    for match in STRING.finditer(text):
        words = re.findall(r"\w+", match.group(1))
        found = {w for w in words if w in types}
        if not found or (len(words) > 1 and len(found) < MOST):
            continue
        if handled(text, match, functions) or builds(text, match):
            continue
        names |= found
    for match in PARTS.finditer(text):
        part = match.group(1)
        if re.search(r"[A-Z]|\d", part) and len(part) > 1 and sum(part in t for t in types) > MOST:
            parts.add(part + "*")
    opcodes = {a or b for a, b in OPCODE.findall(text)} - {"GE_FUSED_NONE"}
    return names, parts, opcodes


def functions_of(text):
    return set(re.findall(r"\b([A-Z]\w*)\s*(?:<[^<>;{}]*>)?\s*\(", STRING.sub('""', text)))


def lists(text, types, known=frozenset()):
    """[(definition, line, what it lists)]; `known`: functions that other files define."""
    text = COMMENT.sub(lambda m: m.group(0) if m.group(0)[0] == '"' else blank(m), text)
    found = []
    for match in DEFINE.finditer(text):
        name, parameters, body = match.group(1), match.group(2) or "", match.group(3)
        given = {p.strip() for p in parameters.split(",")}
        calls = {word for callee, word in re.findall(r"\b(\w+)\s*\(\s*(\w+)", body) if callee in given and word in types}
        if len(calls) > MOST:
            found.append((name, text.count("\n", 0, match.start()) + 1, calls))
    text = DIRECTIVE.sub(blank, text)
    functions = functions_of(text) | known
    per_function, together, first = {}, set(), 0
    for name, line, whole, function in definitions(text):
        names, parts, opcodes = asked(whole, types, functions)
        if function:
            at, *sets = per_function.setdefault(name, (line, set(), set(), set()))
            for target, more in zip(sets, (names, parts, opcodes)):
                target |= more
        elif len(names) > MOST or parts:
            found.append((name, line, names | parts))
        elif names:
            first = first or line
            together |= names
    if len(together) > MOST:
        found.append(("file scope", first, together))
    for name, (line, names, parts, opcodes) in per_function.items():
        what = (names if len(names) > MOST else set()) | parts | (opcodes if len(opcodes) > MOST else set())
        if what:
            found.append((name, line, what))
    return sorted(found, key=lambda f: f[1])


def included_functions(path, text, root):
    """What headers of the project that the source includes declare."""
    known = set()
    for header in re.findall(r'#include "([^"]+)"', text):
        for candidate in (path.parent / header, root / header, path.parents[1] / header):
            if candidate.is_file():
                known |= functions_of(candidate.read_text(encoding="utf-8"))
                break
    return known


def sources(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES:
                yield str(path.relative_to(root)), path


def check(root, types, allowed):
    problems, seen = [], set()
    for name, path in sources(root):
        text = path.read_text(encoding="utf-8")
        for definition, line, what in lists(text, types, included_functions(path, text, root)):
            key = f"{name}:{definition}"
            seen.add(key)
            given = set(allowed.get(key, ("", ""))[0].split())
            if what - given:
                problems.append(f"{name}:{line}: {definition} lists operators: {', '.join(sorted(what - given))}")
            if key in allowed and given - what:
                problems.append(f"{name}:{line}: {definition} no longer names {', '.join(sorted(given - what))}")
    problems += [f"{key} is allowed to list operators, but does not" for key in sorted(set(allowed) - seen)]
    return problems


def main(arguments):
    types = operator_types()
    if "--allowed" in arguments:
        for name, path in sources(ROOT):
            text = path.read_text(encoding="utf-8")
            for definition, _, what in lists(text, types, included_functions(path, text, ROOT)):
                print(f'    "{name}:{definition}": ("{" ".join(sorted(what))}", ""),')
        return 0
    problems = check(ROOT, types, ALLOWED)
    print("\n".join(problems) if problems else f"{len(types)} operator types, {len(ALLOWED)} definitions that name some")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
