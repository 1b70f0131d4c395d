// A pass of scope fusion at work: patterns are matched, the user's functions asked, and what they say becomes plain
// data for the importer.
#ifndef INC_REGISTER_DETAIL_SCOPE_RUN_H_
#define INC_REGISTER_DETAIL_SCOPE_RUN_H_

#include <exception>
#include <map>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/operator_reg.h"
#include "register/detail/scope_result.h"

namespace ge {
namespace detail {

/// The problem as text: caught where a pass ends.
struct ScopeProblem {
  std::string text;
};

/// A result in the form that the importer takes.
struct ResultAccess {
  struct NewNode {
    std::string name, type;
    GeNode *made = nullptr;
    std::vector<std::string> inputs;
  };
  using Ports = std::vector<std::pair<std::string, int32_t>>;

  static std::string Where(const FusionScopesResult &result) {
    const std::string name = result.name_.empty() ? "" : "result '" + result.name_ + "'";
    if (result.scopes_.empty()) return name.empty() ? "a result without scopes" : name;
    return "scope '" + result.scopes_[0]->Name() + "'" + (name.empty() ? "" : ", " + name);
  }
  [[noreturn]] static void Refuse(const FusionScopesResult &result, const std::string &text) {
    throw ScopeProblem{Where(result) + ": " + text};
  }

  static void Start(const ScopesResult &found, FusionScopesResult &result) {
    result.scopes_ = found.scopes_;
    std::set<std::string> seen;
    const auto add = [&](const OperatorPtr &node) {
      if (node && seen.insert(node->GetName()).second) result.nodes_.push_back(node);
    };
    for (const Scope *scope : found.scopes_) {
      if (scope == nullptr) throw ScopeProblem{"LastMatchScopesAndOPs gave a null scope"};
      for (const auto &[name, node] : scope->AllNodesMap()) add(node);
    }
    for (const OperatorPtr &node : found.nodes_) add(node);
  }

  static bool Dropped(const FusionScopesResult &result) { return result.type_ == kScopeInvalidType; }

  /// The nodes of the result that a user's name means: the whole name, or from one of the scopes on, or its end.
  static std::vector<const GeFrontNode *> Named(const ScopeGraph &graph, const FusionScopesResult &result,
                                                const std::string &name) {
    std::vector<const GeFrontNode *> whole, inner, ends;
    for (const OperatorPtr &node : result.nodes_) {
      const std::string full = node->GetName();
      const GeFrontNode *front = ScopeAccess::FrontOf(graph, full);
      if (front == nullptr) Refuse(result, "'" + full + "' is no node of the graph");
      if (full == name) whole.push_back(front);
      for (const Scope *scope : result.scopes_)
        if (full == scope->Name() + name) inner.push_back(front);
      const std::string end = "/" + name;
      if (full.size() > end.size() && full.compare(full.size() - end.size(), end.size(), end) == 0)
        ends.push_back(front);
    }
    return !whole.empty() ? whole : !inner.empty() ? inner : ends;
  }

  /// Calls use(node, port, fused port) for all that a map says.
  template <class Use>
  static void ForMapped(const ScopeGraph &graph, const FusionScopesResult &result, bool input, Use use) {
    const char *what = input ? "InsertInputs" : "InsertOutputs";
    for (const auto &[name, map] : input ? result.inputs_ : result.outputs_) {
      const auto nodes = Named(graph, result, name);
      if (nodes.empty()) Refuse(result, std::string(what) + " names '" + name + "', which is none of its nodes");
      for (const GeFrontNode *node : nodes) {
        for (size_t i = 0; i < map.size(); ++i) {
          const std::string where = std::string(what) + " of node '" + node->name + "': ";
          if (map[i] == kFusionDisableIndex) continue;
          if (map[i] < 0 || map[i] > kFusionDisableIndex)
            Refuse(result,
                   where + "index " + std::to_string(map[i]) + ", allowed are 0 to 99998 and kFusionDisableIndex");
          if (input && i >= node->input_count)
            Refuse(result, where + "index_map has " + std::to_string(map.size()) + " entries, the node has " +
                               std::to_string(node->input_count) + " inputs");
          use(*node, i, static_cast<size_t>(map[i]));
        }
      }
    }
  }

