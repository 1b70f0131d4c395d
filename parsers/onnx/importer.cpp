#include "parsers/onnx/importer.h"

#include <string.h>

#include <algorithm>
#include <functional>
#include <queue>

#include "core/ir/types.h"
#include "core/ops/make_node.h"
#include "core/ops/registry.h"
#include "core/support/cancel.h"
#include "core/support/error.h"
#include "core/support/memory.h"
#include "ge/parser_plugin.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/importer_internal.h"
#include "parsers/onnx/limits.h"
#include "parsers/onnx/node_context.h"
#include "parsers/onnx/plugin_node.h"

namespace gec::onnx {
namespace {

constexpr int32_t kOnnxText = 8;  // element type

std::string Text(const char *s) { return s ? s : ""; }

std::string DomainOf(const Onnx__NodeProto &node) {
  std::string domain = Text(node.domain);
  return domain == "ai.onnx" ? "" : domain;
}

// Names a node reads, those that its subgraphs read from outside included (their own names are over-approximated away).
void UsedNames(const Onnx__NodeProto &node, size_t depth, const std::function<void(const char *)> &use) {
  for (size_t i = 0; i < node.n_input; ++i) {
    if (node.input[i] && *node.input[i]) use(node.input[i]);
  }
  if (depth > kMaxGraphDepth) return;
  auto body = [&](const Onnx__GraphProto *g) {
    for (size_t i = 0; i < g->n_node; ++i) UsedNames(*g->node[i], depth + 1, use);
    for (size_t i = 0; i < g->n_output; ++i) {
      if (g->output[i]->name) use(g->output[i]->name);
    }
  };
  for (size_t i = 0; i < node.n_attribute; ++i) {
    if (node.attribute[i]->g) body(node.attribute[i]->g);
    for (size_t k = 0; k < node.attribute[i]->n_graphs; ++k) body(node.attribute[i]->graphs[k]);
  }
}

}  // namespace

void Importer::Report(const Onnx__NodeProto *node, int64_t opset, Reason reason, std::string detail,
                      std::vector<std::string> nearest) {
  Problem p;
  if (node) {
    p.node = NodeText(*node);
    p.op = OperatorText(*node);
  }
  p.opset = opset;
  p.reason = reason;
  p.detail = std::move(detail);
  p.nearest = std::move(nearest);
  problems_.Add(std::move(p));
}

TensorPtr Importer::Take(Onnx__TensorProto *tensor) {
  auto found = taken_.find(tensor);
  if (found != taken_.end()) return found->second;
  TensorPtr value;
  try {
    value = TakeTensor(tensor, &external_);
  } catch (const Error &e) {
    if (e.code() == GE_OUT_OF_MEMORY) throw;
    Reason reason = e.code() == GE_PATH_INVALID  ? Reason::kExternalData
                    : e.code() == GE_UNSUPPORTED ? Reason::kUnsupportedType
                                                 : Reason::kInvalidModel;
    throw NodeProblem{reason, e.what(), {}};
  }
  taken_[tensor] = value;
  return value;
}

Endpoint Importer::Lookup(Scope &scope, const std::string &name, bool *poisoned) {
  if (const Endpoint *found = scope.values.find(name)) {
    if (poisoned && scope.poisoned.count(name)) *poisoned = true;
    return *found;
  }
  auto init = scope.initializers.find(name);
  if (init != scope.initializers.end()) {
    if (init->second->data_type == kOnnxText) return {};  // LookupValue makes two tensors of it
    Node *node = MakeConst(*scope.graph, Take(init->second), scope.prefix + name);
    scope.graph->SetOrigins(node, {name});
    return scope.values[name] = {node, 0};
  }
  if (!scope.outer || scope.others.count(name)) return {};
  bool outer_tainted = false;
  Endpoint outer = Lookup(*scope.outer, name, &outer_tainted);
  if (!outer) return {};
  if (outer_tainted) {
    scope.poisoned.insert(name);
    if (poisoned) *poisoned = true;
  }
  if (scope.outer->graph == scope.graph) return outer;
  return scope.values[name] = CaptureOf(scope, outer, name);
}

Endpoint Importer::CaptureOf(Scope &scope, Endpoint outer, const std::string &name) {
  if (TensorPtr value = ConstantOf(outer)) {
    Node *node = MakeConst(*scope.graph, value, name);
    scope.graph->SetOrigins(node, outer.node->origins());
    return {node, 0};
  }
  Node *data = MakeNode(*scope.graph, "Data", name);
  scope.graph->SetOutputDesc(data, 0, outer.node->output_desc(outer.port));
  scope.captures.push_back({outer, data});
  return {data, 0};
}

Value Importer::LookupValue(Scope &scope, const std::string &name, bool *poisoned) {
  if (const auto found = scope.others.find(name); found != scope.others.end()) {
    if (poisoned && scope.poisoned.count(name)) *poisoned = true;
    return found->second;
  }
  const auto init = scope.initializers.find(name);
  if (init != scope.initializers.end() && init->second->data_type == kOnnxText && !scope.values.contains(name)) {
    const auto [texts, shape] = TextsOf(*init->second);
    const auto [places, bytes] = TextTensors(texts, shape);
    std::vector<Endpoint> parts;
    for (const TensorPtr &t : {places, bytes}) {
      parts.push_back({MakeConst(*scope.graph, t, scope.prefix + name), 0});
      scope.graph->SetOrigins(parts.back().node, {name});
    }
    return scope.others[name] = Value::Text(parts[0], parts[1]);
  }
  if (const Endpoint e = Lookup(scope, name, poisoned)) return e;
  if (!scope.outer) return {};
  Value outer = LookupValue(*scope.outer, name, poisoned);
  if (!outer || scope.outer->graph == scope.graph) return outer;
  for (Endpoint &part : outer.parts) part = CaptureOf(scope, part, name);
  if (outer.list) {
    Make(outer.list->tensors.size() * kBytesOfNode, Str("sequence '", name, "', which a body reads,"));
    std::vector<Endpoint> inside;
    for (Endpoint e : outer.list->tensors) inside.push_back(CaptureOf(scope, e, name));
    outer = Value::List(std::move(inside), outer.element);
  }
  return scope.others[name] = outer;
}

std::pair<std::vector<std::string>, Shape> Importer::TextsOf(const Onnx__TensorProto &tensor) {
  const std::string what = Str("tensor '", Text(tensor.name), "'");
  try {
    const Shape shape = CheckedShape(tensor.dims, tensor.n_dims, what);
    if (tensor.n_string_data != static_cast<uint64_t>(shape.elements()))
      throw NodeProblem{Reason::kInvalidModel,
                        Str(what, " has ", tensor.n_string_data, " texts, its dimensions ask for ", shape.elements()),
                        {}};
    std::vector<std::string> texts;
    for (size_t i = 0; i < tensor.n_string_data; ++i)
      texts.emplace_back(reinterpret_cast<const char *>(tensor.string_data[i].data), tensor.string_data[i].len);
    return {std::move(texts), shape};
  } catch (const Error &e) {
    throw NodeProblem{Reason::kInvalidModel, e.what(), {}};
  }
}

std::pair<TensorPtr, TensorPtr> TextTensors(const std::vector<std::string> &texts, const Shape &shape) {
  std::vector<int64_t> places;
  std::vector<uint8_t> bytes;
  for (const std::string &text : texts) {
    places.push_back(static_cast<int64_t>(bytes.size()));
    for (uint64_t size = text.size(), i = 0; i < 8; ++i, size >>= 8) bytes.push_back(static_cast<uint8_t>(size & 255));
    bytes.insert(bytes.end(), text.begin(), text.end());
  }
  return {Tensor::Of<int64_t>(C_DT_INT64, shape, places),
          Tensor::Of<uint8_t>(C_DT_UINT8, Shape{static_cast<int64_t>(bytes.size())}, bytes)};
}

void Importer::Bind(Scope &scope, const std::string &name, const Value &value) {
  if (value.is_tensor()) scope.values[name] = value.parts[0];
  else scope.others[name] = value;
}

void Importer::ReadOpsets() {
  for (size_t i = 0; i < model_->n_opset_import; ++i) {
    std::string domain = Text(model_->opset_import[i]->domain);
    if (domain == "ai.onnx") domain.clear();
    opsets_[domain] = model_->opset_import[i]->version;
  }
  auto onnx = opsets_.find("");
  if (onnx == opsets_.end()) {
    // Files of IR version 1 and 2 have no such list and mean version 1.
    if (model_->ir_version >= 3) {
      bool needed = false;
      for (size_t i = 0; i < model_->graph->n_node; ++i) needed |= DomainOf(*model_->graph->node[i]).empty();
      if (needed) Report(nullptr, 0, Reason::kInvalidModel, "the model imports no version of the ONNX operator set");
    }
    opsets_[""] = 1;
  } else if (onnx->second < 1 || onnx->second > kNewestOpset) {
    Report(nullptr, onnx->second, Reason::kUnsupportedOpset,
           Str("the model uses operator set ", onnx->second, "; versions 1 to ", kNewestOpset, " are supported"));
  }
}

Node *Importer::AddData(Scope &scope, const std::string &name, int64_t index, const Onnx__TypeProto *type) {
  Graph &graph = *scope.graph;
  Node *data = MakeNode(graph, "Data", scope.prefix + name);
  graph.SetAttr(data, "index", index);
  graph.SetOrigins(data, {name});
  TensorDesc desc(C_DT_UNDEFINED, Shape::UnknownRank());
  if (type && type->tensor_type) {
    const Onnx__TypeProto__Tensor *t = type->tensor_type;
    if (t->has_elem_type && t->elem_type != 0) {
      desc.dtype = GeTypeOf(t->elem_type);
      if (desc.dtype < 0 || desc.dtype == C_DT_STRING) {
        Report(nullptr, 0, Reason::kUnsupportedType,
               Str("input '", name, "' has element type ", OnnxTypeName(t->elem_type), ", which is not supported"));
        desc.dtype = C_DT_UNDEFINED;
      }
    }
    if (t->shape) {
      if (t->shape->n_dim > GE_MAX_RANK) {
        Report(nullptr, 0, Reason::kLimit,
               Str("input '", name, "' has rank ", t->shape->n_dim, ", the limit is ", GE_MAX_RANK));
      } else {
        Shape shape;
        for (size_t i = 0; i < t->shape->n_dim; ++i) {
          const auto *dim = t->shape->dim[i];
          int64_t extent = dim->has_dim_value ? dim->dim_value : -1;
          if (extent < -1 || extent > kMaxDim) {
            Report(nullptr, 0, Reason::kInvalidModel,
                   Str("input '", name, "': dimension ", i, " is ", extent, ", allowed are 0 to ", kMaxDim,
                       ", and -1 for any"));
            extent = -1;
          }
          shape.dims().push_back(extent);
        }
        try {
          if (shape.known() && desc.dtype != C_DT_UNDEFINED) ByteSize(desc.dtype, shape.elements());
        } catch (const Error &e) {
          Report(nullptr, 0, Reason::kLimit, Str("input '", name, "': ", e.what()));
        }
        desc.SetShape(shape);
      }
    }
  } else if (type && (type->sequence_type || type->map_type || type->optional_type || type->sparse_tensor_type)) {
    Report(nullptr, 0, Reason::kUnsupportedType, Str("input '", name, "' is not a tensor"));
  }
  graph.SetOutputDesc(data, 0, std::move(desc));
  return data;
}

void Importer::ImportInputs(Scope &scope) {
  const Onnx__GraphProto *graph = model_->graph;
  int64_t index = 0;
  for (size_t i = 0; i < graph->n_input; ++i) {
    std::string name = Text(graph->input[i]->name);
    if (name.empty()) {
      Report(nullptr, 0, Reason::kInvalidModel, Str("graph input ", i, " has no name"));
      continue;
    }
    if (scope.initializers.count(name)) continue;  // a default value
    if (scope.values.contains(name) || scope.others.count(name)) {
      Report(nullptr, 0, Reason::kInvalidModel, Str("graph input '", name, "' is declared twice"));
      continue;
    }
    const Onnx__TypeProto *type = graph->input[i]->type;
    if (IsOther(type)) {
      ImportOther(scope, name, &index, type);
      continue;
    }
    if (!type || !type->tensor_type || !type->tensor_type->has_elem_type || type->tensor_type->elem_type == 0) {
      if (!type || type->tensor_type || !(type->sequence_type || type->map_type || type->optional_type)) {
        Report(nullptr, 0, Reason::kInvalidModel, Str("graph input '", name, "' has no element type"));
      }
    }
    scope.values[name] = {AddData(scope, name, index++, type), 0};
  }
  ImportOverridable(scope, index);
}

void Importer::Make(uint64_t bytes, const std::string &what) {
  if (!MayMake(bytes))
    Fail(GE_MODEL_INVALID, what, " has ", bytes, " bytes, which exceeds what is left of ", limit_,
         " bytes (option import_limit)");
  made_ += bytes;
}

void Importer::ImportBody(Scope &scope, Onnx__GraphProto *graph) {
  for (size_t i = 0; i < graph->n_initializer; ++i) {
    std::string name = Text(graph->initializer[i]->name);
    if (name.empty()) {
      Report(nullptr, 0, Reason::kInvalidModel, Str("initializer ", i, " has no name"));
    } else if (!scope.initializers.emplace(name, graph->initializer[i]).second) {
      Report(nullptr, 0, Reason::kInvalidModel, Str("initializer '", name, "' is defined twice"));
    }
  }
  for (size_t i = 0; i < graph->n_sparse_initializer; ++i) {
    Onnx__SparseTensorProto *sparse = graph->sparse_initializer[i];
    std::string name = Text(sparse->values ? sparse->values->name : nullptr);
    try {
      TensorPtr value =
          TakeSparseTensor(sparse, &external_, [this](uint64_t bytes, const std::string &what) { Make(bytes, what); });
      Node *node = MakeConst(*scope.graph, std::move(value), scope.prefix + name);
      scope.values[name] = {node, 0};
    } catch (const Error &e) {
      if (e.code() == GE_OUT_OF_MEMORY) throw;
      Report(nullptr, 0, Reason::kInvalidModel, e.what());
    }
  }
  for (size_t i = 0; i < graph->n_value_info; ++i) {
    if (graph->value_info[i]->name) scope.types[graph->value_info[i]->name] = graph->value_info[i]->type;
  }
  for (size_t i = 0; i < graph->n_output; ++i) {
    if (graph->output[i]->name) scope.types[graph->output[i]->name] = graph->output[i]->type;
  }
  if (!scope.outer && !scope.call) ImportInputs(scope);
  ImportNodes(scope, graph->node, graph->n_node);
}

std::vector<size_t> Importer::SortedNodes(Scope &scope, Onnx__NodeProto **nodes, size_t count) {
  NameTable<std::string_view, size_t> maker;
  maker.reserve(count);
  scope.values.reserve(count + scope.initializers.size());
  for (size_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < nodes[i]->n_output; ++k) {
      const char *name = nodes[i]->output[k];
      if (!name || !*name) continue;
      if (!maker.insert(name, i) || scope.values.contains(name) || scope.others.count(name) ||
          scope.initializers.count(name)) {
        Report(nodes[i], 0, Reason::kInvalidModel, Str("output '", name, "' is defined twice"));
      }
    }
  }
  std::vector<size_t> order;
  order.reserve(count);
  // Models are sorted as a rule: then every name is made before it is used.
  bool sorted = true;
  for (size_t i = 0; i < count && sorted; ++i) {
    UsedNames(*nodes[i], 0, [&](const char *name) {
      const size_t *found = maker.find(name);
      sorted &= !found || *found < i;
    });
    order.push_back(i);
  }
  if (sorted) return order;
  order.clear();
  std::vector<std::vector<size_t>> users(count);
  std::vector<size_t> waiting(count, 0);
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < count; ++i) {
    std::vector<size_t> from;
    UsedNames(*nodes[i], 0, [&](const char *name) {
      if (const size_t *found = maker.find(name)) from.push_back(*found);
    });
    std::sort(from.begin(), from.end());
    from.erase(std::unique(from.begin(), from.end()), from.end());
    for (size_t f : from) {
      bool own = f == i;
      // A subgraph may define a name that its own node also returns; only a direct input is a cycle.
      if (own) {
        bool direct = false;
        for (size_t k = 0; k < nodes[i]->n_input; ++k) {
          for (size_t o = 0; o < nodes[i]->n_output; ++o) {
            direct |= *nodes[i]->input[k] && !strcmp(nodes[i]->input[k], nodes[i]->output[o]);
          }
        }
        if (!direct) continue;
      }
      users[f].push_back(i);
      ++waiting[i];
    }
    if (waiting[i] == 0) ready.push(i);
  }
  while (!ready.empty()) {
    size_t i = ready.top();
    ready.pop();
    order.push_back(i);
    for (size_t u : users[i]) {
      if (--waiting[u] == 0) ready.push(u);
    }
  }
  if (order.size() != count) {
    std::string names;
    size_t listed = 0;
    for (size_t i = 0; i < count && listed < 5; ++i) {
      if (waiting[i] == 0) continue;
      names += (listed++ ? ", '" : "'") + NodeText(*nodes[i]) + "'";
    }
    Report(nullptr, 0, Reason::kInvalidModel,
           Str(count - order.size(), " nodes form a cycle or depend on one: ", names,
               count - order.size() > 5 ? ", …" : ""));
  }
  return order;
}

