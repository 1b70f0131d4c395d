#include "core/pattern/lineage.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "core/pattern/rewrite.h"
#include "core/support/error.h"
#include "core/support/per_thread.h"

namespace gec {
namespace {

/// Nodes with different values of one of these may not become one; nodes without it join any.
const std::vector<Symbol> &SharedAttrs() {
  static const std::vector<Symbol> *names =
      new std::vector<Symbol>{"_user_stream_label", "_super_kernel_scope", "_super_kernel_options", "_op_aicore_num",
                              "_op_vectorcore_num", "_deterministic",      "_deterministic_level"};
  return *names;
}
/// Handed on besides those.
const std::vector<Symbol> &InheritedAttrs() {
  static const std::vector<Symbol> *names =
      new std::vector<Symbol>{"_op_compile_strategy", "_keep_dtype",     "_op_debug_config",
                              "_op_impl_mode_enum",   "_parallel_group", "_user_stream_priority"};
  return *names;
}

const Symbol &NamesAttr() {
  static const Symbol *name = new Symbol("_datadump_original_op_names");
  return *name;
}
const Symbol &TypesAttr() {
  static const Symbol *name = new Symbol("_datadump_original_op_types");
  return *name;
}
const Symbol &PassesAttr() {
  static const Symbol *name = new Symbol("pass_name");
  return *name;
}

/// A node that comes in the place of others may stand for so many, or for as many as it replaces: what rewrites hand on
/// from one to the next, without end where rules feed each other, stays bounded.
constexpr size_t kMostOriginals = 64;

/// Names and types of the nodes of the model that nodes stand for, those of each name once.
class Originals {
 public:
  explicit Originals(size_t nodes) : most_(std::max(nodes, kMostOriginals)) { names.reserve(nodes); }
  void Add(const Node &node) {
    const auto recorded = [&](Symbol attr) {
      const AttrValue *value = node.attrs().Find(attr);
      const auto *list = value ? value->get_if<AttrValue::ListString>() : nullptr;
      return list && !list->empty() ? list : nullptr;
    };
    const auto *its_names = recorded(NamesAttr()), *its_types = recorded(TypesAttr());
    if (!its_names) return One(node.name(), its_types ? std::string_view(its_types->front()) : node.type().view());
    for (size_t i = 0; i < its_names->size(); ++i)
      One((*its_names)[i],
          its_types ? std::string_view((*its_types)[std::min(i, its_types->size() - 1)]) : node.type().view());
  }
  AttrValue::ListString names, types;

