// Recurrent layers. What does not depend on the state (input times weights, biases) is one matrix product over all
// steps; each step then multiplies the state with the recurrent weights, packed so that they are read in order.
// Directions run side by side, each on its thread with its weights in that core's cache.
#include "recurrent.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "bf16_kernels.h"
#include "float_types.h"
#include "kernels.h"

namespace onednn {

namespace {

struct Spec {
  bool lstm = true, linear_before_reset = false, first_reverse = false;
  bool bf16 = false;             // x, the state and their weights are rounded; all else is float32
  int64_t steps = 0, batch = 0;  // -1: only a run knows them
  int64_t input = 0, hidden = 0, directions = 1;
  int64_t gates() const { return lstm ? 4 : 3; }
  int64_t width() const { return gates() * hidden; }
  bool known() const { return steps >= 0 && batch >= 0; }
};

// Ports; the GRU has no cell and no peephole weights.
enum Port { kX, kW, kR, kB, kLengths, kInitialH, kInitialC, kPeephole };

Spec Read(const Node &node) {
  Spec s;
  s.lstm = node.is("CommonLSTM");
  static const char *kNames[] = {"x", "w", "r", "b", "sequence_lens", "initial_h", "initial_c", "p"};
  for (int port = 0; port < (s.lstm ? 8 : 6); ++port) {
    Tensor t = node.in(port);
    if (port == kLengths) {
      if (t.present()) Refuse("input sequence_lens is not supported");
      continue;
    }
    if (port > kR && !t.present()) continue;
    RequireFloat(t, kNames[port]);
    RequirePlain(t, kNames[port]);
  }
  for (size_t i = 0; i < node.outputs(); ++i)
    if (node.out(i).present()) RequireFloat(node.out(i), "an output");
  std::string direction = node.String("direction", "forward");
  if (direction == "bidirectional") s.directions = 2;
  else if (direction == "reverse") s.first_reverse = true;
  else if (direction != "forward") Refuse("direction ", direction, " is not supported");
  std::vector<std::string> activations = node.Strings("activations");
  const std::vector<std::string> usual =
      s.lstm ? std::vector<std::string>{"sigmoid", "tanh", "tanh"} : std::vector<std::string>{"sigmoid", "tanh"};
  for (size_t i = 0; i < activations.size(); ++i) {
    std::string name = activations[i];
    for (char &c : name) c = char(tolower(c));
    if (name != usual[i % usual.size()]) Refuse("activation ", activations[i], " is not supported");
  }
  if (node.Float("clip", -1) > 0) Refuse("clip is not supported");
  if (node.Int("input_forget", 0) != 0) Refuse("input_forget is not supported");
  s.linear_before_reset = node.Int("linear_before_reset", 0) != 0;
  s.bf16 = node.Int(kComputeType, C_DT_FLOAT) == C_DT_BF16;
  for (int port : {kW, kR})
    if (const Tensor t = node.in(port); s.bf16 && (!t.known() || t.dims().empty() || t.dims().back() % 2))
      Refuse("rows of ", kNames[port], " of other than a known even length are not supported in DT_BF16");
  for (int port : {kW, kR})
    if (node.known() && !node.in(port).constant()) Refuse(kNames[port], " is not a constant");
  if (node.in(kB).present() && node.known() && !node.in(kB).constant()) Refuse("b is not a constant");
  return s;
}

void ReadShapes(const Node &node, Spec *s) {
  Dims x = node.in(kX).dims(), w = node.in(kW).dims(), r = node.in(kR).dims();
  if (x.size() != 3 || w.size() != 3 || r.size() != 3) Refuse("x, w and r must have rank 3");
  s->steps = x[0], s->batch = x[1], s->input = x[2], s->hidden = r[2];
  if (w != Dims{s->directions, s->width(), s->input} || r != Dims{s->directions, s->width(), s->hidden})
    Refuse("shapes of w ", ToText(w), " and r ", ToText(r), " do not fit x ", ToText(x));
  if (Count(x) == 0 || s->hidden == 0) Refuse("empty tensors are not supported");
  auto require = [&](int port, int64_t count, const char *name) {
    if (node.in(port).present() && Count(node.in(port).dims()) != count)
      Refuse(name, " has ", Count(node.in(port).dims()), " values, expected ", count);
  };
  require(kB, s->directions * 2 * s->width(), "b");
  require(kInitialH, s->directions * s->batch * s->hidden, "initial_h");
  if (s->lstm) require(kInitialC, s->directions * s->batch * s->hidden, "initial_c");
  if (s->lstm) require(kPeephole, s->directions * 3 * s->hidden, "p");
}

class Recurrent final : public Kernel {
 public:
  Recurrent(const Context &context, const Spec &spec)
      : s_(spec),
        env_(context.env),
        kernels_(KernelsFor(context.features)),
        bf16_(Bf16KernelsFor(context.features)),
        tile_(spec.bf16 ? bf16_.tile : kernels_.tile),
        tile_rows_(spec.bf16 ? bf16_.rows : kernels_.rows),
        vector_(spec.bf16 ? bf16_.vector : kernels_.vector),
        input_(spec.bf16 ? spec.input / 2 : spec.input),
        hidden_(spec.bf16 ? spec.hidden / 2 : spec.hidden) {
    const Node &node = context.node;
    columns_ = s_.directions * s_.width();
    const int64_t nr = kernels_.columns;
    const char *type = s_.bf16 ? "bf16:" : "";
    panels_ = (columns_ + nr - 1) / nr;
    const float *w = Data(node.in(kW)), *r = Data(node.in(kR));
    w_ = static_cast<const float *>(
        Packed(*env_, w, Text("onednn:recurrent:w:", type, nr, ":", columns_, "x", s_.input),
               panels_ * nr * input_ * sizeof(float), [&](const void *from, void *out) {
                 PackPanels(static_cast<const float *>(from), columns_, s_.input, nr, static_cast<float *>(out));
               }));
    // One row reads wide panels best, several rows are tiles.
    state_panel_ = s_.batch == 1 ? 4 * nr : nr;
    state_panels_ = (s_.width() + state_panel_ - 1) / state_panel_;
    uint64_t bytes = s_.directions * state_panels_ * state_panel_ * hidden_ * sizeof(float);
    r_ = static_cast<const float *>(Packed(
        *env_, r, Text("onednn:recurrent:r:", type, state_panel_, ":", s_.directions, "x", s_.width(), "x", s_.hidden),
        bytes, [&](const void *from, void *out) {
          for (int64_t d = 0; d < s_.directions; ++d)
            PackPanels(static_cast<const float *>(from) + d * s_.width() * s_.hidden, s_.width(), s_.hidden,
                       state_panel_, static_cast<float *>(out) + d * state_panels_ * state_panel_ * hidden_);
        }));
    if (node.in(kB).present()) {
      const float *b = Data(node.in(kB));
      bias_ = static_cast<const float *>(Packed(
          *env_, b,
          Text("onednn:recurrent:b:", s_.linear_before_reset ? "split" : "sum", s_.directions, "x", s_.width()),
          2 * columns_ * sizeof(float),
          [&](const void *from, void *out) { PackBias(static_cast<const float *>(from), static_cast<float *>(out)); }));
      state_bias_ = bias_ + columns_;
    }
    implementation =
        Text("onednn:", s_.lstm ? "lstm:" : "gru:", s_.known() ? "" : "open:", s_.bf16 ? bf16_.name : kernels_.name);
    if (s_.bf16) flops_type = C_DT_BF16;
    sizes_workspace = !s_.known();
    if (!s_.known()) return;
    sizes_ = SizesOf(s_.steps, s_.batch);
    Reserve(sizes_.bytes);
    flops = 2.0 * double(s_.steps * s_.batch * columns_) * double(s_.input + s_.hidden);
  }

