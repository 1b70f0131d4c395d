#include "core/passes/fusion_cost.h"

#include <algorithm>
#include <optional>

#include "core/ir/types.h"
#include "core/ops/op_desc.h"
#include "core/ops/traits.h"
#include "core/support/error.h"

namespace gec {
namespace {

constexpr char kNoDearer[] = "an engine takes the fused node for no more than its parts cost";

std::optional<EngineOffer> OfferFor(const PassContext &ctx, const Node &node) {
  EngineOffer offer;
  if (!ctx.supported(*OpDescView(node).get(), &offer)) return std::nullopt;
  return offer;
}

bool PartsCostAsMuch(const PassContext &ctx, const EngineOffer &fused, const std::vector<const Node *> &parts,
                     Refusal *why) {
  const auto works = std::count_if(parts.begin(), parts.end(), [](const Node *part) {
    return !IsDataType(part->type()) && !HasTrait(*part, GE_TRAIT_VIEW);
  });
  if (works * ctx.least_cost >= fused.cost) return true;  // whoever runs them: the usual case
  int64_t cost = 0;
  std::string told;
  for (const Node *part : parts) {
    if (IsDataType(part->type())) continue;
    const std::optional<EngineOffer> offer = OfferFor(ctx, *part);
    if (!offer) return true;  // left to the reference, which is dearer than all others
    cost += offer->cost;
    if (cost >= fused.cost) return true;
    told += Str(told.empty() ? "" : ", ", offer->name, " runs ", part->Label(), " for ", offer->cost);
  }
  *why = {Str(fused.name, " would run the fused node for ", fused.cost, "; ", told), kNoDearer};
  return false;
}

}  // namespace

bool FusionPays(const PassContext &ctx, const Node &made, const std::vector<const Node *> &parts, Refusal *why) {
  if (!ctx.supported) return true;
  if (const std::optional<EngineOffer> offer = OfferFor(ctx, made)) return PartsCostAsMuch(ctx, *offer, parts, why);
  for (const Node *part : parts) {
    const std::optional<EngineOffer> offer = IsDataType(part->type()) ? std::nullopt : OfferFor(ctx, *part);
    if (!offer) continue;
    *why = {Str("no fast engine takes the fused node, ", offer->name, " takes ", part->Label()), kNoDearer};
    return false;
  }
  return true;
}

bool FusionTaken(const PassContext &ctx, const Node &made, const std::vector<const Node *> &parts, Refusal *why) {
  if (!ctx.supported) return true;
  const std::optional<EngineOffer> offer = OfferFor(ctx, made);
  if (offer) return PartsCostAsMuch(ctx, *offer, parts, why);
  *why = {"no fast engine takes the fused node", "a fast engine takes the fused node"};
  if (ctx.refusals) why->actual += ": " + ctx.refusals(*OpDescView(made).get());
  return false;
}

}  // namespace gec
