// ge report: one HTML page about a model and a run of it.
#include <cstdio>

#include "commands.h"
#include "file.h"
#include "session.h"

namespace tool {
namespace {

struct ReportArgs {
  ModelArgs model;
  FeedArgs feed;
  std::string output;
  int warmup = 3;
};

void Report(const ReportArgs &args) {
  Model model = Load(args.model);
  Runner runner(model.get(), MakeFeed(model.get(), args.feed));
  for (int i = 0; i < args.warmup; ++i) runner.Run();
  std::string page;
  runner.Report(&page);
  if (args.output == "-") {
    std::fwrite(page.data(), 1, page.size(), stdout);  // main looks at the outcome
    return;
  }
  OutputFile file(args.output);
  file.Write(page);
  file.Close();
}

}  // namespace

void AddReport(CLI::App *app) {
  auto args = std::make_shared<ReportArgs>();
  args->model.AddTo(app);
  args->feed.AddTo(app);
  app->add_option("-o,--output", args->output, "file of the page; - is standard output")->required();
  app->add_option("--warmup", args->warmup, "runs before the one that the page shows")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000));
  app->callback([args] { Report(*args); });
}

}  // namespace tool
