#!/usr/bin/env python3
"""gen_esb refuses what it cannot use with a non-zero code and a message that names the thing; nothing is half-written."""

import argparse
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

FAILURES = []
KINDS = ("twice", "plain", "other", "names", "throwing", "exiting", "crashing")  # of prototype libraries


def run(args, *flags, opp=None, custom=None, limit=None, cwd=None):
    env = {k: v for k, v in os.environ.items() if not k.startswith("ASCEND_")}
    if opp is not None:
        env["ASCEND_OPP_PATH"] = str(opp)
    if custom is not None:
        env["ASCEND_CUSTOM_OPP_PATH"] = str(custom)

    def shrink():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.run(
        [args.gen_esb, *map(str, flags)],
        env=env,
        cwd=cwd,
        capture_output=True,
        text=True,
        preexec_fn=shrink if limit else None,
    )


def expect(result, code, *texts):
    said = result.stdout + result.stderr
    for text in texts:
        if text not in said:
            FAILURES.append(f"{result.args}: expected '{text}' in: {said!r}")
    if result.returncode != code:
        FAILURES.append(f"{result.args}: code {result.returncode}, expected {code}: {said!r}")


def package(folder, *libraries):
    """An operator package that holds these libraries."""
    place = folder / "op_proto"
    place.mkdir(parents=True)
    for library in libraries:
        shutil.copy(library, place)
    return folder


def snapshot(folder):
    return {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in folder.iterdir()}


