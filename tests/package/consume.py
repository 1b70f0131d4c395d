#!/usr/bin/env python3
"""Uses the package as somebody else's project does: consume.py STEP --build … --prefix … --work … (see CMakeLists.txt).

Programs run with an environment in which nothing leads to the build tree.
"""

import argparse
import json
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
FROZEN = r"^frozen graph$"
CACHE = [f"-DCMAKE_{x}_COMPILER_LAUNCHER=ccache" for x in ("C", "CXX") if shutil.which("ccache")]
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic-errors"]


def environment(**more):
    hidden = ("LD_LIBRARY_PATH", "PYTHONPATH", "CMAKE_PREFIX_PATH", "PKG_CONFIG_PATH", "CPATH", "LIBRARY_PATH")
    kept = {k: v for k, v in os.environ.items() if k not in hidden and not k.startswith(("GE_", "ASCEND_"))}
    if shutil.which("ccache"):  # the same sources are built again and again; what is built when, build tools decide
        kept |= {"CMAKE_C_COMPILER_LAUNCHER": "ccache", "CMAKE_CXX_COMPILER_LAUNCHER": "ccache", "CCACHE_DEPEND": "1"}
        kept |= {"CCACHE_BASEDIR": str(ROOT), "CCACHE_NOHASHDIR": "1"}  # another clone of this tree compiles the same
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
    "c99_static_frozen": FROZEN,
    "cxx17": AFFINE,
    "own_operator_abi0": r"^fast first second, 2 dims$",
    "own_operator_abi1": r"^fast first second, 2 dims$",
}
FEW = ("c99", "c11_static", "c99_static_frozen", "own_operator_abi0")


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


