// The arguments of a kernel one by one (ge::ArgDesc), and their text form:
//
//   {i0*}{i1}{o0*}{ws0*}{t}     input 0, input 1 folded into one slot, output 0, workspace 0, tiling data
//   {i*} {o*} {ws*}             all inputs, outputs, workspaces
//   {i_desc0} {o_desc0}         descriptions of the parts of a dynamic input or output
//   {i_instance0*} {#7} {}      instance 0 of the inputs, the number 7, a slot that stays empty
#ifndef INC_GRAPH_UTILS_ARGS_FORMAT_DESC_UTILS_H_
#define INC_GRAPH_UTILS_ARGS_FORMAT_DESC_UTILS_H_

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "graph/error_codes.h"

namespace ge {

enum class AddrType {
  INPUT = 0,
  OUTPUT,
  WORKSPACE,
  TILING,
  INPUT_DESC,
  OUTPUT_DESC,
  FFTS_ADDR,
  OVERFLOW_ADDR,
  TILING_FFTS,
  HIDDEN_INPUT,
  TILING_CONTEXT,
  OP_TYPE,
  PLACEHOLDER,
  CUSTOM_VALUE,
  INPUT_INSTANCE,
  OUTPUT_INSTANCE,
  MAX
};
/// The part of the tiling context that a TILING_CONTEXT slot points to: all of it, or one result.
enum class TilingContextSubType { TILING_CONTEXT = -1, TILING_DATA = 0, TILING_KEY = 1, BLOCK_DIM = 2, MAX = 3 };

struct ArgDesc {
  AddrType addr_type;
  int32_t ir_idx;       // -1: all of the kind
  bool folded;          // the parts of a dynamic input or output share the slot
  uint8_t reserved[8];  // the number of a CUSTOM_VALUE
};
static_assert(std::is_standard_layout<ArgDesc>::value, "plain memory");

/// Threads: any.
class ArgsFormatDescUtils {
 public:
  static void Append(std::vector<ArgDesc> &arg_descs, AddrType type, int32_t ir_idx = -1, bool folded = false) {
    arg_descs.push_back({type, ir_idx, folded, {}});
  }
  static void AppendPlaceholder(std::vector<ArgDesc> &arg_descs) { Append(arg_descs, AddrType::PLACEHOLDER); }
  static void AppendCustomValue(std::vector<ArgDesc> &arg_descs, uint64_t value) {
    Append(arg_descs, AddrType::CUSTOM_VALUE);
    std::memcpy(arg_descs.back().reserved, &value, sizeof value);
  }
  static void AppendTilingContext(std::vector<ArgDesc> &arg_descs,
                                  TilingContextSubType sub_type = TilingContextSubType::TILING_CONTEXT) {
    Append(arg_descs, AddrType::TILING_CONTEXT, static_cast<int32_t>(sub_type));
  }
  static uint64_t CustomValue(const ArgDesc &arg_desc) {
    uint64_t value = 0;
    std::memcpy(&value, arg_desc.reserved, sizeof value);
    return value;
  }

  /// Empty when an argument has no text: a kind or an index that does not exist.
  static std::string ToString(const std::vector<ArgDesc> &arg_descs) {
    std::string text;
    for (const ArgDesc &arg : arg_descs) {
      const std::string one = Text(arg);
      if (one.empty()) return "";
      text += one;
    }
    return text;
  }
  /// The reverse of ToString. GRAPH_PARAM_INVALID, and arg_descs stays, for any other text.
  static graphStatus Parse(const std::string &text, std::vector<ArgDesc> &arg_descs) {
    std::vector<ArgDesc> parsed;
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('}', at);
      if (text[at] != '{' || end == std::string::npos) return GRAPH_PARAM_INVALID;
      ArgDesc arg{};
      if (!Read(text.substr(at + 1, end - at - 1), arg)) return GRAPH_PARAM_INVALID;
      parsed.push_back(arg);
      at = end + 1;
    }
    arg_descs = std::move(parsed);
    return GRAPH_SUCCESS;
  }

