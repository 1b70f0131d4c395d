#!/usr/bin/env python3
"""C++ overloads for callers of older releases: every worked case, the calls that must compile and those that must not."""

import argparse
import dataclasses
import re
import sys
import tempfile

import protokit
from protokit import Attr, Op

R, O = "r", "o"
M = Attr("m", "String", default="fast")
K = Attr("k", "Int", default=3)
KR = Attr("k", "Int", required=True)
L = Attr("l", "ListInt", default=[1])
LR = Attr("l", "ListInt", required=True)
J = Attr("j", "ListInt", default=[2])
LJ = "const std::vector<int64_t> & l={1}, const std::vector<int64_t> & j={2}"
F = Attr("f", "ListFloat", default=[0.5])
FR = Attr("f", "Bool", required=True)
GUARD_A1 = "New input {} cannot use nullptr in this overload. Use the legacy overload when this input is disconnected."
GUARD_A2 = (
    "New input {} uses TensorHolder for disambiguation. Use legacy overload when disconnected, or use "
    "CreateScalar/CreateVector/CreateConst for constants."
)
A0 = "fall back to A0 single-signature plan to avoid ambiguous or incompatible overloads."
A1 = (
    "Try0 overloads (legacy + full signature) are ambiguous, so switch to A1: force new inputs required and add "
    "nullptr-guard overloads."
)
A2 = "A1 overloads are still ambiguous, so switch to A2: force new inputs as TensorHolder and add nullptr-guard overloads."
CHAIN = "Cause: incompatible schema change in history chain at step {}: {}. Action: " + A0


def ins(text):
    """ "r x, o b" as inputs."""
    return tuple((part.split()[1], part.split()[0]) for part in text.split(", ") if part)


@dataclasses.dataclass
class Case:
    name: str
    history: list
    present: tuple  # inputs, attrs (and outputs, graphs)
    live: list  # parameter lists
    guards: list = dataclasses.field(default_factory=list)  # messages
    warning: str = ""
    works: list = dataclasses.field(default_factory=list)  # calls that compile; @ is the operator
    refused: list = dataclasses.field(default_factory=list)  # (call, text of the compiler's message)
    braces: int = 0  # overloads for lists in braces


def op(name, inputs, attrs=(), outputs=(("y", R),), graphs=()):
    return Op("Case" + name, ins(inputs), tuple(attrs), outputs, graphs)


