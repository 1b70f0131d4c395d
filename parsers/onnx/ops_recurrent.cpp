// LSTM and GRU.
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
  if (hidden == 0) hidden = c.NeedDim(r, 2, "as hidden size");
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

void LSTM(NodeContext &c) {
  Layout layout{c.opset() >= 14 && c.Int("layout", 0) != 0};
  std::string direction = c.String("direction", "forward");
  CheckDirection(c, direction);
  Endpoint r = c.In(2);
  c.Ignore({"output_sequence"});
  Node *node = c.Add("CommonLSTM",
                     {layout.In(c, c.In(0)), c.In(1), r, c.OptIn(3), c.OptIn(4), layout.In(c, c.OptIn(5)),
                      layout.In(c, c.OptIn(6)), c.OptIn(7)},
                     {{"activation_alpha", c.Floats("activation_alpha")},
                      {"activation_beta", c.Floats("activation_beta")},
                      {"activations", c.Strings("activations")},
                      {"clip", c.Float("clip", -1.0f)},
                      {"direction", direction},
                      {"hidden_size", HiddenSize(c, r)},
                      {"input_forget", c.Int("input_forget", 0)}});
  Publish(c, node, layout, 3);
}

void GRU(NodeContext &c) {
  Layout layout{c.opset() >= 14 && c.Int("layout", 0) != 0};
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
                      {"linear_before_reset", c.Int("linear_before_reset", 0)}});
  Publish(c, node, layout, 2);
}

constexpr Handler kHandlers[] = {
    {"", "LSTM", 1, LSTM},
    {"", "GRU", 1, GRU},
};

}  // namespace

HandlerTable RecurrentHandlers() { return {std::begin(kHandlers), std::end(kHandlers)}; }

}  // namespace gec::onnx
