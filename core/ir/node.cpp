#include "core/ir/graph.h"
#include "core/ir/undo_log.h"

namespace gec {
namespace {

std::pair<int32_t, int32_t> Range(const std::vector<IrPort> &ports, const InlineVec<int32_t, 2> &counts, size_t ir) {
  int32_t first = 0;
  size_t dynamic = 0;
  for (size_t i = 0; i < ir && i < ports.size(); ++i) first += ports[i].kind == GE_IR_DYNAMIC ? counts[dynamic++] : 1;
  if (ir >= ports.size()) return {first, 0};
  return {first, ports[ir].kind == GE_IR_DYNAMIC ? counts[dynamic] : 1};
}

}  // namespace

const Node::Rare Node::kNothingRare{};

size_t Node::total_uses() const {
  size_t total = 0;
  for (const Output &out : outputs_) total += out.uses.size() - out.holes;
  return total;
}

/// Other records of the log name places in the list: they find it as it was.
void Node::CloseHoles(size_t out) const {
  Node *self = const_cast<Node *>(this);
  const Output &output = outputs_[out];
  if (UndoLog *log = graph().Log()) {
    std::vector<uint32_t> at;
    at.reserve(output.holes);
    for (uint32_t i = 0; i < output.uses.size(); ++i)
      if (!output.uses[i].node) at.push_back(i);
    log->Push([self, out, at = std::move(at)] { self->OpenHoles(out, at); });
  }
  self->Close(out);
}

void Node::Close(size_t out) noexcept {
  Output &output = outputs_[out];
  if (output.holes == 0) return;
  uint32_t to = 0;
  for (const Use &use : output.uses) {
    if (!use.node) continue;
    use.node->inputs_[static_cast<size_t>(use.port)].at = to;
    output.uses[to++] = use;
  }
  while (output.uses.size() > to) output.uses.pop_back();
  output.holes = 0;
}

/// There is room: the list was that long before.
void Node::OpenHoles(size_t out, const std::vector<uint32_t> &at) noexcept {
  Output &output = outputs_[out];
  auto &uses = output.uses;
  size_t from = uses.size(), hole = at.size();
  uses.resize(from + hole);
  for (size_t to = uses.size(); to-- > 0;) {
    if (hole > 0 && at[hole - 1] == to) {
      uses[to] = {};
      --hole;
      continue;
    }
    uses[to] = uses[--from];
    uses[to].node->inputs_[static_cast<size_t>(uses[to].port)].at = static_cast<uint32_t>(to);
  }
  output.holes = static_cast<uint32_t>(at.size());
}

bool Node::IsGraphOutput() const {
  const Node *net = graph().NetOutput();
  if (!net) return listed_ != 0;
  for (const Output &out : outputs_)
    for (const Use &use : out.uses)
      if (use.node == net) return true;
  return false;
}

const TensorDesc &Node::input_desc(size_t i) const {
  static const TensorDesc *undefined = new TensorDesc(C_DT_UNDEFINED, Shape::UnknownRank());
  if (const TensorDesc *own = explicit_input_desc(i)) return *own;
  Endpoint e = inputs_[i];
  return e ? e.node->outputs_[static_cast<size_t>(e.port)].desc : *undefined;
}

std::pair<int32_t, int32_t> Node::InputRange(size_t ir) const { return Range(ir_->inputs, rare().dyn_in, ir); }
std::pair<int32_t, int32_t> Node::OutputRange(size_t ir) const { return Range(ir_->outputs, rare().dyn_out, ir); }

const AttrValue *Node::attr(Symbol name) const {
  if (const AttrValue *value = attrs_.Find(name)) return value;
  const IrAttr *ir = ir_->FindAttr(name);
  return ir && !ir->required ? &ir->fallback : nullptr;
}
int64_t Node::Int(Symbol name, int64_t fallback) const { return IntOf(attr(name), fallback); }
float Node::Float(Symbol name, float fallback) const { return FloatOf(attr(name), fallback); }
std::string Node::String(Symbol name, std::string_view fallback) const { return StringOf(attr(name), fallback); }
std::vector<int64_t> Node::Ints(Symbol name) const { return IntsOf(attr(name)); }

Graph *Node::subgraph(size_t i) const { return graph().FindSubgraph(subgraphs()[i].graph_name); }

std::string Node::OriginText() const {
  if (origins_.empty()) return name_;
  std::string text;
  for (const SharedText &origin : origins_) {
    if (!text.empty()) text += ',';
    text += origin.view();
  }
  return text;
}

std::string Node::Label() const { return Str(ir_ ? type().view() : "?", " '", name_, "'"); }

bool IsDataType(Symbol type) {
  static const Symbol data("Data"), ref("RefData"), aipp("AippData"), ann("AnnData"), any("AnyData");
  return type == data || type == ref || type == aipp || type == ann || type == any;
}

bool IsConstType(Symbol type) {
  static const Symbol plain("Const"), constant("Constant");
  return type == plain || type == constant;
}

bool IsVariableType(Symbol type) {
  static const Symbol variable("Variable"), variable_v2("VariableV2"), handle("VarHandleOp");
  return type == variable || type == variable_v2 || type == handle;
}

TensorPtr ConstantOf(Endpoint e) {
  static const Symbol value("value");
  if (!e || !IsConstType(e.node->type())) return nullptr;
  TensorPtr tensor = e.node->attrs().GetTensor(value);
  return tensor && tensor->buffer ? tensor : nullptr;
}

Symbol EngineAttr() {
  static const Symbol name("_engine");
  return name;
}
Symbol GeEngineAttr() {
  static const Symbol name("_specified_engine_name");
  return name;
}
Symbol ReservedAttr() {
  static const Symbol name("_reserved_for");
  return name;
}

bool Node::HasEngineChoice() const {
  return attrs_.Has(EngineAttr()) || attrs_.Has(GeEngineAttr()) || attrs_.Has(ReservedAttr());
}

}  // namespace gec
