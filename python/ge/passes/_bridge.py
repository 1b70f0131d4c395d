"""The functions through which an engine around the interpreter, or a test, drives passes.

A program that embeds Python needs two: `start` before a compile, `stop` when its engine ends.
"""

from ge import _plugins
from ge._internal import plugin_loader
from ge._native import ffi
from ge.graph.graph import Graph
from ge.passes import _engine, _holders, _hooks, registry
from ge.passes._borrowed import Run
from ge.passes._kinds import LEGACY_CUSTOM, MODULE_PREFIX
from ge.passes._native import borrow_match_result, borrow_node, release_graph
from ge.passes.bootstrap import load_pass_files, load_pass_plugins
from ge.passes.context import PassContext


def start() -> bool:
    """Loads the plug-ins once, and raises what is wrong with a pass; False while they are being loaded. Again costs nothing."""
    _plugins.before_compile()
    return _plugins._started


def stop() -> None:
    """Takes all passes back and forgets the plug-ins that are files, so that the next `start` loads them anew."""
    _plugins.forget()
    registry._engine_ended()


def offer(path) -> None:
    """Hands the passes of a file, or of a folder, to the library, which collects them on this thread for one compile."""
    for descriptor in load_pass_files([path]):
        _engine.offer(descriptor)


def load_and_get_pass_descriptors() -> list:
    """Loads the plug-ins and returns all passes as dictionaries."""
    load_pass_plugins()
    return registry.get_registered_pass_dicts()


def create_pass_holder(instance_id, descriptor_key) -> bool:
    """Makes the object of an instance; one that is there stays."""
    if _holders.find(instance_id) is not None:
        return True
    descriptor = registry.get_registered_pass_by_descriptor_key(descriptor_key)
    if descriptor is None:
        raise KeyError(f"python pass descriptor_key not found: {descriptor_key}")
    _holders.make(descriptor, instance_id, is_by_hand=True)
    return True


def destroy_pass_holder(instance_id) -> bool:
    """True when there was one."""
    return _holders.destroy(instance_id)


def clear_pass_holders() -> None:
    """Destroys the objects of all instances."""
    _holders.clear()


def clear_loaded_pass_modules() -> None:
    """Forgets the modules of plug-ins that are files."""
    plugin_loader.forget_modules(MODULE_PREFIX)


def _context(context):
    if context is not None and not isinstance(context, PassContext):
        raise TypeError("context type error")
    return context


def run_fusion_base_pass(instance_id, graph, context=None):
    """Calls run (the function, of kind legacy_custom); what it returned. `graph` is a Graph, or the address of one."""
    holder = _holders.get(instance_id)
    context = _context(context)
    run = None
    if not isinstance(graph, Graph):
        run = Run(None)
        graph = run.graph(ffi.cast("GeGraph *", graph))
    try:
        call = holder.object if holder.descriptor.kind == LEGACY_CUSTOM else holder.object.run
        return call(graph, context)
    finally:
        if run is not None:
            run.end()


def get_pass_patterns(instance_id) -> list:
    """Addresses of new patterns, which the caller owns."""
    found = _hooks.patterns_of(_holders.get(instance_id).as_pattern_pass())
    return [p.release() for p in found]


def get_pattern_matcher_config(instance_id):
    """The flags of GeGraphFuse, or None where the pass has no configuration."""
    holder = _holders.get(instance_id)
    config = holder.as_pattern_pass().matcher_config
    return None if config is None else holder._flags()


def call_meet_requirements(instance_id, match_result_handle, context=None) -> bool:
    """True when the pass takes the match at an address."""
    target = _holders.get(instance_id).as_pattern_pass()
    context = _context(context)
    match = borrow_match_result(match_result_handle)
    try:
        return bool(target.meet_requirements(match, context))
    finally:
        match._invalidate()


def call_replacement(instance_id, match_result_handle, context=None) -> int:
    """Address of the replacement, which the caller owns."""
    target = _holders.get(instance_id).as_pattern_pass()
    context = _context(context)
    match = borrow_match_result(match_result_handle)
    try:
        graph = target.replacement(match, context)
    finally:
        match._invalidate()
    if not isinstance(graph, Graph):
        raise TypeError("PatternFusionPass.replacement must return ge.graph.Graph")
    return release_graph(graph)


def call_decompose_meet_requirements(instance_id, node_handle, context=None) -> bool:
    """True when the pass takes the node at an address."""
    target = _holders.get(instance_id).as_decompose_pass()
    return bool(target.meet_requirements(borrow_node(node_handle), _context(context)))


def call_decompose_replacement(instance_id, node_handle, context=None) -> int:
    """Address of the replacement, which the caller owns."""
    target = _holders.get(instance_id).as_decompose_pass()
    graph = target.replacement(borrow_node(node_handle), _context(context))
    if not isinstance(graph, Graph):
        raise TypeError("DecomposePass.replacement must return ge.graph.Graph")
    return release_graph(graph)
