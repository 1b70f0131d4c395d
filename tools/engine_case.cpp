#include "engine_case.h"

#include <cmath>

#include "element.h"
#include "ge/data.h"
#include "ge/op.h"

namespace tool {
namespace {

// Instances of each dynamic port, when `given` ports are there in all: what is over after the others.
std::vector<int32_t> DynamicCounts(const GeIrPort *ports, size_t count, size_t given) {
  size_t fixed = 0;
  std::vector<int32_t> counts;
  for (size_t i = 0; i < count; ++i) fixed += ports[i].kind != GE_IR_DYNAMIC;
  for (size_t i = 0; i < count; ++i)
    if (ports[i].kind == GE_IR_DYNAMIC) counts.push_back(given > fixed ? static_cast<int32_t>(given - fixed) : 0);
  return counts;
}

GeNode *AddNode(GeGraph *graph, const char *type, const std::string &name, const std::vector<int32_t> &inputs = {},
                const std::vector<int32_t> &outputs = {}) {
  GeNodeSpec spec{};
  spec.struct_size = sizeof spec;
  spec.type = type;
  spec.name = name.c_str();
  spec.input_counts = inputs.data();
  spec.input_counts_size = inputs.size();
  spec.output_counts = outputs.data();
  spec.output_counts_size = outputs.size();
  GeNode *node = nullptr;
  Check(GeGraphAddNode(graph, &spec, &node));
  return node;
}

void SetInt(GeNode *node, const char *name, int64_t value) {
  GeAttrData a{};
  a.name = name;
  a.type = C_VT_INT;
  a.i = value;
  Check(GeNodeSetAttr(node, &a));
}

// The type that the operator's prototype gives an attribute, else the one of the case.
int32_t PrototypeAttrType(const GeOpSchema &schema, const std::string &name, int32_t type) {
  for (size_t i = 0; i < schema.attr_count; ++i)
    if (name == schema.attrs[i].value.name) return schema.attrs[i].value.type;
  return type;
}

void SetAttr(GeNode *node, const GeOpSchema &schema, const nlohmann::json &attr) {
  const std::string name = attr.at("name");
  const nlohmann::json &value = attr.at("value");
  GeAttrData a{};
  a.name = name.c_str();
  a.type = PrototypeAttrType(schema, name, attr.at("type"));
  std::string text;
  std::vector<int64_t> ints;
  std::vector<float> floats;
  std::vector<uint8_t> bools;
  std::vector<std::string> texts;
  std::vector<const char *> pointers;
  const auto list = [&a](const auto &values) {
    a.list = values.data();
    a.count = values.size();
  };
  switch (a.type) {
    case C_VT_STRING:
      text = value;
      a.s = text.c_str();
      a.count = text.size();
      break;
    case C_VT_FLOAT:
      a.f = value;
      break;
    case C_VT_LIST_INT:
      ints = value.get<std::vector<int64_t>>();
      list(ints);
      break;
    case C_VT_LIST_FLOAT:
      floats = value.get<std::vector<float>>();
      list(floats);
      break;
    case C_VT_LIST_BOOL:
      for (const auto &v : value) bools.push_back(v.get<int>() != 0);
      list(bools);
      break;
    case C_VT_LIST_STRING:
      texts = value.get<std::vector<std::string>>();
      for (const std::string &t : texts) pointers.push_back(t.c_str());
      list(pointers);
      break;
    default:
      a.i = value;
  }
  Check(GeNodeSetAttr(node, &a));
}

// A graph knows these of its inputs before it runs. Engines pack weights that are constants, and may want to know axes
// and sizes.
enum class Known { kNothing, kSizes, kAllButFirst };

bool IsKnown(const CaseTensor &t, size_t input, Known known) {
  if (input == 0 || known == Known::kNothing) return false;
  const bool integer = t.type == C_DT_INT32 || t.type == C_DT_INT64;
  return known == Known::kAllButFirst || (integer && t.dims.size() <= 1);
}

struct BuiltCase {
  Graph graph;
  std::vector<const CaseTensor *> fed;
};

BuiltCase BuildCase(const EngineCase &test, const std::string &engine, Known known) {
  GeGraph *raw = nullptr;
  Check(GeGraphCreate("case", &raw));
  BuiltCase built{Graph(raw), {}};
  const GeOpSchema *schema = nullptr;
  Check(GeOpFind(test.op.c_str(), &schema));
  GeNode *node =
      AddNode(raw, test.op.c_str(), "node", DynamicCounts(schema->inputs, schema->input_count, test.inputs.size()),
              DynamicCounts(schema->outputs, schema->output_count, test.outputs.size()));
  for (const auto &attr : test.attrs) SetAttr(node, *schema, attr);
  GeAttrData pin{};
  pin.name = "_engine";
  pin.type = C_VT_STRING;
  pin.s = engine.c_str();
  pin.count = engine.size();
  Check(GeNodeSetAttr(node, &pin));
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    const CaseTensor &t = test.inputs[i];
    if (!t.present) continue;
    const GeTensorData data = t.View();
    GeNode *source = nullptr;
    if (IsKnown(t, i, known)) {
      source = AddNode(raw, "Const", "c" + std::to_string(i));
      GeAttrData value{};
      value.name = "value";
      value.type = C_VT_TENSOR;
      value.tensor = &data;
      Check(GeNodeSetAttr(source, &value));
    } else {
      source = AddNode(raw, "Data", "x" + std::to_string(i));
      SetInt(source, "index", static_cast<int64_t>(built.fed.size()));
      built.fed.push_back(&t);
    }
    GeTensorData desc = data;
    desc.data = nullptr;
    desc.size = 0;
    Check(GeNodeSetOutputDesc(source, 0, &desc));
    Check(GeGraphAddDataEdge(raw, source, 0, node, static_cast<int32_t>(i)));
  }
  std::vector<GeNode *> nodes(test.outputs.size(), node);
  std::vector<int32_t> ports;
  for (size_t o = 0; o < test.outputs.size(); ++o) ports.push_back(static_cast<int32_t>(o));
  Check(GeGraphSetOutputs(raw, nodes.data(), ports.data(), ports.size()));
  return built;
}

// Of a value around 1 or larger: relative. Sums of a few hundred products in another order stay within it.
double CaseTolerance(int32_t type) {
  switch (type) {
    case C_DT_FLOAT:
    case C_DT_COMPLEX64:
      return 5e-5;
    case C_DT_DOUBLE:
    case C_DT_COMPLEX128:
      return 1e-9;
    case C_DT_FLOAT16:
      return 1e-2;
    case C_DT_BF16:
      return 6e-2;
    default:
      return 0;
  }
}

// Of complex numbers each part is compared.
int32_t PartType(int32_t type) {
  return type == C_DT_COMPLEX64 ? C_DT_FLOAT : type == C_DT_COMPLEX128 ? C_DT_DOUBLE : type;
}

// Empty when the output is as the case wants it, else what is wrong.
std::string CompareOutput(const CaseTensor &want, const GeTensorData &got, size_t o) {
  const std::string output = "output " + std::to_string(o);
  if (got.data_type != want.type)
    return output + " is " + GeDataTypeName(got.data_type) + ", expected " + GeDataTypeName(want.type);
  if (std::vector<int64_t>(got.dims, got.dims + got.rank) != want.dims)
    return output + " has shape " + DimsText(got.dims, got.rank) + ", expected " +
           DimsText(want.dims.data(), static_cast<int64_t>(want.dims.size()));
  if (got.size < want.data.size())
    return output + " has " + std::to_string(got.size) + " bytes, expected " + std::to_string(want.data.size());
  const double tolerance = CaseTolerance(want.type);
  const char *data = static_cast<const char *>(got.data);
  if (tolerance == 0) {
    for (size_t i = 0; i < want.data.size(); ++i)
      if (data[i] != want.data[i]) return output + " differs at byte " + std::to_string(i);
    return "";
  }
  const int32_t part = PartType(want.type);
  const ElementReader read = ReaderOf(part);
  const size_t values = want.data.size() / (GeDataTypeBits(part) / 8);
  for (size_t i = 0; i < values; ++i) {
    const double a = read(data, i), b = read(want.data.data(), i);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (std::isfinite(b) && std::fabs(a - b) <= tolerance * std::max(1.0, std::fabs(b))) continue;
    char text[120];
    std::snprintf(text, sizeof text, " is %.9g at element %zu, expected %.9g within %g", a, i, b, tolerance);
    return output + text;
  }
  return "";
}

CaseResult RunCaseOnce(const EngineCase &test, const std::string &engine, Known known) {
  BuiltCase built = BuildCase(test, engine, known);
  GeOptions *options = nullptr;
  Check(GeOptionsCreate(&options));
  const Options owned(options);
  Check(GeOptionsSet(options, "opt_level", "0"));
  GeModel *raw = nullptr;
  if (const GeStatus status = GeCompile(built.graph.get(), options, &raw); status != GE_SUCCESS)
    return {status == GE_UNSUPPORTED ? CaseResult::kRefused : CaseResult::kFailed, GeLastErrorMessage()};
  const Model model(raw);
  GeRunContext *context = nullptr;
  Check(GeRunContextCreate(raw, &context));
  const Context owned_context(context);
  std::vector<GeTensorData> inputs, outputs(test.outputs.size());
  for (const CaseTensor *t : built.fed) inputs.push_back(t->View());
  for (int k = 0; k < 2; ++k) {  // memory that a first run left behind must not show
    std::fill(outputs.begin(), outputs.end(), GeTensorData{});
    if (const GeStatus status = GeRun(context, inputs.data(), inputs.size(), outputs.data(), outputs.size());
        status != GE_SUCCESS)
      return {status == GE_UNSUPPORTED ? CaseResult::kRefused : CaseResult::kFailed, GeLastErrorMessage()};
    for (size_t o = 0; o < outputs.size(); ++o)
      if (std::string text = CompareOutput(test.outputs[o], outputs[o], o); !text.empty())
        return {CaseResult::kFailed, text};
  }
  return {};
}

}  // namespace

CaseResult RunEngineCase(const EngineCase &test, const std::string &engine) try {
  // It runs the operator where it does in one of these forms; whatever it takes has to be right.
  CaseResult result{CaseResult::kRefused, ""};
  for (Known known : {Known::kSizes, Known::kAllButFirst, Known::kNothing}) {
    CaseResult one = RunCaseOnce(test, engine, known);
    if (one.kind == CaseResult::kFailed) return one;
    if (one.kind == CaseResult::kPassed || (result.kind == CaseResult::kRefused && result.text.empty()))
      result = std::move(one);
  }
  return result;
} catch (const Error &e) {
  return {CaseResult::kFailed, e.what()};
}

}  // namespace tool
