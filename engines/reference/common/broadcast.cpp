#include "common/broadcast.h"

namespace reference {

Dims BroadcastDims(const std::string &label, const Dims &a, const Dims &b) {
  Dims y;
  const int rank = a.n > b.n ? a.n : b.n;
  for (int i = 0; i < rank; ++i) {
    const int ia = i - (rank - a.n), ib = i - (rank - b.n);
    const int64_t da = ia < 0 ? 1 : a[ia], db = ib < 0 ? 1 : b[ib];
    if (da != db && da != 1 && db != 1)
      Fail(GE_PARAM_INVALID, "%s: shapes %s and %s do not broadcast", label.c_str(), ToText(a).c_str(),
           ToText(b).c_str());
    y.push(da == 1 ? db : da);
  }
  return y;
}

BroadcastPlan PlanBroadcast(const std::string &label, const Dims &out, const std::vector<Dims> &inputs) {
  BroadcastPlan plan;
  plan.total = out.count();
  if (inputs.size() > size_t(BroadcastPlan::kMaxInputs))
    Fail(GE_UNSUPPORTED, "%s: %zu inputs, at most %d are supported", label.c_str(), inputs.size(),
         BroadcastPlan::kMaxInputs);
  std::vector<Dims> full(inputs.size());
  for (size_t k = 0; k < inputs.size(); ++k) {
    const Dims &in = inputs[k];
    Dims own = RowMajorStrides(in);
    int lead = out.n - in.n;
    bool fits = lead >= 0;
    for (int i = 0; fits && i < out.n; ++i) {
      int64_t extent = i < lead ? 1 : in[i - lead];
      fits = extent == out[i] || extent == 1;
      full[k].push(i < lead || extent == 1 ? 0 : own[i - lead]);
    }
    if (!fits)
      Fail(GE_PARAM_INVALID, "%s: shape %s of input %zu does not broadcast to the output shape %s", label.c_str(),
           ToText(in).c_str(), k, ToText(out).c_str());
  }
  // Merge neighbours that every input walks through in one step; drop dimensions of extent 1.
  plan.strides.resize(inputs.size());
  for (int i = 0; i < out.n; ++i) {
    if (out[i] == 1) continue;
    int last = plan.dims.n - 1;
    bool merge = last >= 0;
    for (size_t k = 0; merge && k < inputs.size(); ++k) merge = plan.strides[k][last] == full[k][i] * out[i];
    if (merge) {
      plan.dims[last] *= out[i];
      for (size_t k = 0; k < inputs.size(); ++k) plan.strides[k][last] = full[k][i];
    } else {
      plan.dims.push(out[i]);
      for (size_t k = 0; k < inputs.size(); ++k) plan.strides[k].push(full[k][i]);
    }
  }
  if (plan.dims.n == 0) {
    plan.dims.push(1);
    for (Dims &s : plan.strides) s.push(0);
  }
  return plan;
}

}  // namespace reference
