#include "node_rates.h"

#include <algorithm>
#include <set>

#include "native.h"
#include "screen.h"
#include "table.h"

namespace tool {
namespace {

constexpr double kShortCall = 5;     // microseconds: what a call costs beside its work shows
constexpr double kFarFromAll = 0.1;  // of every limit

std::string Digits(double value) { return value <= 0 ? "" : Fixed(value, value < 10 ? 2 : value < 100 ? 1 : 0); }
std::string Percent(double part) { return Fixed(100 * part, 1); }

const GeArithmeticRate *ArithmeticOf(const GeMachineRates &limits, const std::string &data_type) {
  for (size_t i = 0; i < limits.type_count; ++i)
    if (data_type == GeDataTypeName(limits.types[i].data_type)) return &limits.types[i];
  return nullptr;
}

void Bound(const GeMachineRates &limits, NodeRate *rate) {
  rate->arithmetic = ArithmeticOf(limits, rate->kernel.flops_type);
  const double arithmetic = rate->arithmetic && rate->arithmetic->flops > 0 ? rate->flops / rate->arithmetic->flops : 0;
  const double memory = limits.bytes_per_second > 0 ? rate->bytes / limits.bytes_per_second : 0;
  if (arithmetic <= 0 && memory <= 0) return;
  rate->of_limit = std::max(arithmetic, memory);
  const double each = rate->kernel.micros / static_cast<double>(rate->kernel.runs);
  if (rate->of_limit < kFarFromAll && each < kShortCall) rate->bound = "call";
  else if (arithmetic >= memory) rate->bound = "arithmetic";
  else rate->bound = memory > 1 ? "cache" : "memory";  // faster than memory can be read: it was not read from there
}

/// Says which type's arithmetic it is, where it is not that of most.
std::string BoundText(const NodeRate &rate, const GeMachineRates &limits) {
  const bool usual = !rate.arithmetic || rate.arithmetic == limits.types;
  return rate.bound != "arithmetic" || usual ? rate.bound
                                             : rate.bound + " " + GeDataTypeName(rate.arithmetic->data_type);
}

}  // namespace

GeMachineRates LimitsOf(int threads) {
  GeMachineRates limits{};
  limits.struct_size = sizeof limits;
  Check(GeMeasureMachine(threads, &limits));
  return limits;
}

std::vector<NodeRate> RatesOf(const RunTimes &times, const GeMachineRates &limits) {
  std::vector<NodeRate> rates;
  double all = 0;
  for (const auto &[name, kernel] : times.nodes) all += kernel.micros;
  for (const auto &[name, kernel] : times.nodes) {
    NodeRate rate;
    rate.kernel = kernel;
    rate.share = all > 0 ? kernel.micros / all : 0;
    if (kernel.micros > 0) {
      rate.flops = kernel.flops / kernel.micros * 1e6;
      rate.bytes = kernel.bytes / kernel.micros * 1e6;
    }
    Bound(limits, &rate);
    rates.push_back(std::move(rate));
  }
  std::stable_sort(rates.begin(), rates.end(),
                   [](const NodeRate &a, const NodeRate &b) { return a.kernel.micros > b.kernel.micros; });
  return rates;
}

std::string RatesTable(const std::vector<NodeRate> &rates, const GeMachineRates &limits, size_t most) {
  Table table({{"node", Fit::kName},
               {"type", Fit::kWhole, false, true},
               {"kernel", Fit::kName, false, true},
               {"ms", Fit::kWhole, true},
               {"%", Fit::kWhole, true},
               {"GFLOP/s", Fit::kWhole, true, true},
               {"GB/s", Fit::kWhole, true, true},
               {"bound by", Fit::kWhole, false},
               {"% of it", Fit::kWhole, true}});
  double rest = 0;
  std::set<const GeArithmeticRate *> used{limits.types};  // in the order in which the machine names them
  for (size_t i = 0; i < rates.size(); ++i) {
    const NodeRate &rate = rates[i];
    if (i >= most) {
      rest += rate.kernel.micros;
      continue;
    }
    table.Add({rate.kernel.node, rate.kernel.type, rate.kernel.implementation, Fixed(rate.kernel.micros / 1000, 3),
               Percent(rate.share), Digits(rate.flops / 1e9), Digits(rate.bytes / 1e9), BoundText(rate, limits),
               rate.bound.empty() ? "" : Percent(rate.of_limit)});
    if (rate.arithmetic && rate.flops > 0) used.insert(rate.arithmetic);
  }
  std::string text = table.Text();
  if (rates.size() > most)
    text += "and " + Counted(rates.size() - most, "node") + " more with " + Fixed(rest / 1000, 3) +
            " ms (--nodes all shows them)\n";
  std::string limit;
  for (const GeArithmeticRate *each : used)
    limit += (limit.empty() ? "at best " : ", ") + Fixed(each->flops / 1e9, 0) + " GFLOP/s (" + each->how + ")";
  if (limits.bytes_per_second > 0)
    limit += " and " + Fixed(limits.bytes_per_second / 1e9, 1) + " GB/s (" + limits.how_bytes + ")";
  return text + Paragraph("limits  ", limit);
}

}  // namespace tool
