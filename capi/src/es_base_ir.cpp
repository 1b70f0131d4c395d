// Prototypes of the nodes that the builder makes by itself: inputs, variables, constants and the graph's end.
#include <algorithm>
#include <atomic>
#include <iterator>

#include "capi/src/es_builder.h"

namespace gec::api {

namespace {

GeIrPort Port(const char *name, int32_t kind) { return {name, kind, 0, name}; }

const IrDef *OwnIr(const char *type, bool input, GeIrAttr *attr) {
  GeIrPort x = Port("x", GE_IR_REQUIRED), y = Port("y", GE_IR_REQUIRED);
  GeOpSchema schema{};
  schema.struct_size = sizeof schema;
  schema.type = type;
  schema.inputs = &x;
  schema.input_count = input ? 1 : 0;
  schema.outputs = &y;
  schema.output_count = 1;
  schema.attrs = attr;
  schema.attr_count = 1;
  return InternSchema(&schema);
}

const IrDef *WithIndex(const char *type) {
  GeIrAttr index{};
  index.value.name = "index";
  index.value.type = C_VT_INT;
  return OwnIr(type, true, &index);
}

}  // namespace

const IrDef *BaseIr(std::string_view type) {
  // Prototypes that are installed stay as they are: each is looked for once.
  struct Known {
    std::string_view type;
    std::atomic<const IrDef *> ir;
  };
  static Known table[] = {{"Data", nullptr},    {"Const", nullptr},    {"Variable", nullptr},
                          {"RefData", nullptr}, {"AippData", nullptr}, {"AnyData", nullptr}};
  Known *known = std::find_if(std::begin(table), std::end(table), [&](const Known &k) { return k.type == type; });
  const bool listed = known != std::end(table);
  if (listed)
    if (const IrDef *ir = known->ir.load(std::memory_order_acquire)) return ir;
  if (const IrDef *ir = InstalledIr(type)) {
    bool fits = ir->outputs.size() == 1 && ir->outputs[0].kind == GE_IR_REQUIRED &&
                ir->FindAttr(type == "Const" ? "value" : "index") != nullptr;
    if (fits && listed) known->ir.store(ir, std::memory_order_release);
    if (fits) return ir;
  }
  if (type == "Const") {
    GeIrAttr value{};
    value.value.name = "value";
    value.value.type = C_VT_TENSOR;
    return OwnIr("Const", false, &value);
  }
  return WithIndex(std::string(type).c_str());
}

const IrDef *NetOutputIr() {
  static const IrDef *ir = [] {
    GeIrPort x = Port("x", GE_IR_DYNAMIC);
    GeOpSchema schema{};
    schema.struct_size = sizeof schema;
    schema.type = "NetOutput";
    schema.inputs = &x;
    schema.input_count = 1;
    return InternSchema(&schema);
  }();
  return ir;
}

}  // namespace gec::api
