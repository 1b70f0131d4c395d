#!/usr/bin/env python3
"""Random prototypes with random compatible histories: callers of every older release still compile, and build the same graph.

    property.py … [--seed N] [--count N]

Callers are written from the rules of a release's own signatures, as its users would have; the seed is printed on failure.
"""

import argparse
import ast
import random
import re
import subprocess
import sys
import tempfile

import protokit
from protokit import Attr, Op

DEFAULTS = {
    "Int": [3, 0, -7], "Float": [0.5, 1.0], "Bool": [True, False], "String": ["fast", ""], "Type": ["DT_FLOAT", "DT_INT8"],
    "Tensor": [None], "ListInt": [[1, 2], []], "ListFloat": [[0.5, 1.5], []], "ListBool": [[True, False], []],
    "ListType": [["DT_FLOAT", "DT_INT8"], []], "ListString": [["a", "b"], []],
}  # fmt: skip
ARGUMENTS = {
    "like": ["t", "u"],
    "like?": ["t", "nullptr", "2.0f", "static_cast<int64_t>(4)", "std::vector<int64_t>{1, 2}"],
    "holder": ["t", "u"],
    "vector": ["{t, u}", "std::vector<EsTensorHolder>{t}"],
    "owner&": ["g"],
    "owner*": ["&g"],
    "graph": ["std::unique_ptr<ge::Graph>()"],
    "Int": ["5", "0", "static_cast<int64_t>(3)", "n"],
    "Float": ["1.5f", "0", "2"],
    "Bool": ["true", "false"],
    "String": ['"slow"'],
    "Type": ["ge::DT_INT64"],
    "Tensor": ["std::unique_ptr<ge::Tensor>()"],
    "ListInt": ["{1, 2}", "{7}", "{0}", "{}", "std::vector<int64_t>{7}"],
    "ListFloat": ["{1.0f, 2.0f}", "{1.5f}", "std::vector<float>{7}"],
    "ListBool": ["{1, 0}", "{true}", "std::vector<uint8_t>{1}"],
    "ListType": ["{ge::DT_FLOAT, ge::DT_INT8}", "{ge::DT_INT8}"],
    "ListString": ['std::vector<const char *>{"x", "y"}'],
}


TYPES = {
    "const EsTensorLike &": "like", "const EsTensorHolder &": "holder", "const std::vector<EsTensorHolder> &": "vector",
    "const EsGraphBuilder &": "owner&", "const EsGraphBuilder *": "owner*", "std::unique_ptr<ge::Graph>": "graph",
    "int64_t": "Int", "float": "Float", "bool": "Bool", "const char *": "String", "ge::DataType": "Type",
    "std::unique_ptr<ge::Tensor>": "Tensor", "const std::vector<int64_t> &": "ListInt",
    "const std::vector<float> &": "ListFloat", "const std::vector<uint8_t> &": "ListBool",
    "const std::vector<ge::DataType> &": "ListType", "const std::vector<const char *> &": "ListString",
}  # fmt: skip


