"""python -m ge …: the command line tool `ge`."""

import os
import sys


def find():
    """Path of the tool: inside the installed package, or in the build tree the package lies in."""
    package = os.path.dirname(os.path.abspath(__file__))
    for path in (os.path.join(package, "_bin", "ge"), os.path.join(package, "..", "..", "bin", "ge")):
        if os.access(path, os.X_OK):
            return os.path.normpath(path)
    raise SystemExit("ge: the command line tool is not part of this installation")


def main():
    path = find()
    sys.stdout.flush()
    sys.stderr.flush()
    os.environ.setdefault("GE_PYTHON", sys.executable)  # what `ge bench --compare ort` runs
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
