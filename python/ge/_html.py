"""What notebooks show of graphs, models, profiles and placements: tables and the library's own pictures."""

import base64
import html

MOST_NODES = 200  # a picture of more is no longer read: operators are counted instead
MOST_ROWS = 100
_PICTURE_BYTES = 2 << 20

_TABLE = "border-collapse:collapse;margin:.4em 0"
_CELL = "text-align:left;vertical-align:top;padding:.1em .8em .1em 0"
_NUMBER = "text-align:right;vertical-align:top;padding:.1em .8em .1em 0"
_MOST_CHARS = 48  # longer text is broken into lines


def _escaped(value):
    return html.escape(str(value))


def table(header, rows, right=(), most=MOST_ROWS):
    """Rows as a table; `right` are columns set flush right. Only the first `most` rows are shown, and how many are not."""

    def line(cells, tag):
        return "".join(f'<{tag} style="{style(i, c)}">{_escaped(c)}</{tag}>' for i, c in enumerate(cells))

    def style(i, cell):
        long = len(str(cell)) > _MOST_CHARS
        return (_NUMBER if i in right else _CELL) + (";overflow-wrap:anywhere" if long else ";white-space:nowrap")

    body = "".join(f"<tr>{line(row, 'td')}</tr>" for row in rows[:most])
    left = f"<div>… and {len(rows) - most} more</div>" if len(rows) > most else ""
    return f'<table style="{_TABLE}"><thead><tr>{line(header, "th")}</tr></thead><tbody>{body}</tbody></table>{left}'


def picture(svg, title):
    """An SVG as an image that scrolls when it is large. As an image it runs no scripts and shares no names with others."""
    data = base64.b64encode(svg.encode()).decode()
    return (
        f'<div style="max-height:40em;overflow:auto"><img alt="{_escaped(title)}" style="max-width:none" '
        f'src="data:image/svg+xml;base64,{data}"></div>'
    )


def _folded(summary, content):
    return f"<details><summary>{_escaped(summary)}</summary>{content}</details>"


def _counted(number, what):
    return f"{number} {what}{'' if number == 1 else 's'}"


def _operators(types):
    counts = {}
    for name in types:
        counts[name] = counts.get(name, 0) + 1
    rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return table(("operator", "nodes"), rows, right=(1,))


def _drawn(nodes, types, draw, title):
    """The picture, or operators with their counts where there are too many nodes for one."""
    svg = draw() if nodes <= MOST_NODES else ""
    return picture(svg, title) if svg and len(svg) <= _PICTURE_BYTES else _operators(types())


def graph_page(graph):
    """Graph._repr_html_."""
    if graph._handle is None:
        return f"<code>{_escaped(repr(graph))}</code>"
    nodes = graph.get_all_nodes()
    title = f"Graph {graph.name!r}: {_counted(len(nodes), 'node')}"
    drawn = _drawn(len(nodes), lambda: [n.type for n in nodes], graph._svg, title)
    return f"<div><b>{_escaped(title)}</b></div>{drawn}"


def _ports(model):
    rows = [(what, p.name, p.kind, p.shape_text()) for what, ports in (
        ("input", model._inputs), ("output", model._outputs)) for p in ports]  # fmt: skip
    return table(("", "name", "type", "shape"), rows)


def model_page(model):
    """Model._repr_html_."""
    ports = _ports(model)
    if model._handle is None:
        return f"<div><b>Model, closed</b></div>{ports}"
    placement = model.placement()
    engines = ", ".join(f"{count} on {engine}" for engine, count in placement.engines().items())
    title = f"Model: {_counted(len(placement), 'node')}" + (f" ({engines})" if engines else "")
    drawn = _drawn(
        len(placement), lambda: [r["type"] for r in placement], lambda: model.graph("svg", placed=True), "the compiled graph"
    )
    return f"<div><b>{_escaped(title)}</b></div>{ports}{_folded('compiled graph', drawn)}"


def placement_page(placement):
    """Placement._repr_html_."""
    engines = table(("engine", "nodes"), sorted(placement.engines().items(), key=lambda e: -e[1]), right=(1,))
    rows = [
        (r["node"], r["type"], r["engine"], r["implementation"], "; ".join(f"{e}: {w}" for e, w in r["refusals"].items()))
        for r in placement
    ]
    all_rows = table(("node", "type", "engine", "implementation", "refused by"), rows)
    return f"<div><b>Placement of {_counted(len(rows), 'node')}</b></div>{engines}{all_rows}"


def profile_page(profile):
    """Profile._repr_html_."""
    total = profile.total_us or 1.0
    rows = [
        (r["name"], r.get("type", ""), r.get("engine", ""), r.get("implementation", ""), f"{r['us']:.1f}",
         f"{100 * r['us'] / total:.1f}", "█" * round(20 * r["us"] / total))
        for r in sorted(profile, key=lambda r: -r["us"])
    ]  # fmt: skip
    title = f"Profile: {_counted(len(rows), 'kernel')}, {profile.total_us:.1f} µs"
    header = ("kernel", "type", "engine", "implementation", "µs", "%", "")
    return f"<div><b>{_escaped(title)}</b></div>{table(header, rows, right=(4, 5))}"
