"""Writes what protos/table/prototypes.cpp includes: the list of REG_OP headers (prototype_headers.inc), and a row
GE_PROTOTYPE(type, family, brief, traits) for each of their declarations, sorted by operator type (prototype_table.inc).
For protos/table/attribute_forms.cpp it writes the rows BUILTIN_ATTRIBUTE_FORM, sorted in the same way (attribute_forms.inc).

The description is the comment `/// @brief …` above the declaration. `/// @family …` above a declaration is that operator's
family; at the top of a header it is the family of all operators that do not name their own. A row BUILTIN_OP_TRAITS
below a declaration says what the operator is (ge/op_traits.h).
"""

import os
import re
import sys
from collections import Counter

TRAITS = re.compile(r"^BUILTIN_OP_TRAITS\(\s*(\w+)\s*,", re.M)
FORM = re.compile(r'^BUILTIN_ATTRIBUTE_FORM\(\s*(\w+)\s*,\s*(\w+)\s*(?:,\s*"([^"]*)"\s*)?\)', re.M)
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


def quote(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def main(folder, headers):
    table = sorted(row for header in headers for row in rows(header))
    counts = Counter(row[0] for row in table)
    twice = [name for name, count in counts.items() if count > 1]
    if twice:
        sys.exit(f"operators declared twice: {', '.join(sorted(twice))}")
    missing = [name for name, family, brief in table if not family or not brief]
    if missing:
        sys.exit(f"operators without @brief or @family: {', '.join(missing)}")
    traits, forms = set(), []
    for header in headers:
        with open(header, encoding="utf-8") as source:
            text = source.read()
        traits.update(TRAITS.findall(text))
        forms += FORM.findall(text)
    unknown = sorted(traits - counts.keys())
    if unknown:
        sys.exit(f"traits of operators that are not declared: {', '.join(unknown)}")
    unknown = sorted({name for own, sibling, _ in forms for name in (own, sibling)} - counts.keys())
    if unknown:
        sys.exit(f"BUILTIN_ATTRIBUTE_FORM names operators that are not declared: {', '.join(unknown)}")
    with open(os.path.join(folder, "prototype_headers.inc"), "w", encoding="utf-8") as sink:
        for header in sorted(os.path.basename(header) for header in headers):
            sink.write(f'#include "op_proto/{header}"\n')
    with open(os.path.join(folder, "prototype_table.inc"), "w", encoding="utf-8") as sink:
        for operator, family, brief in table:
            row = f"&ge::kTraits_{operator}" if operator in traits else "nullptr"
            sink.write(f"GE_PROTOTYPE({operator}, {quote(family)}, {quote(brief)}, {row})\n")
    with open(os.path.join(folder, "attribute_forms.inc"), "w", encoding="utf-8") as sink:
        for own, sibling, renamed in sorted(forms):
            sink.write(f"{{{quote(own)}, {quote(sibling)}, {quote(renamed)}}},\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
