#!/usr/bin/env python3
"""Fails when core, runtime or an engine lists operator types: what an operator is stands in its traits (ge/op_traits.h).

A list is a statement (an array, a set, a chain of comparisons up to its semicolon) that quotes three or more types of
REG_OP, or as many comparisons with quoted types close to each other. Not counted are tables that give each operator its
kernel (REGISTRATION), and the rules of single rewrites, which must name what they match: ALLOWED says how many each file
has, and why.

    operator_lists.py            checks the tree
    operator_lists.py --self-test  shows that planted lists are found
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("core", "runtime", "engines")
MOST = 2  # types in one statement
NEAR = 30  # lines within which comparisons belong together

# Tables of kernels: operator type and the function that makes its kernel.
REGISTRATION = re.compile(r"\b(const OpEntry|static const Entry|const Entry|constexpr Entry)\b")

ALLOWED = {
    "core/passes/algebraic.cpp": (1, "which identity starts at which operator"),
    "core/passes/constant_folding.cpp": (1, "operators that ask only for the shape have a fold of their own"),
    "core/passes/epilogue.cpp": (2, "the activations that convolutions and products apply, with their attributes"),
    "core/passes/fuse_conv_batch_norm.cpp": (1, "what may be folded into a convolution's weights"),
    "core/passes/fuse_gelu.cpp": (1, "the pattern"),
    "core/passes/fuse_layer_norm.cpp": (2, "the pattern"),
    "core/passes/fuse_matmul.cpp": (2, "the products that take an epilogue"),
    "core/passes/fuse_swish.cpp": (2, "the pattern"),
    "core/passes/layout_propagation.cpp": (1, "how channels pass through operators that are not element by element"),
    "core/passes/one_hot.cpp": (1, "the pattern"),
    "core/passes/pad_conv.cpp": (1, "the pattern"),
    "core/passes/remove_identity.cpp": (1, "when each operator does nothing"),
    "core/passes/rows.cpp": (1, "the forms of a mean"),
    "core/variables/updates.cpp": (1, "the formula of each update of a variable"),
    "core/ir/node.cpp": (1, "the one place that says which nodes are variables"),
    "core/variables/variables.cpp": (2, "lowering: what a read and a test of a variable are"),
    "runtime/session/watched_values.cpp": (1, "what hands on the variable that Save and Summary watch"),
    "engines/reference/conv/conv_setup.cpp": (1, "attributes of the versions of one operator"),
    "engines/reference/conv/pool.cpp": (1, "attributes of the versions of one operator"),
    "engines/reference/elementwise/select.cpp": (1, "the kernels of this file"),
    "engines/reference/movement/concat.cpp": (1, "attributes of the versions of one operator"),
    "engines/reference/movement/pad.cpp": (1, "attributes of the versions of one operator"),
    "engines/simd/elementwise.cpp": (2, "operators whose attributes choose the instructions"),
    "engines/simd/movement.cpp": (1, "attributes of the versions of one operator"),
    "engines/simd/rowwise.cpp": (2, "the kernels of this file"),
    "engines/simd/typed.cpp": (4, "the kernels of this file"),
}

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
QUOTED = re.compile(r'"(\w+)"')
COMPARED = re.compile(r'(?:==|!=)\s*"(\w+)"|"(\w+)"\s*(?:==|!=)|strcmp\([^,()]*,\s*"(\w+)"\)')


def operator_types():
    types = set()
    for header in (ROOT / "protos" / "include" / "op_proto").glob("*.h"):
        types.update(re.findall(r"REG_OP\((\w+)\)", header.read_text(encoding="utf-8")))
    return types


def statements(text):
    """(line, text) of what ends with a semicolon outside of braces that hold statements of their own."""
    begin, stack = 0, []
    for match in re.finditer(r'"(?:\\.|[^"\\])*"|[;{}]', text):
        c = match.group(0)
        if c == "{":
            before = text[begin : match.start()].rstrip()
            block = before.endswith((")", "const", "noexcept", "override", "else", "do", "try")) or re.search(
                r"\b(namespace|struct|class|enum|extern)\b[^;=()]*$", before
            )
            stack.append(bool(block))
            if block:
                yield text.count("\n", 0, begin) + 1, text[begin : match.start()]
                begin = match.end()
        elif c == "}":
            if stack and stack.pop():
                begin = match.end()
        elif c == ";" and (not stack or stack[-1]):
            yield text.count("\n", 0, begin) + 1, text[begin : match.start()]
            begin = match.end()


def lists(text, types, registers=False):
    """(line, types) of every list in a source; `registers`: tables of kernels do not count."""
    text = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), text)
    found, compared = [], []
    for line, statement in statements(text):
        line += statement[: len(statement) - len(statement.lstrip())].count("\n")
        if registers and REGISTRATION.search(statement):
            continue
        names = {n for n in QUOTED.findall(statement) if n in types}
        if len(names) > MOST:
            found.append((line, sorted(names)))
        else:
            compared += [(line, n) for groups in COMPARED.findall(statement) for n in groups if n in types]
    for i in range(len(compared)):
        near = {n for line, n in compared[i:] if line - compared[i][0] <= NEAR}
        if len(near) > MOST:
            found.append((compared[i][0], sorted(near)))
            break
    return found


def check(root, types):
    problems = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".hpp", ".c", ".cpp", ".inc"):
                continue
            name = str(path.relative_to(root))
            found = lists(path.read_text(encoding="utf-8"), types, folder == "engines")
            allowed = ALLOWED.get(name, (0, ""))[0]
            if len(found) > allowed:
                problems += [f"{name}:{line}: a list of operator types: {', '.join(names[:6])}" for line, names in found]
            elif len(found) < allowed:
                problems.append(f"{name}: has {len(found)} lists of operator types, ALLOWED says {allowed}")
    return problems


PLANTED = {
    "array": 'static const Symbol kTypes[] = {"Relu", "Tanh", "Sigmoid"};',
    "set": 'void F() { static const std::set<Symbol> types = {"Relu",  // one\n "Tanh", "Sigmoid"}; G(types); }',
    "symbols": 'static const Symbol a("Relu"), b("Tanh"), c("Sigmoid");',
    "chain": 'bool F(Symbol t) { return t == "Relu" || t == "Tanh" || t == "Sigmoid"; }',
    "ifs": 'int F(const std::string &t) {\n  if (t == "Relu") return 1;\n  if (t == "Tanh") return 2;\n'
    '  return t == "Sigmoid" ? 3 : 4;\n}',
    "strcmp": 'if (strcmp(t, "Relu") == 0) A(); else if (strcmp(t, "Tanh") == 0) B(); else if (strcmp(t, "Abs") == 0) C();',
}
HARMLESS = {
    "two": 'return t == "Relu" || t == "Tanh";',
    "comment": '// "Relu", "Tanh", "Sigmoid"\nint x;',
    "no operators": 'static const char *const kModes[] = {"nearest", "linear", "cubic"};',
    "kernels": 'const OpEntry kOps[] = {{"Relu", F}, {"Tanh", F}, {"Sigmoid", F}};',
}


def self_test(types):
    problems = [f"planted list not found: {name}" for name, text in PLANTED.items() if not lists(text, types)]
    problems += [f"taken for a list: {name}" for name, text in HARMLESS.items() if lists(text, types, True)]
    return problems


def main(arguments):
    types = operator_types()
    problems = self_test(types) if "--self-test" in arguments else self_test(types) + check(ROOT, types)
    print("\n".join(problems) if problems else f"{len(types)} operator types")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
