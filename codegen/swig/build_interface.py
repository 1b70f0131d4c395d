#!/usr/bin/env python3
"""Writes openge.i, the SWIG interface of the C ABI, from the public C headers.

The declarations are the headers themselves, expanded by the C preprocessor, so a function that is added to a header reaches
every SWIG language with the next build. What SWIG cannot know from a header alone is added by rule, not by name:

- a type that is only declared (GeGraph …) becomes a class without constructor or destructor;
- a plain struct gets zeroed arrays (support.i, GE_STRUCT);
- `T **out` parameters get one-pointer cells (`new_GeGraph_cell`, `GeGraph_cell_value`) in languages without raw memory;
- a `GeTextFn write, void *user` pair becomes one parameter, a GeText that collects the text.

    python build_interface.py --include capi/include --header ge/model.h … --output openge.i
"""

import argparse
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "python"))
from build_cdef import drop_bodies, preprocess, repeated  # noqa: E402  (the reader of the headers for Python)

TEXT_PAIR = re.compile(r"\bGeTextFn\s+(\w+)\s*,\s*void\s*\*\s*user\b")


def statements(text):
    """The declarations at file level, one string each, without the semicolon."""
    out, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += {"{": 1, "}": -1}.get(c, 0)
        if c == ";" and depth == 0:
            out.append(text[start:i].strip())
            start = i + 1
    return out


def constants(macros):
    """Macros that stand for a number or a text, in the order of their names, with the type that C gives them."""
    text = r'^#define (GE_[A-Z0-9_]+) ("[^"]*")\s*$'
    number = r"^#define (GE_[A-Z0-9_]+) \(*(-?(?:0[xX][0-9a-fA-F]+|\d+))([uU]?)\)*(?: ?- ?(\d+)\)*)?\s*$"
    lines = [f"#define {name} {value}" for name, value in re.findall(text, macros, re.M)]
    for name, value, unsigned, less in re.findall(number, macros, re.M):
        value = int(value, 0) - int(less or 0)
        lines.append(f"%constant uint32_t {name} = {value}L;" if unsigned else f"%constant int32_t {name} = {value};")
    return sorted(lines)


def collecting(declaration):
    """The form of a text-writing function that SWIG languages see."""
    head, parameters = re.fullmatch(r"(.*?)\((.*)\)", declaration, re.S).groups()
    name = head.split()[-1].lstrip("*")
    result = head[: head.rindex(name)].strip()
    arguments = []
    for parameter in TEXT_PAIR.sub(r"GeText *\1", parameters).split(","):
        argument = re.search(r"(\w+)\s*$", parameter).group(1)
        is_text = re.match(r"\s*GeText\s*\*", parameter)
        arguments.append(f"{argument} ? ge_text_append : NULL, {argument}" if is_text else argument)
    parameters = " ".join(TEXT_PAIR.sub(r"GeText *\1", parameters).split())
    return (
        f"%rename({name}) {name}_text;\n"
        f"%inline %{{\n"
        f"static {result} {name}_text({parameters}) {{\n"
        f"  return {name}({', '.join(arguments)});\n"
        f"}}\n"
        f"%}}"
    )


def interface(compiler, includes, headers):
    plain = repeated(drop_bodies(preprocess(compiler, includes, headers)))
    all_statements = statements(plain)
    structs = [m.group(1) for s in all_statements if (m := re.fullmatch(r"typedef struct \w+ \{.*\} (\w+)", s, re.S))]
    tags = {m.group(1) for s in all_statements if (m := re.fullmatch(r"(?:typedef )?struct (\w+)(?: \w+)?", s))}
    opaque = sorted(tags - set(structs))
    body, functions = [], []
    for s in all_statements:
        if re.fullmatch(r"(?:typedef )?struct \w+(?: \w+)?", s):
            continue
        if not s.startswith("typedef"):
            s = re.sub(r"\bstruct (\w+)", r"\1", s)
            functions.append(s)
        writes_text = not s.startswith("typedef") and TEXT_PAIR.search(s)
        body.append(collecting(s) if writes_text else s + ";")
    cells = sorted({c for f in functions for c in re.findall(r"\b(\w+) \*\*\w+", f) if c in tags | set(structs)})

    lines = ["// Written by codegen/swig/build_interface.py from the headers named below; changes belong there.", ""]
    lines += ["%module openge", "", "%{"]
    lines += [f'#include "{h}"' for h in headers]
    lines += ["%}", "", '%include "support.i"', ""]
    lines += constants(preprocess(compiler, includes, headers, "-dM")) + [""]
    for name in opaque:
        lines += [f"%nodefaultctor {name};", f"%nodefaultdtor {name};", f"typedef struct {name} {{}} {name};"]
    lines += [""] + [f"GE_STRUCT({name})" for name in structs]
    lines += [f"GE_CELL({name})" for name in cells]
    return "\n".join([*lines, "", *body, ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cc", default=os.environ.get("CC", "cc"))
    parser.add_argument("--include", action="append", default=[], help="folder with headers; repeatable")
    parser.add_argument("--header", action="append", default=[], help="header to take in; all of the first folder if none")
    parser.add_argument("--output", required=True)
    args = parser.parse_args()
    headers = args.header
    if not headers:
        root = pathlib.Path(args.include[0])
        headers = sorted(str(h.relative_to(root)) for h in root.rglob("*.h"))
    pathlib.Path(args.output).write_text(interface(args.cc, args.include, headers), encoding="utf-8")


if __name__ == "__main__":
    main()
