// GeEsAddNode: every generated builder function ends here, so this is the path that decides how fast graphs are built.
// Everything that can fail comes before the node exists; then node, edges and attributes appear at once.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "capi/src/es_attr_value.h"
#include "capi/src/es_builder.h"
#include "capi/src/es_handed_over.h"

using namespace gec;
using namespace gec::api;

namespace {

constexpr int64_t kMostInstances = 1 << 24;

class Adder {
 public:
  Adder(const GeEsCall &call, const IrDef &ir, EsCTensorHolder **holders, EsCTensorHolder ***dynamic)
      : call_(call), ir_(ir), holders_(holders), dynamic_(dynamic) {}

  void Run() {
    Inputs();
    OutputCounts();
    if (!ir_.graphs.empty()) Subgraphs();
    NodeParts parts;
    Attributes(parts.attrs);
    MakeHolders();
    b_->resources.reserve(Grown(b_->resources.size() + taken_.size(), b_->resources.capacity()));

    parts.dyn_in = dyn_in_.data();
    parts.dyn_in_size = dyn_in_.size();
    parts.dyn_out = dyn_out_.data();
    parts.dyn_out_size = dyn_out_.size();
    parts.inputs = inputs_.data();
    std::string name = NextName(*b_, ir_.type.view());
    Node *node;
    if (graphs_.empty()) {
      node = b_->graph->AddNode(&ir_, std::move(name), std::move(parts));
    } else {
      Transaction all(*b_->graph);
      node = b_->graph->AddNode(&ir_, std::move(name), std::move(parts));
      for (const auto &[ir_name, graph] : graphs_) {
        // The build tells: the node is there, as GE has it, and its graphs are the builder's.
        if (const std::string *taken = TakenName(*graph->graph)) {
          if (b_->clash.empty())
            b_->clash = Str(node->Label(), ": subgraph '", ir_name.view(), "': the name '", *taken,
                            "' is taken by another graph of the root graph");
        } else {
          b_->graph->AttachSubgraph(node, ir_name, graph->graph);
        }
      }
      all.Commit();
    }
    // Nothing fails from here on.
    handing_over_.Commit();
    for (const EsBuilder::Resource &r : taken_) b_->resources.push_back(r);
    HandOut(node);
  }

 private:
  template <class... Args>
  [[noreturn]] void Refuse(GeStatus code, const Args &...args) const {
    Fail(code, "operator ", ir_.type.view(), ": ", args...);
  }
  static size_t Grown(size_t need, size_t have) { return need <= have ? have : std::max(need, have * 2); }

  // ---- inputs ----

  void Use(EsCTensorHolder *holder, const IrPort &port, int64_t element) {
    auto where = [&] {
      return element < 0 ? Str("input '", port.name.view(), "'")
                         : Str("element ", element, " of input '", port.name.view(), "'");
    };
    if (!holder) Refuse(GE_PARAM_INVALID, where(), " is null");
    if (!IsValid(holder)) Refuse(GE_PARAM_INVALID, where(), " is not a valid tensor");
    if (!b_) b_ = holder->builder;
    if (holder->builder != b_) Refuse(GE_PARAM_INVALID, where(), " belongs to another graph builder");
    if (holder->index < 0)
      Refuse(GE_PARAM_INVALID, where(), " is ", Raw(holder->producer.node)->Label(), ", which has no outputs");
    inputs_.push_back({Raw(holder->producer.node), holder->index});
  }

