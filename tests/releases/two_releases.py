#!/usr/bin/env python3
"""Programs of one release against libraries of another: source, binaries, frozen programs, graphs, both directions.

The later release is invented (next_release.py): libge.so in --next knows its prototypes, everything else is this release's.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import next_release

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
STORED = ROOT / "tests" / "abi" / "consumers"
FAILURES = []


class Release:
    """A release to compile against: its wrappers, and the library it runs on."""

    def __init__(self, args, name, wrappers, lib):
        self.args, self.name, self.wrappers, self.lib = args, name, wrappers, lib
        self.objects = wrappers.parent / f"objects_{name}"
        self.objects.mkdir(exist_ok=True)

    def includes(self):
        source = self.args.source
        folders = ("capi/include", "cxx/include", "cxx/include/ge", "capi/include/ge")
        return [f"-I{source / f}" for f in folders] + [f"-I{self.wrappers}", f"-I{HERE}"]

    def compile(self, source, *flags):
        """An object, or the compiler's message."""
        cxx = source.suffix == ".cpp"
        target = self.objects / (source.stem + ".o")
        standard = ["-std=c++17", "-D_GLIBCXX_USE_CXX11_ABI=1"] if cxx else ["-std=gnu11"]
        compiler = self.args.cxx if cxx else self.args.cc
        result = call([compiler, *standard, "-Wall", "-fPIC", *flags, *self.includes(), "-c", source, "-o", target])
        return (target, "") if result.returncode == 0 else (None, result.stderr)

    def wrapper_objects(self, objects):
        """The wrappers that these objects call, compiled."""
        undefined = call(["nm", "-u", *objects]).stdout
        made = []
        for op in sorted({m[1] for m in re.finditer(r"\bU Es(\w+)$", undefined, re.M)}):
            source = self.wrappers / f"es_{op}.cpp"
            if source.exists():
                target = self.objects / f"es_{op}.o"
                if not target.exists():
                    target, message = self.compile(source, "-O0")
                    assert target, message
                made.append(target)
        return made

    def link(self, program, objects, *flags):
        """Its wrappers go into the program; the library comes at run time."""
        wrappers = self.wrapper_objects(objects)
        result = call([self.args.cxx, *objects, *wrappers, "-o", program, *flags, f"-L{self.lib}", "-lge", "-ldl"])
        assert result.returncode == 0, result.stderr
        return program

    def program(self, source, *flags):
        target, message = self.compile(source)
        if target is None:
            FAILURES.append(f"{source.name} does not compile with the wrappers of {self.name}: {message[:2000]}")
            return None
        return self.link(self.objects / source.stem, [target], *flags)


def call(command, **env):
    return subprocess.run([str(c) for c in command], env={**os.environ, **env}, capture_output=True, text=True, timeout=300)


def expect(what, result, *texts, code=0):
    """The process said all this, in this order."""
    said, at = result.stdout + result.stderr, 0
    if result.returncode != code:
        FAILURES.append(f"{what}: exit status {result.returncode}, expected {code}: {said[-1500:]}")
    for text in texts:
        found = said.find(text, at)
        if found < 0:
            FAILURES.append(f"{what}: expected {text!r} in {said[-1500:]!r}")
        at = max(at, found)


class Libraries:
    """Environments in which programs find the libraries of one release."""

    def __init__(self, args):
        engines = str(args.build / "lib" / "ge" / "engines")
        self.old = {"LD_LIBRARY_PATH": str(args.build / "lib"), "GE_ENGINE_DIR": engines}
        self.next = {"LD_LIBRARY_PATH": f"{args.next}:{args.build / 'lib'}", "GE_ENGINE_DIR": engines}


