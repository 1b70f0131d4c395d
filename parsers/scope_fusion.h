// Scope fusion: who replaces nodes of a TensorFlow graph before they are translated.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "parsers/plugin.h"

namespace gec {

/// ge/scope_fusion.h says what the parts mean.
struct ScopeReplacement {
  struct New {
    std::string name, type;
    Node *made = nullptr;
    std::vector<std::string> inputs;
  };
  std::string name;
  std::vector<std::string> replaced;
  std::vector<New> nodes;
  std::vector<std::pair<std::string, std::string>> outputs;
};
using FrontNodes = std::vector<const FrontNode *>;

/// Called by several threads at once; throws what it reports.
class ScopePass {
 public:
  virtual ~ScopePass() = default;
  /// Nodes that it makes go to `graph`.
  virtual std::vector<ScopeReplacement> Run(const FrontNodes &nodes, Graph &graph) const = 0;

  std::string name;
  bool general = false;
};

class FusionParser {
 public:
  virtual ~FusionParser() = default;
  /// Adds the operator that stands for the nodes to `graph`, which is empty.
  virtual Node &Parse(const std::string &name, const FrontNodes &nodes, Graph &graph) const = 0;

  std::string type;
};

class ScopeFusionRegistry {
 public:
  static ScopeFusionRegistry &Instance();
  /// 0 when the name is taken, which is a warning.
  uint64_t Add(std::shared_ptr<const ScopePass> pass);
  /// Keys that are taken are left out with a warning.
  uint64_t Add(const std::vector<std::string> &keys, std::shared_ptr<const FusionParser> parser);
  void Remove(uint64_t token) noexcept;
  /// In the order of registration.
  std::vector<std::shared_ptr<const ScopePass>> Passes() const;
  /// Null when nobody registered the key.
  std::shared_ptr<const FusionParser> FindParser(const std::string &key) const;

 private:
  struct Entry {
    uint64_t token;
    std::string key;
    std::shared_ptr<const ScopePass> pass;  // or
    std::shared_ptr<const FusionParser> parser;
  };
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
  uint64_t next_token_ = 1;
};

}  // namespace gec
