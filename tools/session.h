// Code shared by every command that takes a model: its options, loading with progress, and running.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "feed.h"
#include "native.h"
#include "npy.h"
#include "pass_options.h"

namespace tool {

// Command line options about the model.
struct ModelArgs {
  std::string path;
  int framework = -1;     // 3 TensorFlow, 5 ONNX
  std::string out_nodes;  // of a TensorFlow graph
  int threads = -1;
  std::string precision;
  std::vector<std::string> settings;  // key=value
  PassArgs passes;
  bool quiet = false;

  void AddTo(CLI::App *app);
  Options Make() const;
  std::string Setting(const std::string &key) const;  // the last of `settings`, "" where there is none
};

// Compiles under the scope that the arguments say; on a terminal a progress line is shown meanwhile. `watching`:
// instruments of the command itself, which come first.
Model Load(const ModelArgs &args, const std::vector<GeInstrument *> &watching = {});
// The same for a graph, which stays as it is: its constants keep their content, also in copies that instruments made.
Model Compile(const ModelArgs &args, const GeGraph *graph, const std::vector<GeInstrument *> &watching = {});
// Imports without compiling; reads a graph from a file .air.
Graph Import(const ModelArgs &args);

// A run context with the inputs set.
class Runner {
 public:
  Runner(GeModel *model, std::vector<Array> feed);
  void Run();
  void Profile(std::string *trace);
  void Report(std::string *html);
  std::vector<Array> Outputs() const;
  const std::vector<Array> &feed() const { return feed_; }

 private:
  std::vector<Array> feed_;
  std::vector<GeTensorData> inputs_, outputs_;
  Context context_;
};

// Outputs of one run.
std::vector<Array> RunOnce(GeModel *model, std::vector<Array> feed);

double PeakRssMb();
double RssMb();

}  // namespace tool
