// Plans that are made of the graph of a class of sizes, and those of them that serve several sizes.
#include "core/compile/plan_sizes.h"
#include "runtime/compile_config.h"
#include "runtime/model.h"

namespace gec {

PlanPtr Model::FindServingPlan(const ShapeClassPtr &sizes, const std::vector<TensorDesc> &inputs) {
  std::vector<GeTensorData> views;
  for (const TensorDesc &desc : inputs) views.push_back(desc.View());
  PlanSizes::Extents extents;
  std::lock_guard lock(mutex_);
  for (const PlanPtr &plan : serving_[sizes.get()])
    if (plan->sizes->At(*plan, views.data(), views.size(), &extents)) return plan;
  return nullptr;
}

PlanPtr Model::MakeGeneralPlan(const ShapeClassPtr &sizes, const std::vector<TensorDesc> &inputs,
                               std::string *why) try {
  Optimized special =
      InstantiateGraph(sizes->graph->Clone(), inputs, *kernels_, ConfigOfCompile(settings_, options_, scope_));
  {
    std::lock_guard lock(graph_mutex_);
    constants_.Share(*special.graph, sizes->constants);
  }
  PlanOptions options;
  options.reuse_memory = settings_.reuse_memory;
  options.open = sizes->open.get();
  std::shared_ptr<ExecPlan> plan = BuildPlan(std::move(special.graph), *kernels_, options);
  if (!plan->is_static()) {
    *why = plan->dynamic_reason;
    return nullptr;
  }
  env_->Retain(plan->constants);
  std::string one_size;
  plan->sizes = PlanSizes::Of(plan.get(), *sizes->graph, *sizes->leading, {sizes, &sizes->symbolic}, &one_size);
  std::lock_guard lock(mutex_);
  sizes->one_size = one_size;
  if (plan->sizes) {
    std::vector<PlanPtr> &serving = serving_[sizes.get()];
    serving.insert(serving.begin(), plan);
    if (serving.size() > kMostServing) serving.pop_back();
  }
  return plan;
} catch (const Error &e) {
  if (e.code() == GE_OUT_OF_MEMORY) throw;
  *why = e.what();
  return nullptr;
}

}  // namespace gec