  void Inputs() {
    if (!ir_.inputs.empty() && !call_.inputs) Refuse(GE_PARAM_INVALID, "inputs is null");
    for (size_t i = 0; i < ir_.inputs.size(); ++i) {
      const IrPort &port = ir_.inputs[i];
      const GeEsInput &in = call_.inputs[i];
      if (port.kind == GE_IR_DYNAMIC) {
        Count(in.many_count, "input", port);
        if (in.many_count > 0 && !in.many)
          Refuse(GE_PARAM_INVALID, "input '", port.name.view(), "' is null but has ", in.many_count, " elements");
        dyn_in_.push_back(static_cast<int32_t>(in.many_count));
        for (int64_t k = 0; k < in.many_count; ++k) Use(in.many[k], port, k);
      } else if (port.kind == GE_IR_OPTIONAL && !in.one) {
        inputs_.push_back({});
      } else {
        Use(in.one, port, -1);
      }
    }
    // The builder given explicitly counts last: only where no input is a tensor.
    if (call_.builder && !(b_ && call_.builder == b_->box)) {
      if (!IsValid(call_.builder)) Refuse(GE_PARAM_INVALID, "the owner builder is not a valid graph builder");
      if (!b_) b_ = call_.builder->body;
    }
    if (!b_) Refuse(GE_PARAM_INVALID, "no input and no owner builder says which graph the node is for");
    Enter(*b_, "GeEsAddNode");
    if (b_->built) Refuse(GE_BAD_STATE, "graph '", b_->graph->name(), "' is built already");
  }

  void Count(int64_t n, const char *what, const IrPort &port) const {
    if (n < 0 || n > kMostInstances)
      Refuse(GE_PARAM_INVALID, what, " '", port.name.view(), "' has ", n, " elements, expected 0 to ", kMostInstances);
  }

  // ---- outputs ----

  void OutputCounts() {
    if (!ir_.dynamic_outputs) return;
    if (!call_.output_counts) Refuse(GE_PARAM_INVALID, "output_counts is null");
    if (!dynamic_) Refuse(GE_PARAM_INVALID, "dynamic is null");
    for (const IrPort &port : ir_.outputs) {
      if (port.kind != GE_IR_DYNAMIC) continue;
      int64_t n = call_.output_counts[dyn_out_.size()];
      Count(n, "output", port);
      dyn_out_.push_back(static_cast<int32_t>(n));
    }
  }

  void MakeHolders() {
    size_t dynamic = 0;
    auto make = [&](int32_t index) {
      EsCTensorHolder *h = NewHolder(*b_, nullptr, index);
      made_.push_back(h);
      return h;
    };
    if (ir_.outputs.empty()) make(-1);
    int32_t index = 0;
    for (size_t i = 0; i < ir_.outputs.size(); ++i) {
      if (ir_.outputs[i].kind != GE_IR_DYNAMIC) {
        make(index++);
        continue;
      }
      int32_t n = dyn_out_[dynamic++];
      auto array = std::make_unique<EsCTensorHolder *[]>(static_cast<size_t>(std::max(n, 1)));
      for (int32_t k = 0; k < n; ++k) array[static_cast<size_t>(k)] = make(index++);
      b_->arrays.push_back(std::move(array));
      arrays_.push_back(b_->arrays.back().get());
    }
  }

  void HandOut(Node *node) {
    for (EsCTensorHolder *h : made_) h->producer.node = Handle(node);
    if (ir_.outputs.empty()) {
      holders_[0] = made_[0];
      return;
    }
    size_t at = 0, dynamic = 0;
    for (size_t i = 0; i < ir_.outputs.size(); ++i) {
      if (ir_.outputs[i].kind != GE_IR_DYNAMIC) {
        holders_[i] = made_[at++];
      } else {
        dynamic_[i] = arrays_[dynamic];
        at += static_cast<size_t>(dyn_out_[dynamic++]);
      }
    }
  }

  // ---- subgraphs ----

