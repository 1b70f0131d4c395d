#!/usr/bin/env python3
"""history_protos/: an entry never changes after its release; each has its digests, and the present build can read it.

    history_entries.py --source ROOT [--accept]

--accept adds the digests of entries that have none yet. It changes no line that is there: what was released stays.
"""

import argparse
import hashlib
import json
import pathlib
import shutil
import sys
import tempfile

LIST = "digests.txt"


def digests(package):
    files = sorted(p for p in (package / "registry").rglob("*") if p.is_file())
    return {p.relative_to(package).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def recorded(package):
    lines = (package / LIST).read_text().splitlines() if (package / LIST).exists() else []
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines if line)}


def problems(package):
    """What is wrong with a package; a list of texts."""
    have, want = digests(package), recorded(package)
    found = []
    for name, digest in want.items():
        if name not in have:
            found.append(f"{name} is gone: a released entry stays")
        elif have[name] != digest:
            found.append(f"{name} was changed: a released entry stays as it is; make a new one with gen_esb")
    found += [f"{name} has no digest: add it with --accept" for name in have if name not in want]
    index = json.loads((package / "index.json").read_text())
    listed = [r["release_version"] for r in index["releases"]]
    folders = sorted(p.name for p in (package / "registry").iterdir())
    if sorted(listed) != folders:
        found.append(f"index.json lists {sorted(listed)}, registry/ holds {folders}")
    dates = [r["release_date"] for r in index["releases"]]
    if dates != sorted(dates):
        found.append(f"releases are not in the order of their dates: {dates}")
    return found


def accept(package):
    have, want = digests(package), recorded(package)
    with (package / LIST).open("a") as file:
        for name in have:
            if name not in want:
                file.write(f"{have[name]}  {name}\n")


def catches_edits(package):
    """The check itself must see an edit, a removal, and an addition without a digest."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name, change in (
            ("edit", lambda p: p.write_text(p.read_text().replace('"x"', '"z"', 1))),
            ("removal", lambda p: p.unlink()),
            ("addition", lambda p: (p.parent / "more.json").write_text("{}")),
        ):
            copy = pathlib.Path(folder) / name
            shutil.copytree(package, copy)
            change(next(copy.glob("registry/*/operators.json")))
            if not problems(copy):
                found.append(f"the check does not see: {name}")
            before = recorded(copy)
            accept(copy)
            if any(recorded(copy)[n] != d for n, d in before.items()):
                found.append(f"--accept changed a line after: {name}")
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    parser.add_argument("--accept", action="store_true")
    args = parser.parse_args()
    package = pathlib.Path(args.source) / "history_protos"
    if args.accept:
        accept(package)
    found = problems(package) + catches_edits(package)
    print("\n".join(found) or f"{len(recorded(package))} files")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