void Importer::ImportNodes(Scope &scope, Onnx__NodeProto **nodes, size_t count) {
  for (size_t i : SortedNodes(scope, nodes, count)) ImportNode(scope, nodes[i]);
}

void Importer::Poison(Scope &scope, Onnx__NodeProto *node) {
  for (size_t i = 0; i < node->n_output; ++i) {
    const char *name = node->output[i];
    if (!name || !*name) continue;
    Node *data = MakeNode(*scope.graph, "Data", name);
    scope.graph->SetOutputDesc(data, 0, TensorDesc(C_DT_UNDEFINED, Shape::UnknownRank()));
    scope.values[name] = {data, 0};
    scope.poisoned.insert(name);
  }
}

Onnx__FunctionProto *Importer::FindFunction(const Onnx__NodeProto &node) {
  if (functions_.empty()) return nullptr;
  auto found = functions_.find(DomainOf(node) + ":" + node.op_type + ":" + Text(node.overload));
  return found == functions_.end() ? nullptr : found->second;
}

void Importer::ImportNode(Scope &scope, Onnx__NodeProto *node) {
  CheckCancelled([&] { return Str("before node '", Text(node->name), "' of the file"); });
  if (!node->op_type || !*node->op_type) {
    Report(node, 0, Reason::kInvalidModel, "the node has no operator type");
    Poison(scope, node);
    return;
  }
  std::string domain = DomainOf(*node);
  auto version = scope.opsets->find(domain);
  int64_t opset = version == scope.opsets->end() ? 0 : version->second;
  // A registered translation is used also where the model brings a function or the importer has its own.
  std::shared_ptr<const ParserPlugin> plugin;
  std::string origin_type;
  if (has_plugins_) {
    origin_type = OriginType(domain, opset, node->op_type);
    plugin = ParserPluginRegistry::Instance().Find(GE_FRAMEWORK_ONNX, origin_type);
  }
  const Handler *handler = nullptr;
  if (!plugin) {
    if (Onnx__FunctionProto *function = FindFunction(*node)) {
      InlineFunction(scope, node, function);
      return;
    }
    bool known = false;
    handler = FindHandler(domain, node->op_type, opset, &known);
    if (!handler) {
      ReportUnknown(node, domain, opset, known);
      Poison(scope, node);
      return;
    }
  }
  NodeContext ctx(*this, scope, node, opset);
  try {
    const TextHandler *texts = nullptr;
    if (!plugin && ctx.HasTexts()) texts = FindTextHandler(domain, node->op_type);
    if (texts && texts->check) texts->check(ctx);
    if (texts && !texts->fn) ctx.MoveTexts(!texts->measures);
    if (plugin) TranslateByPlugin(ctx, *plugin, origin_type);
    else if (texts && texts->fn) texts->fn(ctx);
    else handler->fn(ctx);
    ctx.Finish();
    if (ctx.poisoned()) {
      for (size_t i = 0; i < node->n_output; ++i) {
        if (node->output[i]) scope.poisoned.insert(node->output[i]);
      }
    }
  } catch (const NodeProblem &p) {
    // A value that is unknown only because an earlier node failed is not reported again.
    bool follows = ctx.poisoned() && (p.reason == Reason::kNeedsStatic || p.reason == Reason::kInference);
    if (!follows) Report(node, opset, p.reason, p.detail, p.nearest);
    Poison(scope, node);
  } catch (const Error &e) {
    // A rule of the graph that the node breaks; only what is nobody's fault goes on.
    if (e.code() == GE_OUT_OF_MEMORY || e.code() == GE_FAILED) throw;
    Report(node, opset, Reason::kInvalidModel, e.what());
    Poison(scope, node);
  }
}

