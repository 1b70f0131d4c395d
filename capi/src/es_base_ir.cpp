// Prototypes of the nodes that the builder makes by itself: inputs, variables, constants and the graph's end.
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
  if (const IrDef *ir = InstalledIr(type)) {
    bool fits = ir->outputs.size() == 1 && ir->outputs[0].kind == GE_IR_REQUIRED &&
                ir->FindAttr(type == "Const" ? "value" : "index") != nullptr;
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
