#include "parsers/tensorflow/importer.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <functional>
#include <queue>

#include "core/ops/infer.h"
#include "core/ops/make_node.h"
#include "core/ops/registry.h"
#include "core/support/cancel.h"
#include "core/support/error.h"
#include "ge/parser_plugin.h"
#include "parsers/onnx/onnx_file.h"
#include "parsers/options.h"
#include "parsers/plugin.h"
#include "parsers/tensorflow/handlers.h"
#include "parsers/tensorflow/importer_internal.h"
#include "parsers/tensorflow/limits.h"
#include "parsers/tensorflow/plugin_node.h"

namespace gec::tensorflow {
namespace {

constexpr std::string_view kOutNodes = "ge.outputNodeName", kInputShape = "input_shape",
                           kInputNames = "input_data_names", kScopePasses = "enable_scope_fusion_passes";

bool IsIndex(std::string_view text, int64_t *value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return !text.empty() && error == std::errc() && end == text.data() + text.size() && *value >= 0;
}

/// Nodes that hold or take a value, and such as are run for their effect: not what a graph is there for.
bool IsNoResult(std::string_view op) {
  for (const char *type : {"NoOp", "Assert", "Print", "PrintV2", "Const", "HostConst", "Placeholder", "PlaceholderV2",
                           "PlaceholderWithDefault"})
    if (op == type) return true;
  return false;
}

// Outputs by name, as functions refer to them, of operators with several.
struct OutputNames {
  const char *op;
  std::vector<const char *> names;
};
const std::vector<OutputNames> &Outputs() {
  static const auto *table = new std::vector<OutputNames>{
      {"FusedBatchNorm", {"y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"}},
      {"FusedBatchNormV2", {"y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"}},
      {"FusedBatchNormV3",
       {"y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2", "reserve_space_3"}},
      {"TopK", {"values", "indices"}},
      {"TopKV2", {"values", "indices"}},
      {"Unique", {"y", "idx"}},
      {"UniqueV2", {"y", "idx"}},
      {"UniqueWithCounts", {"y", "idx", "count"}},
      {"MaxPoolWithArgmax", {"output", "argmax"}},
      {"NonMaxSuppressionV4", {"selected_indices", "valid_outputs"}},
      {"NonMaxSuppressionV5", {"selected_indices", "selected_scores", "valid_outputs"}},
      {"ListDiff", {"out", "idx"}},
      {"SoftmaxCrossEntropyWithLogits", {"loss", "backprop"}},
      {"SparseSoftmaxCrossEntropyWithLogits", {"loss", "backprop"}},
  };
  return *table;
}

/// Position of a named output; 0 for the one output, or list of outputs, of every other operator.
int64_t FirstOf(const Importer &importer, std::string_view op, std::string_view output) {
  for (const OutputNames &row : Outputs()) {
    if (op != row.op) continue;
    for (size_t i = 0; i < row.names.size(); ++i)
      if (output == row.names[i]) return static_cast<int64_t>(i);
    return -1;
  }
  if (const FunctionDef *function = importer.FindFunction(op)) {
    for (size_t i = 0; i < function->outputs.size(); ++i)
      if (function->outputs[i].name == output) return static_cast<int64_t>(i);
    return -1;
  }
  const OpEntry *entry = OpRegistry::Instance().Find(op);
  if (entry && entry->ir->outputs.size() > 1 && !FindHandler(op)) return entry->ir->FindOutput(output);
  return 0;
}

std::string OutputText(const NodeDef &node, int64_t port) {
  return std::string(node.name) + (port == 0 ? "" : ":" + std::to_string(port));
}

std::string TimeStamp() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[32];
  const size_t size = std::strftime(text, sizeof text, "%Y%m%d%H%M%S", &local);
  return std::string(text, size);
}

}  // namespace

