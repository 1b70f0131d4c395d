from ge.passes.base import (
    DecomposePass as DecomposePass,
)
from ge.passes.base import (
    FusionBasePass as FusionBasePass,
)
from ge.passes.base import (
    PatternFusionPass as PatternFusionPass,
)
from ge.passes.bootstrap import load_pass_plugins as load_pass_plugins
from ge.passes.bootstrap import reload as reload
from ge.passes.context import PassContext as PassContext
from ge.passes.errors import PassFatalError as PassFatalError
from ge.passes.errors import PassSkipException as PassSkipException
from ge.passes.fuse_inspector import (
    FuseCheckResult as FuseCheckResult,
)
from ge.passes.fuse_inspector import (
    can_fuse as can_fuse,
)
from ge.passes.fuse_inspector import (
    infer_shape as infer_shape,
)
from ge.passes.fuse_inspector import (
    report_fuse as report_fuse,
)
from ge.passes.match_result import MatchResult as MatchResult
from ge.passes.matcher_config import (
    PatternMatcherConfig as PatternMatcherConfig,
)
from ge.passes.matcher_config import (
    PatternMatcherConfigBuilder as PatternMatcherConfigBuilder,
)
from ge.passes.pattern import NodeIo as NodeIo
from ge.passes.pattern import Pattern as Pattern
from ge.passes.pattern import create_pattern as create_pattern
from ge.passes.pattern import pattern as pattern
from ge.passes.registry import (
    PassStage as PassStage,
)
from ge.passes.registry import (
    clear_registered_passes as clear_registered_passes,
)
from ge.passes.registry import (
    get_registered_pass_by_descriptor_key as get_registered_pass_by_descriptor_key,
)
from ge.passes.registry import (
    get_registered_pass_dicts as get_registered_pass_dicts,
)
from ge.passes.registry import (
    get_registered_passes as get_registered_passes,
)
from ge.passes.registry import (
    register_custom_pass as register_custom_pass,
)
from ge.passes.registry import (
    register_decompose_pass as register_decompose_pass,
)
from ge.passes.registry import (
    register_fusion_pass as register_fusion_pass,
)
from ge.passes.replacement import create_replacement as create_replacement
from ge.passes.statistics import report as report
from ge.passes.subgraph import (
    SubgraphBoundary as SubgraphBoundary,
)
from ge.passes.subgraph import (
    SubgraphInput as SubgraphInput,
)
from ge.passes.subgraph import (
    SubgraphOutput as SubgraphOutput,
)
from ge.passes.subgraph import (
    SubgraphRewriter as SubgraphRewriter,
)
from ge.transform.reasons import why_not as why_not

__all__: list[str]
