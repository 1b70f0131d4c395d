#!/usr/bin/env python3
"""A generated module of somebody else: its own library, its own Python package, called from Python.

The first module is that of tiny_protos.cpp, the second that of ut_test_protos.cpp, with use_ut_module.py.

python_module.py --gen_esb PROGRAM --opp FOLDER --cxx COMPILER --source ROOT --lib FOLDER --python FOLDER
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

USE = """
import sys
from ge.es import GraphBuilder
from ge.graph import DataType, Format, Tensor
import es_tiny
from es_tiny import *

b = GraphBuilder("g")
x, y = b.create_inputs(2)

def sub(name):
    inner = GraphBuilder(name)
    return inner.build_and_reset([inner.create_input(0)])

def tensor():
    return Tensor([1.0, 2.0], None, DataType.DT_FLOAT, Format.FORMAT_ND, [2])

outputs = [
    TinyNeg(x), TinyNeg(x, k=7), TinyPair(x, 2.5), TinyPair([[1, 2], [3, 4]], y), TinyBias(x), TinyOpt2(owner_builder=b),
    TinyOpt1R(f=True, owner_builder=b), TinyGen(b, li=[4], lb=[False, True]), TinyCat([x, y], axis=1),
    TinyLst(x, m=[[1], [2, 3]], s=["a", "bc"]),
    TinyMust(x, i=1, f=0.5, b=True, s="text", t=DataType.DT_INT8, v=tensor(), li=[1, 2], lf=[0.5],
             lb=[True], lt=[DataType.DT_INT8],
             lli=[[1], [2, 3]], ls=["u"]),
    TinyMay(x, must=2), TinyMay(x, must=2, f=3.0, s="other", li=[1]),
]
cut = TinyCut(x, 3)
assert len(cut) == 3
mix = TinyMix(x, [x, y], 2)
assert type(mix).__name__ == "TinyMixOutput" and len(mix.z) == 2
assert list(vars(mix)) == ["y", "z", "s"] and vars(mix)["z"] is mix.z and repr(mix).startswith("TinyMixOutput(y=")
runs = TinyRuns([x], y, [x, y], 1, 2)
assert (len(runs.p), len(runs.r)) == (1, 2)
branches = TinyBr(x, [y], 1, sub("one"), [sub("two")])
body = TinyBody(x, None, sub("three"))
TinySink(x)
b.set_node_attr_int64(TinySink(y), "mark", 5)
graph = b.build_and_reset([*outputs, *cut, mix.y, *mix.z, mix.s, *runs.p, runs.q, *runs.r, *branches, body])
types = [n.type for n in graph.get_direct_nodes()]
counts = {"TinyNeg": 2, "TinyPair": 2, "TinyMust": 1, "TinyMay": 2, "TinyCut": 1, "TinyMix": 1, "TinySink": 2, "Const": 2}
for op, count in counts.items():
    assert types.count(op) == count, (op, types.count(op))
nodes = {n.name: n for n in graph.get_direct_nodes()}
must = next(n for n in nodes.values() if n.type == "TinyMust")
assert [must.get_attr(a) for a in ("i", "f", "b", "s", "li", "ls")] == [1, 0.5, True, "text", [1, 2], ["u"]]
first, second = [n for n in nodes.values() if n.type == "TinyMay"]
assert second.get_attr("f") == 3.0 and second.get_attr("s") == "other" and second.get_attr("li") == [1]
def refused(kind, text, call):
    try:
        call()
    except kind as e:
        assert str(e).startswith(text), str(e)
    else:
        raise AssertionError(text)


refused(AttributeError, "operator TinyNeg: input 'x' is None (NoneType), expected a tensor", lambda: TinyNeg(None))
refused(AttributeError, "operator TinyPair: input 'b' is None (NoneType), expected a tensor or numbers",
        lambda: TinyPair(x, None))
refused(AttributeError, "operator TinyNeg: input 'x' is 3 (int), expected a tensor", lambda: TinyNeg(3))
refused(AttributeError, "operator TinyCat: input 'x[0]' is 3 (int)", lambda: TinyCat([3], axis=1))
refused(AttributeError, "operator TinyCat: input 'x' is 3 (int)", lambda: TinyCat([x, 3], axis=1))
refused(IndexError, "operator TinyCat: input 'x' is empty, expected at least one tensor", lambda: TinyCat([], axis=1))
refused(TypeError, "operator TinyCat: input 'x' is 3, expected a list of tensors", lambda: TinyCat(3, axis=1))
refused(TypeError, "operator TinyCut: argument 'y_num' is 'two' (str), expected an integer", lambda: TinyCut(x, "two"))
refused(TypeError, "operator TinyCut: argument 'y_num' is 1.5 (float), expected an integer", lambda: TinyCut(x, 1.5))
refused(ValueError, f"operator TinyCut: argument 'y_num' is {2**64}", lambda: TinyCut(x, 2**64))
refused(TypeError, "operator TinyMix: argument 'z_num' is None (NoneType)", lambda: TinyMix(x, [x, y], None))
try:
    TinyPair(x, GraphBuilder("other").create_input(0))