def releases(args, folder, on):
    """The wrappers of this release, and those of the next with this one in their window."""
    gen, opp = args.build / "bin" / "gen_esb", {"ASCEND_OPP_PATH": str(args.build / "opp"), "ASCEND_CUSTOM_OPP_PATH": ""}
    package = folder / "package"
    shutil.copytree(args.source / "history_protos", package)
    dates = [r["release_date"] for r in json.loads((package / "index.json").read_text())["releases"]]
    year, month, _ = map(int, max(dates).split("-"))
    date = f"{year + month // 12}-{month % 12 + 1:02}-15"  # the month after the last release: inside the window
    flags = (f"--output_dir={package}", "--es_mode=extract_history", "--release_version=next", f"--release_date={date}")
    expect("archive", call([gen, *flags], **opp, **on.next))
    wrappers = folder / "next_wrappers"
    flags = (f"--output_dir={wrappers}", f"--history_registry={package}", "--release_version=next")
    expect("generate", call([gen, *flags], **opp, **on.next))
    old = Release(args, "old", args.build / "generated" / "es_all", args.build / "lib")
    old.objects = folder / "objects_old"
    old.objects.mkdir()
    return old, Release(args, "next", wrappers, args.build / "lib"), package


def what_changed(args, package):
    """ge protos diff tells beforehand what the other checks find."""
    last = json.loads((package / "index.json").read_text())["releases"][-2]["release_version"]
    result = call([args.build / "bin" / "ge", "protos", "diff", "--json", f"{package}@{last}", f"{package}@next"])
    report = json.loads(result.stdout)
    ops = {c["op"] for c in report["changes"]}
    broken = {caller for caller, count in report["breaking"].items() if count}
    if result.returncode != 3 or not {*next_release.GROWN, "NextBlend"} <= ops or broken != {"c", "dynamic"}:
        FAILURES.append(f"protos diff: {result.returncode}, {sorted(ops)}, breaking {broken}")


def sources(args, later, on):
    """Sources of this release with the next one's wrappers, on either library."""
    src = STORED / "src"
    cxx = later.program(src / "cxx_program.cpp")  # MatMul gained an input and an attribute
    if cxx:
        output = (STORED / "0.1.0" / "cxx_program_abi1.out").read_text()
        for name in ("old", "next"):
            expect(f"cxx_program.cpp on {name}", call([cxx], **vars(on)[name]), output)
    program = later.program(args.source / "examples" / "build_a_graph" / "build_a_graph.c")  # its operators have not grown
    if program:
        expect("build_a_graph.c on next", call([program], **on.next), "0 0 1 3")
    calls = later.program(HERE / "older_calls.cpp")
    if calls:
        for name in ("old", "next"):
            expect(f"older_calls.cpp on {name}", call([calls], **vars(on)[name]), "all calls of 0.1.0")
    # C functions have the present form only: the compiler names the function.
    target, message = later.compile(src / "c_program.c")
    if target or "too few arguments to function EsMatMul" not in re.sub("[‘’']", "", message):
        FAILURES.append(f"c_program.c against the next C headers: {message[:800] or 'it compiles'}")


def stored(args, on):
    """Programs and graphs that were made at this release, on the library of the next one."""
    folder = STORED / "0.1.0"
    for name in ("c_program", "cxx_program_abi0", "cxx_program_abi1"):
        arguments = [folder / "engine.so"] if name == "c_program" else []
        result = call([folder / name, *arguments], **on.next)
        expect(f"stored {name} on next", result)
        if result.stdout != (folder / f"{name}.out").read_text():
            FAILURES.append(f"stored {name} on next says {result.stdout!r}")


def program_text(name, body, more=""):
    """A C program whose function Make builds a graph of one input x of 2 x 2 floats."""
    return f"""#include "one_graph.h"
{more}
EsCTensorHolder *Make(EsCGraphBuilder *b, EsCTensorHolder *x) {{
  {body}
}}
const char *kName = "{name}";
"""


WEIGHTS = """const float values[] = {1, 2, 3, 4};
  const int64_t dims[] = {2, 2};
  EsCTensorHolder *w = EsCreateConstFloat(b, values, dims, 2);
  """
