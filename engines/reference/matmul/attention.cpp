// Attention of many heads, one query at a time: all its scores, their softmax, the sum of the values.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "movement/indices.h"
#include "registry.h"

namespace reference {
namespace {

// Steps in elements over one operand of rank 4, wherever its layout puts heads and length.
struct HeadsAt {
  int64_t heads = 0, length = 0, size = 0;
  int64_t batch_step = 0, head_step = 0, step = 0;
};

HeadsAt ReadHeads(const Node &node, const Dims &dims, const char *attr) {
  const std::string layout = node.String(attr, "BNSH");
  if (dims.n != 4 || (layout != "BNSH" && layout != "BSNH"))
    Fail(GE_PARAM_INVALID, "%s: %s is '%s' and the shape %s, expected BNSH or BSNH and rank 4", node.label().c_str(),
         attr, layout.c_str(), ToText(dims).c_str());
  HeadsAt h;
  const bool lengths_first = layout == "BSNH";
  h.heads = dims[lengths_first ? 2 : 1], h.length = dims[lengths_first ? 1 : 2], h.size = dims[3];
  h.batch_step = h.heads * h.length * h.size;
  h.head_step = lengths_first ? h.size : h.length * h.size;
  h.step = lengths_first ? h.heads * h.size : h.size;
  return h;
}

struct Attention {
  int64_t batch = 0, left = -1, right = -1;
  HeadsAt q, k, v, y;
  double scale = 1, softcap = 0;
  bool zero_unseen = false;
  bool from_end = false, from_start = true;  // "end": the last query at the last key; "end_or_start": both are set
  LoadFn<double> load = nullptr, load_mask = nullptr, load_sink = nullptr;
  StoreFn<double> store = nullptr;
  bool mask_is_bool = false, wide_lengths = false, has_lengths = false;
  Dims mask_steps;        // over [batch, heads, query, key]
  int64_t mask_keys = 0;  // that the mask tells of

