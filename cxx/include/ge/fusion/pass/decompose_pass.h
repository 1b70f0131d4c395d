// DecomposePass: what to put in the place of nodes of given types.
#ifndef INC_EXTERNAL_GE_FUSION_PASS_DECOMPOSE_PASS_H_
#define INC_EXTERNAL_GE_FUSION_PASS_DECOMPOSE_PASS_H_

#include <vector>

#include "ge/fusion/detail/pass_hooks.h"
#include "ge/fusion/pass/fusion_base_pass.h"
#include "ge/fusion/pass/fusion_pass_reg.h"
#include "ge/fusion/pattern.h"

namespace ge {
namespace fusion {

/// Looks at the nodes that the graph has when the pass begins, not at those that it makes.
class DecomposePass : public FusionBasePass {
 public:
  explicit DecomposePass(const std::vector<AscendString> &op_types) : types_(op_types) {}

  Status Run(GraphPtr &graph, CustomPassContext &pass_context) override {
    return detail::RunDecomposition(graph, types_, pass_context,
                                    detail::MakeHooks([this](const GNode &node) { return MeetRequirements(node); },
                                                      [this](const GNode &node) { return Replacement(node); }));
  }

 protected:
  /// False leaves the node alone.
  virtual bool MeetRequirements(const GNode &matched_node) {
    (void)matched_node;
    return true;
  }
  /// Null fails the pass, and the compile.
  virtual GraphUniqPtr Replacement(const GNode &matched_node) = 0;

 private:
  std::vector<AscendString> types_;
};

/// The same, with the context for the hooks.
class DecomposePassV2 : public FusionBasePass {
 public:
  explicit DecomposePassV2(const std::vector<AscendString> &op_types) : types_(op_types) {}

  Status Run(GraphPtr &graph, CustomPassContext &pass_context) override {
    CustomPassContext *context = &pass_context;
    return detail::RunDecomposition(
        graph, types_, pass_context,
        detail::MakeHooks([this, context](const GNode &node) { return MeetRequirements(node, *context); },
                          [this, context](const GNode &node) { return Replacement(node, *context); }));
  }

 protected:
  virtual bool MeetRequirements(const GNode &matched_node, CustomPassContext &pass_context) {
    (void)matched_node;
    (void)pass_context;
    return true;
  }
  virtual GraphUniqPtr Replacement(const GNode &matched_node, CustomPassContext &pass_context) = 0;

 private:
  std::vector<AscendString> types_;
};

}  // namespace fusion
}  // namespace ge

#endif
