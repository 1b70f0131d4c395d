// Front-end plug-ins: who translates operators of a model format in place of the importers' own functions.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/graph.h"

namespace gec {

/// One operator of a model as a plug-in sees it.
struct FrontNode {
  std::string origin_type, name;
  std::vector<std::string> inputs, outputs;
  std::vector<std::pair<std::string, AttrValue>> attrs;
  std::vector<uint8_t> message;  // the encoded node
};

struct InputEdit {
  int32_t kind = 0;  // GE_INPUT_*
  int32_t index = 0;
  std::string name;
  bool value = false;
  std::vector<int32_t> order;
};

/// One registration. Its functions are called by several threads at once; they throw what they report.
class ParserPlugin {
 public:
  virtual ~ParserPlugin() = default;
  /// Adds the operator to `graph`, which is empty.
  virtual Node &Parse(const FrontNode &node, Graph &graph) const = 0;
  /// The replacement of the operator; null when it stays.
  virtual GraphPtr ToGraph(const FrontNode &node, Node &made) const = 0;
  virtual void FinishSubgraph(const std::string &name, Graph &graph) const = 0;

  std::string type;  // of the operator it makes
  std::vector<InputEdit> edits;
};

class ParserPluginRegistry {
 public:
  static ParserPluginRegistry &Instance();
  /// Keys that are taken or none of the framework are left out with a warning. Throws GE_PARAM_INVALID when no valid
  /// one is among them.
  uint64_t Add(int32_t framework, const std::vector<std::string> &keys, std::shared_ptr<const ParserPlugin> plugin);
  void Remove(uint64_t token) noexcept;
  /// Null when nobody registered the key.
  std::shared_ptr<const ParserPlugin> Find(int32_t framework, const std::string &key) const;
  bool Empty(int32_t framework) const;

 private:
  struct Entry {
    uint64_t token;
    std::shared_ptr<const ParserPlugin> plugin;
  };
  mutable std::mutex mutex_;
  std::map<std::pair<int32_t, std::string>, Entry> entries_;
  uint64_t next_token_ = 1;
};

/// The node's inputs, by number, in the order in which the operator `made` takes them. Throws GE_PARAM_INVALID for
/// edits that do not fit the node.
std::vector<size_t> EditedInputs(const ParserPlugin &plugin, const FrontNode &front, const Node &made);

/// Opens the libraries with plug-ins for a framework that are not open yet; ge/parser_plugin.h says where they are
/// looked for. One that cannot be opened is a warning.
void LoadParserPlugins(int32_t framework);

}  // namespace gec