  uint64_t WorkspaceFor(const int64_t *const *input_dims, const int64_t *const *) const override {
    return SizesOf(input_dims[kX][0], input_dims[kX][1]).bytes;
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    const Sizes z = s_.known() ? sizes_ : SizesOf(args.input_dims[kX][0], args.input_dims[kX][1]);
    Project(args, z);
    Parallel(s_.directions, 1, [&](int64_t begin, int64_t end) {
      for (int64_t d = begin; d < end; ++d) RunDirection(args, z, d);
    });
    return GE_SUCCESS;
  }

 private:
  /// What depends on the number of steps and sequences; places in the workspace in bytes, the others in floats.
  struct Sizes {
    int64_t steps, batch;
    int64_t product, state, scratch;
    uint64_t scratch_at, x_at, bytes;  // the projection comes first
  };
  Sizes SizesOf(int64_t steps, int64_t batch) const {
    Sizes z{steps, batch, 0, 0, 0, 0, 0, 0};
    // Per direction: products of the state, the state, the cell (or update gate), the reset gate, the rounded state.
    z.product = RoundUp(state_panels_ * state_panel_ * batch, 16);
    z.state = RoundUp(batch * s_.hidden, 16);
    z.scratch = z.product + (s_.bf16 ? 4 : 3) * z.state;
    z.scratch_at = uint64_t(RoundUp(steps * batch * columns_, 16)) * sizeof(float);
    z.x_at = z.scratch_at + uint64_t(s_.directions * z.scratch) * sizeof(float);
    z.bytes = z.x_at + (s_.bf16 ? uint64_t(steps * batch * s_.input) * sizeof(uint16_t) : 0);
    return z;
  }

