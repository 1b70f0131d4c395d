// The scopes of a TensorFlow graph: node "a/b/c" lies in scope "a/b/", which lies in scope "a/".
#ifndef INC_REGISTER_DETAIL_SCOPE_TREE_H_
#define INC_REGISTER_DETAIL_SCOPE_TREE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "ge/scope_fusion.h"
#include "ge_common/api_error_codes.h"
#include "graph/ascend_string.h"
#include "graph/operator.h"
#include "register/register_error_codes.h"

namespace ge {

using OperatorPtr = std::shared_ptr<Operator>;

namespace detail {
struct ScopeAccess;
struct ResultAccess;
/// The name without what numbers scopes of one kind: "lstm_2" is an "lstm".
inline std::string TrimScopeIndex(const std::string &name) {
  const size_t at = name.rfind('_');
  const bool numbered = at != std::string::npos && at + 1 < name.size() &&
                        name.find_first_not_of("0123456789", at + 1) == std::string::npos;
  return numbered ? name.substr(0, at) : name;
}
}  // namespace detail

/// Owned by its tree; made by the library while a graph is imported.
class Scope {
 public:
  Scope() = default;
  Scope(const Scope &) = delete;
  Scope &operator=(const Scope &) = delete;
  ~Scope() = default;
  Status Init(const std::string &name, const std::string &sub_type = "", Scope *father_scope = nullptr) {
    name_ = name;
    sub_type_ = sub_type;
    father_ = father_scope;
    return SUCCESS;
  }
  Status Init(const char_t *name, const char_t *sub_type, Scope *father_scope = nullptr) {
    if (name == nullptr || sub_type == nullptr) return domi::PARAM_INVALID;
    return Init(std::string(name), std::string(sub_type), father_scope);
  }

  /// The whole name; it ends with '/'.
  const std::string &Name() const { return name_; }
  Status Name(AscendString &name) const {
    name = AscendString(name_.c_str());
    return SUCCESS;
  }
  /// The type of the pattern that it matches; empty while there is none.
  const std::string &SubType() const { return sub_type_; }
  Status SubType(AscendString &sub_type) const {
    sub_type = AscendString(sub_type_.c_str());
    return SUCCESS;
  }
  /// The nodes in it and in the scopes below, by name.
  const std::map<std::string, OperatorPtr> &AllNodesMap() const { return nodes_; }
  Status AllNodesMap(std::unordered_map<AscendString, OperatorPtr> &node_map) const {
    for (const auto &[name, node] : nodes_) node_map[AscendString(name.c_str())] = node;
    return SUCCESS;
  }
  /// The scope right below that has this whole name; null when there is none.
  Scope *GetSubScope(const std::string &scope_name) const {
    for (Scope *scope : own_)
      if (scope->name_ == scope_name) return scope;
    return nullptr;
  }
  Scope *GetSubScope(const char_t *scope_name) const {
    return scope_name == nullptr ? nullptr : GetSubScope(std::string(scope_name));
  }
  /// The last part of the name, without its number: "lstm" for "net/lstm_2/".
  const std::string LastName() const {
    const size_t end = name_.size() - (!name_.empty() && name_.back() == '/' ? 1 : 0);
    const size_t slash = end == 0 ? std::string::npos : name_.rfind('/', end - 1);
    const size_t begin = slash == std::string::npos ? 0 : slash + 1;
    return detail::TrimScopeIndex(name_.substr(begin, end - begin));
  }
  Status LastName(AscendString &name) const {
    name = AscendString(LastName().c_str());
    return SUCCESS;
  }
  /// All below it, at any depth.
  const std::vector<Scope *> &GetAllSubScopes() const { return all_; }
  /// Null for an outermost one.
  const Scope *GetFatherScope() const { return father_; }

