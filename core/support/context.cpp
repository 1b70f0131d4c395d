#include "core/support/context.h"

#include <algorithm>

#include "core/support/per_thread.h"

namespace gec {
namespace {

using Left = PerThread<std::vector<std::string>>;

}  // namespace

void ContextScope::Leave() noexcept {
  try {
    std::string text(what_);
    if (!name_.empty()) {
      text += " '";
      text += name_;
      text += '\'';
    }
    Left::Get().push_back(std::move(text));
  } catch (...) {  // without memory the message stands alone
  }
}

std::vector<std::string> TakeContexts() noexcept {
  std::vector<std::string> taken;
  if (std::vector<std::string> *left = Left::Find()) taken.swap(*left);
  std::reverse(taken.begin(), taken.end());
  return taken;
}

void LeaveContexts(std::vector<std::string> contexts) noexcept {
  std::reverse(contexts.begin(), contexts.end());
  if (std::vector<std::string> *left = Left::Find()) *left = std::move(contexts);
}

}  // namespace gec
