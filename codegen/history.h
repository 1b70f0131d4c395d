// Archived prototypes of released versions: <package>/index.json and <package>/registry/<version>/.
#pragma once

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "proto.h"

namespace codegen {

struct Release {
  std::string version, date, branch;
};

/// The prototypes of one operators.json. An operator whose record is bad is in `problems` instead.
struct Archive {
  std::map<std::string, Proto> ops;
  std::map<std::string, std::string> problems;  // operator type → what is wrong
};

/// Throws std::runtime_error naming the file, the field and the value.
Archive ReadOperators(const std::string &path);
/// Releases of an index, by date. Bad and repeated entries are left out and told in `log`; throws when the file as a
/// whole cannot be read.
std::vector<Release> ReadIndex(const std::string &path, std::string *schema_version, std::ostream &log);
/// The archive of one version, after its metadata was checked. Throws like ReadOperators.
Archive ReadRelease(const std::string &package, const std::string &version);

/// The overload planner's input from a history package: the releases of the last 365 days before the anchor.
class History {
 public:
  History() = default;
  /// `anchor`: the release the window ends with; empty: today. What cannot be used is told in `log`.
  History(const std::string &package, const std::string &anchor, std::ostream &log);

  /// Prototypes of an operator in ascending release order; `notes` gets a line for each release that has none.
  std::vector<Proto> Chain(const std::string &type, std::vector<std::string> *notes) const;
  const std::vector<Release> &window() const { return window_; }

 private:
  std::vector<Release> window_;
  std::vector<Archive> archives_;
  std::vector<std::string> unreadable_;  // why a release's archive cannot be used; empty when it can
};

std::string OperatorsText(const std::vector<Proto> &ops);

/// Throws std::runtime_error for a version that cannot be the name of a folder.
void CheckVersionName(const std::string &version);

/// Adds a release to a package. Throws std::runtime_error; nothing is changed then.
void WriteRelease(const std::string &package, const Release &release, const std::vector<Proto> &ops, std::ostream &log);

}  // namespace codegen