  static const float *Data(const Tensor &t) { return static_cast<const float *>(t.address()); }

  void Round(const float *from, int64_t count, void *to) const {
    bf16_.round(count, from, static_cast<uint16_t *>(to));
  }

  void PackPanels(const float *matrix, int64_t rows, int64_t depth, int64_t panel, float *to) const {
    std::vector<uint16_t> rounded;
    if (s_.bf16) {  // two numbers of a row move as one float
      rounded.resize(size_t(rows * depth));
      Round(matrix, rows * depth, rounded.data());
      matrix = reinterpret_cast<const float *>(rounded.data());
      depth /= 2;
    }
    for (int64_t first = 0; first < rows; first += panel)
      kernels_.transpose(std::min(panel, rows - first), depth, matrix + first * depth, depth, to + first * depth,
                         panel);
  }

  // The bias of the projection, then that of the state's product: the GRU's hidden gate may need its own.
  void PackBias(const float *b, float *out) const {
    memset(out, 0, 2 * columns_ * sizeof(float));
    const int64_t width = s_.width();
    for (int64_t d = 0; d < s_.directions; ++d)
      for (int64_t j = 0; j < width; ++j) {
        float input = b[d * 2 * width + j], state = b[d * 2 * width + width + j];
        bool split = !s_.lstm && s_.linear_before_reset && j >= 2 * s_.hidden;
        out[d * width + j] = split ? input : input + state;
        if (split) out[columns_ + d * width + j] = state;
      }
  }

  void Project(const GeKernelArgs &args, const Sizes &z) const {
    const float *x = static_cast<const float *>(args.inputs[kX]);
    char *workspace = static_cast<char *>(args.workspace);
    float *projected = reinterpret_cast<float *>(workspace);
    if (s_.bf16) {
      Round(x, z.steps * z.batch * s_.input, workspace + z.x_at);
      x = reinterpret_cast<const float *>(workspace + z.x_at);
    }
    const int64_t nr = kernels_.columns, mr = tile_rows_, rows = z.steps * z.batch;
    int64_t grain = 1 + 500000 / std::max<int64_t>(1, rows * s_.input * nr);
    Parallel(panels_, grain, [&](int64_t begin, int64_t end) {
      for (int64_t panel = begin; panel < end; ++panel) {
        int64_t column = panel * nr, n = std::min(nr, columns_ - column);
        float *c = projected + column;
        for (int64_t i = 0; i < rows; i += mr)
          tile_(int(std::min(mr, rows - i)), int(n), input_, x + i * input_, input_, 1, w_ + column * input_, nr,
                c + i * columns_, columns_, false, w_ + (column + nr) * input_, rows <= mr ? nr : kLineAhead);
        if (!bias_) continue;
        Finish finish;
        finish.bias = bias_ + column;
        kernels_.finish(rows, n, c, columns_, finish);
      }
    });
  }

  // product[batch, columns of panels [begin, end)] = state * recurrent weights. Steps take turns in the order of the
  // panels: of weights that fill a cache, what was read last is still there.
  void TimesWeights(const Sizes &z, const float *weights, const float *state, int64_t begin, int64_t end,
                    bool backwards, float *product, float *rounded) const {
    const int64_t stride = state_panels_ * state_panel_;
    if (s_.bf16) {
      Round(state, z.batch * s_.hidden, rounded);
      state = rounded;
    }
    for (int64_t i = begin; i < end; ++i) {
      const int64_t panel = backwards ? end - 1 - (i - begin) : i;
      const float *w = weights + panel * state_panel_ * hidden_;
      float *to = product + panel * state_panel_;
      if (z.batch == 1) {
        vector_(state_panel_, hidden_, state, w, state_panel_, to);
        continue;
      }
      for (int64_t row = 0; row < z.batch; row += tile_rows_)
        tile_(int(std::min(tile_rows_, z.batch - row)), int(state_panel_), hidden_, state + row * hidden_, hidden_, 1,
              w, state_panel_, to + row * stride, stride, false, w, kLineAhead);
    }
  }

