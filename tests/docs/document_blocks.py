"""The fenced blocks of a document, and what is to be done with each.

The word behind a fence is the language. Blocks of `python`, `c`, `cpp` and `sh` run; `output` is what the block before it
prints. Further words say why a block does not: `excerpt=FILE` is a piece of a file of the project and has to stand in it; any
other word, and any other language, is a block that nothing checks, and not_run.txt has to count it.
"""

import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUN = ("python", "c", "cpp", "sh")
FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,}|~{3,})(?P<info>.*)$")


@dataclasses.dataclass
class Block:
    page: str  # relative to the project
    line: int  # of the first line of text
    info: str  # what stands behind the fence
    text: str
    output: str = None  # what it is to print
    output_line: int = 0

    @property
    def language(self):
        return self.info.split(" ")[0]

    @property
    def mark(self):
        """The words behind the language: why it does not run."""
        return self.info.partition(" ")[2]

    @property
    def excerpt(self):
        return self.mark.removeprefix("excerpt=") if self.mark.startswith("excerpt=") else None

    @property
    def runs(self):
        return self.language in RUN and not self.mark

    @property
    def where(self):
        return f"{self.page}:{self.line}"


class BadDocument(Exception):
    """A block that is not written as it has to be."""


def pages(root=ROOT):
    return [root / "README.md", *sorted((root / "docs").glob("*.md"))]


def blocks_of(text, page):
    """The blocks of a document, `output` ones joined to those before."""
    found, fence, lines = [], None, text.splitlines()
    for number, line in enumerate(lines, 1):
        match = FENCE.match(line)
        if fence is None:
            if not match:
                continue
            fence = match
            block = Block(page, number + 1, " ".join(match["info"].split()), "")
            if not block.info:
                raise BadDocument(f"{page}:{number}: a block without a language; write {match['ticks']}text for plain text")
        elif match and match["ticks"].startswith(fence["ticks"]) and not match["info"].strip():
            if block.info == "output":
                take_output(block, found, lines)
            else:
                found.append(block)
            fence = None
        else:
            block.text += line.removeprefix(fence["indent"]) + "\n"
    if fence is not None:
        raise BadDocument(f"{page}:{block.line - 1}: the block does not end")
    return found


def take_output(output, found, lines):
    before = found[-1] if found else None
    end = before.line + before.text.count("\n") if before else 0  # number of the closing fence
    between = "".join(lines[end : output.line - 2]).strip()
    if before is None or not before.runs or before.output is not None or (between and not between.endswith(":")):
        raise BadDocument(
            f"{output.page}:{output.line - 1}: `output` stands right behind a block that runs, with nothing in between but "
            "one line that ends in a colon"
        )
    before.output, before.output_line = output.text, output.line


def matches(expected, printed):
    """Whether the text was printed: `…` stands for anything in a line, and alone in a line for any number of lines."""
    pattern = ""
    for line in expected.rstrip().splitlines():
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(part) for part in line.rstrip().split("…")) + r"[ \t]*\n"
    return re.fullmatch(pattern, printed.rstrip() + "\n") is not None


def is_excerpt(text, of):
    """Whether the lines stand in the other text in this order, however they are indented and whatever is between them."""
    rest = iter([line.split() for line in of.splitlines()])
    return all(line.split() in rest for line in text.splitlines() if line.strip())


def read_counts(text):
    """not_run.txt: (page, info) -> how many; a reason follows."""
    counts = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = re.fullmatch(r"(\S+) +(\d+) +`([^`]+)` +(\S.*)", line)
        if not match:
            raise BadDocument(f"not_run.txt:{number}: not of the form: PAGE NUMBER `LANGUAGE WORD` REASON")
        counts[match[1], match[3]] = int(match[2])
    return counts


def count_problems(all_blocks, counts):
    """What not_run.txt says wrong of the blocks that nothing checks."""
    found = {}
    for block in all_blocks:
        if not block.runs and not block.excerpt:
            found.setdefault((block.page, block.info), []).append(block.line)
    problems = []
    for key in sorted(found.keys() | counts.keys()):
        have, said = found.get(key, []), counts.get(key, 0)
        if len(have) != said:
            where = ", ".join(map(str, have)) or "-"
            problems.append(
                f"{key[0]}: {len(have)} blocks `{key[1]}` do not run (lines {where}), tests/docs/not_run.txt says {said}. Let "
                f"them run, or say why not:\n    {key[0]} {len(have)} `{key[1]}` REASON"
            )
    return problems