  int64_t rows() const { return batch * q.heads * q.length; }
};

void ReadMask(const Node &node, Attention *a) {
  a->mask_keys = a->k.length;
  if (!node.has(3)) return;
  a->mask_is_bool = node.in_type(3) == C_DT_BOOL;
  a->load_mask = Loader<double>(node.in_type(3));
  const Dims own = node.in_dims(3), own_steps = RowMajorStrides(own),
             all{a->batch, a->q.heads, a->q.length, a->k.length};
  for (int i = 0; i < 4; ++i) {
    const int at = i - (4 - own.n);
    const bool ends_early = i == 3 && at >= 0 && own[at] < all[i];
    if (at >= 0 && own[at] != 1 && own[at] != all[i] && !ends_early)
      Fail(GE_PARAM_INVALID, "%s: mask has shape %s, expected one that broadcasts to %s", node.label().c_str(),
           ToText(own).c_str(), ToText(all).c_str());
    a->mask_steps.push(at < 0 || own[at] == 1 ? 0 : own_steps[at]);
  }
  if (own.n > 0 && own[own.n - 1] != 1) a->mask_keys = own[own.n - 1];
}

Attention ReadAttention(const Node &node) {
  Attention a;
  a.q = ReadHeads(node, node.in_dims(0), "query_layout"), a.k = ReadHeads(node, node.in_dims(1), "key_layout");
  a.v = ReadHeads(node, node.in_dims(2), "value_layout"), a.y = ReadHeads(node, node.out_dims(0), "output_layout");
  a.batch = node.in_dims(0)[0];
  for (int port : {1, 2})
    if (node.in_dims(port)[0] != a.batch)
      Fail(GE_PARAM_INVALID, "%s: input %d has batch %lld, query has %lld", node.label().c_str(), port,
           (long long)node.in_dims(port)[0], (long long)a.batch);
  if (a.k.heads <= 0 || a.q.heads % a.k.heads || a.k.heads != a.v.heads || a.k.length != a.v.length ||
      a.q.size != a.k.size || a.y.heads != a.q.heads || a.y.length != a.q.length || a.y.size != a.v.size)
    Fail(GE_PARAM_INVALID, "%s: shapes %s, %s, %s and %s do not fit", node.label().c_str(),
         ToText(node.in_dims(0)).c_str(), ToText(node.in_dims(1)).c_str(), ToText(node.in_dims(2)).c_str(),
         ToText(node.out_dims(0)).c_str());
  a.scale = node.Float("scale", 1), a.softcap = node.Float("softcap", 0);
  a.left = node.Int("left_window", -1), a.right = node.Int("right_window", -1);
  const std::string align = node.String("align", "start");
  a.from_end = align != "start", a.from_start = align != "end", a.zero_unseen = node.Bool("zero_unseen", false);
  a.load = Loader<double>(node.in_type(0));
  a.store = Storer<double>(node.out_type(0));
  ReadMask(node, &a);
  if (node.has(4)) {
    a.has_lengths = true, a.wide_lengths = node.in_type(4) == C_DT_INT64;
    if (node.in_count(4) != a.batch)
      Fail(GE_PARAM_INVALID, "%s: lengths has %lld values, expected %lld", node.label().c_str(),
           (long long)node.in_count(4), (long long)a.batch);
  }
  if (node.has(5)) {
    a.load_sink = Loader<double>(node.in_type(5));
    if (node.in_count(5) != a.q.heads)
      Fail(GE_PARAM_INVALID, "%s: sink has %lld values, expected %lld", node.label().c_str(),
           (long long)node.in_count(5), (long long)a.q.heads);
  }
  return a;
}

int64_t KeysOf(const Attention &a, const Call &call, int64_t batch) {
  if (!a.has_lengths) return a.k.length;
  const int64_t n = a.wide_lengths ? call.in<int64_t>(4)[batch] : call.in<int32_t>(4)[batch];
  return std::clamp<int64_t>(n, 0, a.k.length);
}

// One query. `line` holds a vector of the query, one of a key, and the scores.
void RunRow(const Attention &a, const Call &call, int64_t row, double *line) {
  const int64_t i = row % a.q.length, head = row / a.q.length % a.q.heads, b = row / a.q.length / a.q.heads;
  const int64_t shared = head / (a.q.heads / a.k.heads), keys = KeysOf(a, call, b);
  int64_t position = a.from_end ? keys - a.q.length : 0;
  position = (a.from_start ? std::max<int64_t>(0, position) : position) + i;
  const int64_t first = a.left < 0 ? 0 : std::max<int64_t>(0, position - std::min(a.left, a.k.length + a.q.length));
  const int64_t seen = a.right < 0 ? keys : std::min(keys, position + std::min(a.right, a.k.length + a.q.length) + 1);
  const int64_t end = std::min(seen, a.mask_keys);
  const int64_t wide = std::max(a.q.size, a.v.size);
  double *q = line, *other = q + wide, *scores = other + wide;
  a.load(call.in(0), b * a.q.batch_step + head * a.q.head_step + i * a.q.step, 1, a.q.size, q);
  double top = -std::numeric_limits<double>::infinity(), sink = 0, sum = 0;
  if (a.load_sink) {
    a.load_sink(call.in(5), head, 1, 1, &sink);
    top = sink;
  }
  bool bad = false;  // a NaN among the scores
  for (int64_t j = first; j < end; ++j) {
    a.load(call.in(1), b * a.k.batch_step + shared * a.k.head_step + j * a.k.step, 1, a.k.size, other);
    double s = 0;
    for (int64_t d = 0; d < a.q.size; ++d) s += q[d] * other[d];
    s *= a.scale;
    if (a.softcap != 0) s = a.softcap * std::tanh(s / a.softcap);
    if (a.load_mask) {
      double m = 0;
      a.load_mask(call.in(3), b * a.mask_steps[0] + head * a.mask_steps[1] + i * a.mask_steps[2] + j * a.mask_steps[3],
                  1, 1, &m);
      if (!a.mask_is_bool) s += m;
      else if (m == 0) s = -std::numeric_limits<double>::infinity();
    }
    scores[j] = s;
    bad = bad || std::isnan(s);
    top = std::max(top, s);
  }
  const bool unseen = !bad && std::isinf(top) && top < 0;
  double *y = q;  // not needed any more; large enough for either
  std::fill(y, y + a.v.size, 0.0);
  if (a.load_sink && !unseen) sum = std::exp(sink - top);
  for (int64_t j = first; j < end && !unseen; ++j) {
    const double weight = std::exp(scores[j] - top);
    sum += weight;
    a.load(call.in(2), b * a.v.batch_step + shared * a.v.head_step + j * a.v.step, 1, a.v.size, other);
    for (int64_t d = 0; d < a.v.size; ++d) y[d] += weight * other[d];
  }
  // A query that may see none of the keys is undefined; where there are none at all, the sum over them is 0.
  const bool zero = a.zero_unseen || a.k.length == 0;
  const double whole = unseen ? (zero ? 1.0 : std::numeric_limits<double>::quiet_NaN()) : sum;
  for (int64_t d = 0; d < a.v.size; ++d) y[d] /= whole;
  a.store(y, a.v.size, call.out(0), b * a.y.batch_step + head * a.y.head_step + i * a.y.step, 1);
}

Kernel CreateAttention(const Node &node, const OpEntry &) {
  const Attention a = ReadAttention(node);
  const int64_t wide = std::max(a.q.size, a.v.size), line = 2 * wide + a.k.length;
  constexpr int64_t kLines = 64;  // rows that may be under way at once
  Kernel kernel;
  kernel.flops = 2.0 * double(a.rows()) * double(a.k.length) * double(a.q.size + a.v.size);
  kernel.workspace = uint64_t(std::min(kLines, std::max<int64_t>(1, a.rows()))) * uint64_t(line) * sizeof(double);
  kernel.run = [=](const Call &call) {
    const int64_t lines = std::min(kLines, std::max<int64_t>(1, a.rows()));
    call.Parallel(a.rows() ? lines : 0, 1, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part)
        for (int64_t row = part * a.rows() / lines; row < (part + 1) * a.rows() / lines; ++row)
          RunRow(a, call, row, call.workspace<double>() + part * line);
    });
  };
  return kernel;
}

