#!/usr/bin/env python3
"""Fails when a folder includes something it may not (docs/architecture.md, "Who may use whom")."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Public headers that are included by paths below these folders: folder -> folders whose headers it may include, besides itself
# and the public C headers.
PUBLIC = {"cxx/include": [], "compat/ge/include": ["cxx/include"]}
# folder -> folders of this project it may include, besides itself and the public C headers (ge/…, esb_funcs.h)
ALLOWED = {
    "capi/include": [],
    "core": [],
    "protos": ["core/ops/builtin_ops.h", "core/ops/registry.h"],
    "parsers": ["core"],
    "runtime": ["core"],
    "capi/src": ["core", "parsers", "runtime", "capi/src"],
    "engines/reference": [],
    "engines/views": [],
    "engines/onednn": [],
    "engines/simd": [],
    "codegen": ["core/support/shared_library.h"],
    "cxx": [],
    "compat": ["cxx"],
    "tools": ["codegen"],
    "java": [],
}
TOP = ("core/", "protos/", "parsers/", "engines/", "runtime/", "capi/src/", "codegen/", "tools/", "java/")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


def may(folder, target):
    allowed = ALLOWED[folder] + [folder]
    return any(target == a or target.startswith(a + "/") for a in allowed)


def public_headers():
    """Path as programs write it -> the folder of PUBLIC that holds the header."""
    return {str(p.relative_to(ROOT / folder)): folder for folder in PUBLIC for p in (ROOT / folder).rglob("*.h")}


def main():
    problems, files, public = [], 0, public_headers()
    for folder, allowed in PUBLIC.items():
        for path in sorted((ROOT / folder).rglob("*.h")):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                found = INCLUDE.match(line)
                target = public.get(found.group(1)) if found else None
                if target not in (None, folder, *allowed):
                    problems.append(f"{path.relative_to(ROOT)}:{number}: {folder} may not include {target}")
    for folder in ALLOWED:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in (".h", ".hpp", ".c", ".cpp", ".inc"):
                continue
            files += 1
            relative = path.relative_to(ROOT)
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                found = INCLUDE.match(line)
                if found and found.group(1).startswith(TOP) and not may(folder, found.group(1)):
                    problems.append(f"{relative}:{number}: {folder} may not include {found.group(1)}")
    print("\n".join(problems) if problems else f"{files} files")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
