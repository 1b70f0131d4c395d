// ge why-not: why the rules of a pass do not match a model.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "pass_files.h"
#include "pass_options.h"
#include "session.h"
#include "table.h"

namespace tool {
namespace {

using Json = nlohmann::ordered_json;

struct WhyNotArgs {
  ModelArgs model;
  std::string rule, node, after;
  bool json = false;
};

void WhyNot(const WhyNotArgs &args) {
  LoadPassFiles(args.model.passes.files, true, args.model.Setting("python.library"));
  GePass *found = nullptr;
  if (GePassFind(args.rule.c_str(), &found) != GE_SUCCESS) throw Usage(GeLastErrorMessage());
  const Pass pass(found);
  const Graph graph = Import(args.model);
  PassScope scope(args.model.passes);
  if (!args.after.empty()) {
    const Pass first = ParsePipeline(args.after);
    if (const GeStatus status = GePassApply(first.get(), graph.get()); status != GE_NOT_CHANGED) Check(status);
  }
  std::string text;
  Check(GePassWhyNot(pass.get(), graph.get(), args.node.c_str(), AppendText, &text));
  scope.Finish();
  const Json told = Json::parse(text);
  if (args.json) {
    std::printf("%s\n", told.dump(2).c_str());
    return;
  }
  for (const auto &[rule, count] : told["applied"].items())
    std::printf("%s matched and was applied %s\n", rule.c_str(), Counted(count.get<size_t>(), "time").c_str());
  Table table({{"rule"},
               {"at", Fit::kName},
               {"what failed"},
               {"pattern", Fit::kName},
               {"node", Fit::kName},
               {"expected", Fit::kText},
               {"is", Fit::kText}});
  for (const Json &miss : told["misses"])
    table.Add({miss["rule"], miss["root"], miss["constraint"], miss["pattern_node"], miss["node"], miss["expected"],
               miss["actual"]});
  if (!table.empty()) std::fputs(table.Text().c_str(), stdout);
  else if (told["applied"].empty()) std::printf("the pass changed the graph and told of no rule\n");
  for (const Json &miss : told["misses"])
    if (const std::string trace = miss["traceback"]; !trace.empty()) std::printf("\n%s\n", trace.c_str());
}

}  // namespace

void AddWhyNot(CLI::App *app) {
  auto args = std::make_shared<WhyNotArgs>();
  app->add_option("rule", args->rule, "a pass; `ge passes` lists them")->required();
  args->model.AddTo(app);
  app->add_option("--node", args->node, "only what concerns nodes of this name");
  app->add_option("--after", args->after, "passes that run on the graph before, as in `ge opt --pipeline`");
  app->add_flag("--json", args->json, "machine-readable output");
  app->footer("The nearest candidates come first: what most parts of had matched.");
  app->callback([args] { WhyNot(*args); });
}

}  // namespace tool
