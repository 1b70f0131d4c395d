// TypeUtils: names of data types and formats, both ways.
#ifndef INC_GRAPH_UTILS_TYPE_UTILS_H_
#define INC_GRAPH_UTILS_TYPE_UTILS_H_

#include <cstdlib>
#include <cstring>
#include <string>

#include "graph/ascend_string.h"
#include "graph/types.h"

namespace ge {

class TypeUtils {
 public:
  /// "DT_FLOAT16"; "DT_BFLOAT16" for DT_BF16; "UNDEFINED" for a value that is no type.
  static std::string DataTypeToSerialString(const DataType data_type) { return TypeName(data_type); }
  /// DT_UNDEFINED for an unknown text.
  static DataType SerialStringToDataType(const std::string &text) { return ParseType(text.c_str()); }
  static AscendString DataTypeToAscendString(const DataType &data_type) { return AscendString(TypeName(data_type)); }
  static DataType AscendStringToDataType(const AscendString &text) { return ParseType(text.GetString()); }

  /// "NCHW"; with a sub-format "FRACTAL_Z:16".
  static std::string FormatToSerialString(const Format format) {
    const int32_t primary = GetPrimaryFormat(static_cast<int32_t>(format));
    std::string text = PrimaryName(primary);
    const int32_t sub = GetSubFormat(static_cast<int32_t>(format));
    if (sub > 0) text += ":" + std::to_string(sub);
    return text;
  }
  /// FORMAT_RESERVED for an unknown text or a malformed sub-format.
  static Format SerialStringToFormat(const std::string &text) {
    const size_t colon = text.find(':');
    const Format primary = ParsePrimary(text.substr(0, colon));
    if (colon == std::string::npos || primary == FORMAT_RESERVED) return primary;
    const std::string digits = text.substr(colon + 1);
    if (digits.empty() || digits.size() > 5 || digits.find_first_not_of("0123456789") != std::string::npos)
      return FORMAT_RESERVED;
    const long sub = std::strtol(digits.c_str(), nullptr, 10);
    return sub > 0xFFFF ? FORMAT_RESERVED : static_cast<Format>(GetFormatFromSub(primary, static_cast<int32_t>(sub)));
  }
  static AscendString FormatToAscendString(const Format &format) {
    return AscendString(FormatToSerialString(format).c_str());
  }
  static Format AscendStringToFormat(const AscendString &text) { return SerialStringToFormat(text.GetString()); }

  /// NCHW, NHWC, NDHWC, NCDHW and ND only.
  static Format DataFormatToFormat(const std::string &text) {
    for (Format format : {FORMAT_NCHW, FORMAT_NHWC, FORMAT_NDHWC, FORMAT_NCDHW, FORMAT_ND})
      if (text == GeFormatName(format)) return format;
    return FORMAT_RESERVED;
  }
  static Format DataFormatToFormat(const AscendString &text) {
    return DataFormatToFormat(std::string(text.GetString()));
  }
  static Format DataFormatToFormat(const char_t *text) { return DataFormatToFormat(std::string(text ? text : "")); }

  /// False for a type without a size in bytes.
  static bool GetDataTypeLength(const DataType data_type, uint32_t &length) {
    const int size = GetSizeByDataType(data_type);
    if (size <= 0) return false;
    length = static_cast<uint32_t>(size);
    return true;
  }

 private:
  static const char *TypeName(DataType type) {
    if (type == DT_BF16) return "DT_BFLOAT16";
    const char *name = GeDataTypeName(static_cast<int32_t>(type));
    return std::strncmp(name, "DT_", 3) == 0 ? name : "UNDEFINED";
  }
  static DataType ParseType(const char *text) {
    if (std::strcmp(text, "DT_BFLOAT16") == 0) return DT_BF16;
    if (std::strcmp(text, "DT_FLOAT32") == 0) return DT_FLOAT;
    if (std::strcmp(text, "DT_BF16") == 0) return DT_UNDEFINED;
    return static_cast<DataType>(GeDataTypeFromName(text));
  }
  static std::string PrimaryName(int32_t primary) {
    if (primary == FORMAT_RESERVED) return "FORMAT_RESERVED";
    return primary >= 0 && primary < FORMAT_END ? GeFormatName(primary) : "RESERVED";
  }
  static Format ParsePrimary(const std::string &text) {
    if (text == "RESERVED" || text == "UNDEFINED") return FORMAT_RESERVED;
    return static_cast<Format>(GeFormatFromName(text.c_str()));
  }
};

}  // namespace ge

#endif
