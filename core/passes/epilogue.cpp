#include "core/passes/epilogue.h"

#include "core/ops/op_desc.h"
#include "core/passes/elementwise_table.h"
#include "ge/fused_program.h"

namespace gec {

namespace {

/// The name that convolutions and products have for the instruction; "" where they cannot do it.
const char *ActivationName(int opcode) {
  switch (opcode) {
#define GE_ELEMENTWISE_OPCODE(name, number, operands, formula, cost, zeros, activation) \
  case number:                                                                          \
    return activation;
#include "ge/elementwise.def"
    default:
      return "";
  }
}

}  // namespace

bool ActivationOf(const Node &node, Activation *out) {
  ElementwiseOp op;
  if (!node.input_count() || !node.input(0) || !ElementwiseOf(node, &op)) return false;
  *out = {ActivationName(op.opcode), op.attrs[0], op.attrs[1]};
  if (op.opcode == GE_FUSED_RELU6) *out = {ActivationName(GE_FUSED_CLIP), 0, 6};
  if (op.opcode == GE_FUSED_CLIP) {
    double low, high;
    Endpoint x = node.input(0);
    if (!ScalarBeside(node.input(1), x, &low) || !ScalarBeside(node.input(2), x, &high)) return false;
    out->alpha = static_cast<float>(low);
    out->beta = static_cast<float>(high);
  }
  return !out->name.empty();
}

Node *Epilogue::Reader(const Editor &editor, int32_t *port) const {
  if (!editor.OnlyUse(last)) return nullptr;
  const Use &use = last.node->uses(static_cast<size_t>(last.port))[0];
  if (Editor::HasControl(*use.node) || use.node->output_count() != 1) return nullptr;
  *port = use.port;
  return use.node;
}

bool Epilogue::JoinResidual(const Editor &editor) {
  static const Symbol add("Add");
  int32_t port;
  Node *reader = Reader(editor, &port);
  if (!reader || residual || !activation.name.empty() || reader->known_type() != add) return false;
  // The value has one reader, so the other operand cannot depend on it.
  Endpoint other = reader->input(static_cast<size_t>(1 - port));
  if (!other || !IsFloat32(other) || !SameKnownShape(other, last) || !SameKnownShape({reader, 0}, last)) return false;
  residual = other;
  Join(reader);
  return true;
}

bool Epilogue::JoinActivation(const Editor &editor) {
  int32_t port;
  Node *reader = Reader(editor, &port);
  if (!reader || port != 0 || !activation.name.empty() || !ActivationOf(*reader, &activation)) return false;
  Join(reader);
  return true;
}

Refusal Epilogue::WhyNothingJoins(const Editor &editor) const {
  if (!editor.OnlyUse(last))
    return {"its result is an output of the graph, or has other than one reader", "one reader", Mismatch::kReader};
  int32_t port;
  const Node *reader = Reader(editor, &port);
  if (!reader) return {"its reader has control edges, or several outputs", "a reader of one output"};
  return {reader->Label() +
              ", which reads it, neither adds a float32 tensor of the same known shape nor is an activation of it",
          "a reader that adds a float32 tensor of the same known shape, or is an activation"};
}

bool PerChannel(Endpoint constant, int32_t rank, int32_t axis, int64_t channels, std::vector<float> *values) {
  TensorPtr t = ConstantOf(constant);
  if (!t || t->desc.dtype != C_DT_FLOAT || channels <= 0 || t->desc.shape.rank() > rank) return false;
  const Shape &shape = t->desc.shape;
  const float *data = t->as<float>();
  if (shape.elements() == 1) {
    values->assign(static_cast<size_t>(channels), data[0]);
    return true;
  }
  int32_t lead = rank - shape.rank();
  for (int32_t i = 0; i < shape.rank(); ++i) {
    if (shape[static_cast<size_t>(i)] != (i + lead == axis ? channels : 1)) return false;
  }
  if (axis < lead) return false;
  values->assign(data, data + channels);
  return true;
}

}  // namespace gec