void Importer::ReportUnknown(Onnx__NodeProto *node, const std::string &domain, int64_t opset, bool known) {
  const char *why = WhyUnsupported(domain, node->op_type);
  if (known) {
    Report(node, opset, Reason::kUnsupportedOpset,
           opset == 0 ? Str("the model imports no version of operator set '", domain, "'")
                      : Str("version ", opset, " of this operator is not supported"));
  } else if (why) {
    Report(node, opset, Reason::kUnsupportedOperator, why);
  } else {
    std::vector<std::string> names;
    for (const Handler &h : AllHandlers()) {
      std::string name = *h.domain ? Str(h.domain, ":", h.type) : h.type;
      if (names.empty() || names.back() != name) names.push_back(name);
    }
    Report(node, opset, Reason::kUnknownOperator, Str("unknown operator '", OperatorText(*node), "'"),
           NearNames(OperatorText(*node), names));
  }
}

std::vector<Value> Importer::GraphOutputs(Scope &scope, Onnx__GraphProto *graph, const std::string &where) {
  std::vector<Value> outputs;
  for (size_t i = 0; i < graph->n_output; ++i) {
    std::string name = Text(graph->output[i]->name);
    Value v;
    try {
      v = LookupValue(scope, name);
    } catch (const NodeProblem &p) {
      Report(nullptr, 0, p.reason, p.detail, p.nearest);
    }
    if (!v) {
      Report(nullptr, 0, Reason::kInvalidModel, Str("output '", name, "' of ", where, " is not defined"));
      continue;
    }
    const Onnx__TypeProto *type = graph->output[i]->type;
    const int32_t declared =
        type && type->tensor_type && type->tensor_type->has_elem_type ? GeTypeOf(type->tensor_type->elem_type) : -1;
    const int32_t computed = v.is_tensor() ? v.parts[0].node->output_desc(v.parts[0].port).dtype : C_DT_UNDEFINED;
    const bool text = v.is(ValueKind::kText) && declared == C_DT_STRING;
    if (declared >= 0 && declared != C_DT_UNDEFINED && !v.is_tensor() && !text) {
      Report(nullptr, 0, Reason::kInvalidModel,
             Str("output '", name, "' of ", where, " is declared a tensor of ", DataTypeName(declared), ", ", v.what(),
                 " is computed"));
    }
    if (declared >= 0 && declared != C_DT_UNDEFINED && computed != C_DT_UNDEFINED && declared != computed) {
      Report(nullptr, 0, Reason::kInvalidModel,
             Str("output '", name, "' of ", where, " is declared ", DataTypeName(declared), ", ",
                 DataTypeName(computed), " is computed"));
    }
    outputs.push_back(std::move(v));
  }
  return outputs;
}

