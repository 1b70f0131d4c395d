#include "registry.h"

#include <string_view>
#include <unordered_map>

namespace reference {

const std::vector<OpTable> &AllOps() {
  static const std::vector<OpTable> tables = {
      UnaryOps(),
      CastOps(),
      BinaryOps(),
      SelectOps(),
      FusedElementwiseOps(),
      ReduceOps(),
      ArgReduceOps(),
      CumulativeOps(),
      SoftmaxOps(),
      BatchNormOps(),
      LayerNormOps(),
      GroupNormOps(),
      ConvOps(),
      ConvTransposeOps(),
      ConvPoolOps(),
      SeparableConvOps(),
      PoolOps(),
      ResizeOps(),
      GridSampleOps(),
      BoxOps(),
      SpaceDepthOps(),
      MatMulOps(),
      DenseLayersOps(),
      LowBitOps(),
      EinsumOps(),
      ViewOps(),
      TransposeOps(),
      ConcatSplitOps(),
      GatherOps(),
      ScatterOps(),
      SliceOps(),
      PadOps(),
      RearrangeOps(),
      TransDataOps(),
      TopKOps(),
      DataDependentOps(),
      ShapeOps(),
      RandomOps(),
      EncodeOps(),
      RecurrentOps(),
      SegmentOps(),
      QuantizeLinearOps(),
      QuantizedMatMulOps(),
      QuantizedConvOps(),
      GatherQuantizedOps(),
      AttentionOps(),
      SequenceOps(),
      LinearAttentionOps(),
      TreeOps(),
      LookupOps(),
      DeterminantOps(),
      TextOps(),
      TextMatchOps(),
  };
  return tables;
}

const OpEntry *FindOp(const GeOpDesc &op) {
  static const std::unordered_map<std::string_view, const OpEntry *> index = [] {
    std::unordered_map<std::string_view, const OpEntry *> map;
    for (const OpTable &table : AllOps())
      for (size_t i = 0; i < table.count; ++i) map.emplace(table.entries[i].type, &table.entries[i]);
    return map;
  }();
  auto found = index.find(op.type);
  if (found != index.end()) return found->second;
  return GeOpHasTrait(&op, GE_TRAIT_VIEW) && op.input_count > 0 && op.output_count == 1 ? AnyView() : nullptr;
}

}  // namespace reference
