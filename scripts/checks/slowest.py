#!/usr/bin/env python3
"""Prints the slowest tests of a run: slowest.py FOLDER [NUMBER]. The folder holds JUnit files of ctest and pytest."""

import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def tests(path):
    """(seconds, name) of every test of one file; its name tells which run it was."""
    for case in ElementTree.parse(path).iter("testcase"):
        place = case.get("classname", "")
        name = case.get("name", "?")
        if place and place != name:
            name = f"{place.rsplit('.', 1)[-1]}::{name}"
        yield float(case.get("time") or 0), f"{path.stem}: {name}"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    found = sorted((t for path in sorted(pathlib.Path(sys.argv[1]).glob("*.xml")) for t in tests(path)), reverse=True)
    print(f"the slowest of {len(found):,} tests:")
    for seconds, name in found[:number]:
        print(f"  {seconds:7.1f} s  {name}")


if __name__ == "__main__":
    main()
