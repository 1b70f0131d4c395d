"""Prototypes as Python data: as a prototype library (C over the public interface), as a history package, as wrappers.

This is written from the description of the formats alone, so that it can judge what gen_esb reads and writes.
"""

import dataclasses
import json
import os
import pathlib
import subprocess

KINDS = {"r": 0, "o": 1, "d": 2}
# REG_OP name: (value of C_AttrValueType in graph/c_types.h, C element type)
ATTRS = {
    "Int": ("C_VT_INT", None),
    "Float": ("C_VT_FLOAT", None),
    "Bool": ("C_VT_BOOL", None),
    "String": ("C_VT_STRING", None),
    "Type": ("C_VT_DATA_TYPE", None),
    "Tensor": ("C_VT_TENSOR", None),
    "ListInt": ("C_VT_LIST_INT", "int64_t"),
    "ListFloat": ("C_VT_LIST_FLOAT", "float"),
    "ListBool": ("C_VT_LIST_BOOL", "uint8_t"),
    "ListType": ("C_VT_LIST_DATA_TYPE", "int32_t"),
    "ListString": ("C_VT_LIST_STRING", "char *const"),
}


@dataclasses.dataclass(frozen=True)
class Attr:
    name: str
    type: str
    required: bool = False
    default: object = None


@dataclasses.dataclass(frozen=True)
class Op:
    type: str
    inputs: tuple = ()  # (name, "r" | "o" | "d")
    attrs: tuple = ()
    outputs: tuple = (("y", "r"),)
    graphs: tuple = ()  # (name, dynamic)
    dtype: str = "TensorType({DT_FLOAT})"


def c_text(value):
    return json.dumps(value)


def _attr_initialiser(op, attr, lines):
    vt, element = ATTRS[attr.type]
    i, f, s, items, count = "0", "0", "NULL", "NULL", "0"
    if not attr.required:
        d = attr.default
        if attr.type in ("Int", "Bool"):
            i = str(int(d))
        elif attr.type == "Float":
            f = repr(float(d))
        elif attr.type == "Type":
            i = "C_" + d
        elif attr.type == "String":
            s, count = c_text(d), str(len(d))
        elif element and d:
            items = f"k_{op.type}_{attr.name}"
            values = [
                c_text(v) if attr.type == "ListString" else "C_" + v if attr.type == "ListType" else str(v).lower() for v in d
            ]
            values = ["1" if v == "true" else "0" if v == "false" else v for v in values]
            lines.append(f"static const {element} {items}[] = {{{', '.join(values)}}};")
            count = str(len(d))
    return f'{{{{"{attr.name}", {vt}, 0, {i}, {f}, {s}, NULL, {items}, {count}, NULL}}, {int(attr.required)}, 0}}'


def _ports(op, items):
    return ", ".join(f'{{"{name}", {KINDS[kind]}, 0, {c_text(op.dtype)}}}' for name, kind in items)


def c_library(ops):
    """The source of a prototype library."""
    lines = ['#include "ge/op.h"', "#include <math.h>"]
    calls = []
    for op in ops:
        t = op.type
        parts = []
        for what, kind, body in (
            ("inputs", "GeIrPort", _ports(op, op.inputs)),
            ("outputs", "GeIrPort", _ports(op, op.outputs)),
            ("attrs", "GeIrAttr", ", ".join(_attr_initialiser(op, a, lines) for a in op.attrs)),
            ("graphs", "GeIrGraph", ", ".join(f'{{"{n}", {2 if d else 0}, 0}}' for n, d in op.graphs)),
        ):
            count = len(getattr(op, what))
            if count:
                lines.append(f"static const {kind} k_{what}_{t}[] = {{{body}}};")
            parts.append(f"{f'k_{what}_{t}' if count else 'NULL'}, {count}")
        lines.append(f'static const GeOpSchema k_{t} = {{sizeof(GeOpSchema), "{t}", NULL, NULL, {", ".join(parts)}, NULL, 0}};')
        calls.append(f"  (void)GeOpRegister(&k_{t}, NULL);")
    body = "\n".join(calls)
    lines.append(f"__attribute__((constructor)) static void Prototypes(void) {{\n{body}\n}}")
    return "\n".join(lines) + "\n"


