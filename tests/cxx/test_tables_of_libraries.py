"""What the headers define once for several libraries has the same layout in all of them.

GCC merges the static objects of inline functions over all libraries of a process (STB_GNU_UNIQUE), also over those that
RTLD_LOCAL keeps apart and those that were compiled with the other ABI of std::string. So tables of C++ objects belong to
one library each (graph/detail/library_table.h), or stand behind the C interface.
"""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ["GE_BUILD_DIR"])
FACADE = ROOT / "cxx" / "include"
# Constants of whole numbers, and registrations that are a token of the C interface.
SHARED = {"DUMMY_SHAPE", "UNKNOWN_RANK", "UNKNOWN_SHAPE", "kFlowNodeRegister"}


def merged(folder, abi):
    """Names of objects that a library with every public header would merge with those of others."""
    headers = sorted(p.relative_to(FACADE) for p in FACADE.rglob("*.h") if "detail" not in p.parts)
    source, library = folder / f"all{abi}.cpp", folder / f"all{abi}.so"
    source.write_text("".join(f'#include "{h}"\n' for h in headers))
    include = [f"-I{FACADE}", f"-I{ROOT}/capi/include", f"-I{BUILD}/generated/es_all"]
    command = ["c++", "-std=c++17", "-fPIC", "-w", "-shared", f"-D_GLIBCXX_USE_CXX11_ABI={abi}", *include]
    subprocess.run([*command, str(source), "-o", str(library)], check=True, capture_output=True)
    listed = subprocess.run(["nm", str(library)], check=True, capture_output=True, text=True).stdout
    names = {line.split()[-1] for line in listed.splitlines() if " u " in line}
    return {n for n in names if not n.startswith(("_ZGV", "_ZZNSt", "_ZNSt"))}


def test_no_table_is_shared_by_libraries_of_different_strings(tmp_path):
    with ThreadPoolExecutor(2) as pool:
        old, new = pool.map(lambda abi: merged(tmp_path, abi), (0, 1))
    assert new, "nothing is merged at all: nm has changed its output"
    assert {n for n in old & new if not any(n.endswith(f"{len(s)}{s}E") for s in SHARED) and "kRows" not in n} == set()