TL, TH, OB = "const EsTensorLike & ", "const EsTensorHolder & ", "const EsGraphBuilder * owner_builder"
S = 'const char * m="fast"'
CASES = [
    Case("None", [], ("r x",), [TH + "x"], works=["@(t)"]),
    Case(
        "SafeInput",
        [("r x",)],
        ("r x, o b",),
        [TL + "x, " + TL + "b=nullptr"],
        works=["@(t)", "@(t, t)", "@(t, nullptr)", "@(t, 2.0f)"],
    ),
    Case("SafeAttr", [("r x",)], ("r x", [K]), [TH + "x, int64_t k=3"], works=["@(t)", "@(t, 3)", "@(t, 0)"]),
    Case(
        "SafeBoth",
        [("r x",)],
        ("r x, o b", [M]),
        [TL + "x, " + TL + "b=nullptr, " + S],
        works=["@(t)", '@(t, nullptr, "slow")'],
    ),
    Case(
        "Try0",
        [("r x", [KR])],
        ("r x, o b", [KR]),
        [TL + "x, int64_t k", TL + "x, " + TL + "b, int64_t k"],
        works=["@(t, 1)", "@(t, 0)", "@(t, t, 1)", "@(t, nullptr, 0)", "@(t, 2.0f, 1)"],
    ),
    Case(
        "A1",
        [("r x, r y", [M])],
        ("r x, r y, o b", [M]),
        [TL + "x, " + TL + "y, " + S, TL + "x, " + TL + "y, " + TL + "b, " + S],
        [GUARD_A1.format("b")],
        A1,
        ["@(t, t)", '@(t, t, "slow")', "@(t, t, t)", '@(t, t, t, "slow")', "@(t, t, 2.0f)", "@(2.0f, t)"],
        [("@(t, t, nullptr)", GUARD_A1.format("b")), ('@(t, t, nullptr, "slow")', "deleted"), ("@(t, t, 1)", "ambiguous")],
    ),
    Case(
        "A1Two",
        [("r x, r y", [M])],
        ("r x, r y, o b, o c", [M]),
        [TL + "x, " + TL + "y, " + S, TL + "x, " + TL + "y, " + TL + "b, " + TL + "c, " + S],
        [GUARD_A1.format("b"), GUARD_A1.format("c")],
        A1,
        ["@(t, t)", '@(t, t, "slow")', "@(t, t, t, t)", '@(t, t, t, t, "slow")'],
        [("@(t, t, nullptr, t)", GUARD_A1.format("b")), ("@(t, t, t, nullptr)", GUARD_A1.format("c"))],
    ),
    Case(
        "A2",
        [("r x, r y", [K])],
        ("r x, r y, o b", [K]),
        [TL + "x, " + TL + "y, int64_t k=3", TL + "x, " + TL + "y, " + TH + "b, int64_t k=3"],
        [GUARD_A2.format("b")],
        A2,
        [
            "@(t, t)",
            "@(t, t, 5)",
            "@(t, t, 0)",
            "@(t, t, static_cast<int64_t>(0))",
            "@(t, t, t)",
            "@(t, t, t, 0)",
            "@(2.0f, t, 7)",
        ],
        [("@(t, t, nullptr)", GUARD_A2.format("b")), ("@(t, t, nullptr, 5)", "deleted")],
    ),
    Case(
        "A2Steps",
        [("r x, r y", [K]), ("r x, r y, o b", [K])],
        ("r x, r y, o b, o c", [K]),
        [
            TL + "x, " + TL + "y, int64_t k=3",
            TL + "x, " + TL + "y, " + TH + "b, int64_t k=3",
            TL + "x, " + TL + "y, " + TH + "b, " + TH + "c, int64_t k=3",
        ],
        [GUARD_A2.format("b"), GUARD_A2.format("c")],
        A2,
        ["@(t, t)", "@(t, t, 0)", "@(t, t, t)", "@(t, t, t, 0)", "@(t, t, t, t)", "@(t, t, t, t, 1)"],
        [("@(t, t, nullptr)", GUARD_A2.format("b")), ("@(t, t, t, nullptr)", GUARD_A2.format("c"))],
    ),
    Case(
        "Optional",
        [("o a",)],
        ("o a, o b",),
        [TL + "a=nullptr, " + OB + "=nullptr", TL + "a, " + TH + "b"],
        [GUARD_A2.format("b")],
        A2,
        ["@()", "@(t)", "@(nullptr, &g)", "@(2.0f, &g)", "@(t, t)", "@(nullptr, t)"],
        [("@(t, nullptr)", GUARD_A2.format("b"))],
    ),
    Case(
        "OptionalString",
        [("o a", [M])],
        ("o a, o b", [M]),
        [TL + "a=nullptr, " + OB + "=nullptr, " + S, TL + "a, " + TH + "b, " + S],
        [GUARD_A2.format("b")],
        A2,
        ["@()", "@(t)", '@(t, &g, "slow")', '@(t, t, "slow")'],
    ),
    Case(
        "OptionalSteps",
        [("o a",), ("o a, o b",)],
        ("o a, o b, o c",),
        [TL + "a=nullptr, " + OB + "=nullptr", TL + "a, " + TH + "b", TL + "a, " + TH + "b, " + TH + "c"],
        [GUARD_A2.format("b"), GUARD_A2.format("c")],
        A2,
        ["@()", "@(t, &g)", "@(t, t)", "@(t, t, t)"],
    ),
    Case(
        "OptionalRequired",
        [("o a", [FR])],
        ("o a, o b", [FR]),
        [TL + "a, " + OB + ", bool f", TL + "a, " + TL + "b, " + OB + ", bool f"],
        works=["@(t, nullptr, true)", "@(t, &g, true)", "@(t, t, nullptr, false)", "@(nullptr, nullptr, &g, true)"],
    ),
    Case(
        "Repeated",
        [("r x", [KR]), ("r x", [KR])],
        ("r x, o b", [KR]),
        [TL + "x, int64_t k", TL + "x, " + TL + "b, int64_t k"],
        works=["@(t, 1)", "@(t, t, 1)"],
    ),
    # Callers of a release without inputs named the builder.
    Case(
        "FromNone",
        [("",)],
        ("o a",),
        ["const EsGraphBuilder & owner_builder", TL + "a=nullptr, " + OB + "=nullptr"],
        works=["@(g)", "@(t)", "@(nullptr, &g)"],
    ),
    # An older optional input with a default before a new one that has none.
    Case(
        "InnerDefault",
        [("r x, o a", [K])],
        ("r x, o a, o b", [K]),
        [TL + "x, " + TL + "a=nullptr, int64_t k=3", TL + "x, " + TL + "a, " + TH + "b, int64_t k=3"],
        [GUARD_A2.format("b")],
        A2,
        ["@(t)", "@(t, t)", "@(t, nullptr, 0)", "@(t, nullptr, t)"],
    ),
    # A release that added an attribute only needs no overload of its own.
    Case(
        "ThenAttr",
        [("r x", [KR]), ("r x, o b", [KR])],
        ("r x, o b", [KR, M]),
        [TL + "x, int64_t k, " + S, TL + "x, " + TL + "b, int64_t k, " + S],
        works=["@(t, 1)", '@(t, 1, "slow")', "@(t, t, 1)"],
    ),
    Case("Renamed", [("r x",)], ("r z",), [TH + "z"], warning=CHAIN.format(1, "input mismatch at index 0")),
    Case("Removed", [("r x, o b",)], ("r x",), [TH + "x"], warning=CHAIN.format(1, "inputs shrink from 2 to 1")),
    Case(
        "Kind",
        [("r x, r b",)],
        ("r x, o b",),
        [TL + "x, " + TL + "b=nullptr"],
        warning=CHAIN.format(1, "input mismatch at index 1"),
    ),
    Case(
        "NewRequired",
        [("r x",)],
        ("r x, r b",),
        [TL + "x, " + TL + "b"],
        warning=CHAIN.format(1, "new input 'b' is not optional"),
    ),
    Case("NewAttr", [("r x",)], ("r x", [KR]), [TH + "x, int64_t k"], warning=CHAIN.format(1, "new attr 'k' is required")),
    Case("AttrGone", [("r x", [K])], ("r x",), [TH + "x"], warning=CHAIN.format(1, "attrs shrink from 1 to 0")),
    Case(
        "AttrType",
        [("r x", [K])],
        ("r x", [Attr("k", "Float", default=3.0)]),
        [TH + "x, float k=3.000000"],
        warning=CHAIN.format(1, "attr mismatch at index 0"),
    ),
    Case("Outputs", [("r x",)], ("r x", (), (("y", R), ("z", R))), [TH + "x"], warning=CHAIN.format(1, "outputs changed")),
    Case("Output", [("r x",)], ("r x", (), (("z", R),)), [TH + "x"], warning=CHAIN.format(1, "output mismatch at index 0")),
    Case(
        "Graphs",
        [("r x",)],
        ("r x", (), (("y", R),), (("g", False),)),
        [TH + "x, std::unique_ptr<ge::Graph> g"],
        warning=CHAIN.format(1, "subgraphs changed"),
    ),
    # A list in braces is the attribute it was, whatever input took its place.
    Case(
        "List",
        [("r x, r y", [L])],
        ("r x, r y, o b", [L]),
        [
            TL + "x, " + TL + "y, const std::vector<int64_t> & l={1}",
            TL + "x, " + TL + "y, " + TL + "b, const std::vector<int64_t> & l={1}",
        ],
        [GUARD_A1.format("b")],
        A1,
        [
            "@(t, t)",
            "@(t, t, {1})",
            "@(t, t, {0})",
            "@(t, t, {1, 2})",
            "@(t, t, {})",
            "@(t, t, std::vector<int64_t>{1})",
            "@(t, t, t)",
            "@(t, t, 2.0f, {1})",
            "@(t, t, static_cast<int64_t>(2), {0})",
            "@(2.0f, t, {7})",
        ],
        [("@(t, t, nullptr)", GUARD_A1.format("b")), ("@(t, t, nullptr, {1})", "deleted")],
        braces=1,
    ),
    Case(
        "ListRequired",
        [("r x", [LR])],
        ("r x, o b", [LR, J]),
        [
            TL + "x, const std::vector<int64_t> & l, const std::vector<int64_t> & j={2}",
            TL + "x, " + TL + "b, const std::vector<int64_t> & l, const std::vector<int64_t> & j={2}",
        ],
        works=["@(t, {1})", "@(t, {0})", "@(t, {1}, {2})", "@(t, t, {1}, {2})", "@(t, t, {1})", "@(t, {1, 2}, {3, 4})"],
        braces=1,
    ),
    Case(
        "ListAfterInt",
        [("r x, r y", [K, L])],
        ("r x, r y, o b", [K, L]),
        [
            TL + "x, " + TL + "y, int64_t k=3, const std::vector<int64_t> & l={1}",
            TL + "x, " + TL + "y, " + TH + "b, int64_t k=3, const std::vector<int64_t> & l={1}",
        ],
        [GUARD_A2.format("b")],
        A2,
        ["@(t, t)", "@(t, t, 5, {1})", "@(t, t, 0, {0})", "@(t, t, 0, {1, 2})", "@(t, t, t, 0, {0})", "@(t, t, t)"],
        braces=1,
    ),
    Case(
        "ListTypes",
        [("r x, r y", [Attr("lb", "ListBool", default=[True]), Attr("lt", "ListType", default=[])])],
        ("r x, r y, o b, o c", [Attr("lb", "ListBool", default=[True]), Attr("lt", "ListType", default=[])]),
        [
            TL + "x, " + TL + "y, const std::vector<uint8_t> & lb={true}, const std::vector<ge::DataType> & lt={}",
            TL
            + "x, "
            + TL
            + "y, "
            + TL
            + "b, "
            + TL
            + "c, const std::vector<uint8_t> & lb={true}, const std::vector<ge::DataType> & lt={}",
        ],
        [GUARD_A1.format("b"), GUARD_A1.format("c")],
        A1,
        [
            "@(t, t, {true})",
            "@(t, t, {1})",
            "@(t, t, {0})",
            "@(t, t, {false, true})",
            "@(t, t, {1}, {ge::DT_INT8})",
            "@(t, t, t, t, {true}, {ge::DT_FLOAT, ge::DT_INT8})",
        ],
        braces=1,
    ),
    Case(
        "ListSteps",
        [("r x, r y", [L, J]), ("r x, r y, o b", [L, J])],
        ("r x, r y, o b, o c", [L, J]),
        [
            TL + "x, " + TL + "y, " + LJ,
            TL + "x, " + TL + "y, " + TL + "b, " + LJ,
            TL + "x, " + TL + "y, " + TL + "b, " + TL + "c, " + LJ,
        ],
        [GUARD_A1.format("b"), GUARD_A1.format("c")],
        A1,
        [
            "@(t, t, {1})",
            "@(t, t, {1}, {2})",
            "@(t, t, std::vector<int64_t>{3}, {2})",
            "@(t, t, {1, 2}, {3})",
            "@(t, t, {1}, std::vector<int64_t>{3})",
            "@(t, t, t, {1})",
            "@(t, t, t, {1}, {2})",
            "@(t, t, t, t, {1}, {2})",
            "@(t, t, t, {1}, std::vector<int64_t>{3})",
            "@(t, t)",
            "@(t, t, t)",
            "@(t, t, t, t)",
        ],
        braces=6,
    ),
    Case(
        "OptionalList",
        [("o a", [F])],
        ("o a, o b", [F]),
        [
            TL + "a=nullptr, " + OB + "=nullptr, const std::vector<float> & f={0.500000}",
            TL + "a, " + TH + "b, const std::vector<float> & f={0.500000}",
        ],
        [GUARD_A2.format("b")],
        A2,
        ["@()", "@(t)", "@(t, &g, {1.0f})", "@(t, t, {1.5f})", "@(t, t)"],
    ),
    # One bad step spoils the chain, whatever comes later.
    Case(
        "BadStep",
        [("r q",), ("r x", [KR])],
        ("r x, o b", [KR]),
        [TL + "x, " + TL + "b, int64_t k"],
        warning=CHAIN.format(1, "input mismatch at index 0"),
    ),
]


