// Build tool: writes the registered prototypes of the builder's own nodes as C data for libesb.a.
#include <cstdio>
#include <string>

#include "ge/op.h"

namespace {

std::string Quoted(const char *text) {
  if (!text) return "nullptr";
  std::string quoted = "\"";
  for (; *text; ++text) {
    if (*text == '"' || *text == '\\') quoted += '\\';
    quoted += *text;
  }
  return quoted + "\"";
}

void WritePorts(FILE *out, const char *what, const char *type, const GeIrPort *ports, size_t count) {
  if (count == 0) return;
  std::fprintf(out, "const GeIrPort k%s_%s[] = {\n", what, type);
  for (size_t i = 0; i < count; ++i)
    std::fprintf(out, "    {%s, %d, 0, %s},\n", Quoted(ports[i].name).c_str(), ports[i].kind,
                 Quoted(ports[i].data_types).c_str());
  std::fprintf(out, "};\n");
}

// Integers and tensors without content: the only attributes that these operators have.
bool WriteAttrs(FILE *out, const GeOpSchema &schema) {
  if (schema.attr_count == 0) return true;
  std::string rows;
  for (size_t i = 0; i < schema.attr_count; ++i) {
    const GeIrAttr &attr = schema.attrs[i];
    const std::string name = std::string(schema.type) + "_" + attr.value.name;
    if (attr.value.type == C_VT_TENSOR && attr.value.tensor && !attr.value.tensor->data) {
      const GeTensorData &t = *attr.value.tensor;
      auto dims = [&](const char *what, const int64_t *values, int32_t rank) {
        if (rank <= 0) return std::string("nullptr");
        const std::string array = std::string("k") + what + "_" + name;
        std::fprintf(out, "constexpr int64_t %s[] = {", array.c_str());
        for (int32_t d = 0; d < rank; ++d)
          std::fprintf(out, "%s%lld", d ? ", " : "", static_cast<long long>(values[d]));
        std::fprintf(out, "};\n");
        return array;
      };
      const std::string shape = dims("Dims", t.dims, t.rank), origin = dims("Origin", t.origin_dims, t.origin_rank);
      std::fprintf(out, "constexpr GeTensorData kTensor_%s = [] {\n  GeTensorData t{};\n", name.c_str());
      std::fprintf(out, "  t.data_type = %d;\n  t.format = %d;\n  t.origin_format = %d;\n", t.data_type, t.format,
                   t.origin_format);
      std::fprintf(out, "  t.rank = %d;\n  t.origin_rank = %d;\n  t.flags = %u;\n", t.rank, t.origin_rank,
                   static_cast<unsigned>(t.flags));
      std::fprintf(out, "  t.dims = %s;\n  t.origin_dims = %s;\n  return t;\n}();\n", shape.c_str(), origin.c_str());
    } else if (attr.value.type != C_VT_INT && !(attr.value.type == C_VT_TENSOR && !attr.value.tensor)) {
      return false;
    }
    rows += "  a[" + std::to_string(i) + "].value.name = " + Quoted(attr.value.name) + ";\n";
    rows += "  a[" + std::to_string(i) + "].value.type = " + std::to_string(attr.value.type) + ";\n";
    rows += "  a[" + std::to_string(i) + "].required = " + std::to_string(attr.required) + ";\n";
    if (attr.value.type == C_VT_INT)
      rows += "  a[" + std::to_string(i) + "].value.i = " + std::to_string(attr.value.i) + ";\n";
    else if (attr.value.tensor) rows += "  a[" + std::to_string(i) + "].value.tensor = &kTensor_" + name + ";\n";
  }
  std::fprintf(out, "constexpr auto kAttrs_%s = [] {\n  std::array<GeIrAttr, %zu> a{};\n%s  return a;\n}();\n",
               schema.type, schema.attr_count, rows.c_str());
  return true;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: write_installed_ir FILE\n"), 2;
  FILE *out = std::fopen(argv[1], "w");
  if (!out) return std::fprintf(stderr, "cannot write %s\n", argv[1]), 1;
  std::fprintf(out, "// Written by write_installed_ir.\n");
  std::string table;
  for (const char *type : {"Data", "RefData", "AippData", "AnnData", "AnyData", "Variable", "Const", "NetOutput"}) {
    const GeOpSchema *schema;
    if (GeOpFind(type, &schema) != GE_SUCCESS) continue;
    WritePorts(out, "In", type, schema->inputs, schema->input_count);
    WritePorts(out, "Out", type, schema->outputs, schema->output_count);
    if (schema->symbol_count) std::fprintf(out, "const GeIrSymbol kSymbols_%s[] = {\n", type);
    for (size_t i = 0; i < schema->symbol_count; ++i)
      std::fprintf(out, "    {%s, %s},\n", Quoted(schema->symbols[i].name).c_str(),
                   Quoted(schema->symbols[i].range).c_str());
    if (schema->symbol_count) std::fprintf(out, "};\n");
    if (!WriteAttrs(out, *schema) || schema->graph_count)
      return std::fprintf(stderr, "%s: its prototype has an item that libesb.a cannot freeze\n", type), 1;
    auto list = [&](const char *what, size_t count, const char *suffix = "") {
      return count ? std::string("k") + what + "_" + type + suffix + ", " + std::to_string(count) : "nullptr, 0";
    };
    table += "    {sizeof(GeOpSchema), " + Quoted(type) + ", " + Quoted(schema->family) + ", " + Quoted(schema->brief) +
             ",\n     " + list("In", schema->input_count) + ", " + list("Out", schema->output_count) + ", " +
             list("Attrs", schema->attr_count, ".data()") + ", nullptr, 0, " + list("Symbols", schema->symbol_count) +
             ", nullptr},\n";
  }
  std::fprintf(out, "const GeOpSchema kInstalled[] = {\n%s};\n", table.c_str());
  return std::fclose(out) == 0 ? 0 : 1;
}
