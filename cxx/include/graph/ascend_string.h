// AscendString: an immutable shared string that crosses library edges; copies share the text.
#ifndef INC_GRAPH_ASCEND_STRING_H_
#define INC_GRAPH_ASCEND_STRING_H_

#include <cstring>
#include <functional>
#include <memory>
#include <string>

namespace ge {

class AscendString {
 public:
  AscendString() = default;
  AscendString(const char *text) {  // NOLINT: implicit by contract
    if (text != nullptr) text_ = std::make_shared<const std::string>(text);
  }
  AscendString(const char *text, size_t length) {
    if (text != nullptr) text_ = std::make_shared<const std::string>(text, length);
  }

  /// Never null; "" for a null string.
  const char *GetString() const { return text_ ? text_->c_str() : ""; }
  size_t GetLength() const { return text_ ? text_->size() : 0; }
  size_t Find(const AscendString &other) const {
    return text_ && other.text_ ? text_->find(*other.text_) : std::string::npos;
  }
  size_t Hash() const { return std::hash<std::string>()(text_ ? *text_ : std::string()); }

  bool operator<(const AscendString &o) const { return Compare(o) < 0; }
  bool operator>(const AscendString &o) const { return Compare(o) > 0; }
  bool operator<=(const AscendString &o) const { return Compare(o) <= 0; }
  bool operator>=(const AscendString &o) const { return Compare(o) >= 0; }
  bool operator==(const AscendString &o) const { return Compare(o) == 0; }
  bool operator!=(const AscendString &o) const { return Compare(o) != 0; }
  bool operator==(const char *o) const { return *this == AscendString(o); }
  bool operator!=(const char *o) const { return *this != AscendString(o); }

 private:
  // A null string sorts before everything and differs from "".
  int Compare(const AscendString &o) const {
    if (!text_ || !o.text_) return (text_ ? 1 : 0) - (o.text_ ? 1 : 0);
    return text_->compare(*o.text_);
  }
  std::shared_ptr<const std::string> text_;
};

}  // namespace ge

template <>
struct std::hash<ge::AscendString> {
  size_t operator()(const ge::AscendString &s) const { return s.Hash(); }
};

#endif