Reference ParseReference(std::string_view text) {
  Reference r;
  if (!text.empty() && text[0] == '^') {
    r.control = true;
    text.remove_prefix(1);
  }
  auto bad = [&]() { throw NodeProblem{Reason::kInvalidModel, Str("'", text, "' is not the name of a value"), {}}; };
  if (text.empty()) bad();
  const size_t last = text.rfind(':');
  if (last == std::string_view::npos || r.control) {
    r.node = text;
    return r;
  }
  if (!IsIndex(text.substr(last + 1), &r.index)) {
    r.node = text.substr(0, last);
    r.output = text.substr(last + 1);
  } else {
    const std::string_view front = text.substr(0, last);
    const size_t colon = front.find(':');
    r.node = front.substr(0, colon);
    if (colon != std::string_view::npos) r.output = front.substr(colon + 1);
  }
  const bool cut = text.back() == ':' || text.find("::") != std::string_view::npos;
  const bool digits = !r.output.empty() && r.output.find_first_not_of("0123456789") == std::string_view::npos;
  if (r.node.empty() || cut || digits || r.index > static_cast<int64_t>(kMaxOutputs) ||
      r.node.find(':') != std::string_view::npos)
    bad();
  return r;
}

Importer::Importer(const GraphDef &def, std::string name, const ParserOptions &options)
    : def_(def), options_(options), name_(std::move(name)) {
  for (const auto &[key, value] : options)
    if (key == kInputShape) shapes_ = ParseInputShapes(key, value);
}

void Importer::Report(const std::string &node, std::string_view op, Reason reason, std::string detail,
                      std::vector<std::string> nearest) {
  onnx::Problem p;
  p.node = node;
  p.op = std::string(op);
  p.reason = reason;
  p.detail = std::move(detail);
  p.nearest = std::move(nearest);
  problems_.Add(std::move(p));
}

const FunctionDef *Importer::FindFunction(std::string_view name) const {
  auto found = def_.functions.find(name);
  return found == def_.functions.end() ? nullptr : &found->second;
}

bool Importer::IsNodeName(const std::string &name) const {
  return root_scope_ && root_scope_->by_name.count(name) != 0;
}

bool Importer::ImagesHaveChannelsLast() {
  const auto takes_otherwise = [](const NodeDef &node) {
    return std::any_of(node.attrs.begin(), node.attrs.end(), [](const auto &attr) {
      if (attr.first != "data_format") return false;
      const AttrDef format = ReadAttr(attr.second);
      const auto *text = format.template get_if<std::string_view>();
      return text && *text == "NCHW";
    });
  };
  const auto any = [&](const std::vector<NodeDef> &nodes) {
    return std::any_of(nodes.begin(), nodes.end(), takes_otherwise);
  };
  if (!channels_last_)
    channels_last_ = !any(def_.nodes) && std::none_of(def_.functions.begin(), def_.functions.end(),
                                                      [&](const auto &named) { return any(named.second.nodes); });
  return *channels_last_;
}

const Shape *Importer::ShapeFor(const std::string &input) {
  for (const auto &[name, shape] : shapes_)
    if (name == input) return &shape;
  if (unnamed_shapes_ < shapes_.size() && shapes_[unnamed_shapes_].first.empty())
    return &shapes_[unnamed_shapes_++].second;
  return nullptr;
}

bool Importer::NamedAsInput(const std::string &name) const {
  for (const auto &[input, shape] : shapes_)
    if (input == name) return true;
  for (const auto &[key, value] : options_) {
    if (key != kInputNames) continue;
    for (std::string_view rest = value; !rest.empty();) {
      const size_t comma = std::min(rest.find(','), rest.size());
      if (rest.substr(0, comma) == name) return true;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return false;
}

void Importer::Enter(Scope &scope, const std::vector<NodeDef> &nodes) {
  scope.nodes = &nodes;
  scope.values.resize(nodes.size());
  scope.by_name.reserve(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].name.empty()) Report("", nodes[i].op, Reason::kInvalidModel, Str("node ", i, " has no name"));
    else if (!scope.by_name.emplace(nodes[i].name, i).second)
      Report(std::string(nodes[i].name), nodes[i].op, Reason::kInvalidModel, "two nodes have this name");
  }
}

