"""scripts/checks/abi.py sees what breaks a caller, and lets pass what does not."""

import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(shutil.which("abidiff") is None, reason="needs abidiff (Debian: abigail-tools)")


def check(capi):
    command = [sys.executable, ROOT / "scripts" / "checks" / "abi.py", "--capi", capi]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture
def capi(tmp_path):
    copy = tmp_path / "capi"
    shutil.copytree(ROOT / "capi" / "include", copy / "include")
    shutil.copy(ROOT / "capi" / "exported_symbols.txt", copy)
    return copy


def edit(path, pattern, replacement):
    text = path.read_text()
    new, count = re.subn(pattern, replacement, text, count=1, flags=re.S)
    assert count == 1, f"{pattern} is not in {path.name}"
    path.write_text(new)


def test_no_change_passes(capi):
    result = check(capi)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    "header, pattern, replacement, named",
    [
        ("ge/status.h", r"(GE_API[^;]*\bGeStatusName\([^;]*)\)", r"\1, int more)", "GeStatusName"),
        ("ge/status.h", r"GE_API const char \*GeStatusName", "GE_API int GeStatusName", "GeStatusName"),
        ("ge/data.h", r"int32_t format;", "int64_t format;", "format"),
        ("ge/data.h", r"int32_t format;", "", "format"),
        ("graph/c_types.h", r"C_DT_FLOAT = 0", "C_DT_FLOAT = 77", "C_DT_FLOAT"),
        ("ge/engine.h", r"#define GE_KERNEL_VIEW 1u", "#define GE_KERNEL_VIEW 16u", "GE_KERNEL_VIEW"),
        ("ge/engine.h", r"GE_CPU_AVX2 \(1ULL << 12\)", "GE_CPU_AVX2 (1ULL << 40)", "GE_CPU_AVX2"),
        ("ge/engine.h", r"#define GE_KERNEL_VIEW 1u", "", "GE_KERNEL_VIEW"),
    ],
)
def test_break_is_named(capi, header, pattern, replacement, named):
    edit(capi / "include" / header, pattern, replacement)
    if named == "GE_KERNEL_VIEW" and not replacement:
        for path in (capi / "include").rglob("*.h"):
            path.write_text(path.read_text().replace("GE_KERNEL_VIEW", "GE_KERNEL_OTHER"))
    result = check(capi)
    assert result.returncode == 1
    assert named in result.stdout
    assert "--accept" in result.stderr


def test_function_that_went_is_named(capi):
    symbols = capi / "exported_symbols.txt"
    symbols.write_text(symbols.read_text().replace("GeStatusName\n", ""))
    result = check(capi)
    assert result.returncode == 1
    assert "GeStatusName" in result.stdout


def test_what_is_added_passes(capi):
    edit(capi / "include" / "ge" / "status.h", r"(GE_API[^;]*\bGeStatusName\([^;]*\);)", r"\1\nGE_API int GeBrandNew(int);")
    symbols = capi / "exported_symbols.txt"
    symbols.write_text(symbols.read_text() + "GeBrandNew\n")
    result = check(capi)
    assert result.returncode == 0, result.stdout + result.stderr