  void Subgraphs() {
    if (!call_.graphs) Refuse(GE_PARAM_INVALID, "graphs is null");
    for (size_t i = 0; i < ir_.graphs.size(); ++i) {
      const IrGraph &ir = ir_.graphs[i];
      const GeEsGraph &given = call_.graphs[i];
      if (ir.kind != GE_IR_DYNAMIC) {
        Subgraph(ir.name, given.one);
        continue;
      }
      if (given.many_count < 0 || given.many_count > kMostInstances || (given.many_count > 0 && !given.many))
        Refuse(GE_PARAM_INVALID, "subgraphs '", ir.name.view(), "' are null or ", given.many_count, " in number");
      for (int64_t k = 0; k < given.many_count; ++k) Subgraph(Symbol(Str(ir.name.view(), k)), given.many[k]);
    }
  }

  // A name that the root graph already knows: of the graph, or of one that moves up with it.
  const std::string *TakenName(const Graph &graph) const {
    if (b_->graph->FindSubgraph(graph.name())) return &graph.name();
    for (const GraphPtr &nested : graph.subgraphs()) {
      if (nested->name() == graph.name() || b_->graph->FindSubgraph(nested->name())) return &nested->name();
    }
    return nullptr;
  }

  void Subgraph(Symbol ir_name, EsCGraph *box) {
    static const Symbol net_output("NetOutput"), data("Data"), index("index"), cond("cond"), loop("While"),
        stateless_loop("StatelessWhile");
    if (!box || !IsValid(box->graph))
      Refuse(GE_PARAM_INVALID, "subgraph '", ir_name.view(), "' is null or not a valid graph");
    for (const EsBuilder::Resource &r : taken_) {
      if (r.object == box) Refuse(GE_PARAM_INVALID, "subgraph '", ir_name.view(), "' is passed twice");
    }
    if (HandedOver(box))
      Refuse(GE_BAD_STATE, "subgraph '", ir_name.view(), "' (graph '", box->graph->graph->name(),
             "') was handed over to a builder before: build it again for a second use");
    const Graph &graph = Enter(*box->graph->graph, "GeEsAddNode");
    auto broken = [&](const auto &...args) {
      Refuse(GE_GRAPH_INVALID, "subgraph '", ir_name.view(), "' (graph '", graph.name(), "'): ", args...);
    };
    std::vector<Node *> outputs;
    std::vector<int64_t> indexes;
    for (Node *node : graph.Nodes()) {
      if (node->type() == net_output) outputs.push_back(node);
      if (node->type() != data) continue;
      const AttrValue *value = node->attrs().Find(index);
      if (!value || !value->get_if<int64_t>()) broken(node->Label(), " has no integer attribute 'index'");
      indexes.push_back(*value->get_if<int64_t>());
    }
    if (outputs.size() != 1) broken("it has ", outputs.size(), " NetOutput nodes, expected one");
    bool any_count = ir_name == cond && (ir_.type == loop || ir_.type == stateless_loop);
    if (!dyn_out_.empty() && !any_count && outputs[0]->input_count() != static_cast<size_t>(dyn_out_[0]))
      broken("it has ", outputs[0]->input_count(), " outputs, the operator has ", dyn_out_[0]);
    std::sort(indexes.begin(), indexes.end());
    int64_t limit = dyn_in_.empty() ? INT64_MAX : dyn_in_[0];
    for (size_t i = 0; i < indexes.size(); ++i) {
      if (i > 0 && indexes[i] == indexes[i - 1]) broken("Data index ", indexes[i], " occurs twice");
      if (indexes[i] < 0 || indexes[i] >= limit)
        broken("Data index ", indexes[i], " is out of range, the operator passes ", limit, " inputs");
    }
    handing_over_.Add(box);
    taken_.push_back({box, [](void *object) {
                        ReturnToPool(object);
                        GeEsGraphDestroy(static_cast<EsCGraph *>(object));
                      }});
    graphs_.emplace_back(ir_name, box->graph);
  }

  // ---- attributes ----

