// ge::ArgDescInfo: what one slot of a kernel's arguments holds.
#ifndef INC_GRAPH_ARG_DESC_INFO_H_
#define INC_GRAPH_ARG_DESC_INFO_H_

#include <cstdint>
#include <limits>

#include "graph/error_codes.h"

namespace ge {

enum class ArgDescType {
  kIrInput = 0,
  kIrOutput = 1,
  kWorkspace = 2,
  kTiling = 3,
  kHiddenInput = 4,
  kCustomValue = 5,
  kIrInputDesc = 6,
  kIrOutputDesc = 7,
  kInputInstance = 8,
  kOutputInstance = 9,
  kEnd = 10
};

enum class HiddenInputSubType { kHcom = 0, kEnd = 1 };

/// A value: copies are independent. Threads: as an int.
class ArgDescInfo {
 public:
  /// A slot with a number of the caller's.
  static ArgDescInfo CreateCustomValue(uint64_t custom_value) {
    ArgDescInfo info(ArgDescType::kCustomValue);
    info.custom_value_ = custom_value;
    return info;
  }
  /// A slot with an address that the runtime provides.
  static ArgDescInfo CreateHiddenInput(HiddenInputSubType hidden_type) {
    ArgDescInfo info(ArgDescType::kHiddenInput);
    info.hidden_ = hidden_type;
    return info;
  }
  /// `ir_index` counts the inputs or outputs of the prototype (instances, workspaces); -1 means all of the kind.
  /// Folded: the parts of a dynamic input share one slot.
  explicit ArgDescInfo(ArgDescType arg_type, int32_t ir_index = -1, bool is_folded = false)
      : type_(arg_type), ir_index_(ir_index), folded_(is_folded) {}

  ArgDescType GetType() const { return type_; }
  /// The largest uint64_t where the slot is no custom value.
  uint64_t GetCustomValue() const {
    return type_ == ArgDescType::kCustomValue ? custom_value_ : std::numeric_limits<uint64_t>::max();
  }
  /// GRAPH_FAILED where the slot is no custom value.
  graphStatus SetCustomValue(uint64_t custom_value) {
    if (type_ != ArgDescType::kCustomValue) return GRAPH_FAILED;
    custom_value_ = custom_value;
    return GRAPH_SUCCESS;
  }
  /// kEnd where the slot is no hidden input.
  HiddenInputSubType GetHiddenInputSubType() const {
    return type_ == ArgDescType::kHiddenInput ? hidden_ : HiddenInputSubType::kEnd;
  }
  /// GRAPH_FAILED where the slot is no hidden input.
  graphStatus SetHiddenInputSubType(HiddenInputSubType hidden_type) {
    if (type_ != ArgDescType::kHiddenInput) return GRAPH_FAILED;
    hidden_ = hidden_type;
    return GRAPH_SUCCESS;
  }
  void SetIrIndex(int32_t ir_index) { ir_index_ = ir_index; }
  int32_t GetIrIndex() const { return ir_index_; }
  bool IsFolded() const { return folded_; }
  void SetFolded(bool is_folded) { folded_ = is_folded; }

 private:
  ArgDescType type_;
  int32_t ir_index_;
  bool folded_;
  uint64_t custom_value_ = 0;
  HiddenInputSubType hidden_ = HiddenInputSubType::kEnd;
};

}  // namespace ge

#endif
