// Attention in one kernel: blocks of scores stay in the cache, and a running softmax corrects what was summed up when a
// later block holds a higher score (arXiv 2205.14135).
#include "attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "attention_spec.h"
#include "bf16_kernels.h"

namespace onednn {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

class Attention final : public Kernel {
 public:
  Attention(const Context &context, bool open)
      : spec_(ReadAttention(context.node)),
        kernels_(KernelsFor(context.features)),
        bf16_(Bf16KernelsFor(context.features)),
        tile_(spec_.bf16 ? bf16_.tile : kernels_.tile),
        tile_rows_(spec_.bf16 ? bf16_.rows : kernels_.rows),
        threads_(context.env->threads),
        open_(open) {
    implementation = Text("onednn:attention:", spec_.bf16 ? bf16_.name : kernels_.name);
    if (spec_.bf16) flops_type = C_DT_BF16;
    // A power of two rounds nothing; any other factor is the scores'.
    int exponent;
    if (spec_.bf16 && std::abs(std::frexp(spec_.scale, &exponent)) != 0.5f) std::swap(q_scale_, s_scale_);
    sizes_workspace = open;
    strided_inputs = 1u << 1 | 1u << 2;  // keys and values: caches with room for more
    if (open) return;
    const Node &node = context.node;
    const Dims q = node.in(0).dims(), k = node.in(1).dims(), v = node.in(2).dims(),
               mask = spec_.mask ? node.in(3).dims() : Dims();
    cut_ = CutAttention(spec_, kernels_, threads_, q.data(), k.data(), v.data(), mask.data());
    workspace_bytes = cut_.workspace;
    flops = cut_.flops();
  }

  uint64_t WorkspaceFor(const int64_t *const *dims, const int64_t *const *) const override {
    return open_ ? CutOf(dims).workspace : workspace_bytes;
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    AttentionCut c = open_ ? CutOf(args.input_dims) : cut_;
    if (args.input_strides) {
      Stretch(args.input_strides[1], spec_.key_lengths_first, &c.k);
      Stretch(args.input_strides[2], spec_.value_lengths_first, &c.v);
    }
    RunCut(args, c);
    return GE_SUCCESS;
  }

 private:
  // One block of rows of one head of keys, with its scratch.
  struct Task {
    int64_t batch, head;  // of keys
    int64_t first, rows;  // among all rows of that head
    int64_t keys;         // that there are
    float *q, *s, *o, *top, *sum, *by, *mask, *wide;
  };
  // A row's head of query and its place there; rows come in order, so that nothing is divided for each.
  struct Row {
    int64_t head, query, queries;
    void Next() {
      if (++query == queries) query = 0, ++head;
    }
  };
  // Keys [begin, end) that a row sees.
  struct Range {
    int64_t begin, end;
  };

  static void Stretch(const int64_t *strides, bool lengths_first, HeadsAt *h) {
    if (!strides) return;
    h->batch_step = strides[0];
    h->head_step = strides[lengths_first ? 2 : 1], h->step = strides[lengths_first ? 1 : 2];
  }

  AttentionCut CutOf(const int64_t *const *dims) const {
    return CutAttention(spec_, kernels_, threads_, dims[0], dims[1], dims[2], spec_.mask ? dims[3] : nullptr);
  }

  // Of query, key and value.
  const char *Operand(const GeKernelArgs &args, int port, int64_t element) const {
    return static_cast<const char *>(args.inputs[port]) + element * (spec_.bf16 ? 2 : 4);
  }
  static const float *In(const GeKernelArgs &args, int port) { return static_cast<const float *>(args.inputs[port]); }
  static float *At(const GeKernelArgs &args, uint64_t offset) {
    return reinterpret_cast<float *>(static_cast<char *>(args.workspace) + offset);
  }

  int64_t KeysOf(const GeKernelArgs &args, const AttentionCut &c, int64_t batch) const {
    if (!spec_.lengths) return c.k.length;
    const int64_t n = spec_.wide_lengths ? static_cast<const int64_t *>(args.inputs[4])[batch]
                                         : static_cast<const int32_t *>(args.inputs[4])[batch];
    return std::clamp<int64_t>(n, 0, c.k.length);
  }

  void RunCut(const GeKernelArgs &args, const AttentionCut &c) const {
    if (!c.few) Pack(args, c);
    Parallel(c.lanes, LaneGrain(c), [&](int64_t begin, int64_t end) {
      for (int64_t lane = begin; lane < end; ++lane)
        for (int64_t i = lane * c.tasks / c.lanes; i < (lane + 1) * c.tasks / c.lanes; ++i)
          RunTask(args, c, TaskAt(args, c, i, At(args, c.lanes_at) + lane * c.lane_floats));
    });
  }

