"""Options of one build: what they may be, and those that change the graph before it is built."""

from ge._native import c_text, lib

# By way of the graph; the older form of shapes has brackets.
_OF_GRAPH = {
    "input_shape": "input_shape",
    "input_shape_range": "input_shape",
    "ge.outputNodeName": "ge.outputNodeName",
    "ge.INPUT_NODES_SET_FP16": "ge.INPUT_NODES_SET_FP16",
}
_GEARS = ("ge.dynamicBatchSize", "ge.dynamicImageSize", "ge.dynamicDims")


def checked(options):
    """What is wrong with options of a build; None when nothing is."""

    def refused(key, why):
        return f"E10001: option {key} is '{options[key]}': {why}"

    gears = [key for key in _GEARS if key in options]
    if len(gears) > 1:
        return refused(gears[1], "sizes of batches, images and dimensions exclude one another")
    for key in gears:
        if "input_shape" not in options:
            return refused(key, "it needs input_shape")
        if not options[key] or set(options[key]) - set("0123456789,; "):
            return refused(key, "it is a list of sizes")
    return None


def apply_to_graph(graph, options):
    """Applies what belongs to the graph; (status, options that are left)."""
    others = {}
    for key, value in options.items():
        parser_key = _OF_GRAPH.get(key)
        if parser_key is None:
            others[key] = value
            continue
        if key == "input_shape_range":
            value = value.replace("[", "").replace("]", "")
        status = lib.GeGraphApplyParserOption(graph, parser_key.encode(), c_text(value))
        if status != 0:
            return status, others
    return 0, others
