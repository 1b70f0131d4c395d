// CommonLSTM and CommonGRU: sequences are independent of each other, so they are the unit of parallel work.
#include <algorithm>
#include <string_view>

#include "registry.h"
#include "rnn/cell.h"

namespace reference {
namespace {

// Where results go: [steps, directions, batch, hidden] and the last states [directions, batch, hidden].
template <class C>
struct Results {
  StoreFn<C> y = nullptr, last_h = nullptr, last_c = nullptr;
};

template <class C>
Results<C> ReadResults(const Node &node, const Cell &cell) {
  const int64_t state = cell.directions * cell.batch * cell.hidden;
  auto store = [&](int port, int64_t count) -> StoreFn<C> {
    if (!node.has_out(port)) return nullptr;
    if (node.out_count(port) != count)
      Fail(GE_PARAM_INVALID, "%s: output %d has shape %s, expected %lld values", cell.label.c_str(), port,
           ToText(node.out_dims(port)).c_str(), (long long)count);
    return Storer<C>(node.out_type(port));
  };
  return {store(0, cell.steps * state), store(1, state), store(2, state)};
}

template <class C>
void Put(const Call &call, StoreFn<C> store, size_t port, const C *values, int64_t n, int64_t at) {
  if (store && call.out(port)) store(values, n, call.out(port), at, 1);
}

// Walks the steps of one sequence: step(t) updates h. Steps behind the end give zeros.
template <class C, class Step>
void Walk(const Call &call, const Cell &cell, const Results<C> &results, int64_t d, int64_t b, C *h, C *zeros,
          const Step &step) {
  const int64_t length = LengthOf(call, cell, b), hidden = cell.hidden;
  auto at = [&](int64_t t) { return ((t * cell.directions + d) * cell.batch + b) * hidden; };
  for (int64_t s = 0; s < length; ++s) {
    const int64_t t = cell.reversed(d) ? length - 1 - s : s;
    step(t);
    Put(call, results.y, 0, h, hidden, at(t));
  }
  std::fill(zeros, zeros + hidden, C(0));
  for (int64_t t = length; t < cell.steps; ++t) Put(call, results.y, 0, zeros, hidden, at(t));
  Put(call, results.last_h, 1, h, hidden, (d * cell.batch + b) * hidden);
}

template <class C>
void Start(C *state, const C *initial, int64_t at, int64_t n) {
  if (initial) std::copy_n(initial + at, n, state);
  else std::fill(state, state + n, C(0));
}

// Gates in the order input, output, forget, cell.
template <class C>
Kernel CreateLstmFor(const Node &node) {
  const Cell cell = ReadCell(node, 4, {"Sigmoid", "Tanh", "Tanh"});
  const int64_t h = cell.hidden, d = cell.directions, states = d * cell.batch * h;
  Kernel kernel;
  const RealInput<C> x = AddRealInput<C>(node, 0, cell.steps * cell.batch * cell.input, &kernel);
  const RealInput<C> w = AddRealInput<C>(node, 1, d * 4 * h * cell.input, &kernel);
  const RealInput<C> r = AddRealInput<C>(node, 2, d * 4 * h * h, &kernel);
  const RealInput<C> bias = AddRealInput<C>(node, 3, d * 8 * h, &kernel);
  const RealInput<C> h0 = AddRealInput<C>(node, 5, states, &kernel), c0 = AddRealInput<C>(node, 6, states, &kernel);
  const RealInput<C> peepholes = AddRealInput<C>(node, 7, d * 3 * h, &kernel);
  const Results<C> results = ReadResults<C>(node, cell);
  const bool couple = node.Int("input_forget", 0) != 0;
  const uint64_t projected = kernel.workspace;
  const uint64_t scratch = projected + uint64_t(d * cell.steps * cell.batch * 4 * h) * sizeof(C);
  kernel.workspace = scratch + uint64_t(d * cell.batch * 7 * h) * sizeof(C);
  kernel.flops = 8.0 * double(d * cell.steps * cell.batch * h) * double(cell.input + h);
  kernel.run = [=](const Call &call) {
    CheckLengths(call, cell);
    const C *pr = r.Get(call), *pb = bias.Get(call), *pp = peepholes.Get(call);
    const C *ph0 = h0.Get(call), *pc0 = c0.Get(call);
    C *xw = call.workspace<C>(projected);
    ProjectInputs(call, cell, x.Get(call), w.Get(call), xw);
    call.Parallel(d * cell.batch, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t dir = i / cell.batch, b = i % cell.batch;
        C *gates = call.workspace<C>(scratch) + i * 7 * h, *hidden = gates + 4 * h, *c = hidden + h, *zeros = c + h;
        Start(hidden, ph0, i * h, h);
        Start(c, pc0, i * h, h);
        const CellActivation *act = &cell.activations[size_t(dir * 3)];
        const C *matrix = pr + dir * 4 * h * h, *p = pp ? pp + dir * 3 * h : nullptr;
        const C *wb = pb ? pb + dir * 8 * h : nullptr;
        Walk(call, cell, results, dir, b, hidden, zeros, [&](int64_t t) {
          const C *row = xw + ((dir * cell.steps + t) * cell.batch + b) * 4 * h;
          for (int64_t g = 0; g < 4 * h; ++g) {
            gates[g] = row[g] + Dot(hidden, matrix + g * h, h);
            if (wb) gates[g] += wb[g] + wb[4 * h + g];
          }
          for (int64_t k = 0; k < h; ++k) {
            const C in = act[0](cell.Clipped(gates[k] + (p ? p[k] * c[k] : C(0))));
            const C forget =
                couple ? 1 - in : act[0](cell.Clipped(gates[2 * h + k] + (p ? p[2 * h + k] * c[k] : C(0))));
            c[k] = forget * c[k] + in * act[1](cell.Clipped(gates[3 * h + k]));
            const C out = act[0](cell.Clipped(gates[h + k] + (p ? p[h + k] * c[k] : C(0))));
            hidden[k] = out * act[2](c[k]);
          }
        });
        Put(call, results.last_c, 2, c, h, i * h);
      }
    });
  };
  return kernel;
}