  void RunDirection(const GeKernelArgs &args, const Sizes &z, int64_t d) const {
    const int64_t h = s_.hidden, count = z.batch * h, stride = state_panels_ * state_panel_;
    char *workspace = static_cast<char *>(args.workspace);
    const float *projected = reinterpret_cast<float *>(workspace) + d * s_.width();
    float *product = reinterpret_cast<float *>(workspace + z.scratch_at) + d * z.scratch;
    float *hidden = product + z.product, *cell = hidden + z.state, *reset = cell + z.state, *rounded = reset + z.state;
    auto initial = [&](int port, float *to) {
      const float *from = static_cast<const float *>(args.inputs[port]);
      if (from) memcpy(to, from + d * count, count * sizeof(float));
      else memset(to, 0, count * sizeof(float));
    };
    initial(kInitialH, hidden);
    const float *peephole = nullptr;
    if (s_.lstm) {
      initial(kInitialC, cell);
      if (args.inputs[kPeephole]) peephole = static_cast<const float *>(args.inputs[kPeephole]) + d * 3 * h;
    }
    const float *weights = r_ + d * stride * hidden_;
    float *y = static_cast<float *>(args.outputs[0]);
    bool reverse = d == 1 || s_.first_reverse;
    for (int64_t i = 0; i < z.steps; ++i) {
      int64_t t = reverse ? z.steps - 1 - i : i;
      const float *now = projected + t * z.batch * columns_;
      if (s_.lstm) {
        TimesWeights(z, weights, hidden, 0, state_panels_, i % 2 != 0, product, rounded);
        for (int64_t b = 0; b < z.batch; ++b)
          kernels_.lstm(h, now + b * columns_, product + b * stride, peephole, cell + b * h, hidden + b * h);
      } else {
        GruStep(z, d, weights, now, i % 2 != 0, product, hidden, cell, reset, rounded);
      }
      if (y) memcpy(y + (t * s_.directions + d) * count, hidden, count * sizeof(float));
    }
    if (args.outputs[1]) memcpy(static_cast<float *>(args.outputs[1]) + d * count, hidden, count * sizeof(float));
    if (s_.lstm && args.outputs[2])
      memcpy(static_cast<float *>(args.outputs[2]) + d * count, cell, count * sizeof(float));
  }

  void GruStep(const Sizes &z, int64_t d, const float *weights, const float *now, bool backwards, float *product,
               float *hidden, float *update, float *reset, float *rounded) const {
    const int64_t h = s_.hidden, stride = state_panels_ * state_panel_;
    TimesWeights(z, weights, hidden, 0,
                 s_.linear_before_reset ? state_panels_ : (2 * h + state_panel_ - 1) / state_panel_, backwards, product,
                 rounded);
    for (int64_t b = 0; b < z.batch; ++b) {
      float *p = product + b * stride;
      if (s_.linear_before_reset && state_bias_)
        for (int64_t j = 0; j < h; ++j) p[2 * h + j] += state_bias_[d * s_.width() + 2 * h + j];
      const float *by = s_.linear_before_reset ? p + 2 * h : hidden + b * h;
      kernels_.gru_gates(h, now + b * columns_, p, by, update + b * h, reset + b * h);
    }
    // Without linear_before_reset the hidden gate multiplies the state after the reset.
    if (!s_.linear_before_reset)
      TimesWeights(z, weights, reset, 2 * h / state_panel_, state_panels_, backwards, product, rounded);
    for (int64_t b = 0; b < z.batch; ++b)
      kernels_.gru_state(h, now + b * columns_ + 2 * h,
                         s_.linear_before_reset ? reset + b * h : product + b * stride + 2 * h, update + b * h,
                         hidden + b * h);
  }

  Spec s_;
  const GeKernelEnv *env_;
  const KernelSet &kernels_;
  const Bf16KernelSet &bf16_;
  decltype(KernelSet::tile) const tile_;
  const int64_t tile_rows_;
  decltype(KernelSet::vector) const vector_;
  const int64_t input_, hidden_;  // depths in floats: in bf16 each holds two numbers
  int64_t columns_, panels_, state_panel_, state_panels_;
  const float *w_, *r_, *bias_ = nullptr, *state_bias_ = nullptr;
  Sizes sizes_{};  // of a kernel for one size
};

}  // namespace

void CheckRecurrent(const Node &node) {
  Spec spec = Read(node);
  if (node.known()) ReadShapes(node, &spec);
}

std::unique_ptr<Kernel> CreateOpenRecurrent(const Context &context) {
  const Node &node = context.node;
  Spec spec = Read(node);
  for (int port : {kW, kR, kB})
    if (node.in(port).present() && !node.in(port).constant()) Refuse("weights that are not constant");
  ReadShapes(node, &spec);
  if (spec.input < 0) Refuse("the length of a row is open");
  return std::make_unique<Recurrent>(context, spec);
}

std::unique_ptr<Kernel> CreateRecurrent(const Context &context) {
  Spec spec = Read(context.node);
  ReadShapes(context.node, &spec);
  return std::make_unique<Recurrent>(context, spec);
}

}  // namespace onednn