def compat(args, *where):
    """Headers that the library never calls: OpenGE::compat leads to them, OpenGE::ge does not."""
    work = args.work / "compat"
    words = [args.cmake, "-S", HERE / "compat", "-B", work, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={args.cxx}", *CACHE, *where]
    call(*words)
    call(args.cmake, "--build", work, "--target", "asked")
    call(work / "asked", expect="^tiling of 8 bytes$")
    said = subprocess.run([args.cmake, "--build", work, "--target", "not_asked"], capture_output=True, text=True,
                          env=environment())  # fmt: skip
    assert said.returncode != 0 and "register/tilingdata_base.h" in said.stdout, said.stdout


def cmake(args):
    compat(args, f"-DCMAKE_PREFIX_PATH={args.prefix}")
    project(args, f"-DCMAKE_PREFIX_PATH={args.prefix}")


def build_tree(args):
    compat(args, f"-DOpenGE_DIR={args.build}")
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
    frozen = HERE / "consumer" / "frozen.c"
    call(args.cc, "-std=c99", *STRICT, frozen, "-o", args.work / "frozen", *packages(args, "openge-esb"))
    call(args.work / "frozen", expect=FROZEN)
    assert "++" not in call("ldd", args.work / "frozen")


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


def toolkit(args):
    """The prefix as a toolkit root: set_env.sh, the library names and header paths of existing programs."""
    names = """acl_rt acl_mdl acl_rtc acl_cblas acl_op_executor ascendcl ascendc_runtime nnopbase opapi opapi_nn graph
        graph_base ge_common ge_compiler ge_executor ge_runner ge_runner_v2 gert lowering register runtime opp_registry
        custom_op_registry_static fmk_parser fmk_onnx_parser flow_graph flow_func dflow_runner c_sec es_all es_math
        msprofiler eager_style_graph_builder_base""".split()
    libraries = " ".join(f"-l{name}" for name in names)
    cached_cxx = f"ccache {args.cxx} -MD" if CACHE else args.cxx
    shell = f"""set -eu
        . "{args.prefix}/set_env.sh"; once="$LD_LIBRARY_PATH"; . "{args.prefix}/set_env.sh"
        test "$once" = "$LD_LIBRARY_PATH"; test "$ASCEND_HOME_PATH" = "{args.prefix}"
        test -d "$ASCEND_OPP_PATH/built-in/op_proto"
        cd "{args.work}"
        test -f "$ASCEND_HOME_PATH/opp/built-in/op_proto/inc/ops_proto_legacy.h"
        {cached_cxx} -std=c++17 -D_GLIBCXX_USE_CXX11_ABI=0 -c "{HERE}/consumer/sample.cpp" -o sample.o \\
          -I"$ASCEND_HOME_PATH/include" -I"$ASCEND_HOME_PATH/include/ge" -I"$ASCEND_HOME_PATH/include/external" \\
          -I"$ASCEND_HOME_PATH/include/es_all"
        for folder in lib64 devlib; do
          {args.cxx} sample.o -o sample -L"$ASCEND_HOME_PATH/$folder" -Wl,--no-as-needed {libraries}
          ./sample
        done
        for abi in 0 1; do
          {cached_cxx} -std=c++17 -D_GLIBCXX_USE_CXX11_ABI=$abi {" ".join(STRICT)} -c "{HERE}/consumer/every_header.cpp" \\
            -o every_header.o -I"$ASCEND_HOME_PATH/include" -I"$ASCEND_HOME_PATH/include/ge" \\
            -I"$ASCEND_HOME_PATH/include/es_math" -I"$ASCEND_HOME_PATH/include/es_nn" \\
            -I"$ASCEND_HOME_PATH/include/es_cv" -I"$ASCEND_HOME_PATH/include/es_transformer"
          {args.cxx} every_header.o -o every_header -L"$ASCEND_HOME_PATH/lib64" -les_math -les_nn -lge_runner_v2 -lgraph
          test "$(./every_header)" = "0 0 1 3 static 42 6 none gone"
        done
        ge doctor >/dev/null"""
    call("bash", "-c", shell, expect=r"^0 0 1 3 $")
    if (args.prefix / "python").exists():
        program = EXAMPLES / "build_a_graph" / "build_a_graph.py"
        call("bash", "-c", f'. "{args.prefix}/set_env.sh"; "{args.python}" "{program}"', expect=r"^0 0 1 3$")


LEAKY = """import sys; from onnx import TensorProto, helper
node = helper.make_node("Leaky", ["x"], ["y"], domain="my.domain", alpha=0.5)
io = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in "xy"]
graph = helper.make_graph([node], "leaky", io[:1], io[1:])
opsets = [helper.make_opsetid("", 17), helper.make_opsetid("my.domain", 1)]
open(sys.argv[1], "wb").write(helper.make_model(graph, opset_imports=opsets).SerializeToString())
"""


def plugin(args):
    """A library of front-end plug-ins: by CMake, and by the names of a toolkit root; the command line finds it."""
    if not (args.prefix / "lib" / "libge_onnx_proto.so").exists():
        return
    model, folder = args.work / "leaky.onnx", args.work / "custom" / "framework" / "onnx"
    folder.mkdir(parents=True)
    call(sys.executable, "-c", LEAKY, model)
    call(args.cmake, "-S", HERE / "consumer", "-B", args.work / "cmake", "-G", "Ninja", f"-DEXAMPLES={EXAMPLES}",
         f"-DCMAKE_C_COMPILER={args.cc}", f"-DCMAKE_CXX_COMPILER={args.cxx}", *CACHE,
         f"-DCMAKE_PREFIX_PATH={args.prefix}")  # fmt: skip
    call(args.cmake, "--build", args.work / "cmake", "--target", "plugin")
    by_names = args.work / "plugin.so"
    call(args.cxx, "-std=c++17", *STRICT, "-shared", "-fPIC", HERE / "consumer" / "plugin.cpp", "-o", by_names,
         f"-I{args.prefix}/include", f"-L{args.prefix}/lib64", "-lregister", "-lgraph", "-lascend_protobuf")  # fmt: skip
    unknown = [str(args.prefix / "bin" / "ge"), "info", str(model)]
    assert subprocess.run(unknown, capture_output=True, env=environment()).returncode != 0
    for library in (args.work / "cmake" / "libplugin.so", by_names):
        shutil.copy(library, folder / "libplugin.so")
        call(*unknown, expect="LeakyRelu", ASCEND_CUSTOM_OPP_PATH=str(args.work / "custom"))


def team(args, package, protos, *where):
    """Builds tests/package/operator_team; its programs see the team's operators and no others."""
    work = args.work / protos
    call(args.cmake, "-S", HERE / "operator_team", "-B", work, "-G", "Ninja", f"-DPACKAGE={package}", f"-DPROTOS={protos}",
         f"-DCMAKE_C_COMPILER={args.cc}", f"-DCMAKE_CXX_COMPILER={args.cxx}", f"-DPython3_EXECUTABLE={args.python}", *CACHE,
         *where)  # fmt: skip
    if protos == "files":
        call(args.cmake, "--build", work, "--target", "team_protos")
    call(args.cmake, "--build", work)
    split = protos != "static"  # that one leaves TeamSplit out
    libraries = {"LD_LIBRARY_PATH": f"{work}/es_team_build:{args.library}"}
    call(work / "use_c", expect=r"^4 nodes of the team$", **libraries)
    call(work / "use_frozen", expect=r"^4 nodes of the team$", LD_LIBRARY_PATH=str(args.library))
    assert "libes_team" not in call("ldd", work / "use_frozen")
    if protos == "object":
        call(work / "use_cpp", expect=r"^3 operators of the team$", **libraries)
    code = work / "es_team_build" / "generated_code"
    made = {p.name[3:-2] for p in code.glob("es_Team*.h") if not p.name.endswith("_c.h")}
    assert made == ({"TeamScale", "TeamSplit", "TeamNever"} if split else {"TeamScale"}), made
    others = {p.name for p in code.glob("es_*_c.h")} - {f"es_{name}_c.h" for name in made} - {"es_team_ops_c.h"}
    assert not others, sorted(others)[:5]
    out = work / "out"
    assert out.exists() == split
    if split:
        assert {p.name for p in (out / "lib64").iterdir()} == {"libes_team.so", "libes_team.a"}
        assert (out / "include" / "es_team" / "es_team_ops.h").exists()
        assert [p.name for p in (out / "whl").iterdir()] == ["es_team-1.0.0-py3-none-any.whl"]
    nothing_to_do(args, work)
    return work


def nothing_to_do(args, work):
    """A build without changes generates, compiles and copies nothing."""
    again = call(args.cmake, "--build", work)
    if (work / "Makefile").exists():
        assert not re.search("Generating|Building|Linking|Packing|Copying", again), again
    else:
        assert "no work to do" in again, again


def operator_team(args):
    args.library = args.prefix / "lib64"
    work = team(args, "toolkit", "object", f"-DTOOLKIT_ROOT={args.prefix}")
    if (args.prefix / "python").exists():
        site = args.work / "site"
        call(args.python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check",
             "--target", site, *(work / "out" / "whl").iterdir())  # fmt: skip
        call(args.python, HERE / "operator_team" / "use.py", expect=r"^3 operators of the team$",
             PYTHONPATH=f"{site}:{args.prefix}/python/site-packages",
             LD_LIBRARY_PATH=f"{work}/out/lib64:{args.library}")  # fmt: skip
    frozen_team(args, work)
    history(args, work)
    operators_only(args)


def frozen_team(args, work):
    """A C compiler links the team's wrappers and the builder into a program; no C++ library is needed."""
    program, include = args.work / "frozen_team", args.prefix / "include"
    call(args.cc, "-std=c99", *STRICT, HERE / "operator_team" / "frozen.c", f"-I{include}", f"-I{include}/es_all",
         f"-I{work}/out/include/es_team", work / "out" / "lib64" / "libes_team.a", f"-L{args.library}", "-lesb", "-lm",
         "-lpthread", "-ldl", "-o", program)  # fmt: skip
    call(program, expect="^frozen team$")
    assert not re.search("libstdc|libge|libes_", call("ldd", program))


def history(args, work):
    """A release is archived, and a build from an installation that has it leaves it alone."""
    call(args.cmake, work, "-DGE_ES_EXTRACT_HISTORY=ON", "-DGE_ES_RELEASE_VERSION=0.9.0", "-DGE_ES_RELEASE_DATE=2026-01-31",
         "-DGE_ES_BRANCH_NAME=stable")  # fmt: skip
    call(args.cmake, "--build", work)
    index = json.loads((work / "out" / "index.json").read_text())
    assert [r["release_version"] for r in index["releases"]] == ["0.9.0"]
    metadata = json.loads((work / "out" / "registry" / "0.9.0" / "metadata.json").read_text())
    assert metadata == {"branch_name": "stable", "release_version": "0.9.0"}
    operators = json.loads((work / "out" / "registry" / "0.9.0" / "operators.json").read_text())["operators"]
    assert [o["op_type"] for o in operators] == ["TeamNever", "TeamScale", "TeamSplit"]

    # Installed, that archive serves the next release, whose prototype has an input more. It is called as the
    # layout of the index is ("version": "1.0.0").
    installed = args.prefix / "opp" / "history_registry" / "team"
    earlier = args.work / "earlier releases"
    shutil.copytree(work / "out", earlier, ignore=shutil.ignore_patterns("include", "lib64", "whl"))
    installed.symlink_to(earlier)
    try:
        source = args.work / "next.cpp"
        bias = ".OPTIONAL_INPUT(bias, TensorType({DT_FLOAT}))"
        text = (HERE / "operator_team" / "protos.cpp").read_text()
        source.write_text(text.replace(bias, bias + bias.replace("bias", "shift")))
        call(args.cmake, work, f"-DSOURCE={source}", "-DGE_ES_RELEASE_VERSION=1.0.0", "-DGE_ES_RELEASE_DATE=2026-03-01")
        call(args.cmake, "--build", work, "--target", "build_es_team", "use_cpp")  # C has the present form only
        index = json.loads((work / "out" / "index.json").read_text())
        assert [r["release_version"] for r in index["releases"]] == ["0.9.0", "1.0.0"], index
        header = (work / "out" / "include" / "es_team" / "es_TeamScale.h").read_text()
        assert header.count("inline EsTensorHolder TeamScale(") == 3 and "= delete;" in header, header
        # A release that is installed already is left alone, and anchors the window.
        said = call(args.cmake, work, "-DGE_ES_RELEASE_VERSION=0.9.0")
        assert "Release 0.9.0 of team is archived already" in said, said
        call(args.cmake, "--build", work, "--target", "build_es_team")
        index = json.loads((work / "out" / "index.json").read_text())
        assert [r["release_version"] for r in index["releases"]] == ["0.9.0"], index
    finally:
        installed.unlink()


def operator_team_build_tree(args):
    args.library = args.build / "lib"
    for protos in ("shared", "static", "files"):
        team(args, "config", protos, f"-DOpenGE_DIR={args.build}")
    odd_name(args, args.work / "shared")


def odd_name(args, work):
    """What es_my-mod gives: files of that name, guards and Python names that are identifiers."""
    libraries = {"LD_LIBRARY_PATH": f"{work}/odd/lib64:{args.library}"}
    call(work / "use_odd", expect=r"^3 nodes$", **libraries)
    odd = work / "odd"
    assert {p.name for p in (odd / "lib64").iterdir()} == {"libes_my-mod.so", "libes_my-mod.a"}
    assert (odd / "include" / "es_my-mod" / "es_my-mod_ops_c.h").exists()
    wheels = list((odd / "whl").iterdir())
    assert [p.name for p in wheels] == ["es_my_mod-1.0.0-py3-none-any.whl"], wheels
    if (args.build / "python" / "ge").exists():
        site = args.work / "odd site"
        call(args.python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check",
             "--target", site, *wheels)  # fmt: skip
        call(args.python, HERE / "operator_team" / "use_odd.py", expect=r"^1 operator$",
             PYTHONPATH=f"{site}:{args.build}/python", **libraries)  # fmt: skip


def configure_team(args, name, protos, *more):
    """A build folder of the team's project with the package of the build tree."""
    work = args.work / name
    words = [args.cmake, "-S", HERE / "operator_team", "-B", work, "-DPACKAGE=config", f"-DPROTOS={protos}",
             f"-DOpenGE_DIR={args.build}", f"-DCMAKE_C_COMPILER={args.cc}", f"-DCMAKE_CXX_COMPILER={args.cxx}",
             f"-DPython3_EXECUTABLE={args.python}", *CACHE, *more]  # fmt: skip
    return work, [str(word) for word in words]


def operator_team_builds(args):
    """Other build tools; what is built again after which change; what is refused."""
    work, words = configure_team(args, "make", "module", "-G", "Unix Makefiles")
    call(*words)
    for _ in range(2):  # from nothing, and after a clean
        call(args.cmake, "--build", work, "-j4")
        assert (work / "out" / "lib64" / "libes_team.so").exists()
        nothing_to_do(args, work)
        call(args.cmake, "--build", work, "--target", "clean")
        left = sorted(p.name for p in (work / "es_team_build").rglob("*") if p.suffix in (".cpp", ".h", ".py", ".so", ".a"))
        assert not left, left

    work, words = configure_team(args, "several", "shared", "-G", "Ninja Multi-Config")
    call(*words)
    for config in ("Debug", "Release"):
        call(args.cmake, "--build", work, "--config", config)
        libraries = {"LD_LIBRARY_PATH": f"{work}/out/lib64:{args.build}/lib"}
        call(work / config / "use_c", expect=r"^4 nodes of the team$", **libraries)
        assert "no work to do" in call(args.cmake, "--build", work, "--config", config)

    changes(args)
    two_releases(args)

    _, words = configure_team(args, "refused", "refused", "-G", "Ninja")
    run = subprocess.run(words, capture_output=True, text=True, env=environment())
    assert run.returncode != 0 and re.search("team_protos.*POSITION_INDEPENDENT_CODE", " ".join(run.stderr.split())), run.stderr
    wrong_use(args)


def wrong_use(args):
    """What add_es_library says of arguments that cannot be, and of some that are only odd."""
    for case, code, says in (
        ("no_target", 1, "OPP_PROTO_TARGET nothing is not a target"),
        ("no_folder", 1, "files is an INTERFACE library: set its property INTERFACE_LIBRARY_OUTPUT_DIRECTORY"),
        ("no_name", 1, "ES_LINKABLE_AND_ALL_TARGET is missing"),
        ("no_library", 1, "command is of type UTILITY; expected a SHARED, MODULE, STATIC, OBJECT or INTERFACE library"),
        ("taken_name", 1, "protos is the name of a target already"),
        ("no_version", 1, "GE_ES_EXTRACT_HISTORY needs GE_ES_RELEASE_VERSION"),
        ("one_archive_for_two", 1, "es_x and es_y would both archive their release in"),
        ("unknown_argument", 0, "unknown arguments are left out: B. EXCLUDE_OPS takes one list with commas"),
        ("plain_name", 0, "plain does not start with es_"),
        ("name_of_python", 1, "json: the Python package would have the name of a module that Python"),
        ("master", 0, "Generating done"),
    ):
        words = [args.cmake, "-S", HERE / "wrong_use", "-B", args.work / f"wrong {case}", "-G", "Ninja", f"-DCASE={case}",
                 f"-DOpenGE_DIR={args.build}", f"-DCMAKE_CXX_COMPILER={args.cxx}"]  # fmt: skip
        run = subprocess.run([str(w) for w in words], capture_output=True, text=True, env=environment())
        said = " ".join((run.stdout + run.stderr).split())
        assert run.returncode == code and says in said, f"{case}: {run.returncode}, {said}"


def changes(args):
    """A changed operator compiles again and no more; one that is gone takes its files with it; a deleted copy comes back."""
    source = args.work / "my protos.cpp"
    text = (HERE / "operator_team" / "protos.cpp").read_text()
    source.write_text(text)
    work, words = configure_team(args, "changes", "object", "-G", "Ninja", f"-DSOURCE={source}")
    call(*words)
    call(args.cmake, "--build", work, "--target", "build_es_team")
    include = work / "out" / "include" / "es_team"
    own = include / "es_written_by_hand.h"
    own.write_text("// mine\n")
    assert (include / "es_TeamNever.h").exists()

    source.write_text(text + "// a remark\n")
    again = call(args.cmake, "--build", work, "--target", "build_es_team")
    assert "Generating" in again and "es_team_obj" not in again, again
    cut = re.sub(r"REG_OP\(TeamNever\).*OP_END_FACTORY_REG\(TeamNever\)", "", text, flags=re.S)
    source.write_text(cut)
    again = call(args.cmake, "--build", work, "--target", "build_es_team")
    assert "es_team_obj" in again, again
    assert not (include / "es_TeamNever.h").exists() and own.exists()
    assert not (work / "es_team_build" / "generated_code" / "es_TeamNever.cpp").exists()
    (work / "out" / "lib64" / "libes_team.so").unlink()
    call(args.cmake, "--build", work, "--target", "build_es_team")
    assert (work / "out" / "lib64" / "libes_team.so").exists()

    # Made anew within the second of the last build, as on a fast machine.
    made, copy = work / "es_team_build" / "generated_code" / "es_TeamScale.h", include / "es_TeamScale.h"
    made.write_text(made.read_text() + "// later\n")
    os.utime(made, ns=(copy.stat().st_mtime_ns,) * 2)
    (work / "es_team_build" / "install.flag").unlink()
    call(args.cmake, "--build", work, "--target", "build_es_team")
    assert copy.read_text() == made.read_text()
    # Prototypes without any operator are a mistake: the build fails, and what was made before stays.
    source.write_text("")
    run = subprocess.run([args.cmake, "--build", work], capture_output=True, text=True, env=environment())
    assert run.returncode != 0 and re.search("es_team: no operator|no ops to generate", run.stdout), run.stdout
    assert (work / "es_team_build" / "generated_code" / "es_TeamScale.h").exists()


def two_releases(args):
    """Two releases one after the other in one output folder, the second built twice."""
    source = args.work / "released.cpp"
    text = (HERE / "operator_team" / "protos.cpp").read_text()
    source.write_text(text)

    def release(version, date):
        _, words = configure_team(args, "releases", "shared", "-G", "Ninja", f"-DSOURCE={source}", "-DGE_ES_EXTRACT_HISTORY=ON",
                                  f"-DGE_ES_RELEASE_VERSION={version}", f"-DGE_ES_RELEASE_DATE={date}")  # fmt: skip
        call(*words)
        call(args.cmake, "--build", args.work / "releases", "--target", "build_es_team")

    root = args.work / "releases" / "out"
    release("0.9.0", "2026-01-31")
    release("1.0.0", "2026-02-28")
    source.write_text(text.replace(".ATTR(factor, Float, 2.0f)", ".ATTR(factor, Float, 2.0f).ATTR(shift, Float, 0.0f)"))
    release("1.0.0", "2026-02-28")
    index = json.loads((root / "index.json").read_text())
    assert [r["release_version"] for r in index["releases"]] == ["0.9.0", "1.0.0"], index
    shifts = {v: "shift" in (root / "registry" / v / "operators.json").read_text() for v in ("0.9.0", "1.0.0")}
    assert shifts == {"0.9.0": False, "1.0.0": True}, shifts


def operators_only(args):
    """Of the generated library a program uses + alone, and names other libraries, too."""
    work = args.work / "operators_only"
    call(args.cmake, "-S", HERE / "operators_only", "-B", work, "-G", "Ninja", f"-DTOOLKIT_ROOT={args.prefix}",
         f"-DCMAKE_CXX_COMPILER={args.cxx}", "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--as-needed", *CACHE)  # fmt: skip
    call(args.cmake, "--build", work)
    call(work / "sum", expect="^Add$")


def configure_as_ge(args, source, work, *more):
    """Configures and builds a project in the environment of set_env.sh alone."""
    words = [args.cmake, "-S", source, "-B", work, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={args.cxx}", *CACHE, *more]
    quoted = " ".join(f'"{word}"' for word in words)
    build = f'{quoted} && "{args.cmake}" --build "{work}"'
    call("bash", "-c", f'. "{args.prefix}/set_env.sh"; test -z "${{LIBRARY_PATH:-}}" && {build}')


def ge_program(args):
    """Programs that name libraries of the toolkit and no folder of them, for each kind of prototypes and of std::string."""
    for protos, abi in (("OBJECT", 0), ("OBJECT", 1), ("SHARED", 0), ("STATIC", 0)):
        work = args.work / f"{protos} {abi}"
        configure_as_ge(args, HERE / "ge_program", work, f"-DPROTOS={protos}", f"-DABI={abi}")
        libraries = {"LD_LIBRARY_PATH": f"{work}/es_math_build:{args.prefix}/lib64"}
        for program in ("program", "from_objects", "from_linked_objects", "inside/frozen_program"):
            call(work / program, expect="^3 nodes$", **libraries)
        call(work / "alone", expect="^5 7$", **libraries)
        call(work / "rules", expect="^0 wrong$", **libraries)


def data_flow(args):
    """A data-flow program in C++11; its function's library is built by the runtime."""
    for abi in (0, 1):
        work = args.work / f"program {abi}"
        configure_as_ge(args, HERE / "data_flow", work, f"-DABI={abi}")
        folder = args.work / f"files {abi}"
        shutil.copytree(HERE / "data_flow", folder)
        said = call("bash", "-c", f'. "{args.prefix}/set_env.sh"; "{work}/data_flow" "{folder}"', expect="^4 6 $")
        assert "input 'x' has shape [3], expected [2]" in said, said
        assert (folder / "function" / "build" / "shift" / "release" / "libshift.so").exists()


def operators_in_plugins(args):
    """+ - * / of libraries that a program without generated operators loads."""
    for abi, kind in (("0", "Debug"), ("1", "Release")):
        work = args.work / abi
        call(args.cmake, "-S", HERE / "operators_in_plugins", "-B", work, "-G", "Ninja", f"-DTOOLKIT_ROOT={args.prefix}",
             f"-DABI={abi}", f"-DCMAKE_BUILD_TYPE={kind}", f"-DCMAKE_CXX_COMPILER={args.cxx}", *CACHE)  # fmt: skip
        call(args.cmake, "--build", work)
        libraries = {"first": "first_y", "second": "second_y", "through": "first_y", "inside": "inside_y", "none": "-"}
        words = [word for name, output in libraries.items() for word in (work / f"lib{name}.so", output)]
        call(work / "host", *words, expect="^5 libraries$")
        for name, output in libraries.items():
            call(work / "host", work / f"lib{name}.so", output, expect="^1 libraries$")
        passes = work / "opp" / "vendors" / "acme" / "custom_fusion_passes"
        passes.mkdir(parents=True)
        shutil.copy(work / "libpass.so", passes)
        call(work / "compile", expect="^1 6 15$", ASCEND_OPP_PATH=str(work / "opp"), ASCEND_WORK_PATH=str(work))


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
    engines = sorted((prefix / "lib" / "ge" / "engines").rglob("*.so"))
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
    steps = (install, cmake, build_tree, pkg_config, static_line, load_by_name, moved, toolkit, plugin, operators_in_plugins,
             operator_team, operator_team_build_tree, operator_team_builds, ge_program, data_flow)  # fmt: skip
    parser = argparse.ArgumentParser()
    parser.add_argument("step", choices=[s.__name__ for s in steps])
    for name in ("build", "prefix", "work", "cmake"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    for name in ("cc", "cxx", "python"):
        parser.add_argument(f"--{name}", required=True)
    args = parser.parse_args()
    shutil.rmtree(args.work, ignore_errors=True)
    args.work.mkdir(parents=True)
    next(s for s in steps if s.__name__ == args.step)(args)


if __name__ == "__main__":
    main()
