#include "flags.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

#include "names.h"

namespace codegen {

const char kUsage[] =
    "usage: gen_esb [flags]\n"
    "Writes C, C++ and Python wrappers for operator prototypes, or archives the prototypes of a release.\n"
    "  --es_mode MODE           codegen (default) or extract_history\n"
    "  --output_dir DIR         where the files go, created when missing (default ./); with extract_history the "
    "history\n"
    "                           package\n"
    "  --module_name NAME       codegen: module in aggregate file names and guards (default all)\n"
    "  --h_guard_prefix TEXT    codegen: inserted verbatim into include guards\n"
    "  --exclude_ops A,B        codegen: operator types to leave out\n"
    "  --history_registry DIR   codegen: history package; C++ headers then keep callers of the releases of the last "
    "365\n"
    "                           days compiling\n"
    "  --release_version NAME   codegen: release that ends these days (default: today); extract_history: name of the\n"
    "                           release, required\n"
    "  --release_date DATE      extract_history: YYYY-MM-DD (default: today)\n"
    "  --branch_name NAME       extract_history: stored with the release\n"
    "  --only_ops A,B           codegen: just these operator types\n"
    "  --families math,nn       codegen: only operators of these families\n"
    "  --python_only SOURCE     codegen: only a Python package whose operators come from module SOURCE\n"
    "  --chunks N               codegen: also N sources that include every es_<Op>.cpp, for a quick build\n"
    "  --strict                 codegen: history that cannot be used as a whole is an error; else what is damaged is "
    "left "
    "out\n"
    "                           with a warning\n"
    "  --help, -h               this text\n"
    "Prototype libraries are looked up in ASCEND_CUSTOM_OPP_PATH (a list with colons) and in ASCEND_OPP_PATH: "
    "<entry>/op_proto,\nvendors/<name>/op_proto by vendors/config.ini or op_proto/custom, built-in/op_proto.\n"
    "Exit status: 0 success, 1 failure, 2 wrong usage.\n";

std::set<std::string> SplitCommas(const std::string &text) {
  size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  std::set<std::string> parts;
  if (first == std::string::npos) return parts;
  std::stringstream stream(text.substr(first, last - first + 1));
  for (std::string part; std::getline(stream, part, ',');)
    if (!part.empty()) parts.insert(part);
  return parts;
}

std::string ParseFlags(int argc, char **argv, Flags *flags) {
  std::string chunks;
  const std::map<std::string, std::string *> known = {{"es_mode", &flags->es_mode},
                                                      {"output_dir", &flags->output_dir},
                                                      {"module_name", &flags->module_name},
                                                      {"h_guard_prefix", &flags->h_guard_prefix},
                                                      {"exclude_ops", &flags->exclude_ops},
                                                      {"history_registry", &flags->history_registry},
                                                      {"release_version", &flags->release_version},
                                                      {"release_date", &flags->release_date},
                                                      {"branch_name", &flags->branch_name},
                                                      {"only_ops", &flags->only_ops},
                                                      {"families", &flags->families},
                                                      {"python_only", &flags->python_only},
                                                      {"chunks", &chunks}};
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    if (arg == "-h" || arg == "--help" || arg == "-help") {
      flags->help = true;
      continue;
    }
    if (arg == "--strict" || arg == "-strict") {
      flags->strict = true;
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
    auto target = known.find(name);
    if (target == known.end()) return "unknown flag '" + arg + "'";
    if (!has_value) {
      if (i + 1 >= argc) return "flag '" + arg + "' needs a value";
      value = argv[++i];
    }
    *target->second = value;
  }
  if (!chunks.empty()) {
    char *end = nullptr;
    long value = std::strtol(chunks.c_str(), &end, 10);
    if (*end || value < 1 || value > 64) return "flag '--chunks' is '" + chunks + "', expected a number from 1 to 64";
    flags->chunks = static_cast<int>(value);
  }
  if (flags->es_mode != "codegen" && flags->es_mode != "extract_history")
    return "Error: Invalid mode! '--es_mode' is '" + flags->es_mode + "', expected codegen or extract_history";
  if (flags->module_name.empty() || flags->module_name.find('/') != std::string::npos)
    return "flag '--module_name' is '" + flags->module_name + "', expected a name that files can have";
  if (AsIdentifier("es_" + flags->python_only) != "es_" + flags->python_only)
    return "flag '--python_only' is '" + flags->python_only + "', expected a module that Python can import";
  if (flags->output_dir.empty()) flags->output_dir = "./";
  return "";
}

}  // namespace codegen
