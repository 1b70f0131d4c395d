#!/usr/bin/env python3
"""The headers of operator repositories go through gen_esb as they are, in one call.

About 1,000 prototypes in 900 files, made of the text of our own: most files hold one, some share an include guard with
others, some repeat what another file declares. Every file is compiled into one of a few prototype libraries.
"""

import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys

from protokit import Tools

DECLARATION = re.compile(r"^REG_OP\((\w+)\).*?^ *\.OP_END_FACTORY_REG\(\1\)$", re.M | re.S)
FILES, LIBRARIES, COMPILED_AT_ONCE = 900, 2, 2
SHARED_GUARDS = 30  # of 90 files and half of the copies: files with one guard are compiled apart
# What gen_esb makes no function for, and why. Every other prototype has one.
LEFT_OUT = {
    "Does not support V1 control Operators": ["Enter", "Merge", "NextIteration", "Switch"],
    "Following Operators already provided creation functions": ["Variable"],
}
# Inputs and outputs of graphs have none either, as in GE, and GE's table does not name them.
NO_FUNCTION = {"Data", "RefData", "AippData", "AnnData", "AnyData", "NetOutput"}
# Made by this library's passes.
OWN = ("FusedConv2D", "FusedConv3D", "FusedConvTranspose", "FusedMatMulV2", "FusedElementwise")


def declarations(source):
    """Type -> text of every prototype of ours."""
    found = {}
    for header in sorted((source / "protos/include/op_proto").glob("*.h")):
        for match in DECLARATION.finditer(header.read_text(encoding="utf-8")):
            found[match.group(1)] = match.group(0)
    return {t: text for t, text in found.items() if t not in OWN}


def header(guard, parts):
    body = "\n\n".join(parts)
    return f"""#ifndef {guard}
#define {guard}
#include "graph/operator_reg.h"
namespace ge {{
{body}
}}  // namespace ge
#endif
"""


class Tree:
    """Folders of repositories with headers; for each library the groups of headers that one file may include together."""

    def __init__(self, folder, prototypes):
        self.folder, self.groups = folder, [[] for _ in range(LIBRARIES)]
        self.files = 0
        types = sorted(prototypes)[:1000]
        types += [t for reason in LEFT_OUT.values() for t in reason if t not in types]
        self.types = types
        # The first files hold two prototypes, all others one.
        pairs = len(types) - FILES
        parts = [types[2 * i : 2 * i + 2] for i in range(pairs)] + [[t] for t in types[2 * pairs :]]
        for i, members in enumerate(parts):
            shared = i // 10 % SHARED_GUARDS if i % 10 == 0 else None
            self.add(i % LIBRARIES, f"{members[0].lower()}_proto", [prototypes[t] for t in members], shared)
        # Copies: in the library of the original and in another one.
        self.copies = types[-25:]
        for i, t in enumerate(self.copies):
            self.add(i % LIBRARIES, f"copy_of_{t.lower()}", [prototypes[t]], i if i % 2 == 0 else None, apart=True)

    def add(self, library, name, parts, shared, apart=False):
        """A header with the guard that many have, or one whose prototype another has, is compiled apart from those."""
        guard = f"OPS_{name.upper()}_H_" if shared is None else f"OPS_BUILT_IN_OP_PROTO_INC_{shared}_OPS_H_"
        place = self.folder / f"repository_{library}" / "op_graph"
        place.mkdir(parents=True, exist_ok=True)
        path = place / f"{name}.h"
        path.write_text(header(guard, parts))
        self.files += 1
        groups = self.groups[library]
        for group in groups[1:] if apart else groups:
            if guard not in group["guards"]:
                break
        else:
            groups.append(group := {"guards": set(), "paths": []})
        group["guards"].add(guard)
        group["paths"].append(path)