Endpoint Importer::Resolve(Scope &scope, std::string_view text, bool *poisoned) {
  const Reference r = ParseReference(text);
  auto refuse = [&](std::string detail) { throw NodeProblem{Reason::kInvalidModel, std::move(detail), {}}; };
  if (scope.function) {
    auto arg = scope.args.find(r.node);
    if (arg != scope.args.end()) {
      if (r.index >= static_cast<int64_t>(arg->second.size()))
        refuse(Str("'", text, "': the argument has ", arg->second.size(), " values"));
      return arg->second[static_cast<size_t>(r.index)];
    }
  }
  auto found = scope.by_name.find(r.node);
  if (found == scope.by_name.end()) refuse(Str("input '", text, "' is not in the graph"));
  Imported &value = scope.values[found->second];
  const NodeDef &def = (*scope.nodes)[found->second];
  int64_t port = r.index;
  if (!r.output.empty()) {
    if (!scope.function)
      refuse(Str("'", text, "' is not the name of a value: outside of functions outputs have numbers"));
    const int64_t first = FirstOf(*this, def.op, r.output);
    if (first < 0) refuse(Str("'", text, "': ", def.op, " has no output '", r.output, "'"));
    port += first;
  }
  if (value.poisoned) *poisoned = true;
  const size_t at = static_cast<size_t>(port);
  if (value.poisoned && value.main == nullptr && at < kMaxOutputs) {
    // A stand-in, so that what reads it can be looked at, too.
    if (at >= value.outputs.size()) value.outputs.resize(at + 1);
    if (!value.outputs[at]) {
      Node *data = MakeNode(*scope.graph, "Data", scope.graph->UniqueName(std::string(def.name)));
      scope.graph->SetOutputDesc(data, 0, TensorDesc(C_DT_UNDEFINED, Shape::UnknownRank()));
      value.outputs[at] = {data, 0};
    }
  }
  if (at >= value.outputs.size())
    refuse(Str("input '", text, "': ", def.op, " '", def.name, "' has ", value.outputs.size(), " outputs"));
  if (!value.outputs[at]) {
    throw NodeProblem{
        Reason::kUnsupportedUse, Str("output ", port, " of ", def.op, " '", def.name, "' is not computed"), {}};
  }
  return value.outputs[at];
}

bool Importer::Mark(Scope &scope, const std::vector<size_t> &from) {
  const size_t before = problems_.total();
  std::vector<size_t> stack = from;
  for (size_t i : from) scope.values[i].wanted = true;
  while (!stack.empty()) {
    const size_t i = stack.back();
    stack.pop_back();
    const NodeDef &node = (*scope.nodes)[i];
    const std::string *lost = fusions_ && !scope.function ? fusions_->Problem(node.name) : nullptr;
    if (lost) Report(std::string(node.name), node.op, Reason::kPlugin, *lost);
    for (std::string_view input : node.inputs) {
      Reference r;
      try {
        r = ParseReference(input);
      } catch (const NodeProblem &p) {
        Report(scope.prefix + std::string(node.name), node.op, p.reason, p.detail);
        continue;
      }
      if (r.control || scope.args.count(r.node)) continue;
      auto found = scope.by_name.find(r.node);
      if (found == scope.by_name.end()) {
        Report(scope.prefix + std::string(node.name), node.op, Reason::kInvalidModel,
               Str("input '", input, "' is not in the graph"));
      } else if (!scope.values[found->second].wanted) {
        scope.values[found->second].wanted = true;
        stack.push_back(found->second);
      }
    }
    if (FindFused(scope, node.name)) continue;
    // Their edges form cycles, so nothing else can be said of such a graph.
    const char *why = WhyUnsupported(node.op);
    if (why && !(has_plugins_ && ParserPluginRegistry::Instance().Find(GE_FRAMEWORK_TENSORFLOW, std::string(node.op))))
      Report(scope.prefix + std::string(node.name), node.op, Reason::kUnsupportedOperator, why);
  }
  return problems_.total() == before;
}

