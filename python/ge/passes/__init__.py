"""Passes written in Python: classes and functions that take part in compiles.

Importing this package loads nothing; each name comes with its first use.
"""

import importlib as _importlib
import sys as _sys
from types import ModuleType as _ModuleType

_HOMES = {
    "DecomposePass": "base",
    "FuseCheckResult": "fuse_inspector",
    "FusionBasePass": "base",
    "MatchResult": "match_result",
    "NodeIo": "pattern",
    "PassStage": "registry",
    "PassContext": "context",
    "Pattern": "pattern",
    "PatternMatcherConfig": "matcher_config",
    "PatternMatcherConfigBuilder": "matcher_config",
    "PatternFusionPass": "base",
    "SubgraphInput": "subgraph",
    "SubgraphOutput": "subgraph",
    "SubgraphBoundary": "subgraph",
    "SubgraphRewriter": "subgraph",
    "can_fuse": "fuse_inspector",
    "clear_registered_passes": "registry",
    "create_pattern": "pattern",
    "create_replacement": "replacement",
    "get_registered_pass_by_descriptor_key": "registry",
    "get_registered_pass_dicts": "registry",
    "get_registered_passes": "registry",
    "infer_shape": "fuse_inspector",
    "pattern": "pattern",
    "register_decompose_pass": "registry",
    "register_fusion_pass": "registry",
    "report_fuse": "fuse_inspector",
    # beyond GE's names
    "PassFatalError": "errors",
    "PassSkipException": "errors",
    "load_pass_plugins": "bootstrap",
    "register_custom_pass": "registry",
    "reload": "bootstrap",
    "report": "statistics",
    "why_not": ".transform.reasons",
}

__all__ = list(_HOMES)


class _Package(_ModuleType):
    """`pattern` is the decorator, also once the submodule of that name was imported."""

    def __setattr__(self, name, value):
        if name == "pattern" and isinstance(value, _ModuleType):
            value = getattr(value, name, None)
            if value is None:  # the submodule is still being imported
                return
        super().__setattr__(name, value)


_sys.modules[__name__].__class__ = _Package


def __getattr__(name):
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = getattr(_importlib.import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*(n for n in globals() if n.startswith("__")), *__all__})
