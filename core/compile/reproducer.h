// The graph on which a pass of a compile failed, in a file that `ge opt` runs.
#pragma once

#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/passes/instrument.h"

namespace gec {

/// An attribute of the graph in such a file: arguments of `ge opt` (list of texts).
inline constexpr const char *kReproducerAttr = "_reproducer";

/// Keeps a copy of the graph while a pass runs, which shares the contents of constants.
class Reproducer : public PassInstrument {
 public:
  /// `arguments`: of `ge opt`, besides the pass; they go into the file. `files`: of passes, which are told to people
  /// only, as a graph must not say which code is loaded.
  Reproducer(std::string path, std::vector<std::string> arguments, std::vector<std::string> files);
  std::string name() const override { return "passes.reproducer"; }
  void RunBefore(Graph &root, const PassInfo &info) override;
  void RunAfter(Graph &root, const PassInfo &info, const PassRun &run) override;
  /// Writes the file. If that fails there is a line in the log, as the error of the pass says more.
  void RunFailed(const PassInfo &info) noexcept override;
  /// How the failure is seen again; "" when no pass failed.
  const std::string &note() const { return note_; }

 private:
  const std::string path_;
  const std::vector<std::string> arguments_, files_;
  GraphPtr before_;
  std::string note_;
};

}  // namespace gec
