// Operators that a program brings: an object per type, with the capability interfaces it derives from.
//
//   class Where : public EagerExecuteOp, public ShapeInferOp { … };
//   REG_AUTO_MAPPING_OP(Where);
//
// Beside a prototype of that name (REG_OP) this makes nodes of the type run in compiled graphs: the engine
// DNN_VM_CUSTOM takes them before any other engine. OP_TRAITS (graph/op_traits.h) says what they are. Execute is called
// in every run, on the thread that runs the graph.
#ifndef INC_GRAPH_CUSTOM_OP_H_
#define INC_GRAPH_CUSTOM_OP_H_

#include "graph/detail/custom_engine.h"
#include "graph/detail/custom_op_interfaces.h"
#include "graph/op_traits.h"

namespace ge {

/// The first registration of a type stays; the log tells of a second one.
class CustomOpCreatorRegister {
 public:
  CustomOpCreatorRegister(const AscendString &operator_type, const BaseOpCreator &op_creator) {
    Add(operator_type, op_creator);
  }
  CustomOpCreatorRegister(const AscendString &operator_type, const CustomOpCreateFunc op_creator) {
    BaseOpCreator creator;
    if (op_creator != nullptr) creator = [op_creator] { return std::unique_ptr<BaseCustomOp>(op_creator()); };
    Add(operator_type, creator);
  }

 private:
  static void Add(const AscendString &type, const BaseOpCreator &creator) {
    (void)detail::RegisterCustomOp(type.GetString(), creator);
  }
};

}  // namespace ge

#define REG_JOIN_(a, b) a##b
#define REG_JOIN(a, b) REG_JOIN_(a, b)
#define REG_AUTO_MAPPING_OP(custom_op_class) REG_AUTO_MAPPING_OP_UNIQ_(__COUNTER__, custom_op_class)
#define REG_AUTO_MAPPING_OP_UNIQ_(ctr, custom_op_class) REG_AUTO_MAPPING_OP_UNIQ(ctr, custom_op_class)
#define REG_AUTO_MAPPING_OP_UNIQ(ctr, custom_op_class)                                           \
  static ::ge::BaseCustomOp *REG_JOIN(CreateCustomOp, ctr)() { return new custom_op_class(); }   \
  static const ::ge::CustomOpCreatorRegister REG_JOIN(custom_op_register, ctr)(#custom_op_class, \
                                                                               REG_JOIN(CreateCustomOp, ctr));

#endif
