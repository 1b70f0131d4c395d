// The work at hand of a thread, for error messages: "operator Conv2D", "node 'conv1'", "file 'model.onnx'".
//
// A scope costs two stores while nothing fails. When an exception leaves it, its text joins the list that the barrier
// at the C edge picks up.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace gec {

class ContextScope {
 public:
  /// Both must outlive the scope.
  ContextScope(const char *what, std::string_view name) noexcept
      : what_(what), name_(name), exceptions_(std::uncaught_exceptions()) {}
  ~ContextScope() {
    if (std::uncaught_exceptions() > exceptions_) Leave();
  }
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;

 private:
  void Leave() noexcept;
  const char *what_;
  std::string_view name_;
  int exceptions_;
};

/// Contexts that the exception being handled has left, outermost first; forgets them.
std::vector<std::string> TakeContexts() noexcept;
/// As if the exception that is thrown next had left these, outermost first: those of a thread that this one waited for.
void LeaveContexts(std::vector<std::string> contexts) noexcept;

}  // namespace gec