 private:
  // Kinds that have an index and may be folded, and kinds that are one word. Longer prefixes first.
  struct Word {
    AddrType type;
    const char *text;
  };
  static constexpr Word kIndexed[] = {{AddrType::INPUT_INSTANCE, "i_instance"},
                                      {AddrType::OUTPUT_INSTANCE, "o_instance"},
                                      {AddrType::INPUT_DESC, "i_desc"},
                                      {AddrType::OUTPUT_DESC, "o_desc"},
                                      {AddrType::HIDDEN_INPUT, "hi.hcom"},
                                      {AddrType::WORKSPACE, "ws"},
                                      {AddrType::INPUT, "i"},
                                      {AddrType::OUTPUT, "o"}};
  static constexpr Word kPlain[] = {{AddrType::TILING, "t"},
                                    {AddrType::FFTS_ADDR, "ffts_addr"},
                                    {AddrType::OVERFLOW_ADDR, "overflow_addr"},
                                    {AddrType::OP_TYPE, "*op_type"},
                                    {AddrType::PLACEHOLDER, ""}};
  static constexpr const char *kTilingResults[] = {".tiling_data", ".tiling_key", ".block_dim"};

  static std::string Text(const ArgDesc &arg) {
    for (const Word &word : kIndexed) {
      if (word.type != arg.addr_type) continue;
      if (arg.ir_idx < -1) return "";
      return std::string("{") + word.text + (arg.ir_idx >= 0 ? std::to_string(arg.ir_idx) : "") +
             (arg.folded ? "}" : "*}");
    }
    for (const Word &word : kPlain)
      if (word.type == arg.addr_type) return std::string("{") + word.text + "}";
    switch (arg.addr_type) {
      case AddrType::CUSTOM_VALUE:
        return "{#" + std::to_string(CustomValue(arg)) + "}";
      case AddrType::TILING_FFTS:  // of the tail block, and of the others
        return arg.ir_idx == 1 ? "{t_ffts.t}" : arg.ir_idx == 0 ? "{t_ffts.nt}" : "";
      case AddrType::TILING_CONTEXT:
        if (arg.ir_idx == -1) return "{tiling_context}";
        if (arg.ir_idx < 0 || arg.ir_idx >= static_cast<int32_t>(TilingContextSubType::MAX)) return "";
        return std::string("{tiling_context") + kTilingResults[arg.ir_idx] + "}";
      default:
        return "";
    }
  }
  // Digits only; false for none, and above the limit.
  static bool Number(const std::string &digits, uint64_t limit, uint64_t &value) {
    value = 0;
    for (char c : digits) {
      if (c < '0' || c > '9') return false;
      const auto digit = static_cast<uint64_t>(c - '0');
      if (value > (limit - digit) / 10) return false;
      value = value * 10 + digit;
    }
    return !digits.empty();
  }
  static bool Read(const std::string &body, ArgDesc &arg) {
    arg.ir_idx = -1;
    for (const Word &word : kPlain) {
      if (body != word.text) continue;
      arg.addr_type = word.type;
      return true;
    }
    if (body[0] == '#') {
      uint64_t value = 0;
      if (!Number(body.substr(1), std::numeric_limits<uint64_t>::max(), value)) return false;
      arg.addr_type = AddrType::CUSTOM_VALUE;
      std::memcpy(arg.reserved, &value, sizeof value);
      return true;
    }
    if (body == "t_ffts.t" || body == "t_ffts.nt") {
      arg.addr_type = AddrType::TILING_FFTS;
      arg.ir_idx = body == "t_ffts.t" ? 1 : 0;
      return true;
    }
    const std::string context = "tiling_context";
    if (body.compare(0, context.size(), context) == 0) {
      arg.addr_type = AddrType::TILING_CONTEXT;
      if (body == context) return true;
      for (int32_t i = 0; i < static_cast<int32_t>(TilingContextSubType::MAX); ++i)
        if (body.substr(context.size()) == kTilingResults[i]) arg.ir_idx = i;
      return arg.ir_idx != -1;
    }
    for (const Word &word : kIndexed) {
      const size_t prefix = std::strlen(word.text);
      if (body.compare(0, prefix, word.text) != 0) continue;
      arg.addr_type = word.type;
      arg.folded = body.back() != '*';
      const std::string digits = body.substr(prefix, body.size() - prefix - (arg.folded ? 0 : 1));
      if (digits.empty()) return true;
      uint64_t index = 0;
      if (!Number(digits, std::numeric_limits<int32_t>::max(), index)) return false;
      arg.ir_idx = static_cast<int32_t>(index);
      return true;
    }
    return false;
  }
};

}  // namespace ge

#endif
