#!/usr/bin/env python3
"""Uses the package as somebody else's project does: consume.py STEP --build … --prefix … --work … (see CMakeLists.txt).

Programs run with an environment in which nothing leads to the build tree.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EXAMPLES = ROOT / "examples"
AFFINE = r"^0 0 1 3 $"
DOUBLED = r"result 2 4 6"
CACHE = [f"-DCMAKE_{x}_COMPILER_LAUNCHER=ccache" for x in ("C", "CXX") if shutil.which("ccache")]
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic-errors"]


def environment(**more):
    hidden = ("LD_LIBRARY_PATH", "PYTHONPATH", "CMAKE_PREFIX_PATH", "PKG_CONFIG_PATH", "CPATH", "LIBRARY_PATH")
    kept = {k: v for k, v in os.environ.items() if k not in hidden and not k.startswith(("GE_", "ASCEND_"))}
    return {**kept, **more}


def call(*command, expect=None, **env):
    words = [str(c) for c in command]
    run = subprocess.run(words, capture_output=True, text=True, env=environment(**env))
    if run.returncode != 0:
        sys.exit(f"{' '.join(words)}\nexit {run.returncode}\n{run.stdout}{run.stderr}")
    if expect is not None and not re.search(expect, run.stdout, re.M):
        sys.exit(f"{' '.join(words)}\nexpected {expect!r}, got\n{run.stdout}{run.stderr}")
    return run.stdout


def install(args):
    shutil.rmtree(args.prefix, ignore_errors=True)
    call(args.cmake, "--install", args.build, "--prefix", args.prefix)


PROGRAMS = {
    "c99": AFFINE,
    "c99_static_operators": AFFINE,
    "c11_static": DOUBLED,
    "cxx17": AFFINE,
    "own_operator_abi0": r"^fast first second, 2 dims$",
    "own_operator_abi1": r"^fast first second, 2 dims$",
}
FEW = ("c99", "c11_static", "own_operator_abi0")


def project(args, *where, programs=tuple(PROGRAMS)):
    """Configures, builds and runs tests/package/consumer with a package found as `where` says."""
    call(args.cmake, "-S", HERE / "consumer", "-B", args.work, "-G", "Ninja", f"-DEXAMPLES={EXAMPLES}",
         f"-DCMAKE_C_COMPILER={args.cc}", f"-DCMAKE_CXX_COMPILER={args.cxx}", *CACHE, *where)  # fmt: skip
    call(args.cmake, "--build", args.work, "--target", "generator", *programs)
    assert "--module_name" in (args.work / "generator.txt").read_text()
    for program in programs:
        call(args.work / program, expect=PROGRAMS[program])
        if "static" in program:
            assert not re.search(r"libge|libes_all", call("ldd", args.work / program)), program


def cmake(args):
    project(args, f"-DCMAKE_PREFIX_PATH={args.prefix}")


def build_tree(args):
    project(args, f"-DOpenGE_DIR={args.build}", programs=FEW)


def packages(args, *names):
    """Compiler and linker arguments, as a shell reads them."""
    import shlex

    path = str(args.prefix / "lib" / "pkgconfig")
    return shlex.split(call("pkg-config", "--cflags", "--libs", *names, PKG_CONFIG_PATH=path))


def pkg_config(args):
    c, cxx = EXAMPLES / "build_a_graph" / "build_a_graph.c", EXAMPLES / "build_a_graph" / "build_a_graph.cpp"
    library = str(args.prefix / "lib")
    flags = packages(args, "openge-es_all")
    for standard in ("c99", "c11"):
        call(args.cc, f"-std={standard}", *STRICT, c, "-o", args.work / standard, *flags)
        call(args.work / standard, expect=AFFINE, LD_LIBRARY_PATH=library)
    call(args.cxx, "-std=c++17", *STRICT, cxx, "-o", args.work / "cxx17", *flags)
    call(args.work / "cxx17", expect=AFFINE, LD_LIBRARY_PATH=library)
    embed = EXAMPLES / "embed_statically" / "embed_statically.c"
    call(args.cc, "-std=c99", *STRICT, embed, "-o", args.work / "static", *packages(args, "openge-static"))
    call(args.work / "static", expect=DOUBLED)


def static_line(args):
    """libge.a with exactly the libraries the documentation names."""
    only = args.work / "archives"  # so that -lge cannot mean libge.so
    only.mkdir()
    for name in ("libge.a", "libes_all.a"):
        os.symlink(args.prefix / "lib" / name, only / name)
    include = args.prefix / "include"
    line = [f"-L{only}", "-lge", "-lstdc++", "-lpthread", "-ldl", "-lm"]
    for compiler, standard, source in ((args.cc, "c99", "embed_statically.c"), (args.cc, "c11", "embed_statically.c")):
        program = args.work / standard
        call(compiler, f"-std={standard}", EXAMPLES / "embed_statically" / source, f"-I{include}", "-o", program, *line)
        call(program, expect=DOUBLED)
    program = args.work / "cxx17"
    source = EXAMPLES / "build_a_graph" / "build_a_graph.cpp"
    call(args.cxx, "-std=c++17", source, f"-I{include}", f"-I{include}/ge", f"-I{include}/es_all", "-o", program,
         f"-L{only}", "-les_all", *line)  # fmt: skip
    call(program, expect=AFFINE)
    assert not re.search(r"libge|libes_all", call("ldd", program))


def load_by_name(args):
    program = args.work / "load_by_name"
    call(args.cc, HERE / "consumer" / "load_by_name.c", f"-I{args.prefix}/include", "-o", program, "-ldl")
    assert "libge" not in call("ldd", program)
    call(program, args.prefix / "lib" / "libge.so", expect=DOUBLED)


def moved(args):
    """Everything is found relative to itself."""
    first, prefix = args.work / "first place", args.work / "second place"
    call(args.cmake, "--install", args.build, "--prefix", first)
    first.rename(prefix)
    inside = str(prefix) + "/"
    checked = 0
    engines = sorted((prefix / "lib" / "ge" / "engines").glob("*.so"))
    assert len(engines) >= 4, engines
    for binary in (prefix / "bin" / "ge", prefix / "bin" / "gen_esb", prefix / "lib" / "libes_all.so", *engines):
        listed = call("ldd", binary)
        assert "not found" not in listed, listed
        for line in listed.splitlines():
            if re.search(r"lib(ge|es_all)\b[^ ]*\.so", line.split("=>")[0]):
                assert inside in line, f"{binary}: {line}"
                checked += 1
        assert str(args.build) not in call("readelf", "-d", binary), binary
    assert checked >= 3, checked
    for text in [*prefix.rglob("*.cmake"), *prefix.rglob("*.pc"), *prefix.rglob("*.sh")]:
        for path in (first, args.build, ROOT):
            assert str(path) not in text.read_text(), f"{text} names {path}"
    model = args.work / "small.onnx"
    call(sys.executable, EXAMPLES / "make_model.py", model)
    report = call(prefix / "bin" / "ge", "doctor")
    assert f"{prefix}/lib" in os.path.normpath(report) or str(prefix) in report, report
    call(prefix / "bin" / "ge", "run", model, expect=r"\w")
    project(args_with(args, work=args.work / "project"), f"-DCMAKE_PREFIX_PATH={prefix}", programs=FEW)


def args_with(args, **changes):
    return argparse.Namespace(**{**vars(args), **changes})


def main():
    steps = (install, cmake, build_tree, pkg_config, static_line, load_by_name, moved)
    parser = argparse.ArgumentParser()
    parser.add_argument("step", choices=[s.__name__ for s in steps])
    for name in ("build", "prefix", "work", "cmake"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    for name in ("cc", "cxx"):
        parser.add_argument(f"--{name}", required=True)
    args = parser.parse_args()
    shutil.rmtree(args.work, ignore_errors=True)
    args.work.mkdir(parents=True)
    next(s for s in steps if s.__name__ == args.step)(args)


if __name__ == "__main__":
    main()