// Gates in the order update, reset, hidden.
template <class C>
Kernel CreateGruFor(const Node &node) {
  const Cell cell = ReadCell(node, 3, {"Sigmoid", "Tanh"});
  const int64_t h = cell.hidden, d = cell.directions;
  Kernel kernel;
  const RealInput<C> x = AddRealInput<C>(node, 0, cell.steps * cell.batch * cell.input, &kernel);
  const RealInput<C> w = AddRealInput<C>(node, 1, d * 3 * h * cell.input, &kernel);
  const RealInput<C> r = AddRealInput<C>(node, 2, d * 3 * h * h, &kernel);
  const RealInput<C> bias = AddRealInput<C>(node, 3, d * 6 * h, &kernel);
  const RealInput<C> h0 = AddRealInput<C>(node, 5, d * cell.batch * h, &kernel);
  const Results<C> results = ReadResults<C>(node, cell);
  const bool before_reset = node.Int("linear_before_reset", 0) != 0;
  const uint64_t projected = kernel.workspace;
  const uint64_t scratch = projected + uint64_t(d * cell.steps * cell.batch * 3 * h) * sizeof(C);
  kernel.workspace = scratch + uint64_t(d * cell.batch * 5 * h) * sizeof(C);
  kernel.flops = 6.0 * double(d * cell.steps * cell.batch * h) * double(cell.input + h);
  kernel.run = [=](const Call &call) {
    CheckLengths(call, cell);
    const C *pr = r.Get(call), *pb = bias.Get(call), *ph0 = h0.Get(call);
    C *xw = call.workspace<C>(projected);
    ProjectInputs(call, cell, x.Get(call), w.Get(call), xw);
    call.Parallel(d * cell.batch, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t dir = i / cell.batch, b = i % cell.batch;
        C *update = call.workspace<C>(scratch) + i * 5 * h, *reset = update + h, *hidden = reset + h;
        C *next = hidden + h, *zeros = next + h;
        Start(hidden, ph0, i * h, h);
        const CellActivation *act = &cell.activations[size_t(dir * 2)];
        const C *matrix = pr + dir * 3 * h * h, *wb = pb ? pb + dir * 6 * h : nullptr;
        auto input_bias = [&](int64_t g) { return wb ? wb[g] : C(0); };
        auto hidden_bias = [&](int64_t g) { return wb ? wb[3 * h + g] : C(0); };
        Walk(call, cell, results, dir, b, hidden, zeros, [&](int64_t t) {
          const C *row = xw + ((dir * cell.steps + t) * cell.batch + b) * 3 * h;
          for (int64_t g = 0; g < 2 * h; ++g) {
            const C v = row[g] + input_bias(g) + hidden_bias(g) + Dot(hidden, matrix + g * h, h);
            (g < h ? update[g] : reset[g - h]) = act[0](cell.Clipped(v));
          }
          if (!before_reset)
            for (int64_t k = 0; k < h; ++k) reset[k] *= hidden[k];
          for (int64_t k = 0; k < h; ++k) {
            const int64_t g = 2 * h + k;
            const C linear = before_reset ? reset[k] * (Dot(hidden, matrix + g * h, h) + hidden_bias(g))
                                          : Dot(reset, matrix + g * h, h) + hidden_bias(g);
            next[k] = act[1](cell.Clipped(row[g] + input_bias(g) + linear));
          }
          for (int64_t k = 0; k < h; ++k) hidden[k] = (1 - update[k]) * next[k] + update[k] * hidden[k];
        });
      }
    });
  };
  return kernel;
}

Kernel CreateLstm(const Node &node, const OpEntry &) {
  return node.in_type(0) == C_DT_DOUBLE ? CreateLstmFor<double>(node) : CreateLstmFor<float>(node);
}
Kernel CreateGru(const Node &node, const OpEntry &) {
  return node.in_type(0) == C_DT_DOUBLE ? CreateGruFor<double>(node) : CreateGruFor<float>(node);
}

const OpEntry kRecurrent[] = {
    {"CommonLSTM", kFloats, &CreateLstm},
    {"CommonGRU", kFloats, &CreateGru},
};

}  // namespace

OpTable RecurrentOps() { return TableOf(kRecurrent); }

}  // namespace reference
