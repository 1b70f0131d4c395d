#include "core/support/context.h"

#include <algorithm>

namespace gec {
namespace {

std::vector<std::string> &Left() {
  static thread_local std::vector<std::string> left;
  return left;
}

}  // namespace

void ContextScope::Leave() noexcept {
  try {
    std::string text(what_);
    if (!name_.empty()) {
      text += " '";
      text += name_;
      text += '\'';
    }
    Left().push_back(std::move(text));
  } catch (...) {  // without memory the message stands alone
  }
}

std::vector<std::string> TakeContexts() noexcept {
  std::vector<std::string> taken;
  taken.swap(Left());
  std::reverse(taken.begin(), taken.end());
  return taken;
}

}  // namespace gec