void Importer::ImportMarked(Scope &scope) {
  const size_t count = scope.nodes->size();
  std::vector<std::vector<size_t>> users(count);
  std::vector<size_t> waiting(count);
  std::priority_queue<size_t, std::vector<size_t>, std::greater<size_t>> ready;
  size_t wanted = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!scope.values[i].wanted) continue;
    ++wanted;
    for (std::string_view input : (*scope.nodes)[i].inputs) {
      const Reference r = ParseReference(input);
      auto found = scope.by_name.find(r.node);
      if (found == scope.by_name.end() || (!r.control && scope.args.count(r.node)) ||
          !scope.values[found->second].wanted)
        continue;
      users[found->second].push_back(i);
      ++waiting[i];
    }
    if (waiting[i] == 0) ready.push(i);
  }
  size_t done = 0;
  while (!ready.empty()) {
    const size_t i = ready.top();
    ready.pop();
    ++done;
    ImportNode(scope, i);
    for (size_t user : users[i])
      if (--waiting[user] == 0) ready.push(user);
  }
  if (done != wanted) {
    std::string names;
    size_t listed = 0;
    for (size_t i = 0; i < count && listed < 5; ++i) {
      if (waiting[i] == 0) continue;
      names += (listed++ ? ", '" : "'") + scope.prefix + std::string((*scope.nodes)[i].name) + "'";
    }
    Report("", "", Reason::kInvalidModel,
           Str(wanted - done, " nodes form a cycle or depend on one: ", names, wanted - done > 5 ? ", …" : ""));
    return;
  }
  ConnectControls(scope);
}

void Importer::ConnectControls(Scope &scope) {
  for (size_t i = 0; i < scope.nodes->size(); ++i) {
    Node *node = scope.values[i].main;
    if (!node || IsConstType(node->type()) || IsDataType(node->type())) continue;
    for (std::string_view input : (*scope.nodes)[i].inputs) {
      const Reference r = ParseReference(input);
      auto found = r.control ? scope.by_name.find(r.node) : scope.by_name.end();
      if (found == scope.by_name.end()) continue;
      Node *before = scope.values[found->second].main;
      if (!before || before == node || IsConstType(before->type()) || IsDataType(before->type())) continue;
      scope.graph->AddControl(before, node);
    }
  }
}

void Importer::ImportNode(Scope &scope, size_t index) {
  const NodeDef &def = (*scope.nodes)[index];
  const std::string name = scope.prefix + std::string(def.name);
  CheckCancelled([&] { return Str("before node '", name, "' of the file"); });
  Imported &value = scope.values[index];
  value.done = true;
  bool poisoned = false;
  try {
    NodeContext context(*this, scope, index);
    poisoned = context.poisoned();
    std::shared_ptr<const ParserPlugin> plugin;
    if (has_plugins_) plugin = ParserPluginRegistry::Instance().Find(GE_FRAMEWORK_TENSORFLOW, std::string(def.op));
    if (const FusedNode *fused = FindFused(scope, def.name)) PlaceFused(context, *fused);
    else if (plugin) TranslateByPlugin(context, *plugin);
    else if (const Handler *handler = FindHandler(def.op)) handler->fn(context);
    else if (FindFunction(def.op)) CallByName(context);
    else TakeByPrototype(context);
    context.Finish();
    return;
  } catch (const NodeProblem &p) {
    // A value that is unknown only because an earlier node failed is not reported again.
    const bool follows = poisoned && (p.reason == Reason::kNeedsStatic || p.reason == Reason::kInference);
    if (!follows) Report(name, def.op, p.reason, p.detail, p.nearest);
  } catch (const Error &e) {
    // A rule of the format or of the graph that the node breaks; only what is nobody's fault goes on.
    if (e.code() == GE_OUT_OF_MEMORY || e.code() == GE_FAILED) throw;
    Report(name, def.op, e.code() == GE_UNSUPPORTED ? Reason::kUnsupportedType : Reason::kInvalidModel, e.what());
  }
  value = Imported();
  value.done = value.wanted = value.poisoned = true;
}

