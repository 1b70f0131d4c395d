#!/usr/bin/env python3
"""Every public header compiles alone, warnings as errors: those of the C ABI as C11 and as C++17, the engine kit's, the
facade's and those of compat/ as C++17. What data-flow programs and their functions include compiles as C++11, too.

Most of the time would go into reading the same headers of the system again. So headers share precompiled ones. A header is
checked with one whose files of the system it reads all itself, directly or through others: nothing is known then that the
header alone would not know. What was checked before with the same content and compiler is not checked again; ccache knows
what another clone checked.
"""

import concurrent.futures
import functools
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "build" / "headers"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
# As the build calls it. With paths below the project relative, what one clone compiled serves the next.
CCACHE = ["sh", "cmake/ccache.sh", "ccache"] if shutil.which("ccache") else []
C11 = ("cc", "c", ["-std=c11", "-pedantic"])
CXX11 = ("c++", "c++", ["-std=c++11"])
CXX17 = ("c++", "c++", ["-std=c++17"])
STRICT = ("c++", "c++", ["-std=c++17", "-pedantic"])
# Folders of the facade that data-flow programs and their functions include.
FLOW_PROGRAMS = ("flow_graph", "flow_func", "graph", "ge", "ge_common", "parser")
# Folder, pattern, where its includes are found, how it is compiled.
SETS = [
    ("capi/include", "*.h", ["capi/include"], [C11, STRICT]),
    ("capi/include", "*.hpp", ["capi/include"], [STRICT]),
    ("cxx/include", "*.h", ["cxx/include", "capi/include"], [CXX17]),
    *(("cxx/include", f"{f}/**/*.h", ["cxx/include", "capi/include"], [CXX11]) for f in FLOW_PROGRAMS),
    ("compat/ge/include", "*.h", ["compat/ge/include", "cxx/include", "capi/include"], [CXX17]),
    # The one of these that is for C too.
    ("compat/ge/include", "securec.h", ["compat/ge/include"], [("cc", "c", ["-std=c99", "-pedantic", "-Wconversion"])]),
]


def compiled(words, out):
    """Runs a compiler, whose words are relative to the project, by way of ccache; `out` is what it writes."""
    notes = out.with_suffix(".d")  # of what was read: ccache then needs no preprocessor of its own
    words = [*CCACHE, *words, "-MD", "-MF", str(notes.relative_to(ROOT)), "-o", str(out.relative_to(ROOT))]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "CCACHE_BASEDIR": str(ROOT)})
    notes.unlink(missing_ok=True)
    return done


def reach(path, folders, ours, system):
    """Collects the files of this project that a header includes, itself first, and the headers of the system."""
    if path in ours:
        return
    ours[path] = path.read_text(encoding="utf-8")
    for kind, name in INCLUDE.findall(ours[path]):
        places = ([path.parent] if kind == '"' else []) + [ROOT / f for f in folders]
        found = next((p / name for p in places if (p / name).exists()), None)
        if found:
            reach(found.resolve(), folders, ours, system)
        else:
            system.add(name)


@functools.cache
def system_files(compiler, language, standard, name):
    """The files of the system that `#include <name>` reads."""
    words = [compiler, standard, "-M", "-x", language, "-"]
    done = subprocess.run(words, input=f"#include <{name}>\n", capture_output=True, text=True)
    return frozenset(done.stdout.split()[2:]) or frozenset([name])  # what does not exist: the check will say so


