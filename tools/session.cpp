#include "session.h"

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "pass_files.h"
#include "progress.h"

namespace tool {
namespace {

constexpr int kTensorFlow = 3;  // as GE numbers them

double StatusMb(const char *key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind(key, 0) == 0) return std::atof(line.c_str() + std::strlen(key) + 1) / 1024;
  return 0;
}

}  // namespace

void ModelArgs::AddTo(CLI::App *app) {
  app->add_option("model", path, "ONNX file, TensorFlow graph (.pb, .pbtxt) or offline model (.om)")->required();
  app->add_option("--framework", framework, "what the file is: 3 TensorFlow, 5 ONNX (default: told by the file)")
      ->check(CLI::IsMember({3, 5}));
  app->add_option("--out-nodes,--out_nodes", out_nodes, "outputs of a TensorFlow graph: node:port;node:port");
  app->add_option("-t,--threads", threads, "threads of a run (default: all processors this process may use)")
      ->check(CLI::Range(0, 1024));
  app->add_option("--precision", precision, "precision of weights, for example int8_weights");
  app->add_option("-O,--option", settings, "option of compilation as key=value; `ge doctor --options` lists them")
      ->allow_extra_args(false);
  app->add_flag("-q,--quiet", quiet, "no progress on the terminal, no word of what was chosen");
  passes.AddTo(app);
}

std::string ModelArgs::Setting(const std::string &key) const {
  std::string value;
  for (const std::string &setting : settings)
    if (setting.compare(0, key.size() + 1, key + "=") == 0) value = setting.substr(key.size() + 1);
  return value;
}

Options ModelArgs::Make() const {
  GeOptions *raw = nullptr;
  Check(GeOptionsCreate(&raw));
  Options options(raw);
  std::map<std::string, std::string> said;
  auto say = [&](const std::string &key, const std::string &how) {
    auto [at, first] = said.emplace(key, how);
    if (!first) throw Usage("option '" + key + "' is set twice: by '" + at->second + "' and by '" + how + "'");
  };
  if (threads >= 0) {
    say("threads", "--threads " + std::to_string(threads));
    Check(GeOptionsSet(raw, "threads", std::to_string(threads).c_str()));
  }
  if (!precision.empty()) {
    say("precision", "--precision " + precision);
    Check(GeOptionsSet(raw, "precision", precision.c_str()));
  }
  for (const std::string &setting : settings) {
    auto [key, value] = SplitAssignment(setting, "key=value");
    say(key, "--option " + setting);
    if (GeOptionsSet(raw, key.c_str(), value.c_str()) == GE_SUCCESS) continue;
    std::string message = GeLastErrorMessage();
    if (message.find("unknown option") != std::string::npos && message.find("did you mean") == std::string::npos)
      message += "; `ge doctor --options` lists those that act";
    throw Usage(message);
  }
  return options;
}

namespace {

template <class Make>
Model Compiled(const ModelArgs &args, const std::vector<GeInstrument *> &watching, Make &&make) {
  LoadPassFiles(args.passes.files, false, args.Setting("python.library"));
  PassScope scope(args.passes, watching);
  Options options = args.Make();
  Progress progress(!args.quiet);
  if (progress.active()) Check(GeOptionsSet(options.get(), "progress", "1"));
  GeModel *model = nullptr;
  Check(make(options.get(), &model));
  Model compiled(model);
  scope.Finish();
  return compiled;
}

}  // namespace

Model Load(const ModelArgs &args, const std::vector<GeInstrument *> &watching) {
  return Compiled(args, watching, [&](GeOptions *options, GeModel **model) {
    if (args.framework < 0 && args.out_nodes.empty()) return GeCompileFile(args.path.c_str(), options, model);
    return GeCompile(Import(args).get(), options, model);
  });
}

Model Compile(const ModelArgs &args, const GeGraph *graph, const std::vector<GeInstrument *> &watching) {
  return Compiled(args, watching,
                  [&](GeOptions *options, GeModel **model) { return GeCompile(graph, options, model); });
}

Graph Import(const ModelArgs &args) {
  GeGraph *graph = nullptr;
  if (args.framework < 0 && EndsWith(args.path, ".air")) {
    Check(GeGraphCreate("graph", &graph));
    Graph owned(graph);
    Check(GeGraphLoad(graph, args.path.c_str()));
    return owned;
  }
  const bool named = EndsWith(args.path, ".pb") || EndsWith(args.path, ".pbtxt") || !args.out_nodes.empty();
  if (args.framework == kTensorFlow || (args.framework < 0 && named)) {
    const GeParserOption outputs = {"ge.outputNodeName", args.out_nodes.c_str()};
    Check(GeTensorFlowImport(args.path.c_str(), &outputs, args.out_nodes.empty() ? 0 : 1, nullptr, nullptr, &graph));
  } else {
    if (!args.out_nodes.empty()) throw Usage("--out-nodes is for TensorFlow graphs");
    Check(GeOnnxImport(args.path.c_str(), nullptr, nullptr, &graph));
  }
  return Graph(graph);
}

Runner::Runner(GeModel *model, std::vector<Array> feed) : feed_(std::move(feed)) {
  GeRunContext *raw = nullptr;
  Check(GeRunContextCreate(model, &raw));
  context_.reset(raw);
  for (Array &array : feed_) {
    GeTensorData data{};
    data.data_type = array.data_type;
    data.format = data.origin_format = C_FORMAT_ND;
    data.rank = data.origin_rank = static_cast<int32_t>(array.dims.size());
    data.dims = data.origin_dims = array.dims.empty() ? nullptr : array.dims.data();
    if (array.bytes.empty()) array.bytes.reserve(1);  // no elements, but an address
    data.data = array.bytes.data();
    data.size = array.bytes.size();
    inputs_.push_back(data);
  }
  outputs_.resize(GeModelOutputCount(model));
}

void Runner::Run() {
  for (GeTensorData &o : outputs_) o = GeTensorData{};
  Check(GeRun(context_.get(), inputs_.data(), inputs_.size(), outputs_.data(), outputs_.size()));
}

void Runner::Profile(std::string *trace) {
  for (GeTensorData &o : outputs_) o = GeTensorData{};
  Check(GeRunProfiled(context_.get(), inputs_.data(), inputs_.size(), outputs_.data(), outputs_.size(), AppendText,
                      trace));
}

void Runner::Report(std::string *html) {
  for (GeTensorData &o : outputs_) o = GeTensorData{};
  Check(
      GeRunReport(context_.get(), inputs_.data(), inputs_.size(), outputs_.data(), outputs_.size(), AppendText, html));
}

std::vector<Array> Runner::Outputs() const {
  std::vector<Array> arrays;
  for (const GeTensorData &o : outputs_) {
    Array array;
    array.data_type = o.data_type;
    if (o.rank > 0) array.dims.assign(o.dims, o.dims + o.rank);
    const char *bytes = static_cast<const char *>(o.data);
    try {
      if (bytes) array.bytes.assign(bytes, bytes + o.size);
    } catch (const std::bad_alloc &) {
      throw OutOfMemory("a copy of output " + std::to_string(arrays.size()), o.size);
    }
    arrays.push_back(std::move(array));
  }
  return arrays;
}

std::vector<Array> RunOnce(GeModel *model, std::vector<Array> feed) {
  Runner runner(model, std::move(feed));
  runner.Run();
  return runner.Outputs();
}

double PeakRssMb() { return StatusMb("VmHWM"); }
double RssMb() { return StatusMb("VmRSS"); }

}  // namespace tool
