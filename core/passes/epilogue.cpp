#include "core/passes/epilogue.h"

#include "core/ops/op_desc.h"

namespace gec {

bool ActivationOf(const Node &node, Activation *out) {
  static const std::unordered_map<Symbol, const char *> *plain = new std::unordered_map<Symbol, const char *>{
      {"Relu", "relu"}, {"Sigmoid", "sigmoid"}, {"Tanh", "tanh"}, {"HardSwishV2", "hard_swish"}, {"Gelu", "gelu_tanh"}};
  static const Symbol relu6("Relu6"), clip("ClipByValueV2"), swish("Swish"), gelu("GeluV2"), leaky("LeakyRelu"),
      hard_sigmoid("HardSigmoid"), elu("Elu"), scale("scale"), approximate("approximate"), slope("negative_slope"),
      alpha("alpha"), beta("beta"), input_scale("input_scale");
  if (node.output_count() != 1 || !node.input(0) || !IsFloat32(node.input(0))) return false;
  *out = Activation();
  auto at = plain->find(node.known_type());
  if (at != plain->end()) {
    out->name = at->second;
  } else if (node.known_type() == relu6) {
    *out = {"clip", 0, 6};
  } else if (node.known_type() == clip) {
    double low, high;
    Endpoint x = node.input(0);
    if (!ScalarBeside(node.input(1), x, &low) || !ScalarBeside(node.input(2), x, &high)) return false;
    *out = {"clip", static_cast<float>(low), static_cast<float>(high)};
  } else if (node.known_type() == swish) {
    if (node.Float(scale, 1) != 1) return false;
    out->name = "swish";
  } else if (node.known_type() == gelu) {
    out->name = node.String(approximate, "none") == "tanh" ? "gelu_tanh" : "gelu_erf";
  } else if (node.known_type() == leaky) {
    *out = {"leaky_relu", node.Float(slope), 0};
  } else if (node.known_type() == hard_sigmoid) {
    *out = {"hard_sigmoid", node.Float(alpha), node.Float(beta)};
  } else if (node.known_type() == elu) {
    if (node.Float(scale, 1) != 1 || node.Float(input_scale, 1) != 1) return false;
    *out = {"elu", node.Float(alpha, 1), 0};
  } else {
    return false;
  }
  return true;
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

bool Accepted(Editor &editor, const Node &node, std::string *why) {
  if (!editor.ctx.supported) return true;
  OpDescView view(node);
  std::string engine;
  if (editor.ctx.supported(*view.get(), &engine)) return true;
  *why = "no fast engine takes the fused node";
  return false;
}

}  // namespace gec