def literal(attr):
    """default_value of operators.json."""
    if attr.type == "Tensor":
        return '"Tensor()"'
    return json.dumps(attr.default, separators=(",", ":"))


def record(op):
    kinds = {"r": "INPUT", "o": "OPTIONAL_INPUT", "d": "DYNAMIC_INPUT"}
    attrs = []
    for a in op.attrs:
        item = {"name": a.name, "type": a.type, "required": a.required}
        if not a.required:
            item["default_value"] = literal(a)
        attrs.append(item)
    return {
        "op_type": op.type,
        "inputs": [{"name": n, "type": kinds[k], "dtype": op.dtype} for n, k in op.inputs],
        "outputs": [{"name": n, "type": "OUTPUT" if k == "r" else "DYNAMIC_OUTPUT", "dtype": op.dtype} for n, k in op.outputs],
        "attrs": attrs,
        "subgraphs": [{"name": n, "type": "DYNAMIC" if d else "STATIC"} for n, d in op.graphs],
    }


def write_package(folder, releases):
    """A history package. releases: [(version, date, [Op, …])]."""
    folder = pathlib.Path(folder)
    index = {"version": "1.0.0", "releases": [{"release_version": v, "release_date": d} for v, d, _ in releases]}
    for version, _, ops in releases:
        place = folder / "registry" / version
        place.mkdir(parents=True)
        (place / "metadata.json").write_text(json.dumps({"release_version": version}))
        (place / "operators.json").write_text(json.dumps({"operators": [record(op) for op in ops]}))
    (folder / "index.json").write_text(json.dumps(index, indent=2))
    return folder


class Tools:
    """Paths of a build, and how to call what is there."""

    @staticmethod
    def arguments(parser):
        for name in ("gen_esb", "cc", "cxx", "source", "lib"):
            parser.add_argument("--" + name, required=True)

    def __init__(self, args, folder):
        self.gen_esb, self.cc, self.cxx = args.gen_esb, args.cc, args.cxx
        self.source, self.lib = pathlib.Path(args.source), pathlib.Path(args.lib)
        self.folder = pathlib.Path(folder)

    def includes(self, *more):
        facade = [self.source / p for p in ("capi/include", "cxx/include", "cxx/include/ge")]
        return [f"-I{p}" for p in (*facade, *more)]

    def opp(self, name, ops):
        """An operator package whose one library registers `ops`."""
        place = self.folder / name / "op_proto" / "custom"
        place.mkdir(parents=True)
        source = place / "protos.c"
        source.write_text(c_library(ops))
        subprocess.run(
            [
                self.cc,
                "-std=gnu11",
                "-w",
                "-shared",
                "-fPIC",
                *self.includes(),
                source,
                "-o",
                place / "libprotos.so",
                f"-L{self.lib}",
                "-lge",
                f"-Wl,-rpath,{self.lib}",
            ],
            check=True,
        )
        return self.folder / name

    def generate(self, opp, out, *flags):
        env = dict(os.environ, ASCEND_OPP_PATH=str(opp), ASCEND_CUSTOM_OPP_PATH="")
        return subprocess.run([self.gen_esb, f"--output_dir={out}", *map(str, flags)], env=env, capture_output=True, text=True)

    def compiles(self, out, text):
        """The compiler's messages for C++ text that uses generated headers; empty when there are none."""
        result = subprocess.run(
            [self.cxx, "-std=c++17", "-Wall", "-Werror", "-fsyntax-only", *self.includes(out), "-x", "c++", "-"],
            input=text,
            capture_output=True,
            text=True,
        )
        return result.stderr if result.returncode else ""
