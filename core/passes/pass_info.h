// A pass: its name, where it belongs, and the function that runs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ge/pass.h"

namespace gec {

class Graph;
struct PassContext;

/// The origin of a pass, which decides when it runs within its stage.
enum class PassKind : uint8_t {
  kPlain,     // the library's own, and those registered by a GePassTable: as registered
  kFunction,  // GE's function passes: as registered, on the root only
  kStream,    // the same, for streams
  kFusion,    // GE's fusion passes: by name, on the root and then every subgraph, on after the others
  kSequence,  // holds passes: reports say what these did
};

struct PassInfo {
  std::string name;
  int32_t stage = GE_STAGE_AFTER_INFER_SHAPE;  // GE_STAGE_NONE: a compile does not run it by itself
  int32_t level = 1;                           // runs where the scope's level is at least this
  bool builtin = false;
  bool essential = false;                  // no compile is right without it: cannot be disabled
  bool needs_shapes = false;               // left out while shapes are open
  bool holds_passes = false;               // a sequence, or what runs a stage
  bool traceable = false;                  // a remark of its author, as in TVM
  std::vector<std::string> required = {};  // names of passes that run before it
  std::string other_name = {};             // TVM's name of a pass that does the same; "" where it has none
  PassKind kind = PassKind::kPlain;
  bool whole_tree = false;  // called once with the root; else once per graph of the tree
};

/// True when the graph was changed.
using PassFn = std::function<bool(Graph &, PassContext &)>;

struct PassEntry {
  PassInfo info;
  PassFn run;
  bool changed_by_graph = false;  // edits of the graph say whether it changed, not the function
  bool rebuildable = false;       // a compile need not undo it, as the graph of a compile that fails is thrown away
  size_t depth = 0;               // of sequences inside one another; 0: holds none
  uint64_t token = 0;             // set by the registry
  std::vector<const char *> required_names;  // of info.required, for C; set by the registry
  std::string library;                       // that was being loaded when it was registered; set by the registry
};
using PassEntryPtr = std::shared_ptr<const PassEntry>;

}  // namespace gec