std::vector<Endpoint> Importer::Call(NodeContext &caller, std::string_view name, const Attrs &attrs, Graph &graph,
                                     const std::vector<Endpoint> &args, const std::string &prefix, bool *poisoned) {
  const FunctionDef *function = FindFunction(name);
  if (!function) caller.Refuse(Reason::kInvalidModel, Str("function '", name, "' is not in the graph's library"));
  Scope body;
  body.graph = &graph;
  body.function = function;
  body.caller = &caller.scope();
  body.prefix = prefix;
  body.depth = caller.scope().depth + 1;
  if (body.depth > kMaxDepth)
    caller.Refuse(Reason::kLimit, Str("functions call each other deeper than ", kMaxDepth, " levels"));
  for (const Scope *s = body.caller; s; s = s->caller)
    if (s->function == function) caller.Refuse(Reason::kUnsupportedUse, Str("function '", name, "' calls itself"));
  written_out_ += function->nodes.size();
  if (written_out_ > kMaxNodes)
    caller.Refuse(Reason::kLimit, Str("functions expand to more than ", kMaxNodes, " nodes"));
  for (const auto &[key, value] : function->defaults) body.attrs[key] = value;
  for (const auto &[key, value] : attrs) {
    const AttrDef attr = ReadAttr(value);
    const auto *outer = attr.get_if<PlaceholderDef>();
    if (!outer) {
      body.attrs[key] = value;
      continue;
    }
    auto given = caller.scope().attrs.find(outer->name);
    if (given != caller.scope().attrs.end()) body.attrs[key] = given->second;
  }
  size_t next = 0;
  for (const ArgDef &arg : function->inputs) {
    size_t count = 1;
    const std::string_view list = arg.number_attr.empty() ? arg.type_list_attr : arg.number_attr;
    if (!list.empty()) {
      auto given = body.attrs.find(list);
      const AttrDef attr = given == body.attrs.end() ? AttrDef() : ReadAttr(given->second);
      const auto *number = attr.get_if<int64_t>();
      const auto *types = attr.get_if<ListDef>();
      if (!number && !types)
        caller.Refuse(Reason::kInvalidModel, Str("function '", name, "': attribute '", list, "' is not given"));
      count = number ? static_cast<size_t>(std::max<int64_t>(*number, 0)) : types->types.size();
    }
    if (count > args.size() - next)
      caller.Refuse(Reason::kInvalidModel, Str("function '", name, "' takes more than the ", args.size(),
                                               " values it is given: '", arg.name, "' is missing"));
    body.args[arg.name].assign(args.begin() + static_cast<std::ptrdiff_t>(next),
                               args.begin() + static_cast<std::ptrdiff_t>(next + count));
    next += count;
  }
  if (next != args.size())
    caller.Refuse(Reason::kInvalidModel,
                  Str("function '", name, "' takes ", next, " values, it is given ", args.size()));
  Enter(body, function->nodes);
  std::vector<size_t> from;
  std::vector<std::string_view> results;
  for (const ArgDef &out : function->outputs) {
    auto result = function->results.find(out.name);
    if (result == function->results.end())
      caller.Refuse(Reason::kInvalidModel, Str("function '", name, "' has no value for its output '", out.name, "'"));
    if (!out.number_attr.empty() || !out.type_list_attr.empty())
      caller.Refuse(Reason::kUnsupportedUse, Str("function '", name, "': output '", out.name, "' is a list"));
    results.push_back(result->second);
    const Reference r = ParseReference(result->second);
    if (body.args.count(r.node)) continue;
    auto node = body.by_name.find(r.node);
    if (node == body.by_name.end())
      caller.Refuse(Reason::kInvalidModel, Str("function '", name, "': '", result->second, "' is not defined"));
    from.push_back(node->second);
  }
  const size_t before = problems_.total();
  if (Mark(body, from)) ImportMarked(body);
  std::vector<Endpoint> values;
  // Its problems are listed; what it would give is not asked for.
  if (problems_.total() != before) {
    *poisoned = true;
    return values;
  }
  for (std::string_view result : results) values.push_back(Resolve(body, result, poisoned));
  return values;
}

std::string Importer::SubgraphName(const std::string &hint) {
  std::string name = hint;
  while (root_->name() == name || root_->FindSubgraph(name)) name = Str(hint, "_", ++subgraph_count_);
  return name;
}

void Importer::AddNetOutput(Graph &graph, const std::vector<Endpoint> &outputs) {
  const OpEntry *entry = OpRegistry::Instance().Find("NetOutput");
  if (!entry) return graph.SetOutputs(outputs);
  const int32_t count = static_cast<int32_t>(outputs.size());
  std::vector<int32_t> dynamic_out;
  for (const IrPort &p : entry->ir->outputs)
    if (p.kind == GE_IR_DYNAMIC) dynamic_out.push_back(0);
  Node *node =
      graph.AddNode(entry->ir, graph.UniqueName("NetOutput"), &count, 1, dynamic_out.data(), dynamic_out.size());
  for (int32_t i = 0; i < count; ++i) graph.Connect(outputs[static_cast<size_t>(i)], node, i);
}

