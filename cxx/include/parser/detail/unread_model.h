// Code shared by the parsers of formats that this release does not read: every argument is checked, then the call
// is refused.
#ifndef OPENGE_PARSER_DETAIL_UNREAD_MODEL_H_
#define OPENGE_PARSER_DETAIL_UNREAD_MODEL_H_

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

#include "ge/status.h"
#include "ge_common/ge_ir_options.h"
#include "graph/ascend_string.h"
#include "graph/error_codes.h"

namespace ge {
namespace detail {
class UnreadModel {
 public:
  UnreadModel(const char *function, const char *format) : function_(function), format_(format) {}

  /// A file that the call names; `argument` is the parameter's name. False: the last error says why.
  bool Takes(const char *argument, const char *path) {
    if (path == nullptr) return Refuse(GE_PARAM_INVALID, std::string(argument) + " is null");
    const std::string named = std::string(argument) + " '" + path + "'";
    std::FILE *file = std::fopen(path, "rb");
    if (file == nullptr) return Refuse(GE_PATH_INVALID, named + " cannot be read: " + std::strerror(errno));
    const bool bytes = std::fgetc(file) != EOF;
    const int error = std::ferror(file) != 0 ? errno : 0;  // a folder opens, but has no bytes
    (void)std::fclose(file);
    if (!bytes)
      return Refuse(GE_PATH_INVALID,
                    named + (error != 0 ? std::string(" cannot be read: ") + std::strerror(error) : " is empty"));
    files_ += (files_.empty() ? "'" : ", '") + std::string(path) + "'";
    return true;
  }
  bool Takes(const std::map<AscendString, AscendString> &options) const {
    const auto &known = ir_option::ir_parser_suppported_options;
    for (const auto &option : options) {
      if (known.count(option.first.GetString()) != 0) continue;
      std::string text = std::string("parser option '") + option.first.GetString() + "' is not known; known are ";
      for (const std::string &name : known) text += (name == *known.begin() ? "" : ", ") + name;
      return Refuse(GE_OPTION_INVALID, text);
    }
    return true;
  }
  /// Always GRAPH_FAILED.
  graphStatus Refused() const {
    (void)Refuse(GE_UNSUPPORTED, files_ + " not read: this release reads ONNX and TensorFlow models only, not " +
                                     format_ + " ones; convert the model to ONNX and call aclgrphParseONNX");
    return GRAPH_FAILED;
  }

 private:
  bool Refuse(GeStatus code, const std::string &text) const {
    (void)GeSetLastError(code, (std::string(function_) + ": " + text).c_str());
    return false;
  }
  const char *function_;
  const char *format_;
  std::string files_;
};
}  // namespace detail
}  // namespace ge

#endif
