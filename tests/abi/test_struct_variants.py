"""Every struct that begins with its size has a least size, and a case in the consumers of other headers."""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

import struct_variants  # noqa: E402

HEADERS = sorted((ROOT / "capi" / "include").rglob("*.h"))
SIZES = (ROOT / "core" / "support" / "abi_sizes.h").read_text(encoding="utf-8")
TEXT = """typedef struct GeOne {
  size_t struct_size; /* of GeOne; */
  int (*call)(void *user, int count); /* first; */
  uint8_t last[GE_BYTES]; /* ABI 1; */
  void *later;
} GeOne;
typedef struct GeFixed {
  int a;
} GeFixed;
"""


def growing():
    return {name for h in HEADERS for name, _, _ in struct_variants.growing(h.read_text(encoding="utf-8"))}


def test_every_growing_struct_has_a_least_size():
    assert growing() == set(struct_variants.last_members(SIZES))


def test_every_growing_struct_has_a_case():
    sources = "".join(p.read_text(encoding="utf-8") for p in HERE.glob("struct_*_test.c"))
    assert set(re.findall(r"^CASE\((\w+)\)", sources, re.M)) == growing()


def test_variants():
    longer = struct_variants.variant(TEXT, "longer", {})
    assert longer == TEXT.replace("  void *later;\n", "  void *later;\n" + struct_variants.ADDED)
    shorter = struct_variants.variant(TEXT, "abi1", {"GeOne": "last"})
    assert shorter == TEXT.replace(" /* ABI 1; */\n  void *later;", "")
    assert struct_variants.variant(TEXT, "abi1", {"GeOne": "call"}).count(";") == TEXT.count(";") - 4
    assert struct_variants.variant(TEXT, "same", {}) == TEXT