std::vector<size_t> Importer::UnreadNodes(const Scope &scope) const {
  std::vector<bool> read(scope.nodes->size());
  for (const NodeDef &node : *scope.nodes) {
    for (std::string_view input : node.inputs) {
      if (input.empty() || input[0] == '^') continue;
      auto found = scope.by_name.find(input.substr(0, input.find(':')));
      if (found != scope.by_name.end()) read[found->second] = true;
    }
  }
  std::vector<size_t> leaves;
  for (size_t i = 0; i < read.size(); ++i)
    if (!read[i] && !IsNoResult((*scope.nodes)[i].op) && !(fusions_ && fusions_->Replaced((*scope.nodes)[i].name)))
      leaves.push_back(i);
  return leaves;
}

std::vector<Wanted> Importer::WantedOutputs(const Scope &scope) const {
  std::vector<Wanted> wanted;
  bool named = false;
  for (const auto &[key, value] : options_) {
    if (key != kOutNodes || value.empty()) continue;
    named = true;
    for (std::string_view rest = value; !rest.empty();) {
      const size_t end = std::min(rest.find(';'), rest.size());
      const std::string_view item = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      int64_t port = 0;
      const size_t colon = item.rfind(':');
      if (colon != std::string_view::npos && !IsIndex(item.substr(colon + 1), &port))
        Fail(GE_OPTION_INVALID, key, " '", item, "' is not of the form node:port");
      std::string_view node = item.substr(0, colon);
      if (fusions_ && fusions_->Replaced(node)) {
        const auto now = fusions_->Now(node, port);
        if (!now)
          Fail(GE_OPTION_INVALID, key, " '", item, "': scope fusion replaced the node without an output for it");
        const Reference r = ParseReference(*now);
        node = r.node;
        port = r.index;
      }
      auto found = scope.by_name.find(node);
      if (found == scope.by_name.end()) {
        std::vector<std::string> names;
        for (const NodeDef &node : *scope.nodes) names.emplace_back(node.name);
        std::string near;
        for (const std::string &name : NearNames(std::string(item.substr(0, colon)), names))
          near += (near.empty() ? "; nearest: '" : ", '") + name + "'";
        Fail(GE_OPTION_INVALID, key, " '", item, "': the graph has no node '", item.substr(0, colon), "'", near);
      }
      wanted.push_back({std::string(item), found->second, port});
    }
  }
  if (named) return wanted;
  for (size_t i : UnreadNodes(scope)) wanted.push_back({"", i, -1});
  return wanted;
}

void Importer::FuseScopes() {
  auto fusions = std::make_unique<Fusions>(def_.nodes);
  if (fusions->Run(options_, [this](std::string detail) { Report("", "", Reason::kPlugin, std::move(detail)); }))
    fusions_ = std::move(fusions);
}

GraphPtr Importer::Run() {
  LoadParserPlugins(GE_FRAMEWORK_TENSORFLOW);
  has_plugins_ = !ParserPluginRegistry::Instance().Empty(GE_FRAMEWORK_TENSORFLOW);
  root_ = Graph::Create(name_);
  Scope scope;
  scope.graph = root_.get();
  root_scope_ = &scope;
  FuseScopes();
  if (!problems_.empty()) return nullptr;
  Enter(scope, fusions_ ? fusions_->nodes() : def_.nodes);
  const std::vector<Wanted> wanted = WantedOutputs(scope);
  if (wanted.empty() && problems_.empty()) {
    Report("", "", Reason::kInvalidModel, "the graph has no outputs; option ge.outputNodeName names them");
    return nullptr;
  }
  std::vector<size_t> from;
  for (const Wanted &w : wanted) from.push_back(w.node);
  if (!Mark(scope, from)) return nullptr;
  ImportMarked(scope);
  std::vector<Endpoint> outputs;
  std::vector<std::string> names;
  for (const Wanted &w : wanted) {
    const Imported &value = scope.values[w.node];
    const NodeDef &def = (*scope.nodes)[w.node];
    if (value.poisoned || !value.done) continue;  // listed as a problem
    if (w.port >= static_cast<int64_t>(value.outputs.size()) ||
        (w.port >= 0 && !value.outputs[static_cast<size_t>(w.port)]))
      Fail(GE_OPTION_INVALID, kOutNodes, " '", w.text, "': ", def.op, " '", def.name, "' has ", value.outputs.size(),
           " outputs");
    for (size_t k = 0; k < value.outputs.size(); ++k) {
      if (!value.outputs[k] || (w.port >= 0 && k != static_cast<size_t>(w.port))) continue;
      outputs.push_back(value.outputs[k]);
      names.push_back(w.text.empty() ? OutputText(def, static_cast<int64_t>(k)) : w.text);
    }
  }
  root_scope_ = nullptr;
  if (!problems_.empty()) return nullptr;
  AddNetOutput(*root_, outputs);
  root_->SetGraphAttr("_output_names", std::move(names));
  try {
    root_->Verify();
  } catch (const Error &e) {
    Report("", "", Reason::kInvalidModel, e.what());
    return nullptr;
  }
  for (const auto &[key, value] : options_)
    if (key != kOutNodes && key != kScopePasses) ApplyParserOption(*root_, key, value);
  return root_;
}