 private:
  void One(std::string_view name, std::string_view type) {
    if (names.size() >= most_ || IsKnown(name)) return;
    names.emplace_back(name);
    types.emplace_back(type);
    if (!many_.empty()) many_.emplace(name);
  }
  bool IsKnown(std::string_view name) {
    if (names.size() < kMostOriginals) return std::find(names.begin(), names.end(), name) != names.end();
    if (many_.empty()) many_.insert(names.begin(), names.end());
    return many_.count(std::string(name)) != 0;
  }
  const size_t most_;
  std::unordered_set<std::string> many_;  // the names, once a search through them would take long
};

bool NoneHasAttrs(const std::vector<Node *> &nodes) {
  return std::all_of(nodes.begin(), nodes.end(), [](const Node *node) { return node->attrs().empty(); });
}

/// Leaves out what is there before. A region may stand for thousands of nodes.
void KeepFirst(Origins &list) {
  constexpr size_t kFew = 16;
  auto end = list.begin();
  const auto keep = [&](SharedText &text) {
    if (&text != end) std::swap(*end, text);
    ++end;
  };
  if (list.size() > kFew) {
    std::unordered_set<std::string_view> seen;
    for (SharedText &text : list)
      if (seen.insert(text.view()).second) keep(text);
  } else {
    for (SharedText &text : list)
      if (std::find(list.begin(), end, text) == end) keep(text);
  }
  while (list.end() != end) list.pop_back();
}

template <class List, class Item>
void AddOnce(List &list, const Item &item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

}  // namespace

/// "" or what is wrong with the values.
std::string AttrConflict(const std::vector<Node *> &nodes) {
  static const Symbol deterministic("_deterministic"), level("_deterministic_level");
  if (NoneHasAttrs(nodes)) return "";
  for (Symbol name : SharedAttrs()) {
    const Node *first = nullptr;
    for (const Node *node : nodes) {
      const AttrValue *value = node->attrs().Find(name);
      if (!value) continue;
      const int64_t most = name == deterministic ? 1 : name == level ? 3 : 0;
      if (const int64_t number = IntOf(value, 0); most && (number < 0 || number > most))
        return Str(node->Label(), ": attribute '", name.view(), "' is ", number, ", allowed: 0 to ", most);
      if (first && !(*first->attrs().Find(name) == *value))
        return Str("attribute '", name.view(), "' of ", first->Label(), " and of ", node->Label(), " differs");
      if (!first) first = node;
    }
  }
  return "";
}

bool IsInheritedAttr(Symbol name) {
  auto in = [&](const std::vector<Symbol> &names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  return in(SharedAttrs()) || in(InheritedAttrs());
}

namespace {
/// Texts of symbols. The matches of a rule, which come one after the other, mostly have the same types and passes: they
/// share one list.
struct LastTexts {
  std::vector<Symbol> symbols;
  AttrValue::SharedStrings texts;

  template <class List, class SymbolOf>
  AttrValue Of(const List &list, SymbolOf &&symbol_of) {
    if (!texts || !std::equal(symbols.begin(), symbols.end(), list.begin(), list.end(),
                              [&](Symbol known, const auto &item) { return known == symbol_of(item); })) {
      texts.reset();
      symbols.clear();
      auto fresh = std::make_shared<AttrValue::ListString>();
      for (const auto &item : list) {
        symbols.push_back(symbol_of(item));
        fresh->push_back(symbols.back().str());
      }
      texts = std::move(fresh);
    }
    return AttrValue(texts);
  }
};
struct LastTypes : LastTexts {};
struct LastPasses : LastTexts {};

/// Of nodes that are the model's own.
AttrValue TypesOf(const std::vector<Node *> &before) {
  return PerThread<LastTypes>::Get().Of(before, [](const Node *node) { return node->type(); });
}
}  // namespace

Lineage::Lineage(const std::vector<Node *> &before, bool with_attrs) {
  const bool came_of_others = std::any_of(before.begin(), before.end(), [](const Node *node) {
    return node->attrs().Has(NamesAttr()) || node->attrs().Has(TypesAttr());
  });
  if (came_of_others) {
    Originals originals(before.size());
    for (const Node *node : before) originals.Add(*node);
    names = std::move(originals.names);
    types = AttrValue(std::move(originals.types));
  } else {
    names.reserve(before.size());
    for (const Node *node : before) names.emplace_back(node->name());
    types = TypesOf(before);
  }
  origins.reserve(before.size());
  for (const Node *node : before) {
    if (node->origins().empty()) origins.emplace_back(node->name());
    for (const SharedText &origin : node->origins()) origins.push_back(origin);
    for (Symbol touched : node->passes()) AddOnce(passes, touched);
  }
  KeepFirst(origins);
  while (origins.size() > std::max(before.size(), kMostOriginals)) origins.pop_back();
  if (!with_attrs || NoneHasAttrs(before)) return;
  for (const auto *list : {&SharedAttrs(), &InheritedAttrs()}) {
    for (Symbol name : *list) {
      for (const Node *node : before) {
        const AttrValue *value = node->attrs().Find(name);
        if (!value) continue;
        attrs.emplace_back(name, value);
        break;
      }
    }
  }
}

void Lineage::AddTo(NodeParts &parts, const PassNames &own_passes, Symbol pass, bool is_last) {
  const auto taken = [is_last](auto &list) { return is_last ? std::move(list) : list; };
  parts.origins = taken(origins);
  if (const size_t most = own_passes.size() + passes.size() + (pass.empty() ? 0 : 1)) {
    parts.passes.reserve(most);
    parts.passes = own_passes;
    for (Symbol touched : passes) AddOnce(parts.passes, touched);
    if (!pass.empty()) AddOnce(parts.passes, pass);
  }
  parts.attrs.Reserve(parts.attrs.size() + attrs.size() + (parts.passes.empty() ? 2 : 3));
  parts.attrs.Set(NamesAttr(), AttrValue(taken(names)));
  parts.attrs.Set(TypesAttr(), taken(types));
  if (!parts.passes.empty())
    parts.attrs.Set(PassesAttr(),
                    PerThread<LastPasses>::Get().Of(parts.passes, [](Symbol touched) { return touched; }));
  for (const auto &[name, value] : attrs)
    if (!parts.attrs.Has(name)) parts.attrs.Set(name, *value);
}

namespace {
void Inherit(Node &made, const std::vector<Node *> &before, Symbol pass, bool with_attrs) {
  Lineage lineage(before, with_attrs);
  NodeParts parts;
  lineage.AddTo(parts, made.passes(), pass, true);
  Graph &graph = made.graph();
  for (const auto &[name, value] : parts.attrs)
    if (name == NamesAttr() || name == TypesAttr() || name == PassesAttr() || !made.attrs().Has(name))
      graph.SetAttr(&made, name, value);
  graph.SetLineage(&made, std::move(parts.origins), std::move(parts.passes));
}
}  // namespace

void InheritLineage(Node &made, const std::vector<Node *> &before, Symbol pass) { Inherit(made, before, pass, false); }
void InheritFrom(Node &made, const std::vector<Node *> &before, Symbol pass) { Inherit(made, before, pass, true); }

}  // namespace gec
