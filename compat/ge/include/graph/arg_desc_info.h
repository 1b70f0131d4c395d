// ge::ArgDescInfo: what one slot of a kernel's arguments holds; ge::ArgsFormatSerializer: all of them as text.
#ifndef INC_GRAPH_ARG_DESC_INFO_H_
#define INC_GRAPH_ARG_DESC_INFO_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/error_codes.h"
#include "graph/utils/args_format_desc_utils.h"

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

/// The text is that of graph/utils/args_format_desc_utils.h. Threads: any.
class ArgsFormatSerializer {
 public:
  /// Empty when an argument has no text: a kind, a hidden input or an index that does not exist.
  static AscendString Serialize(const std::vector<ArgDescInfo> &args_format) {
    std::vector<ArgDesc> args;
    for (const ArgDescInfo &info : args_format) {
      const size_t kind = static_cast<size_t>(info.GetType());
      if (kind >= static_cast<size_t>(ArgDescType::kEnd)) return AscendString("");
      if (info.GetType() == ArgDescType::kHiddenInput && info.GetHiddenInputSubType() != HiddenInputSubType::kHcom)
        return AscendString("");
      if (info.GetType() == ArgDescType::kCustomValue)
        ArgsFormatDescUtils::AppendCustomValue(args, info.GetCustomValue());
      else ArgsFormatDescUtils::Append(args, kAddrTypes[kind], info.GetIrIndex(), info.IsFolded());
    }
    return AscendString(ArgsFormatDescUtils::ToString(args).c_str());
  }
  /// The reverse. Empty for a text that Serialize does not write.
  static std::vector<ArgDescInfo> Deserialize(const AscendString &args_str) {
    std::vector<ArgDesc> args;
    std::vector<ArgDescInfo> infos;
    if (ArgsFormatDescUtils::Parse(args_str.GetString(), args) != GRAPH_SUCCESS) return infos;
    for (const ArgDesc &arg : args) {
      size_t kind = 0;
      while (kind < static_cast<size_t>(ArgDescType::kEnd) && kAddrTypes[kind] != arg.addr_type) ++kind;
      if (kind == static_cast<size_t>(ArgDescType::kEnd)) return {};
      infos.emplace_back(static_cast<ArgDescType>(kind), arg.ir_idx, arg.folded);
      if (arg.addr_type == AddrType::CUSTOM_VALUE)
        (void)infos.back().SetCustomValue(ArgsFormatDescUtils::CustomValue(arg));
      if (arg.addr_type == AddrType::HIDDEN_INPUT) (void)infos.back().SetHiddenInputSubType(HiddenInputSubType::kHcom);
    }
    return infos;
  }

 private:
  // By ArgDescType.
  static constexpr AddrType kAddrTypes[] = {AddrType::INPUT,          AddrType::OUTPUT,       AddrType::WORKSPACE,
                                            AddrType::TILING,         AddrType::HIDDEN_INPUT, AddrType::CUSTOM_VALUE,
                                            AddrType::INPUT_DESC,     AddrType::OUTPUT_DESC,  AddrType::INPUT_INSTANCE,
                                            AddrType::OUTPUT_INSTANCE};
};

}  // namespace ge

#endif