  /// The sources of the fused node's inputs; "" where there is none.
  static std::vector<std::string> Feeds(const ScopeGraph &graph, const FusionScopesResult &result) {
    std::vector<std::string> feeds;
    ForMapped(graph, result, true, [&](const GeFrontNode &node, size_t i, size_t fused) {
      if (fused >= feeds.size()) feeds.resize(fused + 1);
      const std::string value = node.inputs[i];
      if (!feeds[fused].empty() && WithPort(feeds[fused]) != WithPort(value))
        Refuse(result, "InsertInputs gives input " + std::to_string(fused) + " both '" + feeds[fused] + "' and '" +
                           value + "' (node '" + node.name + "')");
      feeds[fused] = value;
    });
    return feeds;
  }
  static std::string WithPort(const std::string &value) {
    return value.find(':') == std::string::npos ? value + ":0" : value;
  }
  static std::string Value(const std::string &node, size_t port) { return node + ":" + std::to_string(port); }

  static const char *CheckInner(const FusionScopesResult &result, std::string &text) {
    std::map<std::string, const FusionScopesResult::InnerNodeInfo *> by_name;
    const auto refuse = [&text](const std::string &what) {
      text = what;
      return text.c_str();
    };
    if (result.inner_.empty()) return refuse("no inner node was added");
    for (const auto &node : result.inner_) {
      if (node->operator_.IsEmpty())
        return refuse("inner node '" + node->name_ + "' (" + node->type_ + ") is not built");
      if (node->operator_.GetOpType() != node->type_ || node->operator_.GetName() != node->name_)
        return refuse("inner node '" + node->name_ + "' changed its name or type after it was built");
      if (!by_name.emplace(node->name_, node.get()).second)
        return refuse("two inner nodes are called '" + node->name_ + "'");
    }
    for (const auto &node : result.inner_) {
      for (const auto &[peer, index] : node->inputs_) {
        if (index < 0)
          return refuse("inner node '" + node->name_ + "' reads output " + std::to_string(index) + " of '" + peer +
                        "'");
        if (peer == kInputFromFusionScope) continue;
        auto found = by_name.find(peer);
        if (found == by_name.end())
          return refuse("inner node '" + node->name_ + "' reads '" + peer + "', which is no inner node");
      }
      for (const auto &[peer, index] : node->outputs_) {
        if (index < 0)
          return refuse("inner node '" + node->name_ + "' feeds input " + std::to_string(index) + " of '" + peer + "'");
        if (peer == kOutputToFusionScope) continue;
        auto found = by_name.find(peer);
        if (found == by_name.end())
          return refuse("inner node '" + node->name_ + "' feeds '" + peer + "', which is no inner node");
        const Ports &inputs = found->second->inputs_;
        const size_t at = static_cast<size_t>(index);
        if (at >= inputs.size() || inputs[at].first != node->name_)
          return refuse("inner node '" + node->name_ + "' feeds input " + std::to_string(index) + " of '" + peer +
                        "', which does not read it");
      }
    }
    return nullptr;
  }

  /// The operator in `graph`; its dynamic input, where it is the only one and none was told, takes what inputs are
  /// left.
  static GeNode *AddTo(GeGraph *graph, const FusionScopesResult &result, FusionScopesResult::InnerNodeInfo &node) {
    OperatorImpl &impl = *node.operator_.impl();
    OperatorPort *dynamic = nullptr;
    size_t fixed = 0, dynamics = 0;
    for (OperatorPort &port : impl.inputs) {
      if (port.kind == GE_IR_DYNAMIC) {
        dynamic = &port;
        ++dynamics;
      } else {
        ++fixed;
      }
    }
    if (dynamics == 1 && dynamic->instances == 0 && node.inputs_.size() > fixed)
      dynamic->instances = static_cast<uint32_t>(node.inputs_.size() - fixed);
    GeNode *made = AddOperatorNode(graph, node.operator_);
    if (made == nullptr) Refuse(result, "inner node '" + node.name_ + "' cannot be made: " + GeLastErrorMessage());
    return made;
  }

