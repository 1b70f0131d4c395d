// ge opt: runs passes on a graph and writes what became of it.
#include <algorithm>
#include <cstdio>
#include <optional>

#include "commands.h"
#include "feed.h"
#include "file.h"
#include "pass_files.h"
#include "pass_options.h"
#include "session.h"

namespace tool {
namespace {

struct OptArgs {
  ModelArgs model;
  std::optional<std::string> pipeline;
  std::string output;
};

void Write(const GeGraph *graph, const std::string &path) {
  if (EndsWith(path, ".air")) return Check(GeGraphSave(graph, path.c_str()));
  const int32_t format = EndsWith(path, ".svg") ? GE_DUMP_SVG : EndsWith(path, ".dot") ? GE_DUMP_DOT : GE_DUMP_READABLE;
  std::string text;
  Check(GeGraphDump(graph, format, AppendText, &text));
  if (path.empty() || path == "-") {
    std::printf("%s\n", text.c_str());
    return;
  }
  OutputFile file(path);
  file.Write(text + "\n");
  file.Close();
}

/// A file that a failing compile wrote says which passes run, and how.
OptArgs Completed(OptArgs args, const GeGraph *graph) {
  if (args.pipeline) return args;
  GeAttrData found{};
  if (GeGraphGetAttr(graph, "_reproducer", &found) != GE_SUCCESS || found.type != C_VT_LIST_STRING)
    throw Usage("--pipeline is required: '" + args.model.path + "' does not say which passes run");
  CLI::App app;
  app.add_option("--pipeline", args.pipeline);
  args.model.passes.AddRulesTo(&app);
  const auto *texts = static_cast<const char *const *>(found.list);
  std::vector<std::string> words(texts, texts + found.count);
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  app.parse(std::move(words));
  return args;
}

void Opt(const OptArgs &given) {
  const Graph graph = Import(given.model);
  const OptArgs args = Completed(given, graph.get());
  LoadPassFiles(args.model.passes.files, true, args.model.Setting("python.library"));
  const Pass pipeline = ParsePipeline(*args.pipeline);
  PassScope scope(args.model.passes);
  const GeStatus status = GePassApply(pipeline.get(), graph.get());
  if (status != GE_NOT_CHANGED) Check(status);
  scope.Finish();
  Write(graph.get(), args.output);
}

}  // namespace

void AddOpt(CLI::App *app) {
  auto args = std::make_shared<OptArgs>();
  args->model.AddTo(app);
  app->add_option(
      "--pipeline", args->pipeline,
      "passes in order, with commas between; NAME(…) is a sequence. `ge passes` lists them (default: those of a "
      "file that option passes.reproducer wrote)");
  app->add_option("-o,--output", args->output,
                  "file: .air graph and weights, .svg, .dot, else readable text (default: standard output)");
  app->callback([args] { Opt(*args); });
}

}  // namespace tool