std::vector<Endpoint> Importer::TensorOutputs(Scope &scope, Onnx__GraphProto *graph, const std::string &where) {
  std::vector<Endpoint> tensors;
  const std::vector<Value> outputs = GraphOutputs(scope, graph, where);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].is_tensor()) tensors.push_back(outputs[i].parts[0]);
    else Report(nullptr, 0, Reason::kUnsupportedType, Str("output ", i, " of ", where, " is ", outputs[i].what()));
  }
  return tensors;
}

void Importer::AddNetOutput(Graph &graph, const std::vector<Endpoint> &outputs) {
  const OpEntry *entry = OpRegistry::Instance().Find("NetOutput");
  if (!entry) {
    graph.SetOutputs(outputs);
    return;
  }
  int32_t count = static_cast<int32_t>(outputs.size());
  std::vector<int32_t> dyn_out;
  for (const IrPort &p : entry->ir->outputs) {
    if (p.kind == GE_IR_DYNAMIC) dyn_out.push_back(0);
  }
  Node *node = graph.AddNode(entry->ir, graph.UniqueName("NetOutput"), &count, 1, dyn_out.data(), dyn_out.size());
  for (int32_t i = 0; i < count; ++i) graph.Connect(outputs[static_cast<size_t>(i)], node, i);
}