  /// Hands the result to the importer.
  static GeStatus Give(const ScopeGraph &graph, FusionScopesResult &result, GeGraph *scratch,
                       GeStatus (*replace)(void *, const GeScopeFusion *), void *sink) {
    if (result.name_.empty()) Refuse(result, "GenerateFusionResult set no name");
    if (result.type_.empty()) Refuse(result, "GenerateFusionResult set no type");
    const std::vector<std::string> feeds = Feeds(graph, result);
    std::vector<NewNode> nodes;
    std::map<size_t, std::string> outputs;  // of the scope → value of a new node
    if (result.type_ == kScopeToMultiNodes) {
      std::string text;
      if (const char *wrong = CheckInner(result, text)) Refuse(result, wrong);
      for (const auto &inner : result.inner_) {
        NewNode node;
        node.name = inner->name_;
        node.type = inner->type_;
        node.made = AddTo(scratch, result, *inner);
        for (const auto &[peer, index] : inner->inputs_) {
          const size_t at = static_cast<size_t>(index);
          if (peer != kInputFromFusionScope) {
            node.inputs.push_back(Value(peer, at));
            continue;
          }
          if (at >= feeds.size() || feeds[at].empty())
            Refuse(result, "inner node '" + inner->name_ + "' reads input " + std::to_string(at) +
                               " of the scope, which InsertInputs does not give");
          node.inputs.push_back(feeds[at]);
        }
        const bool single = inner->operator_.GetOutputsSize() == 1;
        for (size_t i = 0; i < inner->outputs_.size(); ++i) {
          const auto &[peer, index] = inner->outputs_[i];
          if (peer != kOutputToFusionScope) continue;
          const std::string value = Value(inner->name_, single ? 0 : i);
          if (!outputs.emplace(static_cast<size_t>(index), value).second)
            Refuse(result, "two inner nodes are output " + std::to_string(index) + " of the scope");
        }
        nodes.push_back(std::move(node));
      }
    } else {
      NewNode node;
      node.name = result.name_.back() == '/' ? result.name_.substr(0, result.name_.size() - 1) : result.name_;
      node.type = result.type_;
      node.inputs = feeds;
      nodes.push_back(std::move(node));
    }
    std::vector<std::pair<std::string, std::string>> redirects;
    ForMapped(graph, result, false, [&](const GeFrontNode &node, size_t i, size_t fused) {
      auto found = outputs.find(fused);
      if (result.type_ == kScopeToMultiNodes && found == outputs.end())
        Refuse(result, "InsertOutputs of node '" + std::string(node.name) + "' says output " + std::to_string(fused) +
                           ", which no inner node gives to the scope");
      redirects.emplace_back(Value(node.name, i), found != outputs.end() ? found->second : Value(nodes[0].name, fused));
    });
    return Pass(result, nodes, redirects, replace, sink);
  }

  static GeStatus Pass(const FusionScopesResult &result, const std::vector<NewNode> &nodes,
                       const std::vector<std::pair<std::string, std::string>> &redirects,
                       GeStatus (*replace)(void *, const GeScopeFusion *), void *sink) {
    std::vector<std::string> names;
    for (const OperatorPtr &node : result.nodes_) names.push_back(node->GetName());
    std::vector<const char *> replaced;
    for (const std::string &name : names) replaced.push_back(name.c_str());
    std::vector<std::vector<const char *>> inputs(nodes.size());
    std::vector<GeScopeNode> made;
    for (size_t i = 0; i < nodes.size(); ++i) {
      for (const std::string &input : nodes[i].inputs) inputs[i].push_back(input.c_str());
      made.push_back({nodes[i].name.c_str(), nodes[i].type.c_str(), nodes[i].made, inputs[i].data(), inputs[i].size()});
    }
    std::vector<GeScopeOutput> outputs;
    for (const auto &[from, to] : redirects) outputs.push_back({from.c_str(), to.c_str()});
    const std::string scope = result.scopes_.empty() ? result.name_ : result.scopes_[0]->Name();
    GeScopeFusion fusion{};
    fusion.struct_size = sizeof fusion;
    fusion.name = scope.c_str();
    fusion.replaced = replaced.data();
    fusion.replaced_count = replaced.size();
    fusion.nodes = made.data();
    fusion.node_count = made.size();
    fusion.outputs = outputs.data();
    fusion.output_count = outputs.size();
    return replace(sink, &fusion);
  }
};

}  // namespace detail

inline graphStatus FusionScopesResult::CheckInnerNodesInfo() {
  std::string text;
  if (detail::ResultAccess::CheckInner(*this, text) == nullptr) return GRAPH_SUCCESS;
  (void)GeSetLastError(GE_PARAM_INVALID, (detail::ResultAccess::Where(*this) + ": " + text).c_str());
  return GRAPH_FAILED;
}

/// The base class for users. An object is made for each import.
class ScopeBasePass {
 public:
  ScopeBasePass() = default;
  ScopeBasePass(const ScopeBasePass &) = delete;
  ScopeBasePass &operator=(const ScopeBasePass &) = delete;
  virtual ~ScopeBasePass() = default;