// New rows of a cache. The rest of the result is the cache, which may lie there already.
Kernel CreateAppend(const Node &node, const OpEntry &) {
  const Dims cache = node.in_dims(0), y = node.out_dims(0);
  const HeadsAt rows = ReadHeads(node, node.in_dims(1), "rows_layout");
  const std::string label = node.label();
  if (cache.n != 4 || y.n != 4 || cache[0] != y[0] || cache[1] != y[1] || cache[3] != y[3] || y[2] < cache[2] ||
      rows.heads != y[1] || rows.size != y[3] || node.in_dims(1)[0] != y[0] || node.in_count(2) != y[0])
    Fail(GE_PARAM_INVALID, "%s: cache %s, rows %s and result %s do not fit", label.c_str(), ToText(cache).c_str(),
         ToText(node.in_dims(1)).c_str(), ToText(y).c_str());
  const size_t element = ElementSize(node.in_type(0));
  const size_t row = size_t(y[3]) * element;
  const bool wide = node.in_type(2) == C_DT_INT64;
  const auto length = [wide](const Call &call, int64_t b) {
    return wide ? call.in<int64_t>(2)[b] : int64_t(call.in<int32_t>(2)[b]);
  };
  Kernel kernel;
  AddInPlace(node, &kernel, 1);
  kernel.run = [=](const Call &call) {
    for (int64_t b = 0; b < y[0]; ++b) {
      const int64_t after = length(call, b);
      if (after < 0 || std::max(after, rows.length) > y[2])
        Fail(GE_PARAM_INVALID, "%s: lengths[%lld] is %lld with %lld new rows, the cache has room for %lld",
             label.c_str(), (long long)b, (long long)after, (long long)rows.length, (long long)y[2]);
    }
    const int64_t grain = std::max<int64_t>(1, 65536 / (y[2] * int64_t(row) + 1));
    call.Parallel(y[0] * y[1], grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        char *to = call.out<char>(0) + size_t(i * y[2]) * row;
        const char *old = call.in<char>(0) + size_t(i * cache[2]) * row;
        if (old != to) memcpy(to, old, size_t(cache[2]) * row);
        memset(to + size_t(cache[2]) * row, 0, size_t(y[2] - cache[2]) * row);
        const int64_t b = i / y[1], head = i % y[1], first = std::max<int64_t>(0, length(call, b) - rows.length);
        const char *from = call.in<char>(1) + size_t(b * rows.batch_step + head * rows.head_step) * element;
        for (int64_t j = 0; j < rows.length; ++j)
          memcpy(to + size_t(first + j) * row, from + size_t(j * rows.step) * element, row);
      }
    });
  };
  return kernel;
}

void CheckLengths(const Node &node) {
  if (node.has(4)) IndicesOf(node, 4);
}

const OpEntry kAttention[] = {
    {"AppendKeyValue", kMovable, &CreateAppend, &CheckIndexType<2>},
    {"ScaledDotProductAttention", kFloats, &CreateAttention, &CheckLengths},
};

}  // namespace

OpTable AttentionOps() { return TableOf(kAttention); }

}  // namespace reference
