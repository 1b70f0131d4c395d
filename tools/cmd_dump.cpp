// ge dump: the graph as text or picture, as imported or as compiled.
#include <cstdio>

#include "commands.h"
#include "file.h"
#include "session.h"

namespace tool {
namespace {

struct DumpArgs {
  ModelArgs model;
  std::string format = "readable", output;
  bool optimized = false, placed = false;
};

std::string Text(const DumpArgs &args) {
  const std::string &f = args.format;
  int32_t format = f == "onnx"  ? GE_DUMP_ONNX
                   : f == "txt" ? GE_DUMP_TXT
                   : f == "dot" ? GE_DUMP_DOT
                   : f == "svg" ? GE_DUMP_SVG
                                : GE_DUMP_READABLE;
  std::string text;
  if (args.placed) {
    Model model = Load(args.model);
    GeGraph *graph = nullptr;
    Check(GeModelClonePlacedGraph(model.get(), &graph));
    Check(GeGraphDump(Graph(graph).get(), format, AppendText, &text));
    return text;
  }
  if (args.optimized) {
    if (f != "readable" && f != "dot" && f != "svg")
      throw Usage("the compiled graph is written as readable, dot or svg, not as " + f);
    Model model = Load(args.model);
    return Describe(model.get(), f == "dot" ? GE_MODEL_GRAPH_DOT : f == "svg" ? GE_MODEL_GRAPH_SVG : GE_MODEL_GRAPH);
  }
  Graph graph = Import(args.model);
  Check(GeGraphDump(graph.get(), format, AppendText, &text));
  return text;
}

void Dump(const DumpArgs &args) {
  std::string text = Text(args);
  if (!text.empty() && text.back() != '\n') text += '\n';
  if (args.output.empty() || args.output == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);  // main looks at the outcome
    return;
  }
  OutputFile file(args.output);
  file.Write(text);
  file.Close();
}

}  // namespace

void AddDump(CLI::App *app) {
  auto args = std::make_shared<DumpArgs>();
  args->model.AddTo(app);
  app->add_option("-f,--format", args->format, "readable, onnx, txt, dot or svg")
      ->capture_default_str()
      ->check(CLI::IsMember({"readable", "onnx", "txt", "dot", "svg"}));
  app->add_option("-o,--output", args->output, "file (default: standard output)");
  app->add_flag("--optimized", args->optimized, "the graph after compiling");
  app->add_flag("--placed", args->placed,
                "the same, with the engine of each node, why others refused it, and copies between memories");
  app->callback([args] { Dump(*args); });
}

}  // namespace tool
