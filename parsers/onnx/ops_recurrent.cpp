// LSTM, GRU and the plain RNN.
#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/node_context.h"

namespace gec::onnx {
namespace {

// Batch first: [batch, seq, …] in, [batch, seq, directions, hidden] out.
struct Layout {
  bool batch_first;
  Endpoint In(NodeContext &c, Endpoint e) const { return batch_first && e ? c.Transpose(e, {1, 0, 2}) : e; }
  Endpoint Sequence(NodeContext &c, Endpoint e) const { return batch_first ? c.Transpose(e, {2, 0, 1, 3}) : e; }
  Endpoint State(NodeContext &c, Endpoint e) const { return batch_first ? c.Transpose(e, {1, 0, 2}) : e; }
};

void CheckDirection(NodeContext &c, const std::string &direction) {
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional") {
    c.Refuse(Reason::kInvalidModel,
             "attribute 'direction' is '" + direction + "', expected forward, reverse or bidirectional");
  }
}

int64_t HiddenSize(NodeContext &c, Endpoint r) {
  int64_t hidden = c.Int("hidden_size", 0);
  if (!c.HasAttr("hidden_size")) hidden = c.NeedDim(r, 2, "as hidden size");
  if (hidden <= 0) c.Refuse(Reason::kInvalidModel, Str("hidden_size is ", hidden));
  return hidden;
}

void Publish(NodeContext &c, Node *node, const Layout &layout, size_t outputs) {
  for (size_t i = 0; i < outputs; ++i) {
    if (!c.WantsOutput(i)) continue;
    Endpoint e{node, static_cast<int32_t>(i)};
    c.Out(i, i == 0 ? layout.Sequence(c, e) : layout.State(c, e));
  }
}

void AddLSTM(NodeContext &c, const Layout &layout, Endpoint w, Endpoint r) {
  std::string direction = c.String("direction", "forward");
  CheckDirection(c, direction);
  c.Ignore({"output_sequence"});
  Node *node = c.Add("CommonLSTM",
                     {layout.In(c, c.In(0)), w, r, c.OptIn(3), c.OptIn(4), layout.In(c, c.OptIn(5)),
                      layout.In(c, c.OptIn(6)), c.OptIn(7)},
                     {{"activation_alpha", c.Floats("activation_alpha")},
                      {"activation_beta", c.Floats("activation_beta")},
                      {"activations", c.Strings("activations")},
                      {"clip", c.Float("clip", -1.0f)},
                      {"direction", direction},
                      {"hidden_size", HiddenSize(c, r)},
                      {"input_forget", int64_t{c.Flag("input_forget", false)}}});
  Publish(c, node, layout, 3);
}

void LSTM(NodeContext &c) { AddLSTM(c, {c.opset() >= 14 && c.Flag("layout", false)}, c.In(1), c.In(2)); }

// Numbers of 8 bits [directions, inputs, columns] as floats [directions, columns, inputs]. Scales and zero points: one
// for each direction, or for each of its columns.
template <class T>
TensorPtr Dequantized(const Tensor &numbers, const Tensor &scale, const Tensor *zero) {
  const int64_t directions = numbers.desc.shape[0], inputs = numbers.desc.shape[1], columns = numbers.desc.shape[2];
  const bool each = scale.desc.shape.rank() == 2;
  auto buffer = Buffer::AllocateUnset(static_cast<uint64_t>(directions * inputs * columns) * sizeof(float));
  float *to = static_cast<float *>(buffer->data());
  for (int64_t d = 0; d < directions; ++d)
    for (int64_t n = 0; n < columns; ++n) {
      const int64_t at = each ? d * columns + n : d;
      const float factor = scale.as<float>()[at], offset = zero ? zero->as<T>()[at] : T{0};
      for (int64_t k = 0; k < inputs; ++k)
        *to++ = (static_cast<float>(numbers.as<T>()[(d * inputs + k) * columns + n]) - offset) * factor;
    }
  return std::make_shared<Tensor>(TensorDesc(C_DT_FLOAT, Shape{directions, columns, inputs}), std::move(buffer));
}

// The same where all is constant; null elsewhere.
TensorPtr ConstantWeights(NodeContext &c, size_t at, size_t scale_at) {
  const TensorPtr numbers = c.ConstIn(at), scale = c.ConstIn(scale_at), zero = c.ConstIn(scale_at + 1);
  if (!numbers || !scale || (c.HasInput(scale_at + 1) && !zero)) return nullptr;
  const Shape &shape = numbers->desc.shape;
  const int32_t type = numbers->desc.dtype;
  if ((type != C_DT_INT8 && type != C_DT_UINT8) || shape.rank() != 3 || scale->desc.dtype != C_DT_FLOAT) return nullptr;
  const Shape one{shape[0]}, each{shape[0], shape[2]};
  if (scale->desc.shape != one && scale->desc.shape != each) return nullptr;
  if (zero && (zero->desc.dtype != type || zero->desc.shape != scale->desc.shape)) return nullptr;
  return type == C_DT_INT8 ? Dequantized<int8_t>(*numbers, *scale, zero.get())
                           : Dequantized<uint8_t>(*numbers, *scale, zero.get());
}

// Weights [directions, inputs, 4 * hidden] of 8 bits as an LSTM has them. Constants become floats here: they are larger
// than what a pass may fold.
Endpoint DequantizedWeights(NodeContext &c, size_t at, size_t scale_at) {
  if (TensorPtr made = ConstantWeights(c, at, scale_at)) return c.Const(std::move(made), "weights");
  Formula f(c);
  auto beside = [&](Endpoint e, size_t input) {
    const int64_t rank = c.NeedRank(e, "to scale weights by it");
    if (rank != 1 && rank != 2)
      c.Refuse(Reason::kInvalidModel, Str("input ", input, " has rank ", rank, ", expected 1 or 2"));
    return rank == 1 ? c.Unsqueeze(e, {1, 2}) : c.Unsqueeze(e, {1});
  };
  Endpoint values = c.CastTo(c.In(at), C_DT_FLOAT);
  if (Endpoint zero = c.OptIn(scale_at + 1)) values = f.Sub(values, c.CastTo(beside(zero, scale_at + 1), C_DT_FLOAT));
  return c.Transpose(f.Mul(values, beside(c.In(scale_at), scale_at)), {0, 2, 1});
}

// Inputs and states stay floats, where ONNX Runtime rounds them to 8 bits at each step.
void DynamicQuantizeLSTM(NodeContext &c) {
  AddLSTM(c, {false}, DequantizedWeights(c, 1, 8), DequantizedWeights(c, 2, 10));
}

void GRU(NodeContext &c) {
  Layout layout{c.opset() >= 14 && c.Flag("layout", false)};
  std::string direction = c.String("direction", "forward");
  CheckDirection(c, direction);
  Endpoint r = c.In(2);
  c.Ignore({"output_sequence"});
  Node *node = c.Add("CommonGRU", {layout.In(c, c.In(0)), c.In(1), r, c.OptIn(3), c.OptIn(4), layout.In(c, c.OptIn(5))},
                     {{"activation_alpha", c.Floats("activation_alpha")},
                      {"activation_beta", c.Floats("activation_beta")},
                      {"activations", c.Strings("activations")},
                      {"clip", c.Float("clip", -1.0f)},
                      {"direction", direction},
                      {"hidden_size", HiddenSize(c, r)},
                      {"linear_before_reset", int64_t{c.Flag("linear_before_reset", false)}}});
  Publish(c, node, layout, 2);
}

// A GRU whose update gate is always 0 and whose reset gate is always 1 is a plain RNN.
void RNN(NodeContext &c) {
  Layout layout{c.opset() >= 14 && c.Flag("layout", false)};
  std::string direction = c.String("direction", "forward");
  CheckDirection(c, direction);
  Endpoint w = c.In(1), r = c.In(2), b = c.OptIn(3);
  c.Ignore({"output_sequence"});
  Formula f(c);
  int32_t type = c.NeedType(r, "to add gates of it");
  int64_t hidden = HiddenSize(c, r), directions = direction == "bidirectional" ? 2 : 1;
  // Clipping would open a sigmoid gate again: a steep straight line closes it at any limit.
  float clip = c.Float("clip", -1.0f);
  bool clipped = clip > 0;
  std::vector<std::string> functions = c.Strings("activations"), names;
  if (functions.empty()) functions.assign(static_cast<size_t>(directions), "Tanh");
  if (functions.size() != static_cast<size_t>(directions)) {
    c.Refuse(Reason::kInvalidModel, Str("activations has ", functions.size(), " values, expected ", directions));
  }
  std::vector<float> alphas = c.Floats("activation_alpha"), betas = c.Floats("activation_beta"), alpha, beta;
  size_t next_alpha = 0, next_beta = 0;
  for (const std::string &name : functions) {
    names.insert(names.end(), {clipped ? "HardSigmoid" : "Sigmoid", name});
    if (clipped) {
      alpha.push_back(1e30f);
      beta.push_back(0.5f);
    }
    // Each function takes its parameters from the front of the lists; what is missing has a default of its own.
    struct {
      const char *name;
      float alpha, beta;
      int count;
    } const known[] = {{"Affine", 1, 0, 2},     {"LeakyRelu", 0.01f, 0, 1},     {"ThresholdedRelu", 1, 0, 1},
                       {"ScaledTanh", 1, 1, 2}, {"HardSigmoid", 0.2f, 0.5f, 2}, {"Elu", 1, 0, 1}};
    for (const auto &k : known) {
      if (name != k.name) continue;
      alpha.push_back(next_alpha < alphas.size() ? alphas[next_alpha++] : k.alpha);
      if (k.count == 2) beta.push_back(next_beta < betas.size() ? betas[next_beta++] : k.beta);
    }
  }
  auto closed = [&](Endpoint matrix) {  // no weight reaches the gates
    Endpoint gates = f.Zeros(f.Vector({f.Int(directions), f.Int(2 * hidden), f.Dim(matrix, 2)}), type);
    return f.Concat({gates, matrix}, 1);
  };
  auto row = [&](double v) { return f.Fill(c.ConstInts({directions, hidden}, "gate"), f.Real(v, type)); };
  Endpoint zeros = row(0), own = zeros, state = zeros;
  if (b) {
    own = c.Slice(b, {0}, {hidden}, {1});
    state = c.Slice(b, {hidden}, {2 * hidden}, {1});
  }
  // Sigmoid of 100 is 1 in float32 and double alike, of -100 less than any sum can notice.
  Endpoint bias = f.Concat({row(-100), row(100), own, zeros, zeros, state}, 1);
  Node *node =
      c.Add("CommonGRU", {layout.In(c, c.In(0)), closed(w), closed(r), bias, c.OptIn(4), layout.In(c, c.OptIn(5))},
            {{"activation_alpha", alpha},
             {"activation_beta", beta},
             {"activations", names},
             {"clip", clip},
             {"direction", direction},
             {"hidden_size", hidden},
             {"linear_before_reset", int64_t{0}}});
  Publish(c, node, layout, 2);
}

constexpr Handler kRecurrentHandlers[] = {
    {"", "LSTM", 1, LSTM},
    {"", "GRU", 1, GRU},
    {"", "RNN", 1, RNN},
    {"com.microsoft", "DynamicQuantizeLSTM", 1, DynamicQuantizeLSTM},
};

}  // namespace

HandlerTable RecurrentHandlers() { return {std::begin(kRecurrentHandlers), std::end(kRecurrentHandlers)}; }

}  // namespace gec::onnx
