// ge compare: how far results in another precision, or of another model, are from those of a model in fp32.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "difference.h"
#include "element.h"
#include "names.h"
#include "precision_share.h"
#include "screen.h"
#include "session.h"
#include "table.h"

namespace tool {
namespace {

using Json = nlohmann::ordered_json;

struct CompareArgs {
  ModelArgs model;
  FeedArgs feed;
  std::string other;
  double limit = 0.05;
  int runs = 1;
  bool json = false;
};

/// The worst of all runs for an output.
struct OutputResult {
  Port port;
  Difference worst;
  size_t rows = 0, rows_elsewhere = 0;
  bool Within(double limit) const { return worst.relative <= limit; }
};

bool IsAboutPrecision(const std::string &setting) {
  const std::string key = setting.substr(0, setting.find('='));
  return key == "precision" || key == "precision.nodes" || key == "precision.strict" ||
         key == "ge.exec.precision_mode" || key == "ge.exec.precision_mode_v2";
}

/// The same without options about precision.
ModelArgs InFp32(ModelArgs args) {
  args.precision.clear();
  args.settings.erase(std::remove_if(args.settings.begin(), args.settings.end(), IsAboutPrecision),
                      args.settings.end());
  return args;
}

/// The same values in another real type.
Array Converted(const Array &array, int32_t type) {
  const ElementReader read = ReaderOf(array.data_type);
  const size_t count = array.bytes.size() / (GeDataTypeBits(array.data_type) / 8);
  Array out{type, array.dims, std::vector<char>(count * (GeDataTypeBits(type) / 8))};
  for (size_t i = 0; i < count; ++i) {
    const double value = read(array.bytes.data(), i);
    const auto put = [&](auto v) { std::memcpy(out.bytes.data() + i * sizeof v, &v, sizeof v); };
    if (type == C_DT_FLOAT) put(static_cast<float>(value));
    else if (type == C_DT_DOUBLE) put(value);
    else if (type == C_DT_FLOAT16) put(HalfBits(value));
    else put(BrainFloatBits(value));
  }
  return out;
}

size_t Find(const std::vector<Port> &ports, const Port &wanted, const char *kind, const std::string &path) {
  std::vector<std::string> names;
  for (size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].name == wanted.name) return i;
    names.push_back(ports[i].name);
  }
  throw Usage(path + " has no " + kind + " '" + wanted.name + "'" + NearText(wanted.name, names));
}

/// The inputs of one model for another that has the same by name; real numbers in the types that it takes.
std::vector<Array> FeedFor(const std::vector<Port> &takes, const std::vector<Port> &given,
                           const std::vector<Array> &feed, const std::string &given_path) {
  std::vector<Array> out;
  for (const Port &port : takes) {
    const Array &array = feed[Find(given, port, "input", given_path)];
    if (array.data_type == port.data_type) out.push_back(array);
    else if (IsReal(array.data_type) && IsReal(port.data_type)) out.push_back(Converted(array, port.data_type));
    else
      throw Usage("input '" + port.name + "' is " + TypeText(array.data_type) + " in " + given_path + " and " +
                  TypeText(port.data_type) + " in the other model");
  }
  return out;
}

class Comparison {
 public:
  explicit Comparison(const CompareArgs &args) : args_(args), other_args_(args.model) {
    if (!args.other.empty()) other_args_.path = args.other;
    const bool asks = !args.model.precision.empty() ||
                      std::any_of(args.model.settings.begin(), args.model.settings.end(), IsAboutPrecision);
    if (args.other.empty() && !asks)
      throw Usage("nothing to compare: give another model, --precision or an option about precision");
    reference_ = Load(InFp32(args.model));
    other_ = Load(other_args_);
    inputs_ = ModelInputs(reference_.get());
    const std::vector<Port> outputs = ModelOutputs(reference_.get()), others = ModelOutputs(other_.get());
    for (const Port &port : outputs) {
      places_.push_back(Find(others, port, "output", other_args_.path));
      results_.push_back({port, {}, 0, 0});
    }
  }

  void Run() {
    const std::vector<Port> takes = ModelInputs(other_.get());
    for (int i = 0; i < args_.runs; ++i) {
      FeedArgs said = args_.feed;
      said.seed += static_cast<uint64_t>(i);
      said.quiet = args_.model.quiet || i > 0;
      const std::vector<Array> feed = MakeFeed(reference_.get(), said);
      const std::vector<Array> got = RunOnce(other_.get(), FeedFor(takes, inputs_, feed, args_.model.path));
      const std::vector<Array> want = RunOnce(reference_.get(), feed);
      for (size_t o = 0; o < results_.size(); ++o) Take(Between(want[o], got[places_[o]]), &results_[o]);
    }
  }