 private:
  friend struct detail::ScopeAccess;
  std::string name_, sub_type_;
  Scope *father_ = nullptr;
  std::vector<Scope *> own_, all_;
  std::map<std::string, OperatorPtr> nodes_;
  std::map<std::string, int32_t> counts_;  // of nodes by type
};

class ScopeTree {
 public:
  ScopeTree() = default;
  ScopeTree(const ScopeTree &) = delete;
  ScopeTree &operator=(const ScopeTree &) = delete;
  ~ScopeTree() = default;
  Status Init() { return SUCCESS; }
  /// In the order in which the graph names them; outer ones before those in them.
  const std::vector<Scope *> &GetAllScopes() const { return scopes_; }

 private:
  friend struct detail::ScopeAccess;
  std::vector<std::unique_ptr<Scope>> owned_;
  std::vector<Scope *> scopes_;
};

class ScopeGraph {
 public:
  ScopeGraph() = default;
  ScopeGraph(const ScopeGraph &) = delete;
  ScopeGraph &operator=(const ScopeGraph &) = delete;
  ~ScopeGraph() = default;
  Status Init() { return SUCCESS; }
  const ScopeTree *GetScopeTree() const { return &tree_; }
  /// All nodes by name, those outside every scope too.
  const std::unordered_map<std::string, OperatorPtr> &GetNodesMap() const { return nodes_; }
  Status GetNodesMap(std::unordered_map<AscendString, OperatorPtr> &nodes_map) const {
    for (const auto &[name, node] : nodes_) nodes_map[AscendString(name.c_str())] = node;
    return SUCCESS;
  }

 private:
  friend struct detail::ScopeAccess;
  ScopeTree tree_;
  std::unordered_map<std::string, OperatorPtr> nodes_;
  std::unordered_map<std::string, const GeFrontNode *> fronts_;  // as the importer gave them
};

namespace detail {

/// Operations on scopes for the library alone.
struct ScopeAccess {
  static OperatorPtr OperatorOf(const GeFrontNode &node) {
    auto op = std::make_shared<Operator>(node.name, node.origin_type);
    op->DynamicInputRegister("input", static_cast<uint32_t>(node.input_count));
    op->DynamicOutputRegister("output", static_cast<uint32_t>(node.output_count));
    for (size_t i = 0; i < node.attr_count; ++i) op->SetAttr(node.attrs[i].name, FromData(node.attrs[i]));
    return op;
  }

  static void Build(const GeFrontNode *const *nodes, size_t count, ScopeGraph &graph) {
    std::unordered_map<std::string, Scope *> by_name;
    for (size_t i = 0; i < count; ++i) {
      const OperatorPtr op = OperatorOf(*nodes[i]);
      const std::string name = nodes[i]->name;
      graph.nodes_[name] = op;
      graph.fronts_[name] = nodes[i];
      Scope *father = nullptr;
      for (size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
        Scope *&scope = by_name[name.substr(0, slash + 1)];
        if (scope == nullptr) {
          graph.tree_.owned_.push_back(std::make_unique<Scope>());
          scope = graph.tree_.owned_.back().get();
          graph.tree_.scopes_.push_back(scope);
          (void)scope->Init(name.substr(0, slash + 1), "", father);
          if (father != nullptr) father->own_.push_back(scope);
          for (Scope *above = father; above != nullptr; above = above->father_) above->all_.push_back(scope);
        }
        scope->nodes_[name] = op;
        ++scope->counts_[nodes[i]->origin_type];
        father = scope;
      }
    }
  }

  /// -1 where there is none of the type.
  static int32_t CountOf(const Scope &scope, const std::string &type) {
    auto found = scope.counts_.find(type);
    return found == scope.counts_.end() ? -1 : found->second;
  }
  static void SetSubType(Scope &scope, const std::string &sub_type) { scope.sub_type_ = sub_type; }
  static const GeFrontNode *FrontOf(const ScopeGraph &graph, const std::string &node) {
    auto found = graph.fronts_.find(node);
    return found == graph.fronts_.end() ? nullptr : found->second;
  }
};

}  // namespace detail
}  // namespace ge

#endif
