// Command line of gen_esb.
#pragma once

#include <set>
#include <string>

namespace codegen {

struct Flags {
  std::string es_mode = "codegen";
  std::string output_dir = "./";
  std::string module_name = "all";
  std::string h_guard_prefix;
  std::string exclude_ops;
  std::string history_registry;
  std::string release_version;
  std::string release_date;
  std::string branch_name;
  // Further than GE's:
  std::string only_ops;     // just these
  std::string families;     // only operators of these families
  std::string python_only;  // write just a Python module that takes its operators from this one
  int chunks = 0;           // files that include all es_<Op>.cpp, for a quick build
  bool strict = false;      // damaged history is an error
  bool help = false;
};

extern const char kUsage[];

/// "--flag=value" or "--flag value"; one dash will do, and '-' equals '_' inside the name. Returns an error text.
std::string ParseFlags(int argc, char **argv, Flags *flags);

/// Elements of a comma list; the whole text is trimmed, the elements are not.
std::set<std::string> SplitCommas(const std::string &text);

}  // namespace codegen