except ValueError:
    pass
else:
    raise AssertionError("tensors of two builders")
try:
    es_tiny.NoSuchOperator
except AttributeError as e:
    assert "NoSuchOperator" in str(e)
assert "TinyNeg" in dir(es_tiny) and es_tiny.get_module() is es_tiny and "default 3" in TinyNeg.__doc__
print("ok")
"""


def make(args, opp, module, folder):
    """Generates and compiles a module; its Python package is in folder/python, its library in folder/lib."""
    package, libraries = folder / "python" / f"es_{module}", folder / "lib"
    libraries.mkdir(exist_ok=True)
    env = dict(os.environ, ASCEND_OPP_PATH=str(opp), ASCEND_CUSTOM_OPP_PATH="")
    command = [args.gen_esb, f"--output_dir={package}", f"--module_name={module}", "--chunks=1"]
    subprocess.run(command, env=env, check=True, capture_output=True)
    subprocess.run(
        [args.cxx, "-std=c++17", "-shared", "-fPIC", f"-I{args.source}/capi/include", f"-I{package}",
         package / f"es_{module}_chunk0.cpp", "-o", libraries / f"libes_{module}.so", f"-L{args.lib}", "-lge"],
        check=True,
    )  # fmt: skip
    return package, libraries


def announce(folder, module):
    """What installing the module's wheel would leave: its entry point."""
    info = folder / "python" / f"es_{module}-1.0.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: es_{module}\nVersion: 1.0.0\n")
    (info / "entry_points.txt").write_text(f"[ge.es.plugins]\n{module} = es_{module}:get_module\n")


def main():
    parser = argparse.ArgumentParser()
    for name in ("gen_esb", "opp", "ut_opp", "cxx", "source", "lib", "python"):
        parser.add_argument("--" + name, required=True)
    args = parser.parse_args()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        package, libraries = make(args, args.opp, "tiny", folder)

        def python(*command, library=libraries, path=folder / "python"):
            env = dict(os.environ, PYTHONPATH=f"{args.python}:{path}", LD_LIBRARY_PATH=str(library))
            return subprocess.run([sys.executable, *command], env=env, capture_output=True, text=True)

        def expect(result, *texts):
            if any(t not in result.stdout + result.stderr for t in texts):
                failures.append(f"expected {texts} in: {result.stdout}{result.stderr}")

        expect(python("-c", USE), "ok\n")
        missing = "import sys\ntry:\n    import es_tiny\nexcept ImportError as e:\n    print('ImportError:', e)\n"
        expect(python("-c", missing, library=folder), "ImportError: Generated library libes_tiny.so is not available")
        # The other name of a library; and an operator that the library does not have.
        shutil.move(libraries / "libes_tiny.so", libraries / "libtiny.so")
        wrapper = package / "es_TinyNeg.py"
        wrapper.write_text(wrapper.read_text().replace('"EsTinyNeg"', '"EsTinyLost"'))
        lost = "import es_tiny\nes_tiny.TinyPair\n" + missing.replace("import es_tiny", "from es_tiny import TinyNeg")
        expect(python("-c", lost), "ImportError: operator function EsTinyLost is not available")

        second = folder / "second"
        second.mkdir()
        _, libraries = make(args, args.ut_opp, "ut_test", second)
        announce(second, "ut_test")
        use = pathlib.Path(__file__).with_name("use_ut_module.py")
        expect(
            python(use, library=libraries, path=second / "python"),
            "ok\n",
        )

        # Modules whose name is no identifier: by importlib, and the operators of the package.
        for module in ("my-mod", "v1.2", "a b", 'quo"te'):
            odd = folder / "odd"
            odd.mkdir()
            package, libraries = make(args, args.opp, module, odd)
            package.rename(odd / "python" / "plain")
            text = (odd / "python" / "plain" / "__init__.pyi").read_text()
            compile(text, "__init__.pyi", "exec")
            if "def TinyNeg(" not in text or "def get_module(" not in text:
                failures.append(f"{module}: the stub lacks operators")
            expect(python("-c", USE.replace("es_tiny", "plain"), library=libraries, path=odd / "python"), "ok\n")
            shutil.rmtree(odd)
    print("\n".join(failures) or "ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