def check(case, header):
    """What differs between the header and the case."""
    problems = []
    declared = re.findall(r"^(?:\[\[deprecated\(\"(.*?)\"\)\]\] )?inline \S+ Case\w+\((.*)\)( = delete;| \{)$", header, re.M)
    live = [parameters for _, parameters, end in declared if end == " {"]
    if sum("initializer_list" in parameters for parameters in live) != case.braces:
        problems.append(f"overloads for braces: {live}, expected {case.braces}")
    live = [parameters for parameters in live if "initializer_list" not in parameters]
    guards = [message for message, _, end in declared if end != " {"]
    if live != case.live:
        problems.append(f"overloads {live}, expected {case.live}")
    if guards != case.guards:
        problems.append(f"guards {guards}, expected {case.guards}")
    warnings = re.findall(r"^ \* @warning (.*)$", header, re.M)
    wanted = 1 if case.warning else 0
    if len(warnings) != wanted or any(case.warning not in w for w in warnings):
        problems.append(f"warnings {warnings}, expected {case.warning!r}")
    context = f"Context: op Case{case.name}"
    if case.warning in (A1, A2):
        old = {name for name, _ in ins(case.history[0][0])}
        context += f", new optional inputs [{', '.join(n for n, _ in ins(case.present[0]) if n not in old)}]"
    if warnings and not warnings[0].startswith(context + ". "):
        problems.append(f"warning starts with {warnings[0][:80]!r}, expected {context!r}")
    return problems


