"""Composing passes: contexts that say which run, passes as objects, sequences.

timing = ge.instrument.PassTimingInstrument()
with PassContext(opt_level=3, disabled_pass=["FuseGelu"], instruments=[timing]):
    new = Sequential([get_pass("InferShape"), get_pass("RemoveIdentity")])(graph)
    model = ge.load("model.onnx")          # a compile asks the context as well
print(timing.render())
"""

from ge.transform import builtin as _builtin
from ge.transform._functions import FunctionPass, ModulePass, function_pass, module_pass
from ge.transform.base import Pass, Registration, Sequential, get_pass
from ge.transform.builtin import *  # noqa: F403
from ge.transform.config import list_configs, register_config_option
from ge.transform.context import Diagnostic, DiagnosticContext, PassContext, emit
from ge.transform.finding import find, rewrite
from ge.transform.info import PassInfo
from ge.transform.reasons import Miss, why_not

__all__ = [
    "Diagnostic",
    "DiagnosticContext",
    "FunctionPass",
    "Miss",
    "ModulePass",
    "Pass",
    "PassContext",
    "PassInfo",
    "Registration",
    "Sequential",
    "emit",
    "find",
    "function_pass",
    "get_pass",
    "list_configs",
    "module_pass",
    "register_config_option",
    "rewrite",
    "why_not",
    *_builtin.__all__,
]