# Name, body with the wrappers of the next release, what the library of this release says (None: it runs).
NEWER = (
    ("unused", WEIGHTS + "return EsMatMul(x, w, NULL, NULL, false, false, 1.0f);", None),
    ("attribute", WEIGHTS + "return EsMatMul(x, w, NULL, NULL, false, false, 2.0f);",
     ("MatMul 'MatMul_1'", "Forward compatibility failed", "optional attribute 'alpha' is set", "the program's version:",
      "transpose_x2, alpha", "the installed version:")),
    ("input", WEIGHTS + "return EsMatMul(x, w, NULL, EsCreateScalarFloat(b, 2), false, false, 1.0f);",
     ("MatMul 'MatMul_2'", "Forward compatibility failed", "optional input 'scale' is connected", "the program's version:",
      "scale (optional)", "the installed version:")),
    ("text_default", "return EsGelu(x, \"none\");", None),
    ("text", "return EsGelu(x, \"tanh\");", ("Gelu 'Gelu_0'", "optional attribute 'approximate' is set")),
    ("new_operator", "return EsNextBlend(x, x, NULL, \"linear\");", ("NextBlend 'NextBlend_0'",)),
)  # fmt: skip


def newer_programs(folder, later, on):
    """Programs frozen at the next release on both libraries: the decision table from outside."""
    for name, body, refusal in NEWER:
        source = folder / f"newer_{name}.c"
        source.write_text(program_text(name, body))
        program = later.program(source, "-Wl,--no-as-needed", later_main(later))
        if program is None:
            continue
        graph = folder / f"{name}.air"
        # Nobody has written a kernel for the new operator and the new input yet.
        kernel = name not in ("new_operator", "input")
        result = call([program, graph], **on.next)
        expect(f"newer program, {name}, on next", result, *(() if kernel else ("is taken by no engine", "DNN_VM_HOST_CPU")),
               code=0 if kernel else 1)  # fmt: skip
        result = call([program, folder / f"{name}_old.air"], **on.old)
        if refusal is None:
            expect(f"newer program, {name}, on old", result, "ran")
        else:
            expect(f"newer program, {name}, on old", result, *refusal, code=1)
        # The graph in a file says the same as the program.
        again = call([program, "--load", graph], **on.old)
        if refusal is None:
            expect(f"newer graph, {name}, on old", again, "ran")
        else:
            expect(f"newer graph, {name}, on old", again, *refusal, code=1)


def later_main(release):
    """The object of one_graph.c: compiles and runs what Make built, or a file."""
    target = release.objects / "one_graph.o"
    if not target.exists():
        target, message = release.compile(HERE / "one_graph.c")
        assert target, message
    return target


def mixed(folder, old, later, on):
    """Wrappers of both releases in one process, each hidden in a plug-in, in one graph."""
    plugins = []
    for release, call_text in ((old, "EsMatMul(x, w, NULL, false, false)"),
                               (later, "EsMatMul(x, w, NULL, NULL, false, false, 1.0f)")):  # fmt: skip
        source = folder / f"plugin_{release.name}.c"
        source.write_text(
            '#include <stddef.h>\n#include "es_all_ops_c.h"\n__attribute__((visibility("default")))\n'
            f"EsCTensorHolder *Product(EsCTensorHolder *x, EsCTensorHolder *w) {{ return {call_text}; }}\n"
        )
        target, message = release.compile(source, "-fvisibility=hidden")
        assert target, message
        plugins.append(release.link(folder / f"plugin_{release.name}.so", [target], "-shared", "-Wl,--exclude-libs,ALL",
                                    "-Wl,-Bsymbolic"))  # fmt: skip
    source = folder / "mixed.c"
    source.write_text(program_text(
        "mixed", WEIGHTS + f'return Call("{plugins[1]}", Call("{plugins[0]}", x, w), w);',
        "#include <dlfcn.h>\n"
        "static EsCTensorHolder *Call(const char *path, EsCTensorHolder *x, EsCTensorHolder *w) {\n"
        "  EsCTensorHolder *(*product)(EsCTensorHolder *, EsCTensorHolder *);\n"
        '  *(void **)&product = dlsym(dlopen(path, RTLD_NOW | RTLD_LOCAL), "Product");\n'
        "  return product(x, w);\n}\n"))  # fmt: skip
    program = old.program(source, later_main(old))
    # x is 1 2 3 4, and so is w.
    for name in ("old", "next") if program else ():
        expect(f"wrappers of both releases on {name}", call([program], **vars(on)[name]), "ran", "37 54 81 118")


