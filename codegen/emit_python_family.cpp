// A Python package around the aggregate of a module, or around another module's operators.
#include <algorithm>

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
  std::string text = PythonBanner() + "from typing import TYPE_CHECKING\n\nimport " + file +
                     " as _source\n"
                     "from ge.es._generated_support import *  # noqa: F403\n"
                     "from ge.es._generated_support import __all__ as _helpers\n"
                     "from ge.es._generated_support import names_of as _names_of\n";
  if (!imports.empty())
    text += "\nif TYPE_CHECKING:\n    from " + file + " import (  # noqa: F401\n" + imports + "    )\n";
  return text + "\n_names = [\n    \"esb_generated_lib\",\n" + names +
         "]\n__all__ = [*(_n for _n in _helpers if _n not in _names), *(_n for _n in _names if _n[0] != \"_\")]\n"
         "__getattr__, __dir__ = _names_of(globals(), _source, _names)\n";
}

// es_<Op>.py of one operator family.
std::string PythonFamilyOperator(const Op &op, const std::string &source) {
  const std::string file = "es_" + source + ".es_" + op.type;
  std::string names = "esb_generated_lib";  // a star import leaves out operators whose names begin with an underscore
  for (const std::string &name : PythonNames(op)) names += ", " + name;
  return PythonBanner() + "from " + file + " import *  # noqa: F403\nfrom " + file + " import " + names +
         "  # noqa: F401\n";
}

namespace {

bool Importable(const std::string &name) { return AsIdentifier(name) == name; }

// Binds the module's aggregate to _ops. An import statement cannot name every file that a module's name may lead to.
std::string ImportOps(const std::string &ops) {
  if (Importable(ops)) return "from . import " + ops + " as _ops  # noqa: E402\n";
  std::string inner = ops;  // a dot would make packages of it
  std::replace(inner.begin(), inner.end(), '.', '_');
  return "def _load_ops(name, file):\n"
         "    import importlib.util as util\n"
         "    import os\n\n"
         "    name = f\"{__name__}.{name}\"\n"
         "    if name not in _sys.modules:\n"
         "        spec = util.spec_from_file_location(name, os.path.join(os.path.dirname(__file__), file))\n"
         "        _sys.modules[name] = util.module_from_spec(spec)\n"
         "        try:\n"
         "            spec.loader.exec_module(_sys.modules[name])\n"
         "        except BaseException:\n"
         "            del _sys.modules[name]\n"
         "            raise\n"
         "    return _sys.modules[name]\n\n\n"
         "_ops = _load_ops(" +
         PyString(inner.c_str()) + ", " + PyString((ops + ".py").c_str()) + ")\n";
}

}  // namespace

// get_module stands first: where a program imports this package before ge.es, the plug-in loader asks for it while the
// rest is being imported.
std::string PythonPackage(const Module &module) {
  std::string ops = "es_" + module.name + "_ops";
  return PythonBanner() +
         "import sys as _sys\n\n\n"
         "def get_module():\n    \"\"\"The module itself; entry point of the group ge.es.plugins.\"\"\"\n"
         "    return _sys.modules[__name__]\n\n\n" +
         ImportOps(ops) +
         "\n__all__ = [*_ops.__all__]\n__getattr__, __dir__ = _ops._names_of(globals(), _ops, "
         "{*__all__, *_ops._names})\n";
}

std::string PythonPackageStub(const Module &module) {
  const std::string ops = "es_" + module.name + "_ops";
  if (!Importable(ops))
    return PythonStub(module) + "\nfrom types import ModuleType\n\ndef get_module() -> ModuleType: ...\n";
  return PythonBanner() + "from types import ModuleType\n\nfrom ." + ops +
         " import *\n\ndef get_module() -> ModuleType: ...\n";
}

}  // namespace codegen