def split(parameters):
    """Parameters of a declaration: commas inside braces, parentheses and angles are part of one."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(parameters):
        depth += (c in "({[<") - (c in ")}]>")
        if c == "," and depth == 0:
            parts.append(parameters[start:i])
            start = i + 1
    return [p.strip() for p in [*parts, parameters[start:]] if p.strip()]


def live_overloads(header, op):
    """What a header offers its callers: lists of (kind of argument, name, has a default)."""
    found = []
    for text in re.findall(rf"^inline \S+ {op.type}\((.*)\) {{$", header, re.M):
        if "std::initializer_list<" in text:  # helps those who write braces, which the others take, too
            continue
        parameters = []
        for part in split(text):
            declared, _, default = part.partition("=")
            kind, name = re.fullmatch(r"(.*\S)\s+(\w+)", declared).groups()
            parameters.append((TYPES[kind], name, bool(default)))
        found.append(parameters)
    return found


def call(rng, op, overload, first, tensors_only=False):
    """A call of one overload. A number may be given for what the first release had: a later release may want a tensor for
    other inputs. A literal nullptr is given for nothing that a guard may cover."""
    least = sum(not default for _, _, default in overload)
    original = {name for name, _ in first.inputs}
    optional = {name for name, kind in first.inputs if kind == "o"}
    args = []
    for kind, name, _ in overload[: rng.randint(least, len(overload))]:
        if kind == "like" and (tensors_only or name not in original):
            kind = "holder"
        elif kind == "like" and name in optional:
            kind = "like?"
        args.append("t" if tensors_only and kind == "holder" else rng.choice(ARGUMENTS[kind]))
    return f"{op.type}({', '.join(args)})"


def random_attr(rng, name, required):
    kind = rng.choice([k for k in DEFAULTS if not (required and k == "Tensor")])
    return Attr(name, kind, required, None if required else rng.choice(DEFAULTS[kind]))


def random_chain(rng, number, releases):
    """One operator's prototype in every release; each is a compatible step from the one before."""
    names = (f"n{i}" for i in range(100))
    kinds = rng.choice([["r"], ["r", "r"], ["r", "o"], ["o"], ["o", "o"], ["d"], ["r", "d"], []])
    op = Op(
        f"Rnd{number}",
        tuple((next(names), k) for k in kinds),
        tuple(random_attr(rng, next(names), rng.random() < 0.4) for _ in range(rng.choice([0, 0, 1, 2]))),
        rng.choice([(("y", "r"),)] * 4 + [(("y", "r"), ("z", "r")), (("y", "d"),)]),
        rng.choice([()] * 6 + [(("body", False),)]),
    )
    chain = [op]
    for _ in range(releases - 1):
        inputs, attrs = list(op.inputs), list(op.attrs)
        for _ in range(rng.choice([0, 0, 1, 2])):
            inputs.append((next(names), "o"))
        for _ in range(rng.choice([0, 0, 0, 1])):
            attrs.append(random_attr(rng, next(names), False))
        if attrs and rng.random() < 0.2:
            i = rng.randrange(len(attrs))
            if not attrs[i].required:
                attrs[i] = Attr(attrs[i].name, attrs[i].type, False, rng.choice(DEFAULTS[attrs[i].type]))
        op = Op(op.type, tuple(inputs), tuple(attrs), op.outputs, op.graphs)
        chain.append(op)
    return chain


def python_callers(out, chain):
    """What of an older release's Python call does not fit the present function."""
    new = chain[-1]
    text = (out / f"es_{new.type}.py").read_text()
    args = next(n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)).args
    positional = [a.arg for a in args.args]
    optional = set(positional[len(positional) - len(args.defaults) :])
    optional |= {a.arg for a, d in zip(args.kwonlyargs, args.kw_defaults) if d is not None}
    named = {a.arg for a in args.kwonlyargs}
    problems = []
    for old in chain[:-1]:
        given = [name for name, _ in old.inputs]
        if positional[: len(given)] != given and old.inputs:
            problems.append(f"inputs {given} became {positional}")
        attrs = {a.name for a in old.attrs}
        if not attrs <= named:
            problems.append(f"attrs {attrs - named} are gone")
        # Where a dynamic output's count or a subgraph comes after the inputs, all inputs have to be given.
        follows = any(k == "d" for _, k in old.outputs) or old.graphs
        missing = ({*positional, *named} - optional) - {*given, *attrs, "owner_graph_builder"}
        if missing and not follows:
            problems.append(f"{missing} would have to be given")
    return [f"{new.type}: Python: {p}" for p in problems]


