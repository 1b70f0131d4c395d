// Attention as a recurrence over a state of keys times values for each key head, in float32.
#include <algorithm>
#include <cmath>

#include "registry.h"

namespace reference {
namespace {

struct Extents {
  int64_t batch, length, q_heads, kv_heads, keys, values;  // keys, values: of a head
  int64_t group() const { return q_heads / kv_heads; }
  int64_t state() const { return keys * values; }
  // Floats for one state and what a step needs.
  int64_t scratch() const { return state() + 3 * keys + 2 * values + 1; }
};

[[noreturn]] void FailShape(const Node &node, const char *name, const Dims &dims, const std::string &expected) {
  Fail(GE_PARAM_INVALID, "%s: %s has shape %s, expected %s", node.label().c_str(), name, ToText(dims).c_str(),
       expected.c_str());
}

Extents ExtentsOf(const Node &node) {
  Extents e{};
  e.q_heads = node.Int("q_num_heads", 0);
  e.kv_heads = node.Int("kv_num_heads", 0);
  if (e.q_heads < 1 || e.kv_heads < 1 || e.q_heads % e.kv_heads != 0)
    Fail(GE_PARAM_INVALID, "%s: %lld query heads do not divide into %lld key heads", node.label().c_str(),
         (long long)e.q_heads, (long long)e.kv_heads);
  const Dims q = node.in_dims(0), k = node.in_dims(1), v = node.in_dims(2);
  if (q.n != 3 || q[2] % e.q_heads != 0) FailShape(node, "query", q, "[batch, length, query heads * size]");
  e.batch = q[0];
  e.length = q[1];
  e.keys = q[2] / e.q_heads;
  const Dims keys{e.batch, e.length, e.kv_heads * e.keys};
  if (!(k == keys)) FailShape(node, "key", k, ToText(keys));
  if (v.n != 3 || v[0] != e.batch || v[1] != e.length || v[2] % e.kv_heads != 0)
    FailShape(node, "value", v, "[batch, length, key heads * size]");
  e.values = v[2] / e.kv_heads;
  if (node.has(3)) {
    const Dims state{e.batch, e.kv_heads, e.keys, e.values};
    if (!(node.in_dims(3) == state)) FailShape(node, "past_state", node.in_dims(3), ToText(state));
  }
  if (node.has(4)) {
    const Dims each{e.batch, e.length, e.kv_heads};
    if (!(node.in_dims(4) == each || node.in_dims(4) == keys))
      FailShape(node, "decay", node.in_dims(4), ToText(each) + " or " + ToText(keys));
  }
  if (node.has(5)) {
    const Dims each{e.batch, e.length, e.kv_heads}, one{e.batch, e.length, 1};
    if (!(node.in_dims(5) == each || node.in_dims(5) == one))
      FailShape(node, "beta", node.in_dims(5), ToText(each) + " or " + ToText(one));
  }
  return e;
}

struct Step {
  float *state, *key, *decay, *query, *value, *read, *beta;
  Step(float *memory, const Extents &e) {
    state = memory;
    key = state + e.state();
    decay = key + e.keys;
    query = decay + e.keys;
    value = query + e.keys;
    read = value + e.values;
    beta = read + e.values;
  }
};

// The state takes in one key and value.
void TakeIn(const Step &s, const Extents &e, int64_t decays, bool delta) {
  for (int64_t d = 0; d < e.keys && decays; ++d) {
    const float fade = std::exp(s.decay[decays == 1 ? 0 : d]);
    for (int64_t m = 0; m < e.values; ++m) s.state[d * e.values + m] *= fade;
  }
  if (delta) {
    std::fill(s.read, s.read + e.values, 0.0f);
    for (int64_t d = 0; d < e.keys; ++d)
      for (int64_t m = 0; m < e.values; ++m) s.read[m] += s.state[d * e.values + m] * s.key[d];
    for (int64_t m = 0; m < e.values; ++m) s.value[m] = *s.beta * (s.value[m] - s.read[m]);
  }
  for (int64_t d = 0; d < e.keys; ++d)
    for (int64_t m = 0; m < e.values; ++m) s.state[d * e.values + m] += s.key[d] * s.value[m];
}

void Read(const Step &s, const Extents &e, float scale) {
  std::fill(s.read, s.read + e.values, 0.0f);
  for (int64_t d = 0; d < e.keys; ++d)
    for (int64_t m = 0; m < e.values; ++m) s.read[m] += s.query[d] * s.state[d * e.values + m];
  for (int64_t m = 0; m < e.values; ++m) s.read[m] *= scale;
}

Kernel CreateLinearAttention(const Node &node, const OpEntry &) {
  const Extents e = ExtentsOf(node);
  const float given = float(node.Float("scale", 0)), scale = given != 0 ? given : 1 / std::sqrt(float(e.keys));
  LoadFn<float> load[6] = {};
  for (int i = 0; i < 6; ++i)
    if (node.has(i)) load[i] = Loader<float>(node.in_type(i));
  const StoreFn<float> store = Storer<float>(node.out_type(0)),
                       store_state = node.has_out(1) ? Storer<float>(node.out_type(1)) : nullptr;
  const int64_t decays = !node.has(4) ? 0 : node.in_dims(4)[2] == e.kv_heads ? 1 : e.keys;
  const bool own_beta = node.has(5) && node.in_dims(5)[2] == e.kv_heads, delta = node.has(5);
  Kernel kernel;
  kernel.workspace = uint64_t(e.batch * e.kv_heads * e.scratch()) * sizeof(float);
  kernel.flops = 6.0 * double(e.batch * e.length * e.q_heads * e.state());
  kernel.run = [=](const Call &call) {
    call.Parallel(e.batch * e.kv_heads, 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const Step s(call.workspace<float>() + row * e.scratch(), e);
        const int64_t b = row / e.kv_heads, h = row % e.kv_heads;
        if (load[3]) load[3](call.in(3), row * e.state(), 1, e.state(), s.state);
        else std::fill(s.state, s.state + e.state(), 0.0f);
        for (int64_t t = 0; t < e.length; ++t) {
          const int64_t at = b * e.length + t, head = at * e.kv_heads + h;
          load[1](call.in(1), head * e.keys, 1, e.keys, s.key);
          load[2](call.in(2), head * e.values, 1, e.values, s.value);
          if (decays) load[4](call.in(4), head * decays, 1, decays, s.decay);
          if (delta) load[5](call.in(5), own_beta ? head : at, 1, 1, s.beta);
          TakeIn(s, e, decays, delta);
          for (int64_t q = h * e.group(); q < (h + 1) * e.group(); ++q) {
            load[0](call.in(0), (at * e.q_heads + q) * e.keys, 1, e.keys, s.query);
            Read(s, e, scale);
            store(s.read, e.values, call.out(0), (at * e.q_heads + q) * e.values, 1);
          }
        }
        if (store_state && call.out(1)) store_state(s.state, e.state(), call.out(1), row * e.state(), 1);
      }
    });
  };
  return kernel;
}

const OpEntry kLinearAttention[] = {{"LinearAttention", kFloats32, &CreateLinearAttention}};

}  // namespace

OpTable LinearAttentionOps() { return TableOf(kLinearAttention); }

}  // namespace reference
