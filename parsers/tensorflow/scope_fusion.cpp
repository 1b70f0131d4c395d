#include "parsers/tensorflow/scope_fusion.h"

#include <algorithm>
#include <set>

#include "core/support/error.h"
#include "core/support/log.h"
#include "parsers/tensorflow/node_context.h"
#include "parsers/tensorflow/plugin_node.h"

namespace gec::tensorflow {
namespace {

constexpr std::string_view kOption = "enable_scope_fusion_passes";
constexpr uint64_t kMostTensorBytes = uint64_t{1} << 20;  // that passes see

std::set<std::string, std::less<>> Enabled(const ParserOptions &options) {
  std::set<std::string, std::less<>> names;
  for (const auto &[key, value] : options) {
    if (key != kOption) continue;
    for (std::string_view rest = value; !rest.empty();) {
      const size_t comma = std::min(rest.find(','), rest.size());
      std::string_view name = rest.substr(0, comma);
      while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
      while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
      if (!name.empty()) names.emplace(name);
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return names;
}

/// None for a text that is no reference: the import says so where it matters.
std::optional<Reference> Parsed(std::string_view text) {
  try {
    return ParseReference(text);
  } catch (const NodeProblem &) {
    return std::nullopt;
  }
}

/// The attribute as passes see it; none for what they do not get.
AttrValue ForPasses(Span bytes, std::string_view name) {
  try {
    const AttrDef attr = ReadAttr(bytes);
    const auto *tensor = attr.get_if<TensorDef>();
    if (tensor && tensor->bytes.size > kMostTensorBytes) return {};
    AttrValue value = FrontValue(attr, Str("attribute '", name, "'"));
    const auto *held = tensor ? value.get_if<TensorPtr>() : nullptr;
    if (held && (*held)->bytes() > kMostTensorBytes) return {};
    return value;
  } catch (const Error &e) {
    if (e.code() == GE_OUT_OF_MEMORY) throw;
    return {};  // damaged, or texts, for example: translating says so where the value is needed
  }
}

std::string Key(std::string_view node, int64_t port) { return Str(node, ":", port); }

}  // namespace

std::string_view Fusions::Keep(std::string text) { return texts_.emplace_back(std::move(text)); }

const FusedNode *Fusions::Find(std::string_view node) const {
  auto found = fused_.find(node);
  return found == fused_.end() ? nullptr : &found->second;
}

const std::string *Fusions::Problem(std::string_view node) const {
  auto found = problems_.find(node);
  return found == problems_.end() ? nullptr : &found->second;
}

std::optional<std::string_view> Fusions::Now(std::string_view node, int64_t port) const {
  auto found = outputs_.find(Key(node, port));
  if (found == outputs_.end()) return std::nullopt;
  return found->second;
}

void Fusions::Describe() {
  std::unordered_map<std::string_view, size_t> read;  // outputs of each node
  for (const NodeDef &node : original_) {
    by_name_.emplace(node.name, by_name_.size());
    for (std::string_view input : node.inputs) {
      const auto r = Parsed(input);
      if (!r || r->control || r->index >= INT32_MAX) continue;
      size_t &count = read[r->node];
      count = std::max(count, static_cast<size_t>(r->index) + 1);
    }
  }
  for (const NodeDef &node : original_) {
    FrontNode &front = front_.emplace_back();
    front.origin_type = std::string(node.op);
    front.name = std::string(node.name);
    for (std::string_view input : node.inputs)
      if (input.empty() || input[0] != '^') front.inputs.emplace_back(input);
    const size_t outputs = std::max<size_t>(read[node.name], 1);
    for (size_t i = 0; i < std::min<size_t>(outputs, 1000); ++i) front.outputs.push_back(Key(node.name, i));
    for (const auto &[name, bytes] : node.attrs) {
      AttrValue value = ForPasses(bytes, name);
      if (value.type() != C_VT_NONE) front.attrs.emplace_back(std::string(name), std::move(value));
    }
  }
}

bool Fusions::Run(const ParserOptions &options, const RefuseFn &refuse) {
  const auto named = Enabled(options);
  const auto all = ScopeFusionRegistry::Instance().Passes();
  std::vector<std::shared_ptr<const ScopePass>> passes;
  for (const auto &pass : all)
    if (pass->general || named.count(pass->name)) passes.push_back(pass);
  for (const std::string &name : named)
    if (std::none_of(all.begin(), all.end(), [&](const auto &pass) { return pass->name == name; }))
      Log(GE_LOG_WARNING, kOption, ": nobody registered a scope fusion pass '", name, "'");
  if (passes.empty()) return false;
  Describe();
  if (by_name_.size() != original_.size()) return false;  // two nodes of one name: the import says so
  for (const auto &pass : passes) {
    FrontNodes seen;
    for (const FrontNode &node : front_)
      if (!replaced_.count(node.name)) seen.push_back(&node);
    try {
      graphs_.push_back(Graph::Create("scope_fusion"));
      for (const ScopeReplacement &given : pass->Run(seen, *graphs_.back())) Take(*pass, given);
    } catch (const Error &e) {
      if (e.code() == GE_OUT_OF_MEMORY) throw;
      refuse(Str("scope fusion pass '", pass->name, "': ", e.what()));
    }
  }
  if (fusions_.empty()) return false;
  std::unordered_map<size_t, std::vector<size_t>> behind;
  for (size_t f = 0; f < fusions_.size(); ++f) behind[fusions_[f].after].push_back(f);
  for (size_t i = 0; i < original_.size(); ++i) {
    const NodeDef &node = original_[i];
    if (!fused_.count(node.name)) {
      auto group = replaced_.find(node.name);
      Rewrite(nodes_.emplace_back(node), group == replaced_.end() ? 0 : group->second);
    }
    for (size_t f : behind[i])
      for (const NodeDef &made : fusions_[f].nodes) Rewrite(nodes_.emplace_back(made), f + 1);
  }
  return true;
}

void Fusions::Take(const ScopePass &pass, const ScopeReplacement &given) {
  const std::string where = Str("scope '", given.name, "': ");
  auto fail = [&](auto &&...parts) { Fail(GE_PARAM_INVALID, where, parts...); };
  const size_t group = fusions_.size() + 1;
  if (given.replaced.empty()) fail("the fusion replaces no node");
  if (given.nodes.empty()) fail("the fusion makes no node");
  Fusion fusion;
  fusion.pass = pass.name;
  fusion.scope = given.name;
  std::set<std::string_view> own;
  FrontNodes from;
  for (const std::string &name : given.replaced) {
    auto found = by_name_.find(name);
    if (found == by_name_.end()) fail("'", name, "' is no node of the graph");
    if (replaced_.count(name))
      fail("node '", name, "' is replaced already, by the fusion of scope '", fusions_[replaced_.at(name) - 1].scope,
           "'");
    if (!own.insert(original_[found->second].name).second) continue;
    from.push_back(&front_[found->second]);
    fusion.after = std::max(fusion.after, found->second);
    for (std::string_view input : original_[found->second].inputs)
      if (!input.empty() && input[0] == '^') fusion.controls.push_back(input);
  }
  auto inside = [&](std::string_view input) { return own.count(input.substr(1)) != 0; };
  std::sort(fusion.controls.begin(), fusion.controls.end());
  fusion.controls.erase(std::unique(fusion.controls.begin(), fusion.controls.end()), fusion.controls.end());
  fusion.controls.erase(std::remove_if(fusion.controls.begin(), fusion.controls.end(), inside), fusion.controls.end());
  for (const ScopeReplacement::New &made : given.nodes) {
    if (made.name.empty() || made.type.empty()) fail("a new node has no name or no type");
    if (fused_.count(made.name) || (by_name_.count(made.name) && !own.count(made.name)))
      fail("the new node '", made.name, "' has the name of another node of the graph");
    FusedNode fused;
    fused.type = made.type;
    fused.made = made.made;
    fused.from = from;
    fused.pass = pass.name;
    fused.scope = given.name;
    NodeDef def;
    def.name = Keep(made.name);
    def.op = Keep(made.type);
    for (size_t i = 0; i < made.inputs.size(); ++i) {
      if (made.inputs[i].empty()) continue;
      const auto r = Parsed(made.inputs[i]);
      if (!r || r->control) fail("input ", i, " of the new node '", made.name, "' is '", made.inputs[i], "', no value");
      def.inputs.push_back(Keep(made.inputs[i]));
      fused.ports.push_back(i);
    }
    def.inputs.insert(def.inputs.end(), fusion.controls.begin(), fusion.controls.end());
    fusion.made.push_back(def.name);
    fused_.emplace(def.name, std::move(fused));
    fusion.nodes.push_back(std::move(def));
  }
  for (const auto &[before, now] : given.outputs) {
    const auto r = Parsed(before), to = Parsed(now);
    if (!r || r->control || !own.count(r->node)) fail("'", before, "' is no value of a node that the fusion replaces");
    if (!to || to->control || std::find(fusion.made.begin(), fusion.made.end(), to->node) == fusion.made.end())
      fail("'", now, "' is no value of a node that the fusion makes");
    outputs_[Keep(Key(r->node, r->index))] = Keep(now);
  }
  for (std::string_view name : own) replaced_[name] = group;
  fusions_.push_back(std::move(fusion));
}

void Fusions::Rewrite(NodeDef &node, size_t group) {
  std::vector<std::string_view> inputs;
  for (std::string_view input : node.inputs) {
    const auto r = Parsed(input);
    auto found = r ? replaced_.find(r->node) : replaced_.end();
    if (found == replaced_.end() || found->second == group) {
      inputs.push_back(input);
      continue;
    }
    const Fusion &fusion = fusions_[found->second - 1];
    if (r->control) {
      for (std::string_view made : fusion.made) inputs.push_back(Keep(Str("^", made)));
      continue;
    }
    const auto now = Now(r->node, r->index);
    if (!now)
      problems_.emplace(node.name, Str("it reads '", input, "', which scope fusion pass '", fusion.pass,
                                       "' replaced (scope '", fusion.scope, "') without an output for it"));
    inputs.push_back(now.value_or(input));
  }
  node.inputs = std::move(inputs);
}

}  // namespace gec::tensorflow