C_ARGUMENTS = {
    "Int": "1", "Float": "1.0f", "Bool": "true", "String": '"s"', "Type": "C_DT_FLOAT", "Tensor": "(EsCTensor *)0",
    "ListInt": "(const int64_t *)0, 0", "ListFloat": "(const float *)0, 0", "ListBool": "(const bool *)0, 0",
    "ListType": "(const C_DataType *)0, 0", "ListString": "(const char **)0, 0",
}  # fmt: skip


def c_call(op):
    args = [] if op.inputs else ["b"]
    args += ["many, 2" if k == "d" else "x" for _, k in op.inputs]
    if op.inputs and all(k == "o" for _, k in op.inputs):
        args.append("b")
    args += ["1" for _, k in op.outputs if k == "d"] + ["(EsCGraph *)0" for _ in op.graphs]
    args += [C_ARGUMENTS[a.type] for required in (True, False) for a in op.attrs if a.required == required]
    return f"Es{op.type}({', '.join(args)})"


PRELUDE = """#include <stdio.h>
#include "es_rnd_ops.h"
namespace ge { namespace es {
inline void Use(EsGraphBuilder &g, const EsTensorHolder &t, const EsTensorHolder &u, int64_t n) {
  (void)g; (void)t; (void)u; (void)n;
"""
MAIN = """}
}}
// Nodes with what is connected and what is stored; ports that are not connected do not count.
int main() {
  ge::es::EsGraphBuilder g("g");
  auto t = g.CreateInput(0), u = g.CreateInput(1);
  ge::es::Use(g, t, u, 3);
  EsCGraph *built = EsBuildGraphAndReset(g.GetCGraphBuilder());
  GeGraph *graph = nullptr;
  if (GeEsGraphRetainGraph(built, &graph) != 0) return 1;
  for (size_t i = 0; i < GeGraphNodeCount(graph); ++i) {
    GeNode *node = nullptr;
    if (GeGraphGetNode(graph, i, &node) != 0) return 1;
    printf("%s %s", GeNodeType(node), GeNodeName(node));
    for (size_t p = 0; p < GeNodeInputCount(node); ++p) {
      GeNode *source = nullptr;
      int32_t port = 0;
      if (GeNodeGetInputSource(node, static_cast<int32_t>(p), &source, &port) == 0 && source)
        printf(" %zu=%s:%d", p, GeNodeName(source), port);
    }
    for (size_t a = 0; a < GeNodeAttrCount(node); ++a) {
      GeAttrData v;
      if (GeNodeGetAttrAt(node, a, &v) != 0) return 1;
      printf(" %s:%d:%lld:%g:%s:%llu", v.name, v.type, (long long)v.i, v.f, v.type == C_VT_STRING ? v.s : "",
             (unsigned long long)v.count);
    }
    printf("\\n");
  }
  return 0;
}
"""


def graph_of(tools, name, out, calls):
    """What a program with these calls builds, with the wrappers of `out`."""
    source = tools.folder / f"{name}.cpp"
    sources = "".join(f'#include "{p.name}"\n' for p in sorted(out.glob("es_*.cpp")))
    includes = '#include "ge/es_node.h"\n#include "ge/graph.h"\n'
    source.write_text(sources + includes + PRELUDE + "".join(f"  (void){c};\n" for c in calls) + MAIN)
    program = tools.folder / name
    subprocess.run(
        [tools.cxx, "-std=c++17", "-w", "-O0", *tools.includes(out), source, "-o", program, f"-L{tools.lib}", "-lge",
         f"-Wl,-rpath,{tools.lib}"],
        check=True,
    )  # fmt: skip
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout


