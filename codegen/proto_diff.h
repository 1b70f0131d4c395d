// The changes between two sets of prototypes, and whose programs each of them breaks.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "proto.h"

namespace codegen {

enum Caller {
  kCSource,        // a C program that is compiled anew
  kCppSource,      // a C++ program that is compiled anew, with headers made with --history_registry
  kPythonSource,   // a Python program with the new package
  kStaticBinary,   // a program that froze its wrappers (linked them statically)
  kDynamicBinary,  // a program that loads the new generated library without being compiled anew
  kIr,             // a graph or program of the old prototypes, met by an installation of the new ones
  kCallers
};
extern const std::array<const char *, kCallers> kCallerNames;  // "c", "cpp", "python", "static", "dynamic", "ir"

struct Verdict {
  bool breaking = false;
  std::string reason;
};
struct Change {
  std::string op;
  std::string kind;  // "optional input added", "operator removed", …
  std::string item;  // "input b", "attr k"; empty when the operator itself
  std::array<Verdict, kCallers> verdicts;
};

using ProtoSet = std::map<std::string, Proto>;

std::vector<Change> CompareSets(const ProtoSet &older, const ProtoSet &newer);

}  // namespace codegen
