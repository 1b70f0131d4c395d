#!/usr/bin/env python3
"""Describes the package of a build tree as a distribution, so that its entry points are found as those of the wheel are.

python dist_info.py <pyproject.toml> <folder that holds the packages> <version>

There is no RECORD: pip lists what CMake has put there and leaves removing it to whoever installed it.
"""

import ast
import os
import shutil
import sys

PLUGINS = "ge.es.plugins"


def read_tables(path):
    """{table: {key: value}} of the strings and one-line lists in a TOML file. Python 3.9 has no TOML reader, and those values
    are written as Python writes them."""
    tables, current = {}, {}
    with open(path, encoding="utf-8") as file:
        for line in map(str.strip, file):
            key, equals, value = (part.strip() for part in line.partition("="))
            if line.startswith("["):
                current = tables.setdefault(line.strip("[]"), {})
            elif equals and not line.startswith("#"):
                try:
                    current[key] = ast.literal_eval(value)
                except (SyntaxError, ValueError):  # a value of another form, or of several lines
                    pass
    return tables


def describe(tables, version, modules):
    """{file: text} of the .dist-info folder; `modules` are the packages that are there."""
    project = tables["project"]
    metadata = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {version}",
        f"Summary: {project['description']}",
        f"License: {project['license']}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {d}" for d in project["dependencies"]),
    ]
    groups = {"console_scripts": tables["project.scripts"]}
    plugins = tables[f'project.entry-points."{PLUGINS}"']
    groups[PLUGINS] = {name: value for name, value in plugins.items() if value.partition(":")[0] in modules}
    points = "\n".join(
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items()) for group, entries in groups.items()
    )
    return {
        "METADATA": "\n".join(metadata) + "\n",
        "INSTALLER": "cmake\n",
        "entry_points.txt": points,
        "top_level.txt": "".join(f"{m}\n" for m in sorted(modules)),
    }


def write(path, text):
    """An unchanged file keeps its time."""
    try:
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    except FileNotFoundError:
        pass
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    project, folder, version = sys.argv[1:]
    tables = read_tables(project)
    if tables["project"]["version"] != version:
        sys.exit(f"dist_info: {project} says version {tables['project']['version']}, the build says {version}")
    name = tables["project"]["name"].replace("-", "_")
    own = f"{name}-{version}.dist-info"
    entries = os.listdir(folder)
    for entry in entries:  # two versions of one package would both be found
        if entry.startswith(f"{name}-") and entry.endswith(".dist-info") and entry != own:
            shutil.rmtree(os.path.join(folder, entry))
    modules = [e for e in entries if os.path.exists(os.path.join(folder, e, "__init__.py"))]
    os.makedirs(os.path.join(folder, own), exist_ok=True)
    for file, text in describe(tables, version, modules).items():
        write(os.path.join(folder, own, file), text)


if __name__ == "__main__":
    main()
