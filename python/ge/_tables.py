"""Results that print as tables and hand out their data."""

import os


def write_file(path, content):
    """Puts text into a file by writing beside it and renaming: the file is there whole, or as it was before."""
    if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe; a directory is refused
        with open(path, "w", encoding="utf-8") as f:
            f.write(content)
        return
    target = os.path.realpath(path)  # a link stays one
    aside = f"{os.fsdecode(target)}.tmp.{os.getpid()}"
    try:
        with open(aside, "x", encoding="utf-8") as f:
            f.write(content)
        if os.path.exists(target):
            os.chmod(aside, os.stat(target).st_mode & 0o777)
        os.replace(aside, target)
    except BaseException:
        if os.path.exists(aside):
            os.unlink(aside)
        raise


def render(header, rows, right=()):
    """Rows of text in aligned columns; `right` are columns set flush right."""
    cells = [[str(c) for c in r] for r in [header, *rows]]
    widths = [max(len(r[i]) for r in cells) for i in range(len(header))]

    def line(row):
        return "  ".join(c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths))).rstrip()

    return "\n".join([line(cells[0]), "  ".join("-" * w for w in widths), *map(line, cells[1:])])


_SHOWN_LINES = 60


class Table:
    """Rows of data (dictionaries) that print as a table."""

    def __init__(self, data):
        self.data = data

    def __iter__(self):
        return iter(self.data)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        return self.data[index]

    def __repr__(self):
        """The table, without the middle of a long one: print() shows all of it."""
        lines = str(self).splitlines()
        if len(lines) <= _SHOWN_LINES:
            return "\n".join(lines)
        half = _SHOWN_LINES // 2
        return "\n".join([*lines[:half], f"… {len(lines) - 2 * half} more; print() shows them", *lines[-half:]])


class Placement(Table):
    """Where each node runs. data: node, type, engine, implementation, origins, refusals, flops."""

    def __str__(self):
        rows = [
            (
                r["node"],
                r["type"],
                r["engine"],
                r["implementation"],
                "; ".join(f"{e}: {why}" for e, why in r["refusals"].items()),
            )
            for r in self.data
        ]
        return render(("node", "type", "engine", "implementation", "refused by"), rows)

    def _repr_html_(self):
        from ge._html import placement_page

        return placement_page(self)

    def engines(self):
        """Number of nodes per engine."""
        counts = {}
        for r in self.data:
            counts[r["engine"]] = counts.get(r["engine"], 0) + 1
        return counts


class Profile(Table):
    """One profiled run. trace: Chrome / Perfetto trace; data: one row per kernel; outputs: the run's results."""

    def __init__(self, trace, outputs):
        self.trace = trace
        self.outputs = outputs
        events = trace["traceEvents"] if isinstance(trace, dict) and "traceEvents" in trace else trace
        rows = [
            {"name": e.get("name", ""), "start_us": e.get("ts", 0.0), "us": e.get("dur", 0.0), **e.get("args", {})}
            for e in events
            if isinstance(e, dict) and e.get("ph") == "X" and e.get("cat", "kernel") == "kernel"  # not: whole runs, rounds
        ]
        super().__init__(rows)

    @property
    def total_us(self):
        """Time of all kernels, in microseconds."""
        return sum(r["us"] for r in self.data)

    def _repr_html_(self):
        from ge._html import profile_page

        return profile_page(self)

    def save(self, path):
        """Writes the trace for chrome://tracing or ui.perfetto.dev."""
        import json

        write_file(path, json.dumps(self.trace))

    def __str__(self):
        total = self.total_us or 1.0
        rows = [
            (
                r["name"],
                r.get("type", ""),
                r.get("engine", ""),
                r.get("implementation", ""),
                f"{r['us']:.1f}",
                f"{100 * r['us'] / total:.1f}",
            )
            for r in sorted(self.data, key=lambda r: -r["us"])
        ]
        table = render(("kernel", "type", "engine", "implementation", "us", "%"), rows, right=(4, 5))
        return f"{table}\n{len(rows)} kernels, {self.total_us:.1f} us"


class MemoryPlan:
    """The arena of a plan. svg: a picture (shown by notebooks); data: the same as a dictionary."""

    def __init__(self, svg, data):
        self.svg = svg
        self.data = data

    def _repr_svg_(self):
        return self.svg

    def save(self, path):
        """Writes the picture."""
        write_file(path, self.svg)

    def __repr__(self):
        size = self.data.get("arena_bytes") if isinstance(self.data, dict) else None
        return f"<MemoryPlan{'' if size is None else f', arena {size} bytes'}>"


class Report:
    """A page about a model and a run of it. html: the page, which notebooks show and browsers open without a network."""

    def __init__(self, page):
        self.html = page

    def _repr_html_(self):
        import html

        return f'<iframe style="width:100%;height:80vh;border:0" sandbox="" srcdoc="{html.escape(self.html)}"></iframe>'

    def save(self, path):
        """Writes the page."""
        write_file(path, self.html)

    def __repr__(self):
        return f"<Report, {len(self.html)} characters of HTML>"
