// libFuzzer target of shape inference: one operator, its attributes, descriptions of its inputs and small constants,
// all from the bytes. The second inference of a graph must say what the first one said.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "bytes.h"
#include "ge/graph.h"
#include "ge/op.h"
#include "small_graph.h"

namespace {

using fuzz::Bytes;

constexpr int32_t kTypes[] = {C_DT_FLOAT, C_DT_INT32,  C_DT_INT64, C_DT_FLOAT16, C_DT_BOOL,      C_DT_UINT8,
                              C_DT_INT8,  C_DT_DOUBLE, C_DT_BF16,  C_DT_STRING,  C_DT_COMPLEX64, C_DT_INT4};
constexpr const char *kTexts[] = {"NHWC",     "NCHW",      "ND",       "SAME",           "VALID",   "SAME_UPPER",
                                  "NOTSET",   "",          "constant", "reflect",        "sum",     "nearest",
                                  "max",      "ij,jk->ik", "bilinear", "UNIDIRECTIONAL", "forward", "CALCULATED",
                                  "EXPLICIT", "half_pixel"};

/// Values of attributes; what they point at lives as long as this.
class Attributes {
 public:
  explicit Attributes(Bytes *bytes) : bytes_(bytes) {}
  GeAttrData Of(const GeAttrData &said) {
    GeAttrData value = {};
    value.name = said.name;
    value.type = said.type;
    if (bytes_->Below(16) == 15) value.type = bytes_->Flag() ? C_VT_INT : C_VT_LIST_INT;  // not the prototype's type
    switch (value.type) {
      case C_VT_BOOL:
        value.i = bytes_->Flag();
        break;
      case C_VT_DATA_TYPE:
        value.i = bytes_->Below(C_DT_MAX + 2);
        break;
      case C_VT_FLOAT:
        value.f = bytes_->Real();
        break;
      case C_VT_STRING:
        value.s = Text();
        value.count = std::char_traits<char>::length(value.s);
        break;
      case C_VT_LIST_INT:
        SetList(&value, ints_.emplace_back(bytes_->Numbers(8)));
        break;
      case C_VT_LIST_FLOAT:
        SetList(&value, Floats());
        break;
      case C_VT_LIST_BOOL:
        SetList(&value, Bools());
        break;
      case C_VT_LIST_DATA_TYPE:
        SetList(&value, Types());
        break;
      case C_VT_LIST_STRING:
        SetList(&value, Strings());
        break;
      case C_VT_LIST_LIST_INT:
        SetRows(&value);
        break;
      default:
        value.type = C_VT_INT;
        value.i = bytes_->Number();
        break;
    }
    return value;
  }

