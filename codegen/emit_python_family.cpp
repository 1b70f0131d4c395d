// A Python package around the aggregate of a module, or around another module's operators.
#include "emit.h"

namespace codegen {

// es_<mod>_ops.py of one operator family: the same objects as in the module that holds them all.
std::string PythonFamily(const Module &module, const std::string &source) {
  std::string file = "es_" + source + ".es_" + source + "_ops";
  std::string imports, names;
  auto add = [&](const std::string &name) {
    imports += "        " + name + ",\n";
    names += "    \"" + name + "\",\n";
  };
  for (const Op &op : module.ops)
    for (const std::string &name : PythonNames(op)) add(name);
  std::string text = PythonBanner() + "from typing import TYPE_CHECKING\n\nimport " + file + " as _source\n";
  if (!imports.empty())
    text += "\nif TYPE_CHECKING:\n    from " + file + " import (  # noqa: F401\n" + imports + "    )\n";
  return text + "\n__all__ = [\n" + names + "]\n_operators = frozenset(__all__)\n\n\n" +
         "def __getattr__(name):\n"
         "    if name not in _operators:\n"
         "        raise AttributeError(f\"module {__name__!r} has no attribute {name!r}\")\n"
         "    value = globals()[name] = getattr(_source, name)\n"
         "    return value\n\n\n"
         "def __dir__():\n    return sorted({*globals(), *_operators})\n";
}

// es_<Op>.py of one operator family.
std::string PythonFamilyOperator(const Op &op, const std::string &source) {
  const std::string file = "es_" + source + ".es_" + op.type;
  return PythonBanner() + "from " + file + " import *  # noqa: F403\nfrom " + file +
         " import __all__, esb_generated_lib  # noqa: F401\n";
}

std::string PythonPackage(const Module &module) {
  std::string ops = "es_" + module.name + "_ops";
  return PythonBanner() + "import sys as _sys\nfrom typing import TYPE_CHECKING\n\nfrom . import " + ops +
         " as _ops\n\nif TYPE_CHECKING:\n    from ." + ops +
         " import *  # noqa: F403\n\n__all__ = list(_ops.__all__)\n\n\n"
         "def __getattr__(name):\n"
         "    if name not in __all__:\n"
         "        raise AttributeError(f\"module {__name__!r} has no attribute {name!r}\")\n"
         "    value = globals()[name] = getattr(_ops, name)\n"
         "    return value\n\n\n"
         "def __dir__():\n    return sorted({*globals(), *__all__})\n\n\n"
         "def get_module():\n    \"\"\"The module itself; entry point of the group ge.es.plugins.\"\"\"\n"
         "    return _sys.modules[__name__]\n";
}

}  // namespace codegen
