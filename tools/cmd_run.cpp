// ge run: feeds a model once and shows or stores what comes out.
#include <cmath>
#include <cstdio>

#include "commands.h"
#include "element.h"
#include "file.h"
#include "screen.h"
#include "session.h"
#include "table.h"

namespace tool {
namespace {

struct RunArgs {
  ModelArgs model;
  FeedArgs feed;
  std::string output, trace;
};

std::string Number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.5g", v);
  return text;
}

// Least, greatest, mean, where the greatest is, and the first values.
std::vector<std::string> Summary(const std::string &name, const Array &array) {
  std::vector<std::string> row = {name,
                                  TypeText(array.data_type),
                                  DimsText(array.dims.data(), static_cast<int64_t>(array.dims.size())),
                                  "",
                                  "",
                                  "",
                                  "",
                                  ""};
  const ElementReader read = ReaderOf(array.data_type);
  size_t n = read ? array.bytes.size() / (GeDataTypeBits(array.data_type) / 8) : 0;
  if (n == 0) return row;
  double low = INFINITY, high = -INFINITY, sum = 0;
  size_t best = 0, nans = 0;
  for (size_t i = 0; i < n; ++i) {
    double v = read(array.bytes.data(), i);
    if (std::isnan(v)) {
      ++nans;
      continue;
    }
    sum += v;
    if (v < low) low = v;
    if (v > high) high = v, best = i;
  }
  if (nans < n) {
    row[3] = Number(low);
    row[4] = Number(high);
    row[5] = Number(sum / static_cast<double>(n - nans));
    row[6] = std::to_string(best);
  }
  for (size_t i = 0; i < n && i < 5; ++i) row[7] += (i ? " " : "") + Number(read(array.bytes.data(), i));
  if (n > 5) row[7] += " ...";
  if (nans) row[7] += " (" + std::to_string(nans) + " NaN)";
  return row;
}

void Run(const RunArgs &args) {
  Model model = Load(args.model);
  FeedArgs feed = args.feed;
  feed.quiet = args.model.quiet;
  Runner runner(model.get(), MakeFeed(model.get(), feed));
  if (args.trace.empty()) {
    runner.Run();
  } else {
    std::string trace;
    runner.Run();
    runner.Profile(&trace);
    OutputFile file(args.trace);
    file.Write(trace);
    file.Close();
  }
  std::vector<Port> ports = ModelOutputs(model.get());
  std::vector<Array> outputs = runner.Outputs();
  Table table({{"output", Fit::kName},
               {"type"},
               {"shape"},
               {"min", Fit::kWhole, true},
               {"max", Fit::kWhole, true},
               {"mean", Fit::kWhole, true, true},
               {"argmax", Fit::kWhole, true, true},
               {"values", Fit::kText}});
  std::vector<std::pair<std::string, const Array *>> named;
  for (size_t i = 0; i < outputs.size(); ++i) {
    table.Add(Summary(ports[i].name, outputs[i]));
    named.emplace_back(ports[i].name, &outputs[i]);
  }
  constexpr size_t kNoLimit = 1000;  // programs that read this find a line per output
  std::fputs(table.Text(HasScreen() ? ScreenWidth() : kNoLimit).c_str(), stdout);
  if (!args.output.empty()) WriteNpz(args.output, named);
}

}  // namespace

void AddRun(CLI::App *app) {
  auto args = std::make_shared<RunArgs>();
  args->model.AddTo(app);
  args->feed.AddTo(app);
  app->add_option("-o,--output", args->output, "store all outputs in this .npz file");
  app->add_option("--trace", args->trace, "store a trace of a second run for ui.perfetto.dev in this file");
  app->footer(
      "Examples:\n  ge run m.onnx -i sr=16000 -i x=@signal.npy -i img=@cat.png -o out.npz\n  ge run m.onnx -s "
      "ids=1,128 -i ids=101,2054,102\nInputs that are not given are random, dimensions that nobody says are 1.");
  app->callback([args] { Run(*args); });
}

}  // namespace tool
