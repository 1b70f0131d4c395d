// The report of a model: what it takes and gives, where its nodes run, what compiling did, what memory it needs.
#include <cstdio>
#include <map>

#include "core/passes/precision.h"
#include "core/support/json_text.h"
#include "runtime/model.h"

namespace gec {
namespace {

std::string Number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string Ports(const std::vector<ModelPort> &ports) {
  std::string out = "[";
  for (const ModelPort &p : ports) {
    if (out.size() > 1) out += ",";
    out += "{\"name\":" + JsonText(p.name) + ",\"type\":" + JsonText(GeDataTypeName(p.desc.dtype)) + ",\"shape\":";
    if (!p.desc.shape.has_rank()) {
      out += "null}";
      continue;
    }
    out += "[";
    for (size_t d = 0; d < p.desc.shape.dims().size(); ++d) out += (d ? "," : "") + std::to_string(p.desc.shape[d]);
    out += "]}";
  }
  return out + "]";
}

/// Memory of engines' own: the arena there, and what is copied to it and back in every run.
std::string SpacesJson(const ExecPlan &plan) {
  std::string out = "[";
  for (size_t i = 0; i < plan.spaces.size(); ++i) {
    const Engine &engine = *plan.spaces[i];
    std::string copies;
    for (const ExecPlan::Placed &placed : plan.placed) {
      if (placed.copied < 0 || placed.wait || &placed.kernel->engine() != &engine) continue;
      copies += (copies.empty() ? "" : ",\n  ") + std::string("{\"node\":") + JsonText(placed.node->OriginText()) +
                ",\"output\":" + std::to_string(placed.copied) + ",\"bytes\":" + std::to_string(placed.copied_bytes) +
                ",\"copy\":" + JsonText(placed.kernel->implementation()) + "}";
    }
    out += (i ? ",\n " : "\n ") + std::string("{\"name\":") + JsonText(engine.space()->name) +
           ",\"engine\":" + JsonText(engine.name()) +
           ",\"arena_bytes\":" + std::to_string(plan.memory.spaces[i].arena_bytes) +
           ",\"live_peak_bytes\":" + std::to_string(plan.memory.spaces[i].live_peak) + ",\"copies\":[" + copies + "]}";
  }
  return out + "]";
}

/// The precision that each node got of the one that options ask for.
std::string PrecisionJson(const Graph &graph) {
  std::string out = "[";
  for (const PrecisionNote &note : PrecisionNotes(graph))
    out += Str(out.size() > 1 ? ",\n " : "\n ", "{\"node\":", JsonText(note.node), ",\"type\":", JsonText(note.type),
               ",\"asked\":", JsonText(note.asked), ",\"ran\":", JsonText(note.ran), ",\"why\":", JsonText(note.why),
               ",\"bytes\":", note.bytes, ",\"fp32_bytes\":", note.before, "}");
  return out + "]";
}

}  // namespace

std::string Model::ReportJson() const {
  std::vector<PlacementInfo> placement = Placement();
  PlanPtr plan = NewestPlan();
  std::string out = "{\"graph\":" + JsonText(graph_->name()) + ",\n\"inputs\":" + Ports(inputs_) +
                    ",\n\"outputs\":" + Ports(outputs_);
  out += ",\n\"options\":{";
  bool first = true;
  for (const auto &[key, value] : options_.all()) {
    out += (first ? "" : ",") + JsonText(key) + ":" + JsonText(value);
    first = false;
  }
  out += "},\n\"threads\":" + std::to_string(settings_.threads) + ",\"opt_level\":" + std::to_string(scope_->opt_level);
  out += ",\n\"stages\":[";
  for (size_t i = 0; i < report_.stages.size(); ++i) {
    const StageTime &s = report_.stages[i];
    out += (i ? ",\n " : "\n ") + std::string("{\"name\":") + JsonText(s.name) + ",\"seconds\":" + Number(s.seconds) +
           ",\"changes\":" + std::to_string(s.changes) + "}";
  }
  out += "],\n\"passes\":" + PassReportJson(report_.passes);
  out += ",\n\"specializations\":[";
  {
    std::lock_guard lock(mutex_);
    for (size_t i = 0; i < specializations_.size(); ++i) {
      const Specialization &s = specializations_[i];
      out += Str(i ? ",\n " : "\n ", "{\"kind\":", JsonText(s.kind), ",\"inputs\":", JsonText(s.inputs),
                 ",\"passes\":", PassReportJson(s.passes), "}");
    }
  }
  out += "]";
  out += ",\n\"regions\":[";
  for (size_t i = 0; i < report_.regions.size(); ++i) {
    const RegionNote &r = report_.regions[i];
    out += (i ? ",\n " : "\n ") + std::string("{\"name\":") + JsonText(r.name) + ",\"engine\":" + JsonText(r.engine) +
           ",\"nodes\":" + std::to_string(r.nodes) + ",\"refusal\":" + JsonText(r.refusal) + "}";
  }
  out += "]";
  out += ",\n\"precision\":" + PrecisionJson(*graph_);
  out += ",\n\"placement\":[";
  std::map<std::string, size_t> engines;
  for (size_t i = 0; i < placement.size(); ++i) {
    const PlacementInfo &p = placement[i];
    ++engines[p.engine];
    out += (i ? ",\n " : "\n ") + std::string("{\"node\":") + JsonText(p.node) + ",\"type\":" + JsonText(p.type) +
           ",\"origins\":" + JsonText(p.origins) + ",\"engine\":" + JsonText(p.engine) +
           ",\"implementation\":" + JsonText(p.implementation) + ",\"refusals\":" + JsonText(p.refusals) +
           ",\"flops\":" + Number(p.flops) + "}";
  }
  out += "],\n\"engines\":{";
  first = true;
  for (const auto &[name, count] : engines) {
    out += (first ? "" : ",") + JsonText(name) + ":" + std::to_string(count);
    first = false;
  }
  out += "}";
  if (const WeightStore *store = env_->store()) {
    const WeightStore::State state = store->state();
    out += Str(",\n\"weights_store\":{\"file\":", JsonText(state.path), ",\"found\":", state.found,
               ",\"packed\":", state.packed, ",\"written\":", state.written ? "true" : "false",
               ",\"note\":", JsonText(state.note), "}");
  }
  out += ",\n\"memory\":{\"packed_bytes\":" + std::to_string(env_->packed_bytes());
  if (plan) {
    uint64_t constants = 0;
    for (const TensorPtr &c : plan->constants) constants += c ? c->bytes() : 0;
    const MemoryPlan &m = plan->memory;
    out += ",\"constant_bytes\":" + std::to_string(constants) +
           ",\"discarded_constant_bytes\":" + std::to_string(plan->discarded_bytes) +
           ",\"arena_bytes\":" + std::to_string(m.arena_bytes) + ",\"live_peak_bytes\":" + std::to_string(m.live_peak) +
           ",\"without_reuse_bytes\":" + std::to_string(m.total_bytes) + ",\"in_place\":" + std::to_string(m.in_place) +
           ",\"states_in_place\":" + std::to_string(m.states.size()) + ",\"views\":" + std::to_string(m.viewed) +
           ",\"output_copies\":" + std::to_string(plan->copies.size()) +
           ",\"kernels_per_run\":" + std::to_string(plan->steps.size()) + ",\"spaces\":" + SpacesJson(*plan);
  }
  out += "},\n\"islands\":" + IslandsJson() + ",\n\"size_classes\":" + SizeClassesJson() +
         ",\n\"plans\":" + std::to_string(plan_count()) + "}\n";
  return out;
}

/// Sizes that one graph serves, or the reason why it does not.
std::string Model::SizeClassesJson() const {
  std::lock_guard lock(mutex_);
  std::string out = "[";
  for (const auto &[graph, classes] : classes_) {
    for (const ShapeClassPtr &sizes : classes) {
      out += (out.size() > 1 ? ",\n " : "\n ") + std::string("{\"graph\":") + JsonText(graph) +
             ",\"inputs\":" + JsonText(sizes->inputs) +
             ",\"conditions\":" + std::to_string(sizes->symbolic.condition_count()) +
             ",\"plans\":" + std::to_string(sizes->plans) +
             ",\"open_kernels\":" + std::to_string(sizes->open ? sizes->open->count() : 0) +
             ",\"one_size\":" + JsonText(sizes->one_size) +
             ",\"refusal\":" + JsonText(sizes->refusal.empty() ? sizes->why_gave_up : sizes->refusal) + "}";
    }
  }
  return out + "]";
}

/// Parts of graphs without a plan that have plans of their own.
std::string Model::IslandsJson() const {
  std::scoped_lock lock(graph_mutex_, mutex_);
  std::string out = "[";
  for (const auto &[graph, split] : islands_) {
    for (const Island &island : split.islands) {
      const auto cache = plans_.find(island.name);
      const size_t plans = cache == plans_.end() ? 0 : cache->second.entries.size();
      out += (out.size() > 1 ? ",\n " : "\n ") + std::string("{\"graph\":") + JsonText(graph) +
             ",\"name\":" + JsonText(island.name) + ",\"nodes\":" + std::to_string(island.nodes) +
             ",\"plans\":" + std::to_string(plans) + "}";
    }
  }
  return out + "]";
}

}  // namespace gec