size_t Importer::ReadersOf(const std::string &name) {
  const auto count = [&] {
    const auto found = read_.find(name);
    return found == read_.end() ? size_t{0} : found->second;
  };
  if (!read_.empty()) return count();
  std::vector<const Onnx__GraphProto *> pending = {model_->graph};
  auto visit = [&](Onnx__NodeProto *const *nodes, size_t count) {
    for (size_t n = 0; n < count; ++n) {
      for (size_t i = 0; i < nodes[n]->n_input; ++i) ++read_[Text(nodes[n]->input[i])];
      for (size_t i = 0; i < nodes[n]->n_attribute; ++i) {
        const Onnx__AttributeProto &a = *nodes[n]->attribute[i];
        if (a.g) pending.push_back(a.g);
        pending.insert(pending.end(), a.graphs, a.graphs + a.n_graphs);
      }
    }
  };
  for (size_t i = 0; i < model_->n_functions; ++i) {
    const Onnx__FunctionProto &f = *model_->functions[i];
    for (size_t o = 0; o < f.n_output; ++o) ++read_[Text(f.output[o])];
    visit(f.node, f.n_node);
  }
  while (!pending.empty()) {
    const Onnx__GraphProto &graph = *pending.back();
    pending.pop_back();
    for (size_t o = 0; o < graph.n_output; ++o) ++read_[Text(graph.output[o]->name)];
    visit(graph.node, graph.n_node);
  }
  return count();
}