def compile_libraries(tools, tree, package):
    place = package / "op_proto" / "custom"
    place.mkdir(parents=True)
    jobs = []
    for library, groups in enumerate(tree.groups):
        # Headers that may not meet need a file each; few files are quicker than many.
        for number, group in enumerate(groups):
            source = tree.folder / f"protos_{library}_{number}.cpp"
            source.write_text("".join(f'#include "{path.relative_to(tree.folder)}"\n' for path in group["paths"]))
            jobs.append((library, source, source.with_suffix(".o")))

    # The same sources every time: what another run compiled, or another clone, serves this one.
    ccache = ["sh", tools.source / "cmake" / "ccache.sh", "ccache"] if shutil.which("ccache") else []
    shared = {**os.environ, "CCACHE_BASEDIR": str(tools.source)}

    def run(words):
        result = subprocess.run(list(map(str, words)), capture_output=True, text=True, env=shared)
        if result.returncode:
            sys.exit(f"{' '.join(map(str, words))}\n{result.stderr[:3000]}")

    flags = ["-std=c++17", "-O0", "-fPIC", "-w", *tools.includes()]
    with concurrent.futures.ThreadPoolExecutor(COMPILED_AT_ONCE) as pool:
        list(pool.map(lambda job: run([*ccache, tools.cxx, *flags, "-MD", "-c", job[1], "-o", job[2]]), jobs))
    for library, members in itertools.groupby(jobs, key=lambda job: job[0]):
        objects = [job[2] for job in members]
        output = place / f"libprotos_{library}.so"
        run([tools.cxx, "-shared", *objects, "-o", output, f"-L{tools.lib}", "-lge", f"-Wl,-rpath,{tools.lib}"])


def check_table(text, failures):
    """The comment that says what was left out and why."""
    said = {r: re.findall(r"\w+", ops) for r, ops in re.findall(r"^[ *]*([^:\n]*)\(\d+\): \[([^\]]*)\]$", text, re.M)}
    if said != LEFT_OUT:
        failures.append(f"left out: {said}, expected {LEFT_OUT}")


def check_outputs(tools, tree, out, failures):
    left_out = NO_FUNCTION | {t for types in LEFT_OUT.values() for t in types}
    for name in ("es_many_ops.h", "es_many_ops_c.h"):
        check_table((out / name).read_text(), failures)
    for kind in ("es_{}_c.h", "es_{}.h", "es_{}.cpp", "es_{}.py"):
        missing = [t for t in tree.types if (out / kind.format(t)).exists() == (t in left_out)]
        if missing:
            failures.append(f"{kind}: wrong for {missing[:10]}")
    found = collections.Counter(re.findall(r'^#include "es_(\w+)_c\.h"', (out / "es_many_ops_c.h").read_text(), re.M))
    if wrong := found - (want := collections.Counter(set(tree.types) - left_out)) or want - found:
        failures.append(f"es_many_ops_c.h has not each function once: {wrong}")
    if errors := tools.compiles(out, '#include "es_many_ops.h"\n'):
        failures.append(errors[:3000])


def different_contents(tools, package, failures):
    """Another library declares a type otherwise: the error names type and both places, and nothing is written."""
    place = package / "op_proto" / "custom"
    source = place / "other.cpp"
    types = "TensorType({DT_FLOAT})"
    source.write_text(header("OTHER_H_", [f"REG_OP(Add).INPUT(x1, {types}).OUTPUT(y, {types}).OP_END_FACTORY_REG(Add)"]))
    words = [tools.cxx, "-std=c++17", "-shared", "-fPIC", "-w", *tools.includes(), source, "-o", place / "libother.so"]
    subprocess.run([*map(str, words), f"-L{tools.lib}", "-lge", f"-Wl,-rpath,{tools.lib}"], check=True)
    source.unlink()
    out = package / "refused"
    result = tools.generate(package, out, "--module_name=many")
    for text in ("operator Add is registered twice with different content", "inputs: ", "libother.so", "libprotos_"):
        if text not in result.stderr + result.stdout:
            failures.append(f"different contents: '{text}' is not in {(result.stderr + result.stdout)[:500]!r}")
    if result.returncode == 0 or out.exists():
        failures.append(f"different contents: code {result.returncode}, output folder {'there' if out.exists() else 'absent'}")


def main():
    parser = argparse.ArgumentParser()
    Tools.arguments(parser)
    args = parser.parse_args()
    failures = []
    folder = pathlib.Path.cwd() / "many_headers"  # one place below the project: ccache sees the same names again
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        tools = Tools(args, folder)
        tree = Tree(folder, declarations(tools.source))
        if not 1000 <= len(tree.types) <= 1010 or tree.files != FILES + len(tree.copies):
            failures.append(f"{len(tree.types)} prototypes in {tree.files} files")
        package = tools.folder / "package"
        compile_libraries(tools, tree, package)
        out = tools.folder / "out"
        result = tools.generate(package, out, "--module_name=many")
        if result.returncode:
            failures.append(f"gen_esb: code {result.returncode}: {result.stdout + result.stderr}")
        else:
            check_outputs(tools, tree, out, failures)
        different_contents(tools, package, failures)
    finally:
        shutil.rmtree(folder)
    sys.exit("\n".join(failures) or 0)


if __name__ == "__main__":
    os.environ.setdefault("GE_LOG_LEVEL", "off")
    main()