namespace {

GraphPtr Import(const uint8_t *data, uint64_t size, bool text, const std::string &stem, const std::string &path,
                const ParserOptions &options, const ReportFn &report) {
  for (const auto &[key, value] : options) CheckParserOptionKey(key);
  const std::string where = path.empty() ? "" : "'" + path + "': ";
  std::string encoded;
  GraphDef def;
  try {
    if (text) {
      encoded = EncodeText({reinterpret_cast<const char *>(data), size});
      data = reinterpret_cast<const uint8_t *>(encoded.data());
      size = encoded.size();
    }
    def = ReadGraphDef(data, size);
  } catch (const Error &e) {
    if (e.code() == GE_OUT_OF_MEMORY) throw;
    if (report) {
      onnx::ProblemList list;
      onnx::Problem p;
      p.detail = e.what();
      list.Add(p);
      report(list.Json());
    }
    Fail(e.code(), where, e.what());
  }
  Importer importer(def, stem + "_" + TimeStamp(), options);
  GraphPtr graph = importer.Run();
  if (graph) return graph;
  if (report) report(importer.problems().Json());
  Fail(importer.problems().code(), where, importer.problems().Text("the TensorFlow graph"));
}

bool EndsWith(const std::string &text, std::string_view tail) {
  return text.size() >= tail.size() && std::string_view(text).substr(text.size() - tail.size()) == tail;
}

/// Asked of what is no encoded graph: a text begins with the name of a field or with a comment.
bool LooksLikeText(const uint8_t *data, uint64_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), std::min<uint64_t>(size, 4096));
  const size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return false;
  text.remove_prefix(start);
  for (std::string_view first : {"node", "library", "versions", "version", "#"})
    if (text.substr(0, first.size()) == first) return true;
  return false;
}

std::string StemOf(const std::string &path) {
  const size_t slash = path.rfind('/');
  std::string stem = slash == std::string::npos ? path : path.substr(slash + 1);
  stem.resize(std::min(stem.rfind('.'), stem.size()));
  return stem.empty() ? "graph" : stem;
}

}  // namespace

GraphPtr ImportFile(const std::string &path, const ParserOptions &options, const ReportFn &report) {
  auto file = onnx::MappedFile::Open(path, kMaxFileBytes);
  const bool named = EndsWith(path, ".pbtxt") || EndsWith(path, ".prototxt");
  const bool text =
      !LooksLikeGraphDef(file->data(), file->size()) && (named || LooksLikeText(file->data(), file->size()));
  return Import(file->data(), file->size(), text, StemOf(path), path, options, report);
}

GraphPtr ImportBuffer(const void *data, size_t size, const ParserOptions &options, const ReportFn &report) {
  const auto *bytes = static_cast<const uint8_t *>(data);
  const bool text = !LooksLikeGraphDef(bytes, size) && LooksLikeText(bytes, size);
  return Import(bytes, size, text, "graph", "", options, report);
}

bool IsGraphFile(const std::string &path) {
  auto file = onnx::MappedFile::Open(path, kMaxFileBytes);
  return IsGraph(file->data(), file->size());
}

bool IsGraph(const void *data, size_t size) {
  const auto *bytes = static_cast<const uint8_t *>(data);
  return size != 0 && (LooksLikeGraphDef(bytes, size) || LooksLikeText(bytes, size));
}

}  // namespace gec::tensorflow
