"""Writes the family and the one-line description of every REG_OP declaration as rows of a C array, sorted by operator type.

The description is the comment `/// @brief …` above the declaration. `/// @family …` above a declaration is that operator's
family; at the top of a header it is the family of all operators that do not name their own.
"""

import re
import sys

LINE = re.compile(r"^\s*(?:///\s*@(brief|family)\s+(.*\S)|REG_OP\(\s*(\w+)\s*\))")


def rows(path):
    default, brief, family = "", "", ""
    with open(path, encoding="utf-8") as source:
        lines = source.read().split("\n")
    for number, line in enumerate(lines):
        match = LINE.match(line)
        if not match:
            continue
        key, text, operator = match.groups()
        if operator:
            yield operator, family or default, brief
            brief, family = "", ""
        elif key == "brief":
            brief = text
        elif number + 1 < len(lines) and not lines[number + 1].strip():
            default = text
        else:
            family = text


def main(output, headers):
    table = sorted(row for header in headers for row in rows(header))
    names = [row[0] for row in table]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        sys.exit(f"operators declared twice: {', '.join(sorted(twice))}")
    missing = [name for name, family, brief in table if not family or not brief]
    if missing:
        sys.exit(f"operators without @brief or @family: {', '.join(missing)}")
    def quote(text):
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    with open(output, "w", encoding="utf-8") as sink:
        for row in table:
            sink.write("    {" + ", ".join(quote(cell) for cell in row) + "},\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
