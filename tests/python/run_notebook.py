"""Runs the cells of a notebook in this process, as Jupyter would: one namespace, the last expression is shown, `await` works.

python tests/python/run_notebook.py FILE.ipynb     runs it and writes what its cells show into the file
"""

import ast
import asyncio
import contextlib
import io
import json
import sys

_FORMATS = {"text/html": "_repr_html_", "image/svg+xml": "_repr_svg_"}


def shown(value):
    """What a notebook shows of a value, by type of content."""
    found = {"text/plain": repr(value)}
    for kind, method in _FORMATS.items():
        if hasattr(value, method):
            found[kind] = getattr(value, method)()
    return found


class Kernel:
    """The namespace of one notebook, and the loop that its `await`s run on."""

    def __init__(self):
        self.names = {"__name__": "__main__"}
        self.loop = asyncio.new_event_loop()

    def _run(self, tree, kind):
        code = compile(tree, "<cell>", kind, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        value = eval(code, self.names)
        return self.loop.run_until_complete(value) if asyncio.iscoroutine(value) else value

    def execute(self, source):
        """(what the cell printed, what is shown of its last expression or None)."""
        tree = ast.parse(source)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            self._run(tree, "exec")
            value = self._run(ast.Expression(last.value), "eval") if last else None
        quiet = value is None or source.rstrip().endswith(";")
        return printed.getvalue(), None if quiet else shown(value)

    def close(self):
        """Ends the threads that cells started with the loop."""
        self.loop.run_until_complete(self.loop.shutdown_default_executor())
        self.loop.close()


def outputs(printed, value, count):
    """The outputs of a cell, in the form of the file."""
    found = []
    if printed:
        found.append({"output_type": "stream", "name": "stdout", "text": printed.splitlines(keepends=True)})
    if value is not None:
        data = {kind: text.splitlines(keepends=True) for kind, text in value.items()}
        found.append({"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data})
    return found


def run(notebook):
    """Yields (cell, its outputs) of every cell with code, in order."""
    kernel = Kernel()
    try:
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        for count, cell in enumerate(cells, 1):
            yield cell, outputs(*kernel.execute("".join(cell["source"])), count)
    finally:
        kernel.close()


def main():
    path = sys.argv[1]
    with open(path, encoding="utf-8") as f:
        notebook = json.load(f)
    for count, (cell, found) in enumerate(run(notebook), 1):
        cell["outputs"], cell["execution_count"] = found, count
    with open(path, "w", encoding="utf-8") as f:
        json.dump(notebook, f, indent=1, ensure_ascii=False)
        f.write("\n")


if __name__ == "__main__":
    main()
