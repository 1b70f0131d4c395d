#include "es_graph_builder.h"

using ge::es::EsTensorHolder;

namespace {
// Before any function of the library is called.
struct Early {
  Early() {
    auto [x, y] = builder.CreateInputs<2>();
    sum = x + y;
  }
  ge::es::EsGraphBuilder builder{"early"};
  EsTensorHolder sum;
} early;
}  // namespace

extern "C" {
EsCTensorHolder *MadeEarly() { return early.sum.GetCTensorHolder(); }
// The operator is the last thing that happens here: an optimiser would jump to it, were it free to.
EsCTensorHolder *Plus(const EsTensorHolder &x, const EsTensorHolder &y) { return (x + y).GetCTensorHolder(); }
EsCTensorHolder *Minus(const EsTensorHolder &x, const EsTensorHolder &y) { return (x - y).GetCTensorHolder(); }
EsCTensorHolder *Times(const EsTensorHolder &x, const EsTensorHolder &y) { return (x * y).GetCTensorHolder(); }
EsCTensorHolder *Over(const EsTensorHolder &x, const EsTensorHolder &y) { return (x / y).GetCTensorHolder(); }
}