  // Little work stays on one thread.
  static int64_t LaneGrain(const AttentionCut &c) {
    constexpr double kGrain = 200e3;
    return std::max<int64_t>(1, int64_t(kGrain / (c.flops() / double(std::max<int64_t>(1, c.lanes)) + 1)));
  }

  Task TaskAt(const GeKernelArgs &args, const AttentionCut &c, int64_t index, float *scratch) const {
    Task t;
    const int64_t head = index / c.row_blocks;
    t.batch = head / c.k.heads, t.head = head % c.k.heads;
    t.first = index % c.row_blocks * c.row_block, t.rows = std::min(c.row_block, c.rows() - t.first);
    t.keys = KeysOf(args, c, t.batch);
    t.q = scratch + c.q_at, t.s = scratch + c.s_at, t.o = scratch + c.o_at, t.top = scratch + c.rows_at;
    t.sum = t.top + c.row_block, t.by = t.sum + c.row_block, t.mask = scratch + c.mask_at;
    t.wide = scratch + c.wide_at;
    return t;
  }

  // Keys as panels [size, columns] of one head, values as panels [length, columns].
  void Pack(const GeKernelArgs &args, const AttentionCut &c) const {
    const int64_t nr = kernels_.columns, panels = c.key_panels + c.value_panels;
    const int64_t grain = std::max<int64_t>(1, panels * 50000 / (c.k.length * (c.k.size + c.v.size) + 1));
    Parallel(c.batch * c.k.heads * panels, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t head = i / panels, panel = i % panels, batch = head / c.k.heads, own = head % c.k.heads;
        const int64_t keys = KeysOf(args, c, batch);
        if (panel < c.key_panels) {
          const int64_t first = panel * nr, n = std::min(nr, keys - first);
          const char *from = Operand(args, 1, batch * c.k.batch_step + own * c.k.head_step + first * c.k.step);
          float *to = At(args, c.keys_at) + (head * c.key_panels + panel) * nr * c.key_depth;
          // Two numbers of a key move as one float.
          if (n > 0)
            kernels_.transpose(n, c.key_depth, reinterpret_cast<const float *>(from),
                               spec_.bf16 ? c.k.step / 2 : c.k.step, to, nr);
          continue;
        }
        const int64_t column = (panel - c.key_panels) * nr, n = std::min(nr, c.v.size - column);
        const char *values = Operand(args, 2, batch * c.v.batch_step + own * c.v.head_step + column);
        float *to = At(args, c.values_at) + (head * c.value_panels + panel - c.key_panels) * nr * c.value_depth;
        if (spec_.bf16) {
          bf16_.pairs(n, keys, reinterpret_cast<const uint16_t *>(values), c.v.step, to, nr);
          continue;
        }
        const float *from = reinterpret_cast<const float *>(values);
        for (int64_t p = 0; p < keys; ++p) memcpy(to + p * nr, from + p * c.v.step, n * sizeof(float));
      }
    });
  }

  static Row FirstRow(const AttentionCut &c, const Task &t) {
    return {t.head * c.group + t.first / c.q.length, t.first % c.q.length, c.q.length};
  }

  Range RangeOf(const AttentionCut &c, const Task &t, const Row &row) const {
    int64_t position = spec_.from_end ? t.keys - c.q.length : 0;
    position = (spec_.from_start ? std::max<int64_t>(0, position) : position) + row.query;
    Range r{0, std::min(t.keys, c.mask_keys)};
    if (spec_.left >= 0) r.begin = std::max<int64_t>(0, position - std::min(spec_.left, c.k.length + c.q.length));
    if (spec_.right >= 0)
      r.end = std::clamp<int64_t>(position + std::min(spec_.right, c.k.length + c.q.length) + 1, 0, r.end);
    return r;
  }

  void TakeQuery(const char *from, const AttentionCut &c, float *to) const {
    const auto *numbers = reinterpret_cast<const uint16_t *>(from);
    if (!spec_.bf16) {
      kernels_.scaled(c.q.size, reinterpret_cast<const float *>(from), to, q_scale_);
    } else if (c.few) {
      bf16_.widen(c.q.size, numbers, to);
      kernels_.scaled(c.q.size, to, to, q_scale_);
    } else {
      bf16_.scaled(c.q.size, numbers, reinterpret_cast<uint16_t *>(to), q_scale_);
    }
  }

  // The powers of e of a block's row as pairs, in the same place.
  void RoundRow(int64_t n, float *s) const {
    uint16_t *to = reinterpret_cast<uint16_t *>(s);
    bf16_.round(n, s, to);
    if (n % 2) to[n] = 0;
  }

  void RunTask(const GeKernelArgs &args, const AttentionCut &c, const Task &t) const {
    Range all{t.keys, 0};
    Row row = FirstRow(c, t);
    for (int64_t i = 0; i < t.rows; ++i, row.Next()) {
      TakeQuery(Operand(args, 0, t.batch * c.q.batch_step + row.head * c.q.head_step + row.query * c.q.step), c,
                t.q + i * c.q_stride);
      t.top[i] = spec_.sink ? In(args, 5)[row.head] : -kInfinity;
      t.sum[i] = spec_.sink && t.top[i] > -kInfinity ? 1.f : 0.f;
      const Range own = RangeOf(c, t, row);
      all.begin = std::min(all.begin, own.begin), all.end = std::max(all.end, own.end);
    }
    bool first = true;
    // Panels of keys begin at multiples of their width.
    for (int64_t key = all.begin / kernels_.columns * kernels_.columns; key < all.end; key += c.key_block) {
      const int64_t n = std::min(c.key_block, all.end - key);
      if (c.few) ScoresOfFew(args, c, t, key, n);
      else Scores(args, c, t, key, n);
      Mask(args, c, t, key, n);
      for (int64_t i = 0; i < t.rows; ++i) {
        float *s = t.s + i * c.s_stride;
        t.by[i] = kernels_.soften(n, s, t.top + i, t.sum + i);
        if (spec_.bf16 && !c.few) RoundRow(n, s);
      }
      if (c.few) SumOfFew(args, c, t, key, n, first);
      else Sum(args, c, t, key, n, first);
      first = false;
    }
    Write(args, c, t, first);
  }

  void Scores(const GeKernelArgs &args, const AttentionCut &c, const Task &t, int64_t key, int64_t n) const {
    const int64_t mr = tile_rows_, nr = kernels_.columns;
    const float *panels = At(args, c.keys_at) + (t.batch * c.k.heads + t.head) * c.key_panels * nr * c.key_depth;
    for (int64_t j = 0; j < n; j += nr) {
      const float *panel = panels + (key + j) * c.key_depth;
      for (int64_t i = 0; i < t.rows; i += mr)
        tile_(int(std::min(mr, t.rows - i)), int(std::min(nr, n - j)), c.key_depth, t.q + i * c.q_stride, c.q_stride, 1,
              panel, nr, t.s + i * c.s_stride + j, c.s_stride, false, panel, kLineAhead);
    }
  }

  void Sum(const GeKernelArgs &args, const AttentionCut &c, const Task &t, int64_t key, int64_t n, bool first) const {
    const int64_t mr = tile_rows_, nr = kernels_.columns;
    if (!first) Correct(c, t);
    const float *panels = At(args, c.values_at) + (t.batch * c.k.heads + t.head) * c.value_panels * nr * c.value_depth;
    const int64_t depth = spec_.bf16 ? (n + 1) / 2 : n, before = spec_.bf16 ? key / 2 : key;
    for (int64_t p = 0; p < c.value_panels; ++p) {
      const float *panel = panels + (p * c.value_depth + before) * nr;
      for (int64_t i = 0; i < t.rows; i += mr)
        tile_(int(std::min(mr, t.rows - i)), int(std::min(nr, c.v.size - p * nr)), depth, t.s + i * c.s_stride,
              c.s_stride, 1, panel, nr, t.o + i * c.o_stride + p * nr, c.o_stride, !first, panel, kLineAhead);
    }
  }

  // n keys or values from number `first` on, as float32, and the step from one to the next.
  std::pair<const float *, int64_t> Rows(const GeKernelArgs &args, int port, const HeadsAt &h, const Task &t,
                                         int64_t first, int64_t n) const {
    const char *from = Operand(args, port, t.batch * h.batch_step + t.head * h.head_step + first * h.step);
    if (!spec_.bf16) return {reinterpret_cast<const float *>(from), h.step};
    for (int64_t i = 0; i < n; ++i)
      bf16_.widen(h.size, reinterpret_cast<const uint16_t *>(from) + i * h.step, t.wide + i * h.size);
    return {t.wide, h.size};
  }

  void ScoresOfFew(const GeKernelArgs &args, const AttentionCut &c, const Task &t, int64_t key, int64_t n) const {
    const auto [keys, step] = Rows(args, 1, c.k, t, key, n);
    kernels_.dots(int(t.rows), n, c.k.size, t.q, c.q_stride, keys, step, t.s, c.s_stride);
  }

  void SumOfFew(const GeKernelArgs &args, const AttentionCut &c, const Task &t, int64_t key, int64_t n,
                bool first) const {
    const auto [values, step] = Rows(args, 2, c.v, t, key, n);
    float *to = first ? t.o : t.o + c.row_block * c.o_stride;
    if (t.rows == 1) kernels_.vector(c.v.size, n, t.s, values, step, to);
    else kernels_.stream(int(t.rows), c.v.size, n, t.s, c.s_stride, values, step, to, c.o_stride);
    if (first) return;
    Correct(c, t);
    for (int64_t i = 0; i < t.rows * c.o_stride; ++i) t.o[i] += to[i];
  }

  // The sums so far, beside the highest score so far.
  void Correct(const AttentionCut &c, const Task &t) const {
    for (int64_t i = 0; i < t.rows; ++i) {
      if (t.by[i] == 1) continue;
      float *o = t.o + i * c.o_stride;
      kernels_.scaled(c.v.size, o, o, t.by[i]);
    }
  }

  // Factor, cap, mask and window on a block of scores.
  void Mask(const GeKernelArgs &args, const AttentionCut &c, const Task &t, int64_t key, int64_t n) const {
    if (s_scale_ != 1) {
      Finish scale;
      scale.scale = s_scale_;
      kernels_.finish(t.rows, n, t.s, c.s_stride, scale);
    }
    if (spec_.softcap != 0) {
      Finish cap, back;
      cap.scale = 1 / spec_.softcap, cap.activation.kind = Act::kTanh, back.scale = spec_.softcap;
      kernels_.finish(t.rows, n, t.s, c.s_stride, cap);
      kernels_.finish(t.rows, n, t.s, c.s_stride, back);
    }
    const bool window = spec_.left >= 0 || spec_.right >= 0;
    if (!window && !spec_.mask) return;
    Row row = FirstRow(c, t);
    for (int64_t i = 0; i < t.rows; ++i, row.Next()) {
      float *s = t.s + i * c.s_stride;
      if (spec_.mask) {
        Finish add;
        add.bias = MaskRow(args, c, t, row, key, n);
        kernels_.finish(1, n, s, c.s_stride, add);
      }
      if (!window) continue;
      const Range own = RangeOf(c, t, row);
      if (own.begin > key) std::fill(s, s + std::min(n, own.begin - key), -kInfinity);
      if (own.end < key + n) std::fill(s + std::max<int64_t>(0, own.end - key), s + n, -kInfinity);
    }
  }

  const float *MaskRow(const GeKernelArgs &args, const AttentionCut &c, const Task &t, const Row &row, int64_t key,
                       int64_t n) const {
    const int64_t *steps = c.mask_steps;
    const int64_t at = t.batch * steps[0] + row.head * steps[1] + row.query * steps[2] + key * steps[3];
    if (!spec_.mask_is_bool) {
      const float *mask = In(args, 3) + at;
      if (steps[3]) return mask;
      std::fill(t.mask, t.mask + n, *mask);
      return t.mask;
    }
    const uint8_t *mask = static_cast<const uint8_t *>(args.inputs[3]) + at;
    for (int64_t j = 0; j < n; ++j) t.mask[j] = mask[j * steps[3]] ? 0.f : -kInfinity;
    return t.mask;
  }

  void Write(const GeKernelArgs &args, const AttentionCut &c, const Task &t, bool nothing) const {
    Row row = FirstRow(c, t);
    for (int64_t i = 0; i < t.rows; ++i, row.Next()) {
      const int64_t at = t.batch * c.y.batch_step + row.head * c.y.head_step + row.query * c.y.step;
      float *o = t.o + i * c.o_stride;
      float *y = spec_.y_bf16 ? o : static_cast<float *>(args.outputs[0]) + at;
      // Every score was minus infinity: the sum of the highest one would be at least 1.
      const bool unseen = t.sum[i] == 0 || (nothing && !spec_.sink);
      if (unseen || nothing)
        std::fill(y, y + c.v.size, unseen && !spec_.zero_unseen ? std::numeric_limits<float>::quiet_NaN() : 0.f);
      else kernels_.scaled(c.v.size, o, y, 1 / t.sum[i]);
      if (spec_.y_bf16) bf16_.round(c.v.size, o, static_cast<uint16_t *>(args.outputs[0]) + at);
    }
  }

  const AttentionSpec spec_;
  const KernelSet &kernels_;
  const Bf16KernelSet &bf16_;
  decltype(KernelSet::tile) const tile_;
  const int64_t tile_rows_;
  float q_scale_ = spec_.scale, s_scale_ = 1;
  const int threads_;
  const bool open_;
  AttentionCut cut_;
};

}  // namespace

void CheckAttention(const Node &node) {
  const AttentionSpec spec = ReadAttention(node);
  if (spec.bf16 && (!node.in(0).ranked() || node.in(0).dims()[3] < 0 || node.in(0).dims()[3] % 2))
    Refuse("heads of other than a known even size are not supported in DT_BF16");
  if (!node.known()) return;
  if (node.in(0).elements() == 0 || node.in(2).elements() == 0) Refuse("empty tensors are not supported");
}

std::unique_ptr<Kernel> CreateAttention(const Context &context) { return std::make_unique<Attention>(context, false); }

std::unique_ptr<Kernel> CreateOpenAttention(const Context &context) {
  return std::make_unique<Attention>(context, true);
}

}  // namespace onednn