 private:
  template <class T>
  static void SetList(GeAttrData *value, const T &list) {
    value->list = list.data();
    value->count = list.size();
  }
  const char *Text() {
    const size_t which = bytes_->Below(std::size(kTexts) + 2);
    return which < std::size(kTexts) ? kTexts[which] : texts_.emplace_back(bytes_->Text(12)).c_str();
  }
  const std::vector<float> &Floats() {
    auto &list = floats_.emplace_back(bytes_->Below(6));
    for (float &value : list) {
      const double real = bytes_->Real();
      value = real > 3e38 || real < -3e38 ? 0.0F : static_cast<float>(real);
    }
    return list;
  }
  const std::vector<uint8_t> &Bools() {
    auto &list = bools_.emplace_back(bytes_->Below(6));
    for (uint8_t &value : list) value = bytes_->Flag();
    return list;
  }
  const std::vector<int32_t> &Types() {
    auto &list = types_.emplace_back(bytes_->Below(6));
    for (int32_t &value : list) value = static_cast<int32_t>(bytes_->Below(C_DT_MAX + 2));
    return list;
  }
  const std::vector<const char *> &Strings() {
    auto &list = strings_.emplace_back(bytes_->Below(4));
    for (const char *&value : list) value = Text();
    return list;
  }
  void SetRows(GeAttrData *value) {
    auto &rows = rows_.emplace_back(bytes_->Below(4));
    auto &counts = ints_.emplace_back();
    for (const int64_t *&row : rows) {
      const auto &numbers = ints_.emplace_back(bytes_->Numbers(4));
      row = numbers.data();
      counts.push_back(static_cast<int64_t>(numbers.size()));
    }
    SetList(value, rows);
    value->inner_counts = counts.data();
  }
  Bytes *bytes_;
  std::deque<std::vector<int64_t>> ints_;
  std::deque<std::vector<float>> floats_;
  std::deque<std::vector<uint8_t>> bools_;
  std::deque<std::vector<int32_t>> types_;
  std::deque<std::vector<const char *>> strings_;
  std::deque<std::vector<const int64_t *>> rows_;
  std::deque<std::string> texts_;
};

int32_t TypeOf(Bytes *bytes) {
  const size_t which = bytes->Below(std::size(kTypes) + 4);
  return which < std::size(kTypes) ? kTypes[which] : static_cast<int32_t>(bytes->Below(C_DT_MAX));
}

/// A Data node whose description is from the bytes; a description that is refused leaves it undescribed.
GeNode *Data(Bytes *bytes, GeGraph *graph, const char *name, int64_t index) {
  GeNode *node = fuzz::AddNode(graph, "Data", name);
  GeAttrData attr = {};
  attr.name = "index";
  attr.type = C_VT_INT;
  attr.i = index;
  fuzz::Must(GeNodeSetAttr(node, &attr));
  std::vector<int64_t> dims = bytes->Numbers(6);
  GeTensorData desc = {};
  desc.data_type = TypeOf(bytes);
  desc.format = desc.origin_format =
      static_cast<int32_t>(bytes->Below(4) == 3 ? bytes->Below(C_FORMAT_END) : C_FORMAT_ND);
  desc.rank = desc.origin_rank = static_cast<int32_t>(dims.size());
  desc.dims = desc.origin_dims = dims.data();
  if (bytes->Below(12) == 11) desc.rank = desc.origin_rank = GE_UNKNOWN_RANK;
  GeNodeSetOutputDesc(node, 0, &desc);
  return node;
}

/// A Const of at most 64 elements.
GeNode *Constant(Bytes *bytes, GeGraph *graph, const char *name) {
  static constexpr int32_t kOf[] = {C_DT_INT64, C_DT_INT32, C_DT_FLOAT, C_DT_BOOL};
  const std::vector<int64_t> dims = bytes->SmallShape(3, 64);
  size_t count = 1;
  for (int64_t dim : dims) count *= static_cast<size_t>(dim);
  std::vector<int64_t> wide(64);
  std::vector<int32_t> narrow(64);
  GeTensorData desc = {};
  desc.data_type = kOf[bytes->Below(std::size(kOf))];
  for (size_t i = 0; i < count; ++i) narrow[i] = static_cast<int32_t>(wide[i] = bytes->Number());
  if (desc.data_type == C_DT_BOOL)
    for (size_t i = 0; i < count; ++i) wide[i] &= 0x0101010101010101;
  desc.format = desc.origin_format = C_FORMAT_ND;
  desc.rank = desc.origin_rank = static_cast<int32_t>(dims.size());
  desc.dims = desc.origin_dims = dims.data();
  desc.data =
      desc.data_type == C_DT_INT64 || desc.data_type == C_DT_BOOL ? static_cast<void *>(wide.data()) : narrow.data();
  desc.size = count * GeDataTypeBits(desc.data_type) / 8;
  GeTensor *tensor = nullptr;
  fuzz::Must(GeTensorCreate(&desc, &tensor));
  GeNode *node = fuzz::AddNode(graph, "Const", name);
  fuzz::Must(GeNodeSetAttrTensor(node, "value", tensor));
  desc.data = nullptr;
  fuzz::Must(GeNodeSetOutputDesc(node, 0, &desc));
  GeTensorDestroy(tensor);
  return node;
}

GeNode *Operator(Bytes *bytes, GeGraph *graph) {
  const GeOpSchema *schema = GeOpAt(bytes->Below(GeOpCount()));
  std::vector<int32_t> inputs, outputs;
  for (size_t i = 0; i < schema->input_count; ++i)
    if (schema->inputs[i].kind == GE_IR_DYNAMIC) inputs.push_back(static_cast<int32_t>(bytes->Below(4)));
  for (size_t i = 0; i < schema->output_count; ++i)
    if (schema->outputs[i].kind == GE_IR_DYNAMIC) outputs.push_back(static_cast<int32_t>(bytes->Below(4)));
  GeNodeSpec spec = {};
  spec.struct_size = sizeof spec;
  spec.type = schema->type;
  spec.name = "node";
  spec.input_counts = inputs.data();
  spec.input_counts_size = inputs.size();
  spec.output_counts = outputs.data();
  spec.output_counts_size = outputs.size();
  GeNode *node = nullptr;
  if (GeGraphAddNode(graph, &spec, &node) != GE_SUCCESS) return nullptr;
  Attributes attributes(bytes);
  for (size_t i = 0; i < schema->attr_count; ++i) {
    if (bytes->Below(8) < 3) continue;
    const GeAttrData value = attributes.Of(schema->attrs[i].value);
    GeNodeSetAttr(node, &value);
  }
  return node;
}

/// Every output as text: type, rank, extents.
std::string Outputs(const GeNode *node) {
  std::string text;
  for (size_t i = 0; i < GeNodeOutputCount(node); ++i) {
    GeTensorData desc = {};
    fuzz::Must(GeNodeGetOutputDesc(node, static_cast<int32_t>(i), &desc));
    text += std::to_string(desc.data_type) + "[" + std::to_string(desc.rank) + ":";
    if (desc.rank > GE_MAX_RANK || desc.rank < GE_UNKNOWN_RANK) std::abort();
    if (std::strcmp(GeDataTypeName(desc.data_type), "UNKNOWN") == 0) {
      std::fprintf(stderr, "%s: a data type is %d\n", GeNodeType(node), desc.data_type);
      std::abort();
    }
    for (int32_t d = 0; d < desc.rank; ++d) {
      text += std::to_string(desc.dims[d]) + ",";
      if (desc.dims[d] < GE_UNKNOWN_DIM) {
        std::fprintf(stderr, "%s: an extent is %s\n", GeNodeType(node), text.c_str());
        std::abort();
      }
    }
    text += "]";
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Bytes bytes(data, size);
  GeGraph *graph = nullptr;
  fuzz::Must(GeGraphCreate("g", &graph));
  if (GeNode *node = Operator(&bytes, graph)) {
    int64_t index = 0;
    for (size_t i = 0; i < GeNodeInputCount(node); ++i) {
      const std::string name = "in" + std::to_string(i);
      const size_t kind = bytes.Below(8);
      if (kind == 7) continue;  // not connected
      GeNode *from = kind < 4 ? Data(&bytes, graph, name.c_str(), index++) : Constant(&bytes, graph, name.c_str());
      fuzz::Must(GeGraphAddDataEdge(graph, from, 0, node, static_cast<int32_t>(i)));
    }
    GeGraphVerify(graph);
    if (GeGraphInfer(graph, nullptr, 0) == GE_SUCCESS) {
      const std::string first = Outputs(node);
      if (GeGraphInfer(graph, nullptr, 0) != GE_SUCCESS || Outputs(node) != first) {
        std::fprintf(stderr, "%s: first %s, then %s (%s)\n", GeNodeType(node), first.c_str(), Outputs(node).c_str(),
                     GeLastErrorMessage());
        std::abort();
      }
    }
  }
  GeGraphDestroy(graph);
  return 0;
}
