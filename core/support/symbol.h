// Interned text: operator types, attribute names and pass names compare by address. Process-wide, thread-safe, never
// freed: what every model brings anew, such as names of nodes, is SharedText.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace gec {

class Symbol {
 public:
  Symbol() noexcept;  // the empty text
  Symbol(std::string_view text);
  Symbol(const char *text) : Symbol(std::string_view(text)) {}
  Symbol(const std::string &text) : Symbol(std::string_view(text)) {}
  /// For a question about a text that comes from outside: its symbol where there is one, else a symbol that equals no
  /// other. Nothing is interned, so questions do not fill memory.
  static Symbol Lookup(std::string_view text);
  /// How many texts the process has interned.
  static size_t Count() noexcept;

  std::string_view view() const noexcept { return *text_; }
  const std::string &str() const noexcept { return *text_; }
  const char *c_str() const noexcept { return text_->c_str(); }
  bool empty() const noexcept { return text_->empty(); }
  friend bool operator==(Symbol a, Symbol b) noexcept { return a.text_ == b.text_; }
  friend bool operator!=(Symbol a, Symbol b) noexcept { return a.text_ != b.text_; }
  size_t hash() const noexcept { return std::hash<const void *>()(text_); }

 private:
  const std::string *text_;
};

}  // namespace gec

template <>
struct std::hash<gec::Symbol> {
  size_t operator()(gec::Symbol s) const noexcept { return s.hash(); }
};