std::string Importer::SubgraphName(const std::string &hint) {
  std::string name = hint;
  while (root_->name() == name || root_->FindSubgraph(name)) name = Str(hint, "_", ++subgraph_count_);
  return name;
}

GraphPtr Importer::Run() {
  if (!model_->graph) {
    Report(nullptr, 0, Reason::kInvalidModel, "the model holds no graph");
    return nullptr;
  }
  LoadParserPlugins(GE_FRAMEWORK_ONNX);
  has_plugins_ = !ParserPluginRegistry::Instance().Empty(GE_FRAMEWORK_ONNX);
  ReadOpsets();
  for (size_t i = 0; i < model_->n_functions; ++i) {
    Onnx__FunctionProto *f = model_->functions[i];
    std::string domain = Text(f->domain);
    if (domain == "ai.onnx") domain.clear();
    functions_[domain + ":" + Text(f->name) + ":" + Text(f->overload)] = f;
  }
  std::string name = Text(model_->graph->name);
  root_ = Graph::Create(name.empty() ? "graph" : name);
  Scope scope;
  scope.graph = root_.get();
  scope.opsets = &opsets_;
  ImportBody(scope, model_->graph);
  const std::vector<Value> outputs = GraphOutputs(scope, model_->graph, "the graph");
  if (outputs.empty() && problems_.empty()) Report(nullptr, 0, Reason::kInvalidModel, "the graph has no outputs");
  if (!problems_.empty()) return nullptr;
  try {
    GiveRootOutputs(scope, outputs);
  } catch (const NodeProblem &p) {
    Report(nullptr, 0, p.reason, p.detail, p.nearest);
    return nullptr;
  }
  try {
    root_->Verify();
  } catch (const Error &e) {
    Report(nullptr, 0, Reason::kInvalidModel, e.what());
    return nullptr;
  }
  return root_;
}