 protected:
  /// Alternatives; the pass goes on when one matches as a whole, or when there are none. The library frees the
  /// patterns.
  virtual std::vector<ScopeFusionPatterns> DefinePatterns() = 0;
  virtual std::string PassName() = 0;
  /// Chooses, mostly by the scopes' sub-types, what is replaced together. Any status but SUCCESS without results means
  /// that nothing is.
  virtual Status LastMatchScopesAndOPs(std::shared_ptr<ScopeGraph> &scope_graph,
                                       std::vector<ScopesResult> &results) = 0;
  /// Says for each of them what takes its place.
  virtual void GenerateFusionResult(const std::vector<Scope *> &scopes, FusionScopesResult *fusion_rlt) = 0;

 private:
  friend class ScopeFusionPassRegistrar;

  /// Calls a function of the user's; what it throws names the function.
  template <class Call>
  static auto Query(const std::string &what, Call call) {
    try {
      return call();
    } catch (const std::bad_alloc &) {
      throw;
    } catch (const std::exception &e) {
      throw detail::ScopeProblem{what + " threw: " + e.what()};
    } catch (const detail::ScopeProblem &) {
      throw;
    } catch (...) {
      throw detail::ScopeProblem{what + " threw what is no std::exception"};
    }
  }

  bool MatchAll(const ScopeGraph &graph, const ScopeFusionPatterns &patterns) {
    std::vector<Scope *> given;
    for (const std::vector<ScopePattern *> &batch : patterns) {
      bool found = false;
      for (Scope *scope : graph.GetScopeTree()->GetAllScopes()) {
        for (ScopePattern *pattern : batch) {
          if (pattern == nullptr || !pattern->Match(*scope)) continue;
          detail::ScopeAccess::SetSubType(*scope, pattern->sub_type_);
          given.push_back(scope);
          found = true;
        }
      }
      if (found) continue;
      for (Scope *scope : given) detail::ScopeAccess::SetSubType(*scope, "");
      return false;
    }
    return true;
  }

  GeStatus Run(const GeFrontNode *const *nodes, size_t count, GeGraph *scratch,
               GeStatus (*replace)(void *, const GeScopeFusion *), void *sink) {
    auto graph = std::make_shared<ScopeGraph>();
    detail::ScopeAccess::Build(nodes, count, *graph);
    std::vector<ScopeFusionPatterns> patterns = Query("DefinePatterns", [&] { return DefinePatterns(); });
    struct Free {
      std::vector<ScopeFusionPatterns> &all;
      ~Free() {
        for (ScopeFusionPatterns &one : all) ScopeUtil::FreeScopePatterns(one);
      }
    } free{patterns};
    bool matched = patterns.empty();
    for (const ScopeFusionPatterns &one : patterns)
      if (MatchAll(*graph, one)) matched = true;
    if (!matched) return GE_SUCCESS;
    std::vector<ScopesResult> results;
    const Status status = Query("LastMatchScopesAndOPs", [&] { return LastMatchScopesAndOPs(graph, results); });
    if (status == domi::SCOPE_NOT_CHANGED || (status != SUCCESS && results.empty())) return GE_SUCCESS;
    if (status != SUCCESS)
      throw detail::ScopeProblem{"LastMatchScopesAndOPs returned " + std::to_string(status) + " with " +
                                 std::to_string(results.size()) + " results"};
    for (const ScopesResult &found : results) {
      FusionScopesResult result;
      detail::ResultAccess::Start(found, result);
      Query("GenerateFusionResult for " + detail::ResultAccess::Where(result),
            [&] { GenerateFusionResult(found.scopes_, &result); });
      if (detail::ResultAccess::Dropped(result)) {
        GeLogMessage(GE_LOG_INFO,
                     ("scope fusion pass '" + PassName() + "' drops " + detail::ResultAccess::Where(result)).c_str());
        continue;
      }
      const GeStatus given = detail::ResultAccess::Give(*graph, result, scratch, replace, sink);
      if (given != GE_SUCCESS) return given;
    }
    return GE_SUCCESS;
  }
};

}  // namespace ge

#endif