RUN_FIFTY = """import sys
import numpy as np
import ge
from ge.graph import Graph
graph = Graph("")
graph.load_from_air(sys.argv[1])
x = np.array([[-3, 0.5, 2, 1], [4, -1, 0, 0.125]], np.float32)
out = ge.load(graph, options={"threads": 1}).run({"x": x, "flag": np.array(True)})
print(len(graph.get_direct_nodes()), "nodes,", len(out), "outputs")
for value in out.values():
    print(value.dtype, value.tolist())
"""
RUN_WITH = """import runpy, sys
import es_later
sys.modules["ge.es.all"] = es_later
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def python(args, folder, later, on):
    """Python sources of this release with wrappers of the next one, in a module that stands in for ge.es.all."""
    scripts = [args.source / "examples" / "build_a_graph" / "build_a_graph.py", HERE / "older_calls.py"]
    names = set(re.findall(r"\b[A-Z]\w+", "".join(script.read_text() for script in scripts)))
    ops = sorted(name for name in names if (later.wrappers / f"es_{name}.cpp").exists())
    package = folder / "python" / "es_later"
    flags = (f"--output_dir={package}", "--module_name=later", f"--only_ops={','.join(ops)}", "--chunks=1")
    opp = {"ASCEND_OPP_PATH": str(args.build / "opp"), "ASCEND_CUSTOM_OPP_PATH": ""}
    expect("generate for Python", call([args.build / "bin" / "gen_esb", *flags], **opp, **on.next))
    library = folder / "pylib"
    library.mkdir()
    result = call([args.cxx, "-std=c++17", "-O0", "-shared", "-fPIC", *later.includes(), package / "es_later_chunk0.cpp", "-o",
                   library / "libes_later.so", f"-L{later.lib}", "-lge"])  # fmt: skip
    assert result.returncode == 0, result.stderr
    fifty = {}
    for name in ("old", "next"):
        env = dict(vars(on)[name], PYTHONPATH=f"{package.parent}:{args.python}")
        env["LD_LIBRARY_PATH"] = f"{library}:{env['LD_LIBRARY_PATH']}"
        fifty[name] = call([sys.executable, "-c", RUN_FIFTY, STORED / "0.1.0" / "fifty.air"], **env)
        expect(f"fifty.air on {name}", fifty[name], "50 nodes, 9 outputs")
        for script, says in zip(scripts, ("0 0 1 3", "all calls of 0.1.0")):
            expect(f"{script.name} on {name}", call([sys.executable, "-c", RUN_WITH, script], **env), says)
    # The graph that a frozen program of 0.1.0 wrote gives the same numbers on both.
    if fifty["old"].stdout != fifty["next"].stdout:
        FAILURES.append(f"fifty.air gives {fifty['old'].stdout!r} and {fifty['next'].stdout!r}")


def main():
    parser = argparse.ArgumentParser()
    for name in ("build", "next", "source"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--python", type=pathlib.Path)
    args = parser.parse_args()
    on = Libraries(args)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        old, later, package = releases(args, folder, on)
        what_changed(args, package)
        sources(args, later, on)
        stored(args, on)
        newer_programs(folder, later, on)
        mixed(folder, old, later, on)
        if args.python:
            python(args, folder, later, on)
    print("\n".join(FAILURES) or "ok")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
