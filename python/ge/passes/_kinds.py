"""How passes are run, and what modules of plug-ins are called."""

FUSION_BASE, PATTERN_FUSION, DECOMPOSE, LEGACY_CUSTOM = "fusion_base", "pattern_fusion", "decompose", "legacy_custom"
MODULE_PREFIX = "_ge_py_pass_"
