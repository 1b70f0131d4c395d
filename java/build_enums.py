#!/usr/bin/env python3
"""Writes org.openge's DataType and Format from the enums of the public C headers, so that neither can fall behind."""

import argparse
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))
from build_cdef import preprocess  # noqa: E402  (the reader of the headers for Python)

ENUMS = (
    ("C_DataType", "C_DT_", "DataType", "Type of a tensor's elements."),
    ("C_Format", "C_FORMAT_", "Format", "Meaning of a tensor's dimensions."),
)
# Marks of the C enums that are no value.
LIMITS = {"C_DataType": {"MAX"}, "C_Format": {"END", "MAX"}}

TEMPLATE = """package org.openge;

/** {brief} Written by java/build_enums.py from {c_name}. */
public enum {name} {{
{members};

  private static final {name}[] BY_VALUE = new {name}[{size}];

  static {{
    for ({name} one : values()) {{
      BY_VALUE[one.value] = one;
    }}
  }}

  /** The number in the C ABI. */
  public final int value;

  {name}(int value) {{
    this.value = value;
  }}

  /** The constant of a number of the C ABI; an unknown number is an IllegalArgumentException. */
  public static {name} of(int value) {{
    if (value < 0 || value >= BY_VALUE.length || BY_VALUE[value] == null) {{
      throw new IllegalArgumentException(value + " is no {name}");
    }}
    return BY_VALUE[value];
  }}
}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--include", required=True)
    parser.add_argument("--output", required=True, help="folder of the package org.openge")
    args = parser.parse_args()
    text = preprocess(args.cc, [args.include], ["graph/c_types.h"])
    folder = pathlib.Path(args.output)
    folder.mkdir(parents=True, exist_ok=True)
    for c_name, prefix, name, brief in ENUMS:
        body = re.search(rf"enum {c_name} \{{(.*?)\}}", text, re.S).group(1)
        found = [(n, int(v)) for n, v in re.findall(rf"\b{prefix}(\w+) = (\d+)", body) if n not in LIMITS[c_name]]
        members = ",\n".join(f"  {n}({v})" for n, v in found)
        java = TEMPLATE.format(
            brief=brief, c_name=c_name, name=name, members=members, size=max(v for _, v in found) + 1
        )
        (folder / f"{name}.java").write_text(java, encoding="utf-8")


if __name__ == "__main__":
    main()
