// Identifiers of generated code: keywords, what bodies and base libraries already use, and names that stay apart.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace codegen {

enum class Language { kCpp, kPython };

bool IsKeyword(Language language, const std::string &name);

/// True for names that a header, the body of a wrapper or a macro of the standard headers already uses.
bool IsReserved(Language language, const std::string &name);

/// `name` with every character that no identifier may hold replaced by '_'.
std::string AsIdentifier(const std::string &name);

/// `prefix` before keywords, else the name itself.
std::string Mangle(Language language, const std::string &name, const char *prefix);

/// Why an operator type can have no wrapper under its name; empty when it can.
std::string TypeNameProblem(const std::string &type);

/// The identifiers of one scope. Names that would meet another one, a keyword or a reserved name get a prefix and, when
/// that is not enough, underscores; names that meet nothing stay as they are.
class Scope {
 public:
  explicit Scope(Language language) : language_(language) {}
  /// `tails` are the further identifiers that `name` brings along: {"", "_num"} for an array with its length.
  std::string Take(std::string name, const char *prefix, const std::vector<std::string> &tails = {""});

 private:
  bool Free(const std::string &name, const std::vector<std::string> &tails) const;
  Language language_;
  std::set<std::string> taken_;
};

}  // namespace codegen