def main():
    parser = argparse.ArgumentParser()
    protokit.Tools.arguments(parser)
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--count", type=int, default=50)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    releases = 4
    chains = [random_chain(rng, i, releases) for i in range(args.count)]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        tools = protokit.Tools(args, folder)
        history = [(f"1.{r}", f"2026-0{r + 1}-01", [c[r] for c in chains]) for r in range(releases)]
        # The headers of each release, as they were made then: with the history up to it.
        headers = []
        for r in range(releases):
            package = protokit.write_package(tools.folder / f"package{r}", history[: r + 1])
            flags = ("--module_name=rnd", f"--history_registry={package}", f"--release_version=1.{r}")
            out = tools.folder / f"release{r}"
            result = tools.generate(tools.opp(f"opp{r}", [c[r] for c in chains]), out, *flags)
            if result.returncode:
                print(result.stderr)
                return 1
            headers.append({c[0].type: (out / f"es_{c[0].type}.h").read_text() for c in chains})
        present = headers[-1]
        served = [c for c in chains if "fall back to A0" not in present[c[0].type]]
        overloaded = sum(len(live_overloads(present[c[-1].type], c[-1])) > 1 for c in served)
        # The planner gives up on few of them, and these are no vacuous cases.
        if len(served) < 0.8 * len(chains) or overloaded < 0.2 * len(chains):
            failures.append(f"{len(served)} of {len(chains)} served, {overloaded} with overloads")
        lines = []
        for chain in served:
            for r, op in enumerate(chain):
                for overload in live_overloads(headers[r][op.type], op):
                    lines += [(op.type, r, call(rng, op, overload, chain[0])) for _ in range(2)]
        text = PRELUDE + "".join(f"#line {1000 + i}\n  (void){c};\n" for i, (_, _, c) in enumerate(lines)) + "}\n}}\n"
        message = tools.compiles(out, text)
        for number in sorted({int(n) for n in re.findall(r"<stdin>:(\d+):\d+: error", message)}):
            kind, release, line = lines[number - 1000]
            failures.append(f"{kind}: the call of release {release} does not compile: {line}")
        if message and not failures:
            failures.append(message[:3000])
        for chain in chains:
            failures += python_callers(out, chain)
        # C has one form: callers of releases with the same prototype, and new ones.
        body = "".join(
            f"  (void){c_call(op)};\n" for c in chains for op in c if (op.inputs, op.attrs) == (c[-1].inputs, c[-1].attrs)
        )
        c_text = (
            '#include "es_rnd_ops_c.h"\n#include <stdbool.h>\n'
            f"void Use(EsCTensorHolder *x, EsCTensorHolder **many, EsCGraphBuilder *b) {{\n{body}}}\n"
        )
        result = subprocess.run(
            [tools.cc, "-std=c11", "-Wall", "-Werror", "-fsyntax-only", *tools.includes(out), "-x", "c", "-"],
            input=c_text, capture_output=True, text=True,
        )  # fmt: skip
        if result.returncode:
            failures.append("C: " + result.stderr[:2000])
        # A sample of first-release programs builds the same graph with both sets of wrappers.
        sample = [c for c in served if not c[0].graphs and all(a.type != "Tensor" for a in c[-1].attrs)][:6]
        same = [c for c in sample if all(a == b for a, b in zip(c[0].attrs, c[-1].attrs))]  # defaults may change the graph
        calls = [call(rng, c[0], live_overloads(headers[0][c[0].type], c[0])[0], c[0], tensors_only=True) for c in same]
        chosen = "--only_ops=" + ",".join(c[0].type for c in same)
        old, only = tools.folder / "old", tools.folder / "only"
        tools.generate(tools.folder / "opp0", old, "--module_name=rnd", chosen)
        tools.generate(tools.folder / f"opp{releases - 1}", only, *flags, chosen)
        graphs = [graph_of(tools, name, place, calls) for name, place in (("program_old", old), ("program_new", only))]
        if graphs[0] != graphs[1] or graphs[0].count("Rnd") < len(same):
            failures.append(f"graphs differ:\n{graphs[0]}\n{graphs[1]}")
    if failures:
        print(f"seed {args.seed}\n" + "\n".join(failures[:40]))
        return 1
    print(f"{len(lines)} C++ calls, {overloaded} operators with overloads, {len(same)} in graphs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