namespace {

GraphPtr Import(const uint8_t *data, uint64_t size, const std::string &folder, const std::shared_ptr<MappedFile> &file,
                const std::string &what, const ReportFn &report, const ImportOptions &options) {
  std::string where = what.empty() ? "" : "'" + what + "': ";
  std::unique_ptr<DecodedModel> model;
  auto reject = [&](Reason reason, const std::string &detail, GeStatus code) {
    ProblemList list;
    Problem p;
    p.reason = reason;
    p.detail = detail;
    list.Add(p);
    if (report) report(list.Json());
    Fail(code, where, detail);
  };
  try {
    model = DecodedModel::Decode(data, size, file);
  } catch (const Error &e) {
    if (e.code() == GE_OUT_OF_MEMORY) throw;
    reject(Reason::kInvalidModel, e.what(), e.code());
  }
  if (options.defer) model->Defer();
  Importer importer(model.get(), folder, options.as_inputs, options.limit ? options.limit : DefaultImportLimit(size));
  GraphPtr graph = importer.Run();
  if (!graph) {
    if (report) report(importer.problems().Json());
    Fail(importer.problems().code(), where, importer.problems().Text());
  }
  return graph;
}

}  // namespace

GraphPtr ImportFile(const std::string &path, const ReportFn &report, const ImportOptions &options) {
  auto file = MappedFile::Open(path, kMaxFileBytes);
  size_t slash = path.rfind('/');
  std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  try {
    return Import(file->data(), file->size(), folder, file, path, report, options);
  } catch (const Error &e) {  // other errors name the file themselves
    if (e.code() != GE_OUT_OF_MEMORY) throw;
    Fail(e.code(), "importing file '", path, "': ", e.what());
  } catch (const std::bad_alloc &) {
    FailMemory(0, Str("importing file '", path, "'"));
  }
}

bool IsModelFile(const std::string &path) {
  auto file = MappedFile::Open(path, UINT64_MAX);
  return LooksLikeModel(file->data(), file->size());
}

bool IsModel(const void *data, size_t size) { return LooksLikeModel(static_cast<const uint8_t *>(data), size); }

GraphPtr ImportBuffer(const void *data, size_t size, const std::string &folder, const ReportFn &report,
                      const ImportOptions &options) {
  return Import(static_cast<const uint8_t *>(data), size, folder, nullptr, "", report, options);
}

std::string DescribeOperators() {
  std::string out;
  for (const Handler &h : AllHandlers()) out += Str(h.domain, ":", h.type, " ", h.since, "\n");
  return out;
}

}  // namespace gec::onnx
