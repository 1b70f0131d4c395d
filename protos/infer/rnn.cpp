// Recurrent cells. Those of ONNX: x [steps, batch, input], w [directions, gates * hidden, input].
#include "protos/infer/context.h"

namespace gec::infer {
namespace {

void Recurrent(Context &c, int64_t gates, bool has_cell) {
  std::string direction = c.StringAttr("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    c.Fail("direction is '", direction, "', expected forward, reverse or bidirectional");
  int64_t directions = direction == "bidirectional" ? 2 : 1;
  Shape x = c.DimsOfRank(0, 3, "x"), w = c.DimsOfRank(1, 3, "w"), r = c.DimsOfRank(2, 3, "r");
  int64_t hidden = c.IntAttr("hidden_size");
  if (hidden < 1) c.Fail("hidden_size is ", hidden, ", expected at least 1");
  int64_t rows = c.CheckedMul(gates, hidden, "the number of gate rows");
  auto expect = [&](const Shape &s, const Shape &want, const char *name) {
    bool fits = s.rank() == want.rank();
    for (int64_t i = 0; fits && i < want.rank(); ++i) fits = s[i] < 0 || want[i] < 0 || s[i] == want[i];
    if (!fits) c.Fail(name, " has shape ", s.str(), ", expected ", want.str());
  };
  expect(w, {directions, rows, x[2]}, "w");
  expect(r, {directions, rows, hidden}, "r");
  if (c.Has(3)) expect(c.DimsOfRank(3, 2, "b"), {directions, c.CheckedMul(2, rows, "the length of b")}, "b");
  if (c.Has(4)) expect(c.DimsOfRank(4, 1, "sequence_lens"), {x[1]}, "sequence_lens");
  Shape state{directions, x[1], hidden};
  if (c.Has(5)) {
    expect(c.DimsOfRank(5, 3, "initial_h"), state, "initial_h");
    state[1] = c.SameDim(state[1], c.DimsOfRank(5, 3, "initial_h")[1], "the batch of x and initial_h");
  }
  if (has_cell && c.Has(6)) expect(c.DimsOfRank(6, 3, "initial_c"), state, "initial_c");
  if (has_cell && c.Has(7)) expect(c.DimsOfRank(7, 2, "p"), {directions, 3 * hidden}, "p");
  c.Out(0, c.Type(0), Shape{x[0], directions, state[1], hidden});
  c.Out(1, c.Type(0), state);
  if (has_cell) c.Out(2, c.Type(0), state);
}

/// x [steps, batch, input]: the outputs have a row for each step. Both directions at once, projections and stacked
/// cells are laid out as a device likes.
void DynamicRule(Context &c, size_t outputs, int64_t hidden) {
  Shape x = c.DimsOfRank(0, 3, "x"), y{x[0], x[1], hidden};
  std::string direction = c.StringAttr("direction", "UNIDIRECTIONAL");
  if (direction != "UNIDIRECTIONAL" || c.IntAttr("num_proj") > 0 || c.IntAttr("cell_depth", 1) != 1)
    y = Shape::Unknown();
  for (size_t port = 0; port < outputs; ++port) c.Out(port, c.Type(0), y);
}

void DynamicRnnRule(Context &c) {
  int64_t gates = c.DimsOfRank(1, 2, "w")[1];
  if (c.NoMultiple(gates, 4)) c.Fail("w has ", gates, " columns, expected a multiple of 4");
  DynamicRule(c, 8, gates < 0 ? -1 : gates / 4);
}
void DynamicRnnV2Rule(Context &c) { DynamicRule(c, 8, c.DimsOfRank(2, 2, "weight_hidden")[0]); }
void DynamicGruV2Rule(Context &c) { DynamicRule(c, 6, c.DimsOfRank(2, 2, "weight_hidden")[0]); }

void LstmRule(Context &c) { Recurrent(c, 4, true); }
void GruRule(Context &c) { Recurrent(c, 3, false); }

constexpr Entry kRnnRules[] = {
    {"CommonLSTM", Guarded<LstmRule>},           {"CommonGRU", Guarded<GruRule>},
    {"DynamicRNN", Guarded<DynamicRnnRule>},     {"DynamicRNNV2", Guarded<DynamicRnnV2Rule>},
    {"DynamicGRUV2", Guarded<DynamicGruV2Rule>},
};

}  // namespace

std::span<const Entry> RnnRules() { return kRnnRules; }

}  // namespace gec::infer