def at_once(args, top, opp):
    """Runs for one folder at the same time: every release is in the index, every module whole."""
    out = top / "at once"
    env = dict(os.environ, ASCEND_OPP_PATH=str(opp), ASCEND_CUSTOM_OPP_PATH="")
    running = []
    for i in range(1, 9):
        history = ["--es_mode=extract_history", f"--release_date=2026-01-0{i}", f"--release_version=v{i}"]
        for flags in ([*history, f"--output_dir={out / 'archive'}"], [f"--module_name=m{i % 2}", f"--output_dir={out}"]):
            words = [args.gen_esb, *flags]
            running.append(subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
    for process in running:
        said = process.communicate()[1]
        if process.returncode != 0:
            FAILURES.append(f"at once, {process.args}: {said}")
    index = json.loads((out / "archive" / "index.json").read_text())
    found = [release["release_version"] for release in index["releases"]]
    if found != [f"v{i}" for i in range(1, 9)]:
        FAILURES.append(f"releases archived at once: {found} in the index")
    once = top / "once"
    expect(run(args, "--module_name=m0", "--output_dir", once, opp=opp), 0)
    for path in once.iterdir():
        shared = path.suffix in (".py", ".pyi") and "_m0_" not in path.name  # they name the module that was last
        if not shared and (out / path.name).read_bytes() != path.read_bytes():
            FAILURES.append(f"runs at once: {path.name} differs")
    left = [p.name for p in out.rglob("*") if ".tmp" in p.name or "lock" in p.name]
    if left:
        FAILURES.append(f"runs at once left {left}")


def empty_module(folder, module):
    """Aggregates without operators, and the helpers."""
    aggregates = [folder / f"es_{module}_ops{end}" for end in ("_c.h", ".h", ".py")]
    if not all(p.exists() for p in (*aggregates, folder / "es_log.h")):
        return False
    return not any("es_Op" in p.read_text() or "es_Tiny" in p.read_text() for p in aggregates)


def unmakeable(args, top, plain, empty):
    """An output folder that cannot be made: said, and the current folder is taken."""
    (top / "file").write_text("in the way")
    here = top / "here"
    here.mkdir()
    wanted = top / "file" / "below" / "it"
    result = run(args, "--output_dir", wanted, "--module_name=m", opp=empty, custom=plain, cwd=here)
    expect(result, 0, f"output directory '{wanted}' cannot be created: Not a directory", "'./'")
    if not (here / "es_OpPlain.h").exists() or not (here / "es_m_ops.h").exists():
        FAILURES.append("--output_dir that cannot be made: nothing in the current folder")
    history = ("--es_mode=extract_history", "--release_date=2026-01-01", "--release_version=1")
    result = run(args, *history, "--output_dir", wanted, opp=empty, custom=plain, cwd=here)
    expect(result, 0, str(wanted), "cannot be created", "'./'")
    if not (here / "index.json").exists() or not (here / "registry" / "1" / "operators.json").exists():
        FAILURES.append("extract_history, --output_dir that cannot be made: nothing in the current folder")
    # What is refused before anything is written does not come to that.
    expect(run(args, "--output_dir", wanted, "--only_ops=NoSuch", opp=empty, custom=plain, cwd=here), 1, "NoSuch")
    # Nor can everything be made that has a folder above it.
    result = run(args, "--output_dir=/proc/no/such", "--module_name=m", opp=empty, custom=plain, cwd=here)
    expect(result, 0, "/proc/no/such", "'./'", "0 files written")


def vendors(args, top, lib):
    """vendors/config.ini in every shape it may have; op_proto/custom counts only where there are no vendors."""
    opp = top / "vendor cases"
    package(opp / "vendors" / "good", lib["plain"])
    package(opp / "vendors" / "bare")
    (opp / "op_proto" / "custom").mkdir(parents=True)
    shutil.copy(lib["other"], opp / "op_proto" / "custom")
    config = opp / "vendors" / "config.ini"
    out = top / "vendor out"

    def chosen():
        """Which of the two forms of OpPlain was generated."""
        path = out / "es_OpPlain.h"
        return "custom" if "& b=nullptr" in path.read_text() else "vendor"

    cases = (
        (None, "custom", "done"),
        ("", "custom", "has no key load_priority"),
        ("# load_priority=good\n", "custom", "has no key load_priority"),
        ("load_priority=\n", "custom", "an empty load_priority"),
        ("load_priority= , ,\r\n", "custom", "an empty load_priority"),
        ("load_priority=good", "vendor", "done"),
        ("[base]\r\n load_priority = good , bare\r\n", "vendor", "vendor 'bare'"),
        ("load_priority=good,lost,good\n", "vendor", "names vendor 'good' twice"),
        ("load_priority=good\nload_priority=lost\n", "vendor", "load_priority twice"),
    )
    for text, expected, says in cases:
        if text is not None:
            config.write_bytes(text.encode())
        expect(run(args, "--output_dir", out, opp=opp), 0, says)
        if chosen() != expected:
            FAILURES.append(f"config.ini {text!r}: OpPlain of the wrong folder, expected {expected}")
    expect(run(args, "--output_dir", out, opp=opp), 0, "1 operators")
    for text in ("load_priority=lost", "load_priority=bare"):
        config.write_text(text)
        expect(run(args, "--output_dir", out, opp=opp), 0, "no ops to generate")
    before = snapshot(out)
    config.write_text("load_priority=../good")
    expect(run(args, "--output_dir", out, opp=opp), 1, "../good")
    config.unlink()
    config.mkdir()  # what even root cannot read
    expect(run(args, "--output_dir", out, opp=opp), 1, "config.ini", "cannot be read")
    if snapshot(out) != before:
        FAILURES.append("a wrong config.ini changed the earlier output")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gen_esb", required=True)
    parser.add_argument("--opp", required=True)
    parser.add_argument("--libraries", required=True)
    args = parser.parse_args()
    libraries = pathlib.Path(args.libraries)
    lib = {name: libraries / f"libproto_{name}.so" for name in KINDS}
    with tempfile.TemporaryDirectory() as folder:
        top = pathlib.Path(folder)
        empty = top / "empty"
        empty.mkdir()
        # usage
        expect(run(args, "--no_such_flag=1", opp=args.opp), 2, "--no_such_flag", "--help")
        expect(run(args, "stray", opp=args.opp), 2, "stray")
        expect(run(args, "--output_dir", opp=args.opp), 2, "needs a value")
        expect(run(args, "--es_mode=guess", opp=args.opp), 2, "Invalid mode!", "guess")
        expect(run(args, "--chunks=0", opp=args.opp), 2, "'0'", "1 to 64")
        expect(run(args, "--module_name=a/b", opp=args.opp), 2, "a/b")
        for flag in ("-help", "--help", "-h"):
            expect(run(args, flag), 0, "usage", "--es_mode", "--history_registry")
        # one dash and dashes inside names will do
        expect(run(args, "-output-dir", top / "dash", "--module-name=dash", opp=args.opp), 0, "Generator v1.0")
        if not (top / "dash" / "es_dash_ops.h").exists():
            FAILURES.append("-output-dir, --module-name: no output")
        # where prototypes come from
        expect(run(args, "--output_dir", top / "a"), 1, "ASCEND_OPP_PATH is not set")
        gone = run(args, "--output_dir", top / "lost", opp=top / "gone")
        expect(gone, 0, "gone", "not a folder", "ERROR: no ops to generate, ")
        if gone.returncode == 0 and not empty_module(top / "lost", "all"):
            FAILURES.append("without ASCEND_OPP_PATH's folder: no empty aggregates")
        archived = run(args, "--es_mode=extract_history", "--release_version=1", "--output_dir", top / "none", opp=top / "gone")
        expect(archived, 0, "not a folder", "ERROR: no ops to generate, ")
        if (top / "none").exists():
            FAILURES.append("an archive of no operators was written")
        expect(run(args, "--output_dir", top / "a", opp=empty, custom=top / "gone"), 0, "gone", "no ops to generate")
        if not (top / "a" / "es_all_ops_c.h").exists() or not (top / "a" / "es_log.h").exists():
            FAILURES.append("an empty module has its aggregates and es_log.h")
        expect(run(args, "--only_ops", "NoSuchOperator", "--output_dir", top / "b", opp=args.opp), 1, "NoSuchOperator")
        # libraries
        broken = package(top / "broken")
        (broken / "op_proto" / "libbroken.so").write_bytes(b"not a library")
        expect(run(args, "--output_dir", top / "b", opp=empty, custom=broken), 1, "libbroken.so", "cannot be loaded")
        whole = pathlib.Path(lib["throwing"]).read_bytes()
        (broken / "op_proto" / "libbroken.so").write_bytes(whole[:1000])
        expect(run(args, "--output_dir", top / "b", opp=empty, custom=broken), 1, "libbroken.so", "truncated or damaged")
        (package(top / "dangling") / "op_proto" / "liblost.so").symlink_to(top / "nowhere.so")
        expect(run(args, "--output_dir", top / "b", opp=empty, custom=top / "dangling"), 1, "liblost.so", "cannot be loaded")
        throwing = package(top / "throwing", lib["throwing"])
        expect(
            run(args, "--output_dir", top / "b", opp=empty, custom=throwing), 1, "libproto_throwing.so", "no prototypes today"
        )
        for ends in ("exiting", "crashing"):
            ended = run(args, "--output_dir", top / "b", opp=empty, custom=package(top / ends, lib[ends]))
            expect(ended, 1, f"libproto_{ends}.so' cannot be loaded: it ended the process or crashed")
        twice = package(top / "twice", lib["twice"])
        expect(run(args, "--output_dir", top / "b", opp=empty, custom=twice), 1, "OpTwice", "twice", "inputs: 1 and 2")
        both = package(top / "both", lib["plain"], lib["other"])
        expect(
            run(args, "--output_dir", top / "b", opp=empty, custom=both), 1, "OpPlain", "libproto_plain.so", "libproto_other.so"
        )
        if (top / "b").exists():
            FAILURES.append("a refused run left an output folder")
        # priority: the first custom entry counts, and it is said
        plain, other = package(top / "plain", lib["plain"]), package(top / "other", lib["other"])
        result = run(args, "--output_dir", top / "p1", opp=empty, custom=f"{other}:{plain}")
        expect(result, 0, "OpPlain", "the former has priority")
        if "OpPlain(const EsTensorLike & x, const EsTensorLike & b=nullptr)" not in (top / "p1/es_OpPlain.h").read_text():
            FAILURES.append("the operator of the first custom folder does not win")
        # vendors of config.ini come in its order, and replace op_proto/custom
        opp = top / "opp"
        package(opp / "vendors" / "one", lib["plain"])
        package(opp / "vendors" / "two", lib["other"])
        shutil.copytree(both / "op_proto", opp / "op_proto" / "custom")
        (opp / "vendors" / "config.ini").write_text("load_priority = two, one, lost\n")
        expect(run(args, "--output_dir", top / "v", opp=opp), 0, "vendor 'lost'", "the former has priority")
        if "& b=nullptr" not in (top / "v/es_OpPlain.h").read_text():
            FAILURES.append("the first vendor does not win")
        vendors(args, top, lib)
        # a folder for this system comes before the folder itself; run-time libraries are left alone
        native = package(top / "native", lib["plain"]) / "op_proto" / "lib" / "linux" / os.uname().machine
        native.mkdir(parents=True)
        shutil.copy(lib["other"], native)
        shutil.copy(lib["throwing"], native / "libop_rt.so")
        shutil.copy(lib["throwing"], native / "libop_rt2.0.so")
        expect(run(args, "--output_dir", top / "n", opp=empty, custom=top / "native"), 0)
        if "& b=nullptr" not in (top / "n/es_OpPlain.h").read_text():
            FAILURES.append("lib/linux/<cpu> is not used")
        # names that cannot be
        expect(
            run(args, "--output_dir", top / "w", opp=empty, custom=package(top / "names", lib["names"])),
            0,
            "not an identifier(1): [Op-Dash, ]",
            "keyword of C++(1): [and, ]",
            "base library(1): [SetShape, ]",
            "File es_Op_c.h is that of operator Op(1): [Op_c, ]",
            "es_log.h is that of the helpers of all wrappers(1): [log, ]",
        )
        # output
        unmakeable(args, top, plain, empty)
        at_once(args, top, args.opp)
        out = top / "full"
        expect(run(args, "--output_dir", out, "--module_name", "m", opp=empty, custom=plain), 0)
        before = snapshot(out)
        expect(run(args, "--output_dir", out, "--module_name", "m", opp=args.opp, limit=3000), 1, "cannot write", str(out))
        if snapshot(out) != before:
            FAILURES.append("a run on a full disk changed the output folder")
        # A folder in which nobody can make a file, also for extract_history; a full disk leaves an archive as it was.
        expect(run(args, "--output_dir=/proc", "--module_name=m", opp=empty, custom=plain), 1, "cannot write '/proc/es_OpPlain")
        archive = ("--es_mode=extract_history", "--release_date=2026-01-01")
        expect(run(args, *archive, "--output_dir=/proc", "--release_version=1", opp=empty, custom=plain), 1, "/proc/registry/1")
        kept = top / "archive"
        expect(run(args, *archive, f"--output_dir={kept}", "--release_version=1", opp=empty, custom=plain), 0)
        index = (kept / "index.json").read_bytes()
        expect(run(args, *archive, f"--output_dir={kept}", "--release_version=2", opp=args.opp, limit=3000), 1,
               "cannot write", "operators.json")  # fmt: skip
        if (kept / "index.json").read_bytes() != index or (kept / "registry" / "2").exists():
            FAILURES.append("a release was half archived on a full disk")
        expect(run(args, *archive, f"--output_dir={kept}", "--release_version=2", opp=args.opp), 0)
        # operators that vanished: their files go, others of the folder stay, changed ones too
        (out / "own.h").write_text("mine")
        expect(run(args, "--output_dir", out, "--module_name", "second", opp=empty, custom=plain), 0)
        expect(run(args, "--output_dir", out, "--module_name", "m", opp=args.opp), 0)
        if not (out / "es_OpPlain.h").exists() or not (out / "own.h").exists():
            FAILURES.append("files of another module or of nobody were removed")
        expect(run(args, "--output_dir", out, "--module_name", "m", "--exclude_ops", "TinyNeg,TinyPair ", opp=args.opp), 0)
        if (out / "es_TinyNeg.h").exists() or (out / "es_TinyPair.py").exists():
            FAILURES.append("files of operators that vanished are still there")
        expect(run(args, "--output_dir", out, "--module_name", "m", "--exclude_ops", "TinyBias, TinyGap", opp=args.opp), 0)
        if (out / "es_TinyBias.h").exists() or not (out / "es_TinyGap.h").exists():
            FAILURES.append("--exclude_ops: elements are taken as they are")
        # what a killed run left behind goes; a running one's files and others' stay
        left = out / "es_TinyGap.h.tmp999999999"
        kept = [out / f"es_TinyGap.h.tmp{os.getpid()}", out / "notes.tmp999999999", out / "es_TinyGap.h.tmpx"]
        for path in (left, *kept):
            path.write_text("aside")
        expect(run(args, "--output_dir", out, "--module_name", "m", opp=args.opp), 0)
        if left.exists() or not all(path.exists() for path in kept):
            FAILURES.append("files that a killed run left behind")
        # nobody's operators: the aggregates become empty, what an earlier run made for operators stays
        for flags in ((), ("--exclude_ops", "OpPlain")):
            expect(run(args, "--output_dir", out, "--module_name", "second", opp=empty, custom=plain), 0, "1 operators")
            before = snapshot(out)
            custom = plain if flags else None
            expect(run(args, "--output_dir", out, "--module_name", "second", *flags, opp=empty, custom=custom), 0,
                   "no ops to generate, module second", "files of an earlier run", str(out))  # fmt: skip
            if not empty_module(out, "second"):
                FAILURES.append("a run without operators left operators in the aggregates")
            if any(snapshot(out)[name] != file for name, file in before.items() if name.startswith("es_Op")):
                FAILURES.append("a run without operators changed files of an earlier one")
        # and goes when a later run does not write it
        expect(run(args, "--output_dir", out, "--module_name", "second", opp=args.opp), 0)
        if (out / "es_OpPlain.h").exists():
            FAILURES.append("a file that an empty run kept is never removed")
        (top / "way" / "es_OpPlain.h").mkdir(parents=True)
        expect(run(args, "--output_dir", top / "way", opp=empty, custom=plain), 1, "es_OpPlain.h", "a folder is in its place")
        if [p.name for p in (top / "way").iterdir()] != ["es_OpPlain.h"]:
            FAILURES.append("a refused run left files")
        # guards: the prefix is verbatim, module names are made fit
        expect(run(args, "--output_dir", top / "g", "--module_name=my-mod", "--h_guard_prefix=_X", opp=empty, custom=plain), 0)
        stem = "AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_GRAPH_BUILDER_X"
        for name, guard in (
            ("es_OpPlain_c.h", f"{stem}_OP_OpPlain_H_"),
            ("es_OpPlain.h", f"{stem}_OP_OpPlain_CPP_H_"),
            ("es_my-mod_ops_c.h", f"{stem}_my_mod_OPS_H_"),
            ("es_my-mod_ops.h", f"{stem}_my_mod_OPS_CPP_H"),
            ("es_log.h", "CANN_GRAPH_ENGINE_ES_ELOG_H"),
        ):
            if f"#ifndef {guard}\n#define {guard}\n" not in (top / "g" / name).read_text():
                FAILURES.append(f"{name} has not the guard {guard}")
    print("\n".join(FAILURES) or "ok")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
