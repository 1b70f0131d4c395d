#include "feed.h"

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <random>

#include "element.h"
#include "file.h"
#include "literal.h"
#include "names.h"
#include "png_file.h"
#include "screen.h"
#include "table.h"

namespace tool {
namespace {

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

std::string Takes(const std::vector<Port> &ports) {
  constexpr size_t kMost = 12;  // a model may have hundreds
  std::string text;
  for (size_t i = 0; i < ports.size() && i < kMost; ++i) text += (i ? ", " : "") + PortText(ports[i]);
  if (ports.size() > kMost) text += " and " + std::to_string(ports.size() - kMost) + " more";
  return text.empty() ? "no inputs" : text;
}

const Port &InputNamed(const std::vector<Port> &ports, const std::string &name) {
  std::vector<std::string> names;
  for (const Port &p : ports) {
    if (p.name == name) return p;
    names.push_back(p.name);
  }
  throw Usage("unknown input '" + name + "'" + NearText(name, names) + "; the model takes " + Takes(ports));
}

// Bytes of memory that can still be had; 0 when the system does not tell.
double AvailableBytes() {
  std::ifstream info("/proc/meminfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("MemAvailable:", 0) == 0) return std::atof(line.c_str() + 13) * 1024;
  return 0;
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
Array Random(const Port &port, std::vector<int64_t> dims, std::mt19937_64 *engine) {
  Array array;
  array.data_type = port.data_type;
  array.dims = std::move(dims);
  uint64_t n = CheckedCount(port, array.dims);
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
      Fill<uint16_t>(&array.bytes, n, [&] { return BrainFloatBits(real()); });
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

// The only array of an archive, or the one that bears the input's name.
Array FromNpz(const std::string &path, const std::string &input) {
  std::map<std::string, Array> arrays = ReadNpz(path);
  auto it = arrays.size() == 1 ? arrays.begin() : arrays.find(input);
  if (it != arrays.end()) return std::move(it->second);
  std::vector<std::string> names;
  for (const auto &[name, unused] : arrays) names.push_back(name);
  throw Usage("input '" + input + "': '" + path + "' holds " + Counted(arrays.size(), "array") +
              " and none of that name: " + ShortList(names, 200));
}

// A file by what it begins with; those of the three suffixes are what they are called.
Array FromFile(const std::string &path, const Port &input) {
  if (EndsWith(path, ".png")) return ReadPng(path, input);
  if (EndsWith(path, ".npy")) return ReadNpy(path);
  if (EndsWith(path, ".npz")) return FromNpz(path, input.name);
  CheckReadable(path);
  char head[12] = {};
  std::ifstream(path, std::ios::binary).read(head, sizeof head);
  auto begins = [&](const char *magic) { return std::memcmp(head, magic, std::strlen(magic)) == 0; };
  if (begins("\x89PNG")) return ReadPng(path, input);
  if (begins("\x93NUMPY")) return ReadNpy(path);
  if (begins("PK\3\4")) return FromNpz(path, input.name);
  const char *what = begins("\xFF\xD8\xFF")                                ? "a JPEG picture"
                     : begins("GIF8")                                      ? "a GIF picture"
                     : begins("BM")                                        ? "a BMP picture"
                     : begins("RIFF") && !std::memcmp(head + 8, "WEBP", 4) ? "a WebP picture"
                                                                           : "no file of a known kind";
  throw Usage("input '" + input.name + "': '" + path + "' is " + what + "; PNG pictures, .npy and .npz are read");
}

// Reads the value behind "name=".
Array FromText(const std::string &text, const Port &input) {
  if (!text.empty() && text[0] == '@') return FromFile(text.substr(1), input);
  if (EndsWith(text, ".npy") || EndsWith(text, ".png")) return FromFile(text, input);
  const char last = text.empty() ? ' ' : text.back();
  const bool path = text.find('/') != std::string::npos || (text.find('.') != std::string::npos && std::isalpha(last));
  if (path && text[0] != '[')
    throw Usage("input '" + input.name + "': '" + text + "' is no number; a file is " + input.name + "=@" + text);
  return ReadLiteral(text, input);
}

// Whatever is said twice is refused.
class Said {
 public:
  explicit Said(const char *what) : what_(what) {}
  void Note(const std::string &name, const std::string &text) {
    auto [at, first] = seen_.emplace(name, text);
    if (!first) throw Usage(what_ + ("'" + name) + "' is given twice: '" + at->second + "' and '" + text + "'");
  }

 private:
  const char *what_;
  std::map<std::string, std::string> seen_;
};

std::map<std::string, std::vector<int64_t>> GivenShapes(const std::vector<Port> &ports, const FeedArgs &args) {
  std::map<std::string, std::vector<int64_t>> shapes;
  Said said("shape of input ");
  for (const std::string &text : args.shapes) {
    auto [name, dims] = SplitAssignment(text, "name=1,3,224,224");
    const Port &port = InputNamed(ports, name);
    said.Note(name, dims);
    std::vector<int64_t> shape = ParseShape(dims, name);
    bool fits = !port.ranked || shape.size() == port.dims.size();
    for (size_t i = 0; fits && port.ranked && i < shape.size(); ++i)
      fits = port.dims[i] < 0 || port.dims[i] == shape[i];
    if (!fits)
      throw Usage("input '" + name + "': shape " + DimsText(shape.data(), static_cast<int64_t>(shape.size())) +
                  " does not fit " + ShapeText(port));
    shapes[name] = shape;
  }
  return shapes;
}

std::map<std::string, Array> GivenArrays(const std::vector<Port> &ports, const FeedArgs &args,
                                         const std::map<std::string, std::vector<int64_t>> &shapes) {
  std::map<std::string, Array> given;
  Said said("input ");
  for (const std::string &text : args.inputs) {
    if (EndsWith(text, ".npz") && text.find('=') == std::string::npos) {
      for (auto &[name, array] : ReadNpz(text[0] == '@' ? text.substr(1) : text)) {
        InputNamed(ports, name);
        said.Note(name, text);
        given[name] = std::move(array);
      }
      continue;
    }
    auto [name, value] = SplitAssignment(text, "name=VALUE, name=@FILE or FILE.npz");
    Port port = InputNamed(ports, name);
    said.Note(name, value);
    if (auto shape = shapes.find(name); shape != shapes.end()) {
      port.dims = shape->second;
      port.ranked = true;
    }
    given[name] = FromText(value, port);
  }
  return given;
}

// Inputs whose open dimensions nobody said, in one line.
void Tell(const std::vector<std::string> &inputs) {
  constexpr size_t kMost = 4;
  std::string text;
  for (size_t i = 0; i < inputs.size() && i < kMost; ++i) text += (i ? ", " : "") + inputs[i];
  if (inputs.size() > kMost) text += " and those of " + std::to_string(inputs.size() - kMost) + " more";
  std::fprintf(stderr, "ge: open dimensions are 1: %s; --shape NAME=… says others\n", text.c_str());
}

}  // namespace

bool EndsWith(const std::string &text, const std::string &tail) {
  return text.size() >= tail.size() && text.compare(text.size() - tail.size(), tail.size(), tail) == 0;
}

std::pair<std::string, std::string> SplitAssignment(const std::string &text, const char *form) {
  size_t at = text.find('=');
  if (at == std::string::npos || at == 0) throw Usage("'" + text + "': expected " + form);
  return {text.substr(0, at), text.substr(at + 1)};
}

uint64_t CheckedCount(const Port &port, const std::vector<int64_t> &dims) {
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

void FeedArgs::AddTo(CLI::App *app) {
  app->add_option(
         "-i,--input", inputs,
         "name=VALUE (16000, true, 1,2,3 or [[1,2],[3,4]]; one number fills the input), name=@FILE (.npy, .npz, "
         "PNG picture), or FILE.npz with arrays by input name; may be repeated")
      ->allow_extra_args(false);
  app->add_option("-s,--shape", shapes,
                  "name=1,3,224,224: shape of an input with open dimensions, which are 1 otherwise; may be repeated")
      ->allow_extra_args(false);
  app->add_option("--seed", seed, "seed of the random numbers for inputs that are not given")->capture_default_str();
}

std::vector<Array> MakeFeed(const GeModel *model, const FeedArgs &args) {
  const std::vector<Port> ports = ModelInputs(model);
  const std::map<std::string, std::vector<int64_t>> shapes = GivenShapes(ports, args);
  std::map<std::string, Array> given = GivenArrays(ports, args, shapes);
  std::mt19937_64 engine(args.seed);
  std::vector<Array> feed;
  std::vector<std::string> chosen;
  for (const Port &port : ports) {
    auto it = given.find(port.name);
    if (it != given.end()) {
      if (it->second.data_type == C_DT_UINT16 && port.data_type == C_DT_BF16) it->second.data_type = C_DT_BF16;
      feed.push_back(std::move(it->second));
      continue;
    }
    std::vector<int64_t> dims = port.dims;
    const auto shape = shapes.find(port.name);
    if (shape != shapes.end()) dims = shape->second;
    else if (!port.ranked) throw Usage("input '" + port.name + "' has no known rank: say --shape " + port.name + "=…");
    bool open = false;
    for (int64_t &d : dims) {
      open = open || d < 0;
      if (d < 0) d = 1;
    }
    if (open) chosen.push_back(port.name + " " + ShapeText(port));
    try {
      feed.push_back(Random(port, dims, &engine));
    } catch (const std::bad_alloc &) {
      throw OutOfMemory("random input '" + port.name + "'",
                        CheckedCount(port, dims) * GeDataTypeBits(port.data_type) / 8);
    }
  }
  if (!chosen.empty() && !args.quiet) Tell(chosen);
  return feed;
}

}  // namespace tool