class Check:
    def __init__(self, header, folder, folders, how):
        self.compiler, self.language, flags = how
        self.name = header.relative_to(ROOT / folder).as_posix()
        self.flags = [*WARNINGS, *flags, *(f"-I{f}" for f in folders)]
        ours, system = {}, set()
        reach(header.resolve(), folders, ours, system)
        self.system = tuple(sorted(system))
        self.standard = flags[0]
        # No absolute path: it would give the check, and with it what is compiled, another name in each clone.
        text = "\0".join([VERSION[self.compiler], *self.flags, *(f"{p.relative_to(ROOT)}\n{ours[p]}" for p in sorted(ours))])
        self.stamp = OUT / (hashlib.sha256(f"{self.name}\0{text}".encode()).hexdigest() + ".ok")

    def files(self):
        """The files of the system that the header reads, directly or through others."""
        files = (system_files(self.compiler, self.language, self.standard, name) for name in self.system)
        return frozenset().union(*files)

    def run(self, before):
        source = self.stamp.with_suffix(".c" if self.language == "c" else ".cpp")
        source.write_text(f'#include "{self.name}"\nextern int not_empty;\n')
        made = self.stamp.with_suffix(".o")
        done = compiled([self.compiler, *self.flags, *before, "-c", str(source.relative_to(ROOT))], made)
        source.unlink()
        made.unlink(missing_ok=True)
        if done.returncode == 0:
            self.stamp.touch()
            return ""
        return f"{self.name} ({' '.join(self.flags)}):\n{done.stderr}"


def shared_prefixes(checks):
    """Pairs of a check whose system headers are precompiled and the checks that use them; all are compiled alike. One after the
    other is taken that saves the most reading; to write one costs about as much as to read it three times."""
    files = {check: check.files() for check in checks}
    candidates = {files[check]: check for check in checks if files[check]}
    saved = dict.fromkeys(checks, 0)
    groups = {None: list(checks)}
    while True:
        gains = {
            base: sum(max(0, len(base) - saved[c]) for c in checks if base <= files[c]) - 3 * len(base) for base in candidates
        }
        best = max(gains, key=gains.get, default=None)
        if best is None or gains[best] <= 0:
            return [(candidates.get(base), group) for base, group in groups.items() if group]
        moved = [c for c in checks if best <= files[c] and len(best) > saved[c]]
        saved.update(dict.fromkeys(moved, len(best)))
        groups = {base: [c for c in group if c not in moved] for base, group in groups.items()} | {best: moved}


def run_group(base, checks):
    """Checks headers with the system headers of `base` precompiled; returns what is wrong with each."""
    if not base:
        return [check.run([]) for check in checks]
    shared = OUT / (hashlib.sha256("\0".join([base.compiler, *base.flags, *base.system]).encode()).hexdigest() + ".h")
    shared.write_text("".join(f"#include <{name}>\n" for name in base.system))
    made = pathlib.Path(f"{shared}.gch")
    name = str(shared.relative_to(ROOT))
    try:
        done = compiled([base.compiler, *base.flags, "-x", f"{base.language}-header", "-c", name], made)
        if done.returncode:
            return [f"{' '.join(base.system)}:\n{done.stderr}"]
        return [check.run(["-Winvalid-pch", "-include", name]) for check in checks]
    finally:
        made.unlink(missing_ok=True)
        shared.unlink()


def main():
    global VERSION
    VERSION = {c: subprocess.run([c, "--version"], capture_output=True, text=True, check=True).stdout for c in ("cc", "c++")}
    OUT.mkdir(parents=True, exist_ok=True)
    checks = [
        Check(header, folder, folders, how)
        for folder, pattern, folders, hows in SETS
        for header in sorted((ROOT / folder).rglob(pattern))
        for how in hows
    ]
    known = {check.stamp for check in checks}
    for old in OUT.iterdir():
        if old not in known:
            old.unlink()
    alike = {}
    for check in checks:
        if not check.stamp.exists():
            alike.setdefault((check.compiler, tuple(check.flags)), []).append(check)
    groups = [group for same in alike.values() for group in shared_prefixes(same)]
    groups.sort(key=lambda group: -len(group[1]))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [text for texts in pool.map(lambda group: run_group(*group), groups) for text in texts if text]
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    print(f"{len({c.name + c.flags[-1] for c in checks})} headers")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
