#!/usr/bin/env python3
"""Every exported C function stands below a comment that says since when it exists.

Functions in one block share the comment above the first of them; a header may answer the other questions (owner, nulls,
threads, errors) once at its top.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    problems, count = [], 0
    for path in sorted((ROOT / "capi" / "include").rglob("*.h")):
        text = path.read_text(encoding="utf-8")
        top = text[:1500]
        comment = ""
        for match in re.finditer(r"(/\*.*?\*/)|(^\s*GE_API\b[^;{]*;)|(^\s*$)", text, re.S | re.M):
            if match.group(1):
                comment = match.group(1)
            elif match.group(2):
                count += 1
                name = re.search(r"(\w+)\s*\(", match.group(2))
                if "ince" not in comment and "Since" not in top:
                    line = text.count("\n", 0, match.start()) + 1
                    what = name.group(1) if name else "?"
                    problems.append(f"{path.relative_to(ROOT)}:{line}: {what} has no 'Since:'")
            elif comment and match.group(3) is not None and not match.group(0).strip():
                continue
    print("\n".join(problems) if problems else f"{count} functions")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
