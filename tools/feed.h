// Inputs of a model from the command line: values, files, pictures, random numbers.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "native.h"
#include "npy.h"

namespace tool {

struct FeedArgs {
  std::vector<std::string> inputs;  // name=value, name=@file, or one .npz file
  std::vector<std::string> shapes;  // name=1,3,224,224
  uint64_t seed = 0;
  bool quiet = false;  // says nothing of dimensions that it chose

  void AddTo(CLI::App *app);
};

/// One array per input, in index order: as given, random otherwise. Dimensions that nobody says are 1, which is told in
/// one line on standard error.
std::vector<Array> MakeFeed(const GeModel *model, const FeedArgs &args);

/// Elements of an input of this shape. Throws Usage when they cannot fit into memory, with both numbers.
uint64_t CheckedCount(const Port &port, const std::vector<int64_t> &dims);

/// "name=rest" in its two parts; `form` is what an error says was expected.
std::pair<std::string, std::string> SplitAssignment(const std::string &text, const char *form);

bool EndsWith(const std::string &text, const std::string &tail);

}  // namespace tool
