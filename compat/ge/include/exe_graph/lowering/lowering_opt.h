// gert::LoweringOption: how a loaded model is to treat what its caller brings.
#ifndef INC_EXE_GRAPH_LOWERING_LOWERING_OPT_H_
#define INC_EXE_GRAPH_LOWERING_LOWERING_OPT_H_

namespace gert {

struct LoweringOption {
  bool trust_shape_on_out_tensor = false;  // shapes of the caller's outputs are right
  bool always_zero_copy = false;           // outputs are written where the caller wants them, without a copy
  bool always_external_allocator = false;  // all memory comes from the caller's allocator
  bool enable_single_stream = false;       // everything goes through one stream
};

}  // namespace gert

#endif
