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

void AddNames(AttrValue::ListString &list, const Node &node, Symbol attr, std::string_view own) {
  const AttrValue *recorded = node.attrs().Find(attr);
  const auto *names = recorded ? recorded->get_if<AttrValue::ListString>() : nullptr;
  if (names && !names->empty()) list.insert(list.end(), names->begin(), names->end());
  else list.emplace_back(own);
}

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
/// The matches of a rule, which come one after the other, are mostly of the same types.
struct LastTypes {
  std::vector<Symbol> types;
  AttrValue::SharedStrings texts;
};

AttrValue TypesOf(const std::vector<Node *> &before) {
  if (std::any_of(before.begin(), before.end(), [](const Node *node) { return node->attrs().Has(TypesAttr()); })) {
    AttrValue::ListString texts;
    for (const Node *node : before) AddNames(texts, *node, TypesAttr(), node->type().view());
    return AttrValue(std::move(texts));
  }
  auto &last = PerThread<LastTypes>::Get();
  if (!last.texts || !std::equal(last.types.begin(), last.types.end(), before.begin(), before.end(),
                                 [](Symbol type, const Node *node) { return type == node->type(); })) {
    last.texts.reset();
    last.types.clear();
    auto texts = std::make_shared<AttrValue::ListString>();
    for (const Node *node : before) {
      last.types.push_back(node->type());
      texts->push_back(node->type().str());
    }
    last.texts = std::move(texts);
  }
  return AttrValue(last.texts);
}
}  // namespace

Lineage::Lineage(const std::vector<Node *> &before, bool with_attrs) : types(TypesOf(before)) {
  names.reserve(before.size());
  origins.reserve(before.size());
  for (const Node *node : before) {
    AddNames(names, *node, NamesAttr(), node->name());
    if (node->origins().empty()) origins.emplace_back(node->name());
    for (const SharedText &origin : node->origins()) origins.push_back(origin);
    for (Symbol touched : node->passes()) AddOnce(passes, touched);
  }
  KeepFirst(origins);
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
  if (!parts.passes.empty()) {
    AttrValue::ListString list;
    list.reserve(parts.passes.size());
    for (Symbol touched : parts.passes) list.push_back(touched.str());
    parts.attrs.Set(PassesAttr(), AttrValue(std::move(list)));
  }
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
