// Edges and content. Each change first makes room and its undo record, then changes without a chance to fail.
#include <algorithm>
#include <optional>

#include "core/ir/graph.h"
#include "core/ir/undo_log.h"

namespace gec {
namespace {

// Sets a value and remembers the old one. `slot` finds the place again when undoing.
template <class T>
void Assign(UndoLog *log, T &place, T value) {
  if (log) log->Push([&place, old = place]() mutable { std::swap(place, old); });
  place = std::move(value);
}

// Changes one attribute; the map keeps its address while its owner lives.
void SetIn(UndoLog *log, AttrMap &map, Symbol name, AttrValue value) {
  if (log) {
    const AttrValue *present = map.Find(name);
    log->Push([&map, name, old = present ? std::optional<AttrValue>(*present) : std::nullopt]() mutable {
      if (old) map.Set(name, std::move(*old));
      else map.Remove(name);
    });
  }
  map.Set(name, std::move(value));
}

}  // namespace

// ---- edges ----

void Graph::CheckOutput(Endpoint e) const {
  Own(e.node, "source node");
  if (e.port < 0 || static_cast<size_t>(e.port) >= e.node->outputs_.size())
    Fail(GE_PARAM_INVALID, e.node->Label(), ": output port ", e.port, " is out of range, it has ",
         e.node->outputs_.size(), " outputs");
}

void Graph::CheckInput(const Node *node, int32_t port) const {
  Own(node, "destination node");
  if (port < 0 || static_cast<size_t>(port) >= node->inputs_.size())
    Fail(GE_PARAM_INVALID, node->Label(), ": input port ", port, " is out of range, it has ", node->inputs_.size(),
         " inputs");
}

namespace {
constexpr size_t kHole = size_t{1} << 31;  // beside a position, which is smaller: the place was left empty
constexpr size_t kLongList = 32;           // from here on
}  // namespace

void Graph::Link(Endpoint src, Node *dst, int32_t dst_port, size_t at) noexcept {
  Node::Output &output = src.node->outputs_[static_cast<size_t>(src.port)];
  auto &uses = output.uses;
  dst->graph().Changed();
  Node::Input &input = dst->inputs_[static_cast<size_t>(dst_port)];
  input = src;
  const Use use{dst, dst_port};
  const bool hole = at != SIZE_MAX && (at & kHole) != 0;
  if (hole) at &= ~kHole;
  if (hole && at < uses.size() && !uses[at].node) {
    uses[at] = use;
    --output.holes;
  } else if (at >= uses.size()) {
    at = uses.size();
    uses.push_back(use);
  } else {
    uses.insert(uses.begin() + at, use);
  }
  input.at = static_cast<uint32_t>(at);
}

size_t Graph::Unlink(Node *dst, int32_t dst_port) noexcept {
  Node::Input &input = dst->inputs_[static_cast<size_t>(dst_port)];
  const Endpoint src = input;
  dst->graph().Changed();
  input = Endpoint();
  Node::Output &output = src.node->outputs_[static_cast<size_t>(src.port)];
  auto &uses = output.uses;
  const Use use{dst, dst_port};
  size_t at = input.at;
  if (at >= uses.size() || uses[at] != use) {
    // From the back: removing a node walks its uses in that direction.
    at = uses.size();
    while (at > 0 && uses[at - 1] != use) --at;
    if (at == 0) return uses.size();
    --at;
  }
  if (at + 1 == uses.size()) {
    uses.pop_back();
    return at;
  }
  UndoLog *log = uses.size() < kLongList ? nullptr : src.node->graph().Log();
  if (log && output.holes == 0) {
    try {
      log->holes.emplace_back(src.node, static_cast<size_t>(src.port));
    } catch (...) {
      log = nullptr;
    }
  }
  if (!log && output.holes == 0) {
    uses.erase(uses.begin() + at);
    return at;
  }
  uses[at] = {};
  ++output.holes;
  return at | kHole;
}

void Graph::Connect(Endpoint src, Node *dst, int32_t dst_port) {
  CheckOutput(src);
  CheckInput(dst, dst_port);
  if (Endpoint taken = dst->inputs_[static_cast<size_t>(dst_port)])
    Fail(GE_BAD_STATE, dst->Label(), ": input port ", dst_port, " is already fed by ", taken.node->Label(), " output ",
         taken.port);
  ReserveOneMore(src.node->outputs_[static_cast<size_t>(src.port)].uses);
  if (UndoLog *log = Log()) log->Push([dst, dst_port] { Unlink(dst, dst_port); });
  Link(src, dst, dst_port, SIZE_MAX);
}

void Graph::Disconnect(Node *dst, int32_t dst_port) {
  CheckInput(dst, dst_port);
  Endpoint src = dst->inputs_[static_cast<size_t>(dst_port)];
  if (!src) Fail(GE_NOT_FOUND, dst->Label(), ": input port ", dst_port, " is not connected");
  if (UndoLog *log = Log()) {
    struct Relink {
      Endpoint src;
      Node *dst;
      int32_t dst_port;
      size_t at;
      void operator()() { Link(src, dst, dst_port, at); }
    };
    Relink &undo = log->Push(Relink{src, dst, dst_port, 0});
    undo.at = Unlink(dst, dst_port);
  } else {
    Unlink(dst, dst_port);
  }
}

void Graph::Reconnect(Endpoint src, Node *dst, int32_t dst_port) {
  CheckOutput(src);
  CheckInput(dst, dst_port);
  ReserveOneMore(src.node->outputs_[static_cast<size_t>(src.port)].uses);
  Transaction all(*this);
  if (dst->inputs_[static_cast<size_t>(dst_port)]) Disconnect(dst, dst_port);
  Connect(src, dst, dst_port);
  all.Commit();
}

void Graph::SetGraphOutput(size_t i, Endpoint e) {
  auto set = [this, i](Endpoint to) noexcept {
    if (outputs_[i]) --outputs_[i].node->listed_;
    if (to) ++to.node->listed_;
    outputs_[i] = to;
  };
  if (UndoLog *log = Log()) log->Push([set, old = outputs_[i]] { set(old); });
  set(e);
}

void Graph::ReplaceUses(Endpoint from, Endpoint to) {
  CheckOutput(from);
  CheckOutput(to);
  if (from == to) return;
  // Within a transaction one record, made before the change, is whole by itself.
  std::optional<Transaction> all;
  if (!Log() || from.node->listed_ != 0) all.emplace(*this);
  // Both lists are exchanged as a whole: linear however many uses there are.
  if (from.node->outputs_[static_cast<size_t>(from.port)].holes) from.node->CloseHoles(static_cast<size_t>(from.port));
  auto &source = from.node->outputs_[static_cast<size_t>(from.port)].uses;
  auto &target = to.node->outputs_[static_cast<size_t>(to.port)].uses;
  if (!source.empty()) {
    size_t kept = target.size(), moved = source.size();
    if (kept + moved > target.capacity()) target.reserve(std::max(kept + moved, kept * 2));
    Changed();
    Log()->Push([this, from, to, kept] {
      Changed();
      auto &s = from.node->outputs_[static_cast<size_t>(from.port)].uses;
      auto &t = to.node->outputs_[static_cast<size_t>(to.port)].uses;
      for (size_t i = kept; i < t.size(); ++i) {
        Node::Input &input = t[i].node->inputs_[static_cast<size_t>(t[i].port)];
        input = from;
        input.at = static_cast<uint32_t>(s.size());
        s.push_back(t[i]);
      }
      t.resize(kept);
    });
    for (const Use &use : source) {
      Node::Input &input = use.node->inputs_[static_cast<size_t>(use.port)];
      input = to;
      input.at = static_cast<uint32_t>(target.size());
      target.push_back(use);
    }
    source.clear();
  }
  for (size_t i = 0; from.node->listed_ != 0 && i < outputs_.size(); ++i) {
    if (outputs_[i] == from) SetGraphOutput(i, to);
  }
  if (all) all->Commit();
}

void Graph::AddControl(Node *src, Node *dst) {
  Own(src, "source node");
  Own(dst, "destination node");
  if (src == dst)
    Fail(GE_PARAM_INVALID, "control edge from ", src->Label(), " to itself: a node cannot wait for its own end");
  auto &out = src->MakeRare().control_out;
  auto &in = dst->MakeRare().control_in;
  const auto &shorter = out.size() < in.size() ? out : in;
  Node *wanted = out.size() < in.size() ? dst : src;
  if (std::find(shorter.begin(), shorter.end(), wanted) != shorter.end()) return;  // one is enough
  ReserveOneMore(out);
  ReserveOneMore(in);
  if (UndoLog *log = Log()) {
    log->Push([this, src, dst] {
      Changed();
      src->rare_->control_out.pop_back();
      dst->rare_->control_in.pop_back();
    });
  }
  Changed();
  out.push_back(dst);
  in.push_back(src);
}

void Graph::RemoveControl(Node *src, Node *dst) {
  Own(src, "source node");
  Own(dst, "destination node");
  const std::vector<Node *> &from = src->control_outputs(), &to = dst->control_inputs();
  auto out = std::find(from.rbegin(), from.rend(), dst);
  auto in = std::find(to.rbegin(), to.rend(), src);
  if (out == from.rend() || in == to.rend())
    Fail(GE_NOT_FOUND, "there is no control edge from ", src->Label(), " to ", dst->Label());
  auto out_at = from.rend() - out - 1, in_at = to.rend() - in - 1;
  if (UndoLog *log = Log()) {
    log->Push([this, src, dst, out_at, in_at] {
      Changed();
      std::vector<Node *> &outs = src->rare_->control_out, &ins = dst->rare_->control_in;
      outs.insert(outs.begin() + out_at, dst);
      ins.insert(ins.begin() + in_at, src);
    });
  }
  Changed();
  src->rare_->control_out.erase(from.begin() + out_at);
  dst->rare_->control_in.erase(to.begin() + in_at);
}

// ---- dynamic inputs ----

// The ports added or dropped are the last ones of the range and unconnected.
void Graph::ResizePorts(Node *node, size_t ir, int32_t count) {
  auto [first, have] = node->InputRange(ir);
  size_t dynamic = 0;
  for (size_t i = 0; i < ir; ++i) dynamic += node->ir_->inputs[i].kind == GE_IR_DYNAMIC;
  int32_t delta = count - have;
  size_t total = node->inputs_.size(), end = static_cast<size_t>(first + have);
  auto shift_uses = [&](size_t from) {
    for (size_t p = from; p < total; ++p) {
      Endpoint e = node->inputs_[p];
      if (!e) continue;
      for (Use &use : e.node->outputs_[static_cast<size_t>(e.port)].uses) {
        if (use == Use{node, static_cast<int32_t>(p)}) {
          use.port += delta;
          break;
        }
      }
    }
  };
  // The highest port moves first when ports move up, so that no two uses look alike meanwhile.
  auto shift_uses_down = [&](size_t from) {
    for (size_t p = total; p-- > from;) {
      Endpoint e = node->inputs_[p];
      if (!e) continue;
      for (Use &use : e.node->outputs_[static_cast<size_t>(e.port)].uses) {
        if (use == Use{node, static_cast<int32_t>(p)}) {
          use.port += delta;
          break;
        }
      }
    }
  };
  Node::InputDescs *descs = node->rare().described ? &node->rare_->input_descs : nullptr;
  if (delta > 0) {
    node->inputs_.reserve(total + static_cast<size_t>(delta));
    if (descs) descs->reserve(total + static_cast<size_t>(delta));
    shift_uses_down(end);
    node->inputs_.resize(total + static_cast<size_t>(delta));
    std::move_backward(node->inputs_.begin() + end, node->inputs_.begin() + total, node->inputs_.end());
    for (size_t i = end; i < end + static_cast<size_t>(delta); ++i) node->inputs_[i] = Endpoint();
    if (descs) {
      descs->resize_empty(total + static_cast<size_t>(delta));
      std::move_backward(descs->begin() + static_cast<ptrdiff_t>(end), descs->begin() + static_cast<ptrdiff_t>(total),
                         descs->end());
    }
  } else if (delta < 0) {
    shift_uses(end);
    size_t drop = static_cast<size_t>(-delta);
    std::move(node->inputs_.begin() + end, node->inputs_.end(), node->inputs_.begin() + (end - drop));
    node->inputs_.resize(total - drop);
    if (descs) {
      std::move(descs->begin() + static_cast<ptrdiff_t>(end), descs->end(),
                descs->begin() + static_cast<ptrdiff_t>(end - drop));
      descs->resize_empty(total - drop);
    }
  }
  node->rare_->dyn_in[dynamic] = count;
}

void Graph::ResizeDynamicInput(Node *node, size_t ir, int32_t count) {
  Own(node, "node");
  if (ir >= node->ir_->inputs.size() || node->ir_->inputs[ir].kind != GE_IR_DYNAMIC)
    Fail(GE_PARAM_INVALID, node->Label(), ": IR input ", ir, " is not dynamic");
  if (count < 0 || count > (1 << 24)) Fail(GE_PARAM_INVALID, node->Label(), ": ", count, " instances");
  auto [first, have] = node->InputRange(ir);
  for (int32_t p = first + count; p < first + have; ++p) {
    if (node->inputs_[static_cast<size_t>(p)])
      Fail(GE_BAD_STATE, node->Label(), ": input port ", p, " is connected and cannot be dropped");
  }
  if (count == have) return;
  Transaction all(*this);
  for (int32_t p = first + count; p < first + have; ++p) {
    if (!node->explicit_input_desc(static_cast<size_t>(p))) continue;
    auto kept = std::make_shared<std::unique_ptr<TensorDesc>>();
    Log()->Push([node, p, kept] { node->rare_->input_descs[static_cast<size_t>(p)] = std::move(*kept); });
    *kept = std::move(node->rare_->input_descs[static_cast<size_t>(p)]);
  }
  // Undoing a growth drops ports, undoing a shrink uses the room they left: neither allocates.
  if (count > have) {
    node->inputs_.reserve(node->inputs_.size() + static_cast<size_t>(count - have));
    if (node->rare().described)
      node->rare_->input_descs.reserve(node->inputs_.size() + static_cast<size_t>(count - have));
  }
  Log()->Push([node, ir, have = have] { ResizePorts(node, ir, have); });
  ResizePorts(node, ir, count);
  all.Commit();
}

// ---- content ----

void Graph::SetAttr(Node *node, Symbol name, AttrValue value) {
  Own(node, "node");
  if (name.empty()) Fail(GE_PARAM_INVALID, node->Label(), ": attribute without a name");
  SetIn(Log(), node->attrs_, name, std::move(value));
  if (UndoLog *log = Log(); log && name.view()[0] == '_') ++log->remarks;
}

void Graph::RemoveAttr(Node *node, Symbol name) {
  Own(node, "node");
  const AttrValue *present = node->attrs_.Find(name);
  if (!present) Fail(GE_NOT_FOUND, node->Label(), ": attribute '", name.view(), "' is not set");
  if (UndoLog *log = Log()) {
    log->Push([node, name, old = *present]() mutable { node->attrs_.Set(name, std::move(old)); });
    if (name.view()[0] == '_') ++log->remarks;
  }
  node->attrs_.Remove(name);
}

void Graph::SetOutputDesc(Node *node, size_t i, TensorDesc desc) {
  CheckOutput({node, static_cast<int32_t>(i)});
  TensorDesc &place = node->outputs_[i].desc;
  if (!desc.attrs) desc.attrs = place.attrs;  // attributes of the port stay
  Assign(Log(), place, std::move(desc));
}

void Graph::SetInputDesc(Node *node, size_t i, TensorDesc desc) {
  CheckInput(node, static_cast<int32_t>(i));
  has_input_descs_ = true;
  Node::InputDescs &descs = node->MakeRare().input_descs;
  node->rare_->described = true;
  if (descs.size() < node->inputs_.size()) descs.resize_empty(node->inputs_.size());
  if (const TensorDesc *own = node->explicit_input_desc(i)) {
    if (!desc.attrs) desc.attrs = own->attrs;
    Assign(Log(), *descs[i], std::move(desc));
    return;
  }
  auto fresh = std::make_unique<TensorDesc>(std::move(desc));
  if (UndoLog *log = Log()) log->Push([node, i] { node->rare_->input_descs[i].reset(); });
  descs[i] = std::move(fresh);
}

void Graph::SetOutputAttr(Node *node, size_t i, Symbol name, AttrValue value) {
  CheckOutput({node, static_cast<int32_t>(i)});
  if (name.empty()) Fail(GE_PARAM_INVALID, node->Label(), ": output ", i, ": attribute without a name");
  TensorDesc &desc = node->outputs_[i].desc;
  auto attrs = desc.attrs ? std::make_shared<AttrMap>(*desc.attrs) : std::make_shared<AttrMap>();
  attrs->Set(name, std::move(value));
  Assign(Log(), desc.attrs, std::move(attrs));
}

void Graph::SetInputAttr(Node *node, size_t i, Symbol name, AttrValue value) {
  CheckInput(node, static_cast<int32_t>(i));
  if (name.empty()) Fail(GE_PARAM_INVALID, node->Label(), ": input ", i, ": attribute without a name");
  TensorDesc desc = node->input_desc(i);
  desc.attrs =
      desc.attrs && node->explicit_input_desc(i) ? std::make_shared<AttrMap>(*desc.attrs) : std::make_shared<AttrMap>();
  desc.attrs->Set(name, std::move(value));
  SetInputDesc(node, i, std::move(desc));
}

void Graph::SetOrigins(Node *node, Origins origins) {
  Own(node, "node");
  Assign(Log(), node->origins_, std::move(origins));
}

void Graph::InheritOrigins(Node *made, std::initializer_list<const Node *> from, Symbol pass) {
  Own(made, "node");
  Origins origins;
  PassNames passes;
  auto add = [](auto &list, const auto &text) {
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
  };
  for (const Node *node : from) {
    if (!node) continue;
    if (node->origins_.empty()) add(origins, SharedText(node->name_));
    for (const SharedText &origin : node->origins_) add(origins, origin);
    for (Symbol s : node->passes_) add(passes, s);
  }
  for (Symbol s : made->passes_) add(passes, s);
  if (!pass.empty()) add(passes, pass);
  Transaction all(*this);
  Assign(Log(), made->origins_, std::move(origins));
  Assign(Log(), made->passes_, std::move(passes));
  all.Commit();
}

void Graph::SetLineage(Node *node, Origins origins, PassNames passes) {
  Own(node, "node");
  Transaction all(*this);
  Assign(Log(), node->origins_, std::move(origins));
  Assign(Log(), node->passes_, std::move(passes));
  all.Commit();
}

void Graph::RemoveGraphAttr(Symbol name) {
  const AttrValue *present = attrs_.Find(name);
  if (!present) Fail(GE_NOT_FOUND, "graph '", name_, "': attribute '", name.view(), "' is not set");
  if (UndoLog *log = Log()) {
    auto old = std::make_shared<AttrValue>(*present);
    log->Push([this, name, old] { attrs_.Set(name, std::move(*old)); });
  }
  attrs_.Remove(name);
}

void Graph::SetGraphAttr(Symbol name, AttrValue value) {
  if (name.empty()) Fail(GE_PARAM_INVALID, "graph '", name_, "': attribute without a name");
  SetIn(Log(), attrs_, name, std::move(value));
}

// ---- inputs and outputs ----

std::vector<Node *> Graph::Inputs() const {
  static const Symbol index("index");
  std::vector<Node *> inputs;
  size_t count = 0;
  for (const TypeCount &known : types_)
    if (IsDataType(known.type)) count += known.alive;
  inputs.reserve(count);
  bool sorted = true;  // as nearly always
  int64_t last = INT64_MIN;
  for (size_t i = 0; inputs.size() < count; ++i) {
    if (nodes_[i]->removed_ || !IsDataType(nodes_[i]->type())) continue;
    inputs.push_back(nodes_[i]);
    const int64_t number = nodes_[i]->Int(index);
    sorted &= last <= number;
    last = number;
  }
  const auto before = [](Node *a, Node *b) { return a->Int(index) < b->Int(index); };
  constexpr size_t kFew = 8;  // arguments of a call are often made from the last one on; sorting many takes memory
  if (!sorted && count <= kFew) {
    for (auto at = inputs.begin(); at != inputs.end(); ++at)
      std::rotate(std::upper_bound(inputs.begin(), at, *at, before), at, at + 1);
  } else if (!sorted) {
    std::stable_sort(inputs.begin(), inputs.end(), before);
  }
  return inputs;
}

Node *Graph::NetOutput() const { return net_output_; }

std::vector<Endpoint> Graph::Outputs() const {
  if (Node *net = NetOutput()) return std::vector<Endpoint>(net->inputs_.begin(), net->inputs_.end());
  return outputs_;
}

void Graph::SetOutputs(std::vector<Endpoint> outputs) {
  for (Endpoint e : outputs) CheckOutput(e);
  Node *net = NetOutput();
  if (!net) {
    auto exchange = [this](std::vector<Endpoint> &other) noexcept {
      for (Endpoint e : outputs_)
        if (e) --e.node->listed_;
      outputs_.swap(other);
      for (Endpoint e : outputs_)
        if (e) ++e.node->listed_;
    };
    if (UndoLog *log = Log()) log->Push([exchange, old = outputs_]() mutable { exchange(old); });
    exchange(outputs);
    return;
  }
  if (net->ir_->inputs.size() != 1 || net->ir_->inputs[0].kind != GE_IR_DYNAMIC)
    Fail(GE_GRAPH_INVALID, net->Label(), " must have one dynamic input");
  Transaction all(*this);
  for (size_t i = 0; i < net->inputs_.size(); ++i) {
    if (net->inputs_[i]) Disconnect(net, static_cast<int32_t>(i));
  }
  ResizeDynamicInput(net, 0, static_cast<int32_t>(outputs.size()));
  for (size_t i = 0; i < outputs.size(); ++i) Connect(outputs[i], net, static_cast<int32_t>(i));
  all.Commit();
}

}  // namespace gec