  void Attributes(AttrMap &attrs) {
    if (call_.attr_count > 0 && !call_.attrs) Refuse(GE_PARAM_INVALID, "attrs is null");
    InlineVec<uint8_t, 32> seen(ir_.attrs.size());
    for (size_t i = 0; i < call_.attr_count; ++i) {
      const GeEsAttr &given = call_.attrs[i];
      if (given.ir_index >= ir_.attrs.size())
        Refuse(GE_PARAM_INVALID, "attribute index ", given.ir_index, " is out of range, there are ", ir_.attrs.size());
      const IrAttr &ir = ir_.attrs[given.ir_index];
      if (given.value.type != ir.type)
        Refuse(GE_PARAM_INVALID, "attribute '", ir.name.view(), "' has type ", given.value.type, ", expected ",
               ir.type);
      if (given.reserved != 0)
        Refuse(GE_PARAM_INVALID, "attribute '", ir.name.view(), "': GeEsAttr.reserved is ", given.reserved,
               ", it must be 0");
      seen[given.ir_index] = 1;
      if (ir.type == C_VT_TENSOR) {
        if (!given.tensor || !IsValid(given.tensor->tensor))
          Refuse(GE_PARAM_INVALID, "attribute '", ir.name.view(), "': tensor is null or not a valid tensor");
        for (const EsBuilder::Resource &r : taken_) {
          if (r.object == given.tensor)
            Refuse(GE_PARAM_INVALID, "attribute '", ir.name.view(), "': tensor is passed twice");
        }
        if (HandedOver(given.tensor))
          Refuse(GE_BAD_STATE, "attribute '", ir.name.view(), "': tensor was handed over to a builder before");
        handing_over_.Add(given.tensor);
        taken_.push_back({given.tensor, [](void *object) {
                            ReturnToPool(object);
                            GeEsTensorDestroy(static_cast<EsCTensor *>(object));
                          }});
        attrs.Set(ir.name, AttrValue(TensorPtr(given.tensor->tensor->tensor)));
        continue;
      }
      if (!ir.required && IsDefault(given.value, ir.fallback)) continue;
      try {
        attrs.Set(ir.name, AttrValue::From(given.value));
      } catch (const Error &e) {
        Refuse(e.code(), "attribute '", ir.name.view(), "': ", e.what());
      }
    }
    for (size_t i = 0; i < seen.size(); ++i) {
      if (!seen[i] && ir_.attrs[i].required)
        Refuse(GE_PARAM_INVALID, "required attribute '", ir_.attrs[i].name.view(), "' is missing");
    }
  }

  const GeEsCall &call_;
  const IrDef &ir_;
  EsCTensorHolder **holders_;
  EsCTensorHolder ***dynamic_;
  EsBuilder *b_ = nullptr;
  InlineVec<Endpoint, 8> inputs_;
  InlineVec<int32_t, 4> dyn_in_, dyn_out_;
  InlineVec<EsCTensorHolder *, 8> made_;
  InlineVec<EsCTensorHolder **, 4> arrays_;
  std::vector<std::pair<Symbol, GeGraph *>> graphs_;
  std::vector<EsBuilder::Resource> taken_;
  HandingOver handing_over_;
};

}  // namespace

extern "C" GeStatus GeEsAddNode(const GeEsCall *call, EsCTensorHolder **holders, EsCTensorHolder ***dynamic) {
  return EsGuard([&] {
    GE_CHECK_ARG(GeEsAddNode, call);
    GE_CHECK_ARG(GeEsAddNode, holders);
    const GeEsCall known = ReadStruct(*call, "GeEsAddNode");
    GE_CHECK_ARG(GeEsAddNode, call->schema);
    CheckAbiSize<GeOpSchema>(call->schema->struct_size, "GeEsAddNode");
    size_t outputs = std::max<size_t>(call->schema->output_count, 1);
    for (size_t i = 0; i < outputs; ++i) {
      holders[i] = nullptr;
      if (dynamic) dynamic[i] = nullptr;
    }
    Adder(known, *InternSchema(call->schema), holders, dynamic).Run();
  });
}
