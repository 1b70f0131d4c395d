#!/usr/bin/env python3
"""The whole generated C interface of the built-in operators: each function called with valid arguments, with nulls, with one
null or wrong argument at a time, with handles of another kind, of a destroyed builder and of two builders, with consumed ones,
and with tensors of a builder that is built.

    call_every.py --gen_esb PROGRAM --opp FOLDER --cc COMPILER --source ROOT --lib FOLDER --generated FOLDER
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = {"Data", "RefData", "AippData", "AnnData", "AnyData", "NetOutput", "Variable", "Switch", "StreamSwitch", "Merge"}
SKIPPED |= {"StreamMerge", "Enter", "Exit", "LoopCond", "NextIteration"}
VALID = {
    "Int": "1", "Float": "1.0f", "Bool": "true", "String": '"s"', "Type": "C_DT_FLOAT", "Tensor": "NewTensor()",
    "ListInt": "kInts, 2", "ListFloat": "kFloats, 2", "ListBool": "kBools, 2", "ListType": "kTypes, 2",
    "ListString": "kStrings, 2", "ListListInt": "kRows, 2, kRowSizes",
}  # fmt: skip
NULLS = {"Int": "0", "Float": "0", "Bool": "false", "Type": "C_DT_FLOAT", "String": "NULL", "Tensor": "NULL"}

WRONG = {
    "builder": (("null", "NULL"), ("a tensor", "(void *)x"), ("a destroyed builder", "(void *)gone")),
    "INPUT": (("null", "NULL"), ("a builder", "(void *)b"), ("a destroyed tensor", "gone")),
    "OPTIONAL_INPUT": (("a builder", "(void *)b"), ("a destroyed tensor", "gone")),
    "DYNAMIC_INPUT": (("null", "NULL, 1"), ("a null element", "nothing, 1"), ("a count below 0", "xs, -1"),
                      ("a destroyed tensor", "&gone, 1")),
    "count": (("a count below 0", "-1"), ("a count beyond 32 bits", "((int64_t)1 << 40)")),
    "STATIC": (("null", "NULL"), ("a tensor", "(void *)x"), ("a consumed graph", "used")),
    "DYNAMIC": (("null", "NULL, 1"), ("a null element", "(void *)nothing, 1"), ("a consumed graph", "&used, 1")),
    "Tensor": (("null", "NULL"), ("a tensor of the graph", "(void *)x"), ("a consumed tensor", "taken")),
    "String": (("null", "NULL"),),
    "ListInt": (("null", "NULL, 2"), ("a count below 0", "kInts, -1")),
    "ListFloat": (("null", "NULL, 2"), ("a count below 0", "kFloats, -1")),
    "ListBool": (("null", "NULL, 2"),), "ListType": (("null", "NULL, 2"),),
    "ListString": (("null", "NULL, 2"), ("a null element", "(const char **)nothing, 1")),
    "ListListInt": (("null", "NULL, 2, kRowSizes"), ("no sizes", "kRows, 2, NULL"),
                    ("a null row", "(const int64_t **)nothing, 1, kRowSizes")),
}  # fmt: skip

HEAD = """#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "es_all_ops_c.h"
#include "ge/es_node.h"
static const int64_t kInts[] = {1, 2}, kRowSizes[] = {2, 1};
static const float kFloats[] = {1, 2};
static const bool kBools[] = {true, false};
static const C_DataType kTypes[] = {C_DT_FLOAT, C_DT_INT8};
static const char *kStrings[] = {"a", "b"};
static const int64_t *kRows[] = {kInts, kInts};
static int failures, calls;
/* Handles of a builder that is destroyed, a graph and a tensor that calls have taken over, and a list of one null. */
static EsCTensorHolder *gone, *nothing[1];
static EsCGraph *used;
static EsCTensor *taken;
static EsCTensor *NewTensor(void) {
  const int64_t dim = 2;
  return EsCreateEsCTensor(kFloats, &dim, 1, C_DT_FLOAT, C_FORMAT_ND);
}
/* One input, one output; names of the subgraphs of one graph differ. */
static EsCGraph *NewGraph(void) {
  static int serial;
  char name[32];
  snprintf(name, sizeof name, "sub%d", serial++);
  EsCGraphBuilder *b = EsCreateGraphBuilder(name);
  EsSetGraphOutput(EsCreateGraphInput(b, 0), 0);
  EsCGraph *graph = EsBuildGraphAndReset(b);
  EsDestroyGraphBuilder(b);
  return graph;
}
static void Check(const char *name, const char *what, const void *result, size_t size, bool want) {
  const char *bytes = result;
  bool have = false;
  for (size_t i = 0; i < size; ++i) have = have || bytes[i];
  ++calls;
  if (have == want) return;
  printf("%s with %s gives %s\\n", name, what, have ? "a result" : "nothing");
  ++failures;
}
#define CHECK(name, what, want, type, call) do { type r_ = call; Check(name, what, &r_, sizeof r_, want); } while (0)
"""


class Operator:
    def __init__(self, record):
        self.type = record["op_type"]
        self.inputs = [i["type"] for i in record.get("inputs", [])]
        self.dynamic_outputs = sum(o["type"] == "DYNAMIC_OUTPUT" for o in record.get("outputs", []))
        outputs = len(record.get("outputs", []))
        self.result = f"Es{self.type}Output" if outputs > 1 or self.dynamic_outputs else "EsCTensorHolder *"
        self.graphs = [g["type"] for g in record.get("subgraphs", [])]
        attrs = record.get("attrs", [])
        self.attrs = [a["type"] for a in attrs if a["required"]] + [a["type"] for a in attrs if not a["required"]]

    def optional_only(self):
        return all(kind == "OPTIONAL_INPUT" for kind in self.inputs)

    def arguments(self, first, second, builder):
        """(what, text) of each argument of a call whose first input comes from one tensor and whose other inputs come from
        another."""
        args = [] if self.inputs else [("builder", builder)]
        for i, kind in enumerate(self.inputs):
            one, many = (second, second + "s") if i else (first, first + "s")
            args.append((kind, f"{many}, 1" if kind == "DYNAMIC_INPUT" else one))
        if self.inputs and self.optional_only():
            args.append(("may be null", builder))
        args += [("count", "1")] * self.dynamic_outputs
        args += [(kind, "(EsCGraph *[]){NewGraph()}, 1" if kind == "DYNAMIC" else "NewGraph()") for kind in self.graphs]
        return args + [(a, VALID[a]) for a in self.attrs]

    def call(self, args):
        return f"Es{self.type}({', '.join(text for _, text in args)})"

    def valid(self, first, second, builder):
        return self.call(self.arguments(first, second, builder))

    def wrong(self):
        """(what, call) with one argument that cannot be; every other one is valid."""
        for i, (kind, _) in enumerate(self.arguments("x", "x", "b")):
            for what, instead in WRONG.get(kind, ()):
                args = self.arguments("x", "x", "b")
                args[i] = (kind, instead)
                yield f"{what} as argument {i}", self.call(args)

    def null(self):
        args = [] if self.inputs else ["NULL"]
        args += ["NULL, 0" if kind == "DYNAMIC_INPUT" else "NULL" for kind in self.inputs]
        if self.inputs and self.optional_only():
            args.append("NULL")
        args += ["0"] * self.dynamic_outputs
        args += ["NULL, 0" if kind == "DYNAMIC" else "NULL" for kind in self.graphs]
        args += [NULLS.get(a, "NULL, 0, NULL" if a == "ListListInt" else "NULL, 0") for a in self.attrs]
        return f"Es{self.type}({', '.join(args)})"


def program(operators):
    lines = [HEAD]
    for op in operators:
        name = f'"{op.type}"'
        # Subgraphs and tensors are made only where the call takes them over.
        mixed = len(op.inputs) > 1 and not op.graphs and "Tensor" not in op.attrs
        built = bool(op.inputs) and not op.graphs and "Tensor" not in op.attrs
        lines.append(f"static void Call{op.type}(void) {{")
        lines.append('  EsCGraphBuilder *b = EsCreateGraphBuilder("g"), *other = EsCreateGraphBuilder("other");')
        lines.append("  EsCTensorHolder *x = EsCreateGraphInput(b, 0), *y = EsCreateGraphInput(other, 0);")
        lines.append("  EsCTensorHolder *xs[] = {x}, *ys[] = {y};\n  (void)xs; (void)ys;")
        lines.append('  EsCGraphBuilder *lost = EsCreateGraphBuilder("lost");')
        lines.append("  gone = EsCreateGraphInput(lost, 0);\n  EsDestroyGraphBuilder(lost);")
        lines.append(f'  CHECK({name}, "valid arguments", true, {op.result}, {op.valid("x", "x", "b")});')
        lines.append(f'  CHECK({name}, "nulls", false, {op.result}, {op.null()});')
        if mixed:
            lines.append(f'  CHECK({name}, "tensors of two builders", false, {op.result}, {op.valid("x", "y", "b")});')
        lines.append("  EsCGraph *graph = EsBuildGraphAndReset(other);\n  GeEsGraphDestroy(graph);")
        for what, text in op.wrong():
            # What was refused takes nothing over: graphs and tensors of these calls are lost, and the process is short.
            lines.append(f'  CHECK({name}, "{what}", false, {op.result}, {text});')
        if built:
            lines.append(f'  CHECK({name}, "a builder that is built", false, {op.result}, {op.valid("y", "y", "other")});')
        lines.append("  EsDestroyGraphBuilder(b);\n  EsDestroyGraphBuilder(other);\n}")
    lines.append("int main(void) {")
    lines.append("""  EsCGraphBuilder *b = EsCreateGraphBuilder("b");
  EsCTensorHolder *x = EsCreateGraphInput(b, 0), *xs[] = {x};
  used = NewGraph();
  taken = NewTensor();
  EsWhile(xs, 1, 1, used, NewGraph(), 1);
  EsConst(b, taken);""")
    lines += [f"  Call{op.type}();" for op in operators]
    lines.append('  printf("%d calls, %d failures\\n", calls, failures);\n  return failures != 0;\n}')
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    for name in ("gen_esb", "opp", "cc", "source", "lib", "generated"):
        parser.add_argument("--" + name, required=True)
    args = parser.parse_args()
    source, lib = pathlib.Path(args.source), pathlib.Path(args.lib)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        env = dict(os.environ, ASCEND_OPP_PATH=args.opp, ASCEND_CUSTOM_OPP_PATH="")
        subprocess.run(
            [args.gen_esb, "--es_mode=extract_history", f"--output_dir={folder}", "--release_version=now"],
            env=env, check=True, capture_output=True,
        )  # fmt: skip
        records = json.loads((folder / "registry" / "now" / "operators.json").read_text())["operators"]
        operators = [Operator(r) for r in records if r["op_type"] not in SKIPPED]
        (folder / "calls.c").write_text(program(operators))
        subprocess.run(
            [args.cc, "-std=gnu11", "-O0", "-w", f"-I{source}/capi/include", f"-I{args.generated}", folder / "calls.c",
             "-o", folder / "calls", f"-L{lib}", "-les_all", "-lge", f"-Wl,-rpath,{lib}"],
            check=True,
        )  # fmt: skip
        result = subprocess.run([folder / "calls"], capture_output=True, text=True)
    print(result.stdout[-4000:])
    if result.returncode or len(operators) < 1000:
        print(result.stderr[-2000:])
        print(f"code {result.returncode}, {len(operators)} operators")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
