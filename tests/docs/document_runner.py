"""Runs the blocks of one document, in their order, in a folder of their own that looks like the project's.

Blocks of Python share one interpreter, as a reader types them. Beside the project's files the folder has `model.onnx`
(examples/make_model.py), and programs find `ge` on PATH and the packages `ge` and `onnx` in Python.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

from document_blocks import ROOT, matches

TIMEOUT = 300  # seconds for one block

# Reads one block a line and answers with one line; the block's own output goes to a file.
INTERPRETER = """
import json, os, sys, traceback
reply = os.fdopen(os.dup(1), "w")
space = {"__name__": "__main__"}
for line in sys.stdin:
    block = json.loads(line)
    printed = os.open(block["printed"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(printed, 1), os.dup2(printed, 2), os.close(printed)
    failed = False
    try:
        code = "\\n" * (block["line"] - 1) + block["text"]
        exec(compile(code, block["page"], "exec"), space)
    except BaseException:
        traceback.print_exc()
        failed = True
    sys.stdout.flush(), sys.stderr.flush()
    reply.write(json.dumps(failed) + "\\n")
    reply.flush()
"""


def environment(build):
    python = str(pathlib.Path(sys.executable).parent)
    return {
        **os.environ,
        "PATH": f"{build / 'bin'}:{python}:{os.environ.get('PATH', '')}",
        "PYTHONPATH": str(build / "python"),
        "PYTHONUNBUFFERED": "1",
        "LC_ALL": "C.UTF-8",
    }


def make_folder(folder, build, root=ROOT):
    """The project's folders and files as links, build/release as the build that is tested, and a model."""
    for entry in root.iterdir():
        if entry.name not in ("build", ".git"):
            (folder / entry.name).symlink_to(entry)
    (folder / "build").mkdir()
    (folder / "build" / "release").symlink_to(build)
    subprocess.run([sys.executable, root / "examples/make_model.py", folder / "model.onnx"], check=True)
    return folder


class Page:
    """A document that is being read: `run` returns what is wrong with a block, or None."""

    def __init__(self, folder, build):
        self.folder, self.build, self.number = folder, build, 0
        self.environment = environment(build)
        self.interpreter = None

    def close(self):
        if self.interpreter:
            self.interpreter.kill()
            self.interpreter.communicate()

    def run(self, block):
        self.number += 1
        try:
            status, printed = getattr(self, block.language)(block)
        except subprocess.TimeoutExpired as late:
            status, printed = f"no end after {late.timeout:g} s", (late.stdout or b"").decode(errors="replace")
        if status:
            return self.problem(block, f"failed ({status})", printed)
        if block.output is not None and not matches(block.output, printed):
            wanted = f"--- {block.page}:{block.output_line} says it prints:\n{block.output}"
            return self.problem(block, "prints something else", printed, wanted)
        return None

    def problem(self, block, what, printed, more=""):
        numbered = "".join(f"{block.line + i:5}  {line}\n" for i, line in enumerate(block.text.splitlines()))
        return f"{block.where}: this {block.language} block {what}\n{numbered}--- it printed:\n{printed.rstrip()}\n{more}"

    def call(self, arguments):
        """(status, what was printed) of a program."""
        done = subprocess.run(
            arguments, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=TIMEOUT,
        )  # fmt: skip
        return f"exit status {done.returncode}" if done.returncode else None, done.stdout.decode(errors="replace")

    def sh(self, block):
        return self.call(["bash", "-euo", "pipefail", "-c", block.text])

    def python(self, block):
        if self.interpreter is None:
            self.interpreter = subprocess.Popen(
                [sys.executable, "-c", INTERPRETER], cwd=self.folder, env=self.environment, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
        printed = self.folder / f".printed-{self.number}"
        task = {"text": block.text, "line": block.line, "page": block.page, "printed": str(printed)}
        self.interpreter.stdin.write(json.dumps(task) + "\n")
        self.interpreter.stdin.flush()
        answer = self.interpreter.stdout.readline()
        text = printed.read_text(errors="replace") if printed.exists() else ""
        if not answer:
            return f"the interpreter ended with {self.interpreter.wait()}", text
        return "exception" if json.loads(answer) else None, text

    def c(self, block):
        return self.compiled(block, "c", ["cc", "-std=gnu11"])

    def cpp(self, block):
        return self.compiled(block, "cpp", ["c++", "-std=c++17"])

    def compiled(self, block, suffix, compiler):
        """A program is built and run; a piece without main is compiled."""
        source = self.folder / f".block-{self.number}.{suffix}"
        source.write_text(f'#line {block.line} "{block.page}"\n{block.text}')
        generated, is_program = self.build / "generated" / "es_all", re.search(r"\bmain\s*\(", block.text)
        includes = ["capi/include", "cxx/include", "cxx/include/ge", "cxx/include/external", "compat/ge/include", generated]
        flags = ["-O0", "-Wall", "-Werror", "-Wno-unused", *(f"-I{folder}" for folder in includes)]
        libraries = [f"-L{self.build}/lib", f"-Wl,-rpath,{self.build}/lib", "-les_all", "-lge", "-pthread"]
        program = self.folder / f".block-{self.number}"
        how = ["-o", program, *libraries] if is_program else ["-c", "-o", f"{program}.o"]
        status, printed = self.call([*compiler, *flags, source, *how])
        return (status, printed) if status or not is_program else self.call([program])