PRELUDE = """#include "es_cases_ops.h"
namespace ge { namespace es {
inline void Use(EsGraphBuilder &g, const EsTensorHolder &t) {
  (void)g; (void)t;
"""


def main():
    parser = argparse.ArgumentParser()
    protokit.Tools.arguments(parser)
    args = parser.parse_args()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        tools = protokit.Tools(args, folder)
        # An operator library may have an Add with other parameters than operator+ expects.
        add = Op("Add", ins("r x1, r x2, r x3"))
        opp = tools.opp("opp", [*(op(c.name, *c.present) for c in CASES), add])
        releases = []
        for i in range(max(len(c.history) for c in CASES)):
            # Cases with a shorter history repeat their last release: repeating changes nothing.
            ops = [op(c.name, *c.history[min(i, len(c.history) - 1)]) for c in CASES if c.history]
            releases.append((f"1.{i}", f"2026-01-0{i + 1}", ops))
        releases.append(("2.0", "2026-01-09", [op(c.name, *c.present) for c in CASES]))
        package = protokit.write_package(tools.folder / "package", releases)
        out = tools.folder / "out"
        result = tools.generate(opp, out, "--module_name=cases", f"--history_registry={package}", "--release_version=2.0")
        if result.returncode:
            print(result.stderr)
            return 1
        for case in CASES:
            header = (out / f"es_Case{case.name}.h").read_text()
            if not case.history:  # it is not in the older releases
                header = re.sub(r"^ \* @warning op \w+ skip version .*\n", "", header, flags=re.M)
            failures += [f"{case.name}: {p}" for p in check(case, header)]
        # In one go what must compile; one by one what must not.
        calls = [(c.name, call.replace("@", "Case" + c.name)) for c in CASES for call in c.works]
        calls.append(("Add", "Add(t, t, t)"))
        text = PRELUDE + "".join(f"  (void){call};  // {name}\n" for name, call in calls) + "}\n}}\n"
        message = tools.compiles(out, text)
        if message:
            failures.append("calls that must compile do not:\n" + message[:4000])
        refused = [(c.name, call.replace("@", "Case" + c.name), why) for c in CASES for call, why in c.refused]
        bad = PRELUDE + "".join(f"#line {1000 + i}\n  (void){call};\n" for i, (_, call, _) in enumerate(refused)) + "}\n}}\n"
        message = tools.compiles(out, bad)
        by_line = {}
        for line in message.splitlines():
            found = re.match(r"<stdin>:(\d+):\d+: error: (.*)", line)
            if found:
                by_line.setdefault(int(found[1]), []).append(found[2])
        for i, (name, call, why) in enumerate(refused):
            said = by_line.get(1000 + i, [])
            if not said:
                failures.append(f"{name}: {call} compiles; it must not")
            elif not any("ambiguous" in s if why == "ambiguous" else "deleted" in s for s in said):
                failures.append(f"{name}: {call} is refused as {said}, expected {why}")
            elif why.startswith("New input") and why not in message:
                failures.append(f"{name}: the compiler does not tell the remedy: {why}")
    print("\n".join(failures) or f"{len(CASES)} cases, {len(calls)} calls, {len(refused)} refused")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