  void Print() const {
    Table table({{"output", Fit::kName},
                 {"type"},
                 {"shape"},
                 {"error", Fit::kWhole, true},
                 {"largest difference", Fit::kText},
                 {"argmax elsewhere", Fit::kWhole, true, true}});
    for (const OutputResult &r : results_)
      table.Add({r.port.name, TypeText(r.port.data_type), ShapeText(r.port), Relative(r.worst),
                 r.worst.apart > 0 ? r.worst.Worst() : "none",
                 r.rows ? std::to_string(r.rows_elsewhere) + " of " + std::to_string(r.rows) : ""});
    std::printf("reference %s in fp32\n", args_.model.path.c_str());
    std::fputs(Paragraph("compared  ", other_args_.path + Asked()).c_str(), stdout);
    if (const std::string share = Share().Text(); !share.empty())
      std::fputs(Paragraph("precision ", share).c_str(), stdout);
    std::printf("\n%s", table.Text().c_str());
  }

  void PrintJson() const {
    Json out{{"reference", args_.model.path}, {"compared", other_args_.path}, {"runs", args_.runs}};
    const PrecisionShare share = Share();
    out["precision"] = {{"nodes", Json(share.ran)}, {"bytes", share.bytes}, {"fp32_bytes", share.before}};
    out["limit"] = args_.limit;
    out["within"] = std::all_of(results_.begin(), results_.end(), [&](const auto &r) { return r.Within(args_.limit); });
    out["outputs"] = Json::array();
    for (const OutputResult &r : results_) {
      Json row{{"name", r.port.name}, {"error", r.worst.relative}};
      if (!r.worst.other.empty()) row["other"] = r.worst.other;
      row["largest"] = {{"element", r.worst.at}, {"want", r.worst.want}, {"got", r.worst.got}};
      row["rows"] = r.rows, row["argmax_elsewhere"] = r.rows_elsewhere;
      row["within"] = r.Within(args_.limit);
      out["outputs"].push_back(std::move(row));
    }
    std::printf("%s\n", out.dump(2).c_str());
  }

  /// Throws an error that names outputs which stray beyond the limit.
  void Judge() const {
    std::string beyond;
    size_t count = 0;
    for (const OutputResult &r : results_) {
      if (r.Within(args_.limit)) continue;
      if (++count <= 3) beyond += (beyond.empty() ? "" : ", ") + ("'" + r.port.name + "' by " + Relative(r.worst));
    }
    if (count == 0) return;
    if (count > 3) beyond += " and " + std::to_string(count - 3) + " more";
    char limit[32];
    std::snprintf(limit, sizeof limit, "%g", args_.limit);
    throw Error(Counted(count, "output") + " of " + std::to_string(results_.size()) + " beyond the limit of " + limit +
                ": " + beyond);
  }

 private:
  static void Take(Difference found, OutputResult *result) {
    result->rows += found.rows, result->rows_elsewhere += found.rows_elsewhere;
    const Difference &worst = result->worst;
    if (std::make_pair(found.relative, found.apart) > std::make_pair(worst.relative, worst.apart) ||
        !found.other.empty())
      result->worst = std::move(found);
  }

  /// " with precision int8_weights, precision.nodes=head=fp32".
  std::string Asked() const {
    std::string text;
    if (!args_.model.precision.empty()) text = "precision " + args_.model.precision;
    for (const std::string &setting : args_.model.settings)
      if (IsAboutPrecision(setting)) text += (text.empty() ? "" : ", ") + setting;
    return text.empty() ? text : " with " + text;
  }

  static std::string Relative(const Difference &d) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2g", d.relative);
    return text;
  }

  PrecisionShare Share() const { return PrecisionShare(Json::parse(Describe(other_.get(), GE_MODEL_REPORT))); }

  const CompareArgs &args_;
  ModelArgs other_args_;
  Model reference_, other_;
  std::vector<Port> inputs_;
  std::vector<size_t> places_;  // of the reference's outputs among the other's
  std::vector<OutputResult> results_;
};

void Compare(const CompareArgs &args) {
  Comparison comparison(args);
  comparison.Run();
  if (args.json) comparison.PrintJson();
  else comparison.Print();
  comparison.Judge();
}

}  // namespace

void AddCompare(CLI::App *app) {
  auto args = std::make_shared<CompareArgs>();
  args->model.AddTo(app);
  args->feed.AddTo(app);
  app->add_option("other", args->other, "a model that takes and gives the same, for example a quantised one");
  app->add_option("--limit", args->limit, "error from which on an output is reported and the exit status is 1")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  app->add_option("--runs", args->runs, "runs, each with other random inputs; the worst counts")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app->add_flag("--json", args->json, "for programs");
  app->footer(
      "Examples:\n  ge compare m.onnx --precision int8_weights\n  ge compare m.onnx m.int8.onnx --limit 0.1 --runs 10\n"
      "The error of an output is the norm of the difference by the norm of the fp32 values; of integers the share that "
      "differs. Inputs that are not given are random.");
  app->callback([args] { Compare(*args); });
}

}  // namespace tool
