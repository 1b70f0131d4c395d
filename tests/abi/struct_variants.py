#!/usr/bin/env python3
"""The public headers as another release might have them: every struct that begins with its size made longer, or cut to what
ABI 1 had. struct_consumer.c is compiled against each and runs on this library.

struct_variants.py same|longer|abi1 HEADERS SIZES OUT    writes the headers of folder HEADERS to folder OUT; SIZES is
                                                         core/support/abi_sizes.h, which names the last member of ABI 1
"""

import pathlib
import re
import sys

# A function in a header that asks for a member came with that member: ABI 1 did not have it.
LATER = re.compile(r"(?:/\*\*(?:(?!\*/).)*\*/\n)?static inline [^{};]*\{[^{}]*\bGE_HAS\([^{}]*\}\n", re.S)
ADDED = "  uint64_t added[2]; /* by a later release */\n"


def without_comments(text):
    """The same text with comments blanked, so that positions stay."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def growing(text):
    """(name, position behind the brace, position of the closing brace) of each struct that has a struct_size."""
    plain = without_comments(text)
    for m in re.finditer(r"typedef struct (\w+) \{", plain):
        end = plain.index(f"}} {m.group(1)};", m.end())
        if re.search(r"\bsize_t struct_size;", plain[m.end() : end]):
            yield m.group(1), m.end(), end


def last_members(sizes):
    """Struct -> the last member that it has in ABI 1."""
    return dict(re.findall(r"^GE_ABI_1_ENDS_WITH\((\w+), (\w+)\);", sizes, re.M))


def end_of(member, body):
    """Position behind the declaration of a member, in the text between the braces."""
    plain = without_comments(body)
    at = re.search(rf"(?:\(\*{member}\)|\b{member}(?:\[\w+\])?)\s*[(;]", plain)
    return plain.index(";", at.start()) + 1


def variant(text, kind, last):
    for name, begin, end in reversed(list(growing(text))):
        body = text[begin:end]
        if kind == "longer":
            body += ADDED
        elif kind == "abi1":
            body = body[: end_of(last[name], body)] + "\n"
        text = text[:begin] + body + text[end:]
    return LATER.sub("", text) if kind == "abi1" else text


def main():
    kind, headers, sizes, out = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
    last = last_members(sizes.read_text(encoding="utf-8"))
    for path in sorted(headers.rglob("*.h")):
        to = out / path.relative_to(headers)
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(variant(path.read_text(encoding="utf-8"), kind, last), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
