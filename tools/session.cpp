#include "session.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>

#include "png_file.h"
#include "progress.h"

namespace tool {
namespace {

constexpr int kTensorFlow = 3;  // as GE numbers them

bool EndsWith(const std::string &text, const std::string &tail) {
  return text.size() >= tail.size() && text.compare(text.size() - tail.size(), tail.size(), tail) == 0;
}

std::pair<std::string, std::string> Split(const std::string &text, const char *form) {
  size_t at = text.find('=');
  if (at == std::string::npos || at == 0) throw Usage("'" + text + "': expected " + form);
  return {text.substr(0, at), text.substr(at + 1)};
}

std::vector<int64_t> ParseShape(const std::string &text, const std::string &input) {
  std::vector<int64_t> dims;
  for (size_t at = 0; at < text.size();) {
    size_t comma = std::min(text.find(',', at), text.size());
    std::string part = text.substr(at, comma - at);
    char *end = nullptr;
    errno = 0;
    int64_t dim = std::strtoll(part.c_str(), &end, 10);
    if (part.empty() || *end || dim < 0 || errno == ERANGE)
      throw Usage("shape of input '" + input + "': '" + part + "' is no dimension, expected for example 1,3,224,224");
    dims.push_back(dim);
    at = comma + 1;
  }
  return dims;
}

std::string Names(const std::vector<Port> &ports) {
  std::string text;
  for (const Port &p : ports) text += (text.empty() ? "" : ", ") + PortText(p);
  return text.empty() ? "no inputs" : text;
}

// Bytes of memory that can still be had; 0 when the system does not tell.
double AvailableBytes() {
  std::ifstream info("/proc/meminfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("MemAvailable:", 0) == 0) return std::atof(line.c_str() + 13) * 1024;
  return 0;
}

// Elements of a random input, which must fit into memory.
uint64_t Count(const Port &port, const std::vector<int64_t> &dims) {
  double bytes = GeDataTypeBits(port.data_type) / 8.0;
  uint64_t n = 1;
  for (int64_t d : dims) {
    bytes *= static_cast<double>(d);
    n *= static_cast<uint64_t>(d);  // meaningless when it overflows: bytes tell
  }
  double available = AvailableBytes();
  if (bytes > (available ? available : 0x1p40)) {
    char text[128];
    std::snprintf(text, sizeof text, " of %s needs %.0f bytes, %.0f bytes of memory are available",
                  TypeText(port.data_type).c_str(), bytes, available);
    throw Usage("input '" + port.name + "': shape " + DimsText(dims.data(), static_cast<int64_t>(dims.size())) + text);
  }
  return n;
}

template <typename T, typename Draw>
void Fill(std::vector<char> *bytes, uint64_t count, Draw draw) {
  bytes->resize(count * sizeof(T));
  for (uint64_t i = 0; i < count; ++i) {
    T v = static_cast<T>(draw());
    std::memcpy(bytes->data() + i * sizeof(T), &v, sizeof v);
  }
}

// Normally distributed numbers for float inputs, 0 or 1 for others: valid as indices, masks and tokens of most models.
uint32_t FloatBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// Of a value of moderate size, cut off after ten bits of the fraction; what is below the normal range becomes zero.
uint16_t HalfBits(float value) {
  const uint32_t bits = FloatBits(value), sign = bits >> 16 & 0x8000;
  const int exponent = static_cast<int>(bits >> 23 & 0xff) - 127 + 15;
  if (exponent <= 0) return static_cast<uint16_t>(sign);
  return static_cast<uint16_t>(sign | static_cast<uint32_t>(exponent) << 10 | (bits >> 13 & 0x3ff));
}

Array Random(const Port &port, std::vector<int64_t> dims, std::mt19937_64 *engine) {
  Array array;
  array.data_type = port.data_type;
  array.dims = std::move(dims);
  uint64_t n = Count(port, array.dims);
  std::normal_distribution<float> normal;
  auto real = [&] { return normal(*engine); };
  auto bit = [&] { return static_cast<int>((*engine)() & 1); };
  switch (port.data_type) {
    case C_DT_FLOAT:
      Fill<float>(&array.bytes, n, real);
      break;
    case C_DT_DOUBLE:
      Fill<double>(&array.bytes, n, real);
      break;
    case C_DT_FLOAT16:
      Fill<uint16_t>(&array.bytes, n, [&] { return HalfBits(real()); });
      break;
    case C_DT_BF16:
      Fill<uint16_t>(&array.bytes, n, [&] { return FloatBits(real()) >> 16; });
      break;
    case C_DT_INT64:
    case C_DT_UINT64:
      Fill<int64_t>(&array.bytes, n, bit);
      break;
    case C_DT_INT32:
    case C_DT_UINT32:
      Fill<int32_t>(&array.bytes, n, bit);
      break;
    case C_DT_INT16:
    case C_DT_UINT16:
      Fill<int16_t>(&array.bytes, n, bit);
      break;
    case C_DT_INT8:
    case C_DT_UINT8:
    case C_DT_BOOL:
      Fill<int8_t>(&array.bytes, n, bit);
      break;
    default:
      throw Usage("input '" + port.name + "' has type " + TypeText(port.data_type) + ": give a file for it");
  }
  return array;
}

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
  app->add_option("--precision", precision, "arithmetic of computation, for example fp32");
  app->add_option("-O,--option", settings, "further option as key=value; `ge doctor --options` lists them");
  app->add_flag("-q,--quiet", quiet, "no progress on the terminal");
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
    auto [key, value] = Split(setting, "key=value");
    say(key, "--option " + setting);
    if (GeOptionsSet(raw, key.c_str(), value.c_str()) == GE_SUCCESS) continue;
    std::string message = GeLastErrorMessage();
    if (message.find("unknown option") != std::string::npos && message.find("did you mean") == std::string::npos)
      message += "; `ge doctor --options` lists all there are";
    throw Usage(message);
  }
  return options;
}

Model Load(const ModelArgs &args) {
  Options options = args.Make();
  Progress progress(!args.quiet);
  if (progress.active()) Check(GeOptionsSet(options.get(), "progress", "1"));
  GeModel *model = nullptr;
  if (args.framework < 0 && args.out_nodes.empty()) Check(GeCompileFile(args.path.c_str(), options.get(), &model));
  else Check(GeCompile(Import(args).get(), options.get(), &model));
  return Model(model);
}

Graph Import(const ModelArgs &args) {
  GeGraph *graph = nullptr;
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

void FeedArgs::AddTo(CLI::App *app) {
  app->add_option("-i,--input", inputs,
                  "name=FILE.npy, name=FILE.png, or FILE.npz with arrays by input name; may be repeated");
  app->add_option("-s,--shape", shapes,
                  "name=1,3,224,224: shape of a random input with open dimensions; may be repeated");
  app->add_option("--seed", seed, "seed of the random inputs")->capture_default_str();
}

std::vector<Array> MakeFeed(const GeModel *model, const FeedArgs &args) {
  std::vector<Port> ports = ModelInputs(model);
  auto find = [&](const std::string &name) -> const Port & {
    for (const Port &p : ports)
      if (p.name == name) return p;
    throw Usage("unknown input '" + name + "'; the model takes " + Names(ports));
  };
  std::map<std::string, Array> given;
  std::map<std::string, std::string> source, shape_text;
  auto note = [](std::map<std::string, std::string> *seen, const char *what, const std::string &name,
                 const std::string &text) {
    auto [at, first] = seen->emplace(name, text);
    if (!first) throw Usage(what + ("'" + name) + "' is given twice: '" + at->second + "' and '" + text + "'");
  };
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const std::string &text : args.shapes) {
    auto [name, dims] = Split(text, "name=1,3,224,224");
    const Port &port = find(name);
    note(&shape_text, "shape of input ", name, dims);
    std::vector<int64_t> shape = ParseShape(dims, name);
    bool fits = !port.ranked || shape.size() == port.dims.size();
    for (size_t i = 0; fits && port.ranked && i < shape.size(); ++i)
      fits = port.dims[i] < 0 || port.dims[i] == shape[i];
    if (!fits)
      throw Usage("input '" + name + "': shape " + DimsText(shape.data(), static_cast<int64_t>(shape.size())) +
                  " does not fit " + ShapeText(port));
    shapes[name] = shape;
  }
  for (const std::string &text : args.inputs) {
    if (EndsWith(text, ".npz") && text.find('=') == std::string::npos) {
      for (auto &[name, array] : ReadNpz(text)) {
        find(name);
        note(&source, "input ", name, text);
        given[name] = std::move(array);
      }
      continue;
    }
    auto [name, file] = Split(text, "name=FILE.npy, name=FILE.png or FILE.npz");
    Port port = find(name);
    note(&source, "input ", name, file);
    if (EndsWith(file, ".png")) {
      if (shapes.count(name)) port.dims = shapes[name];
      given[name] = ReadPng(file, port);
    } else {
      given[name] = ReadNpy(file);
    }
  }
  std::mt19937_64 engine(args.seed);
  std::vector<Array> feed;
  for (const Port &port : ports) {
    auto it = given.find(port.name);
    if (it != given.end()) {
      if (it->second.data_type == C_DT_UINT16 && port.data_type == C_DT_BF16) it->second.data_type = C_DT_BF16;
      feed.push_back(std::move(it->second));
      continue;
    }
    std::vector<int64_t> dims = port.dims;
    auto shape = shapes.find(port.name);
    if (shape != shapes.end()) dims = shape->second;
    bool open = !port.ranked && shape == shapes.end();
    for (int64_t d : dims) open = open || d < 0;
    if (open)
      throw Usage("input '" + port.name + "' has open dimensions " + ShapeText(port) + ": say --shape " + port.name +
                  "=…");
    feed.push_back(Random(port, dims, &engine));
  }
  return feed;
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
    if (bytes) array.bytes.assign(bytes, bytes + o.size);
    arrays.push_back(std::move(array));
  }
  return arrays;
}

double PeakRssMb() { return StatusMb("VmHWM"); }
double RssMb() { return StatusMb("VmRSS"); }

}  // namespace tool
