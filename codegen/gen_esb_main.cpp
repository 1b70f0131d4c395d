// gen_esb: reads the registered operator prototypes and writes C, C++ and Python wrappers for them.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "emit.h"
#include "ge/status.h"
#include "output_dir.h"
#include "prototype_libraries.h"

namespace {

struct Flags {
  std::string output_dir = "./";
  std::string module_name = "all";
  std::string h_guard_prefix;
  std::string exclude_ops;
  std::string only_ops;     // extension: just these
  std::string families;     // extension: only operators of these families
  std::string python_only;  // extension: write just a Python module that takes its operators from this one
  int chunks = 0;           // extension: files that include all es_<Op>.cpp, for a quick build
  bool help = false;
};

constexpr const char kUsage[] =
    "usage: gen_esb [flags]\n"
    "Writes C, C++ and Python wrappers for every registered operator prototype.\n"
    "  --output_dir DIR       where the files go, created when missing (default ./)\n"
    "  --module_name NAME     module in aggregate file names and guards (default all)\n"
    "  --h_guard_prefix TEXT  inserted verbatim into include guards\n"
    "  --exclude_ops A,B      operator types to leave out\n"
    "  --only_ops A,B         just these operator types\n"
    "  --families math,nn     only operators of these families (default: all)\n"
    "  --python_only SOURCE   write only a Python package whose operators come from module SOURCE\n"
    "  --chunks N             also write N sources that include every es_<Op>.cpp, for a quick build\n"
    "  --help, -h             this text\n"
    "Prototype libraries are loaded from ASCEND_CUSTOM_OPP_PATH and ASCEND_OPP_PATH; the built-in prototypes are "
    "always there.\n";

std::string Trim(const std::string &text) {
  size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::set<std::string> Split(const std::string &text) {
  std::set<std::string> parts;
  std::stringstream stream(Trim(text));
  for (std::string part; std::getline(stream, part, ',');)
    if (!part.empty()) parts.insert(part);
  return parts;
}

// "--flag=value" or "--flag value"; one dash will do, and '-' equals '_' inside the name. Returns an error text.
std::string ParseFlags(int argc, char **argv, Flags *flags) {
  std::string chunks;
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    if (arg == "-h" || arg == "--help" || arg == "-help") {
      flags->help = true;
      continue;
    }
    if (arg.size() < 2 || arg[0] != '-') return "unexpected argument '" + arg + "'";
    std::string name = arg.substr(arg[1] == '-' ? 2 : 1), value;
    size_t equals = name.find('=');
    bool has_value = equals != std::string::npos;
    if (has_value) {
      value = name.substr(equals + 1);
      name = name.substr(0, equals);
    }
    std::replace(name.begin(), name.end(), '-', '_');
    std::string *target = nullptr;
    if (name == "output_dir") target = &flags->output_dir;
    if (name == "module_name") target = &flags->module_name;
    if (name == "h_guard_prefix") target = &flags->h_guard_prefix;
    if (name == "exclude_ops") target = &flags->exclude_ops;
    if (name == "only_ops") target = &flags->only_ops;
    if (name == "families") target = &flags->families;
    if (name == "chunks") target = &chunks;
    if (name == "python_only") target = &flags->python_only;
    if (!target) return "unknown flag '" + arg + "'";
    if (!has_value) {
      if (i + 1 >= argc) return "flag '" + arg + "' needs a value";
      value = argv[++i];
    }
    *target = value;
  }
  if (!chunks.empty()) {
    char *end = nullptr;
    long value = std::strtol(chunks.c_str(), &end, 10);
    if (*end || value < 1 || value > 64) return "flag '--chunks' is '" + chunks + "', expected a number from 1 to 64";
    flags->chunks = static_cast<int>(value);
  }
  return "";
}

bool InFamilies(const GeOpSchema &schema, const std::set<std::string> &wanted) {
  if (wanted.empty()) return true;
  for (const std::string &family : Split(schema.family ? schema.family : ""))
    if (wanted.count(family) != 0) return true;
  return false;
}

int Run(const Flags &flags) {
  codegen::LoadPrototypeLibraries(std::cerr);
  std::set<std::string> only = Split(flags.only_ops), excluded = Split(flags.exclude_ops),
                        families = Split(flags.families);

  codegen::Module module{flags.module_name, flags.h_guard_prefix, {}, {}};
  for (size_t i = 0; i < GeOpCount(); ++i) {
    const GeOpSchema &schema = *GeOpAt(i);
    std::string reason;
    if (!only.empty() && only.count(schema.type) == 0) continue;
    if (excluded.count(schema.type) != 0 || !InFamilies(schema, families)) continue;
    if (codegen::IsSkipped(schema.type, &reason)) {
      if (!reason.empty()) module.unsupported[reason].push_back(schema.type);
      continue;
    }
    codegen::Op op;
    reason = codegen::BuildOp(schema, &op);
    if (reason.empty()) module.ops.push_back(std::move(op));
    else module.unsupported[reason].push_back(schema.type);
  }
  std::sort(module.ops.begin(), module.ops.end(), [](const auto &a, const auto &b) { return a.type < b.type; });

  codegen::OutputDir out(flags.output_dir);
  if (!flags.python_only.empty()) {
    out.Write("es_" + module.name + "_ops.py", codegen::PythonFamily(module, flags.python_only));
    out.Write("es_" + module.name + "_ops.pyi", codegen::PythonStub(module));
    out.Write("__init__.py", codegen::PythonPackage(module));
    return 0;
  }
  for (const codegen::Op &op : module.ops) {
    out.Write("es_" + op.type + "_c.h", codegen::CHeader(module, op));
    out.Write("es_" + op.type + ".cpp", codegen::CSource(op));
    out.Write("es_" + op.type + ".h", codegen::CppHeader(module, op));
  }
  out.Write("es_" + module.name + "_ops_c.h", codegen::CAggregate(module));
  out.Write("es_" + module.name + "_ops.h", codegen::CppAggregate(module));
  out.Write("es_" + module.name + "_ops.py", codegen::PythonAggregate(module));
  out.Write("es_" + module.name + "_ops.pyi", codegen::PythonStub(module));
  out.Write("__init__.py", codegen::PythonPackage(module));
  for (int chunk = 0; chunk < flags.chunks; ++chunk) {
    std::string text = codegen::CBanner();
    for (size_t i = chunk; i < module.ops.size(); i += static_cast<size_t>(flags.chunks))
      text += "#include \"es_" + module.ops[i].type + ".cpp\"\n";
    out.Write("es_" + module.name + "_chunk" + std::to_string(chunk) + ".cpp", text);
  }
  out.Write("es_log.h", codegen::LogHeader());
  std::printf("ES Graph Builder Generator v1.0: module %s, %zu operators, %d files written, %d unchanged\n",
              module.name.c_str(), module.ops.size(), out.written(), out.unchanged());
  std::fputs(codegen::UnsupportedReport(module, "").c_str(), stdout);
  if (module.ops.empty()) {
    std::fprintf(stderr, "ERROR: no ops to generate for module %s\n", module.name.c_str());
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char **argv) {
  Flags flags;
  std::string error = ParseFlags(argc, argv, &flags);
  if (!error.empty()) {
    std::fprintf(stderr, "gen_esb: %s; try gen_esb --help\n", error.c_str());
    return 2;
  }
  if (flags.help) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  try {
    return Run(flags);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "gen_esb: %s\n", e.what());
    return 1;
  }
}
