#include "program.h"

#include <cmath>
#include <cstring>

namespace vec {
namespace {

/// An operator that is one instruction of its inputs and of what its attributes say.
struct Plain {
  const char *type;
  int32_t opcode;
  int operands;
};
const Plain kPlain[] = {
#define GE_ELEMENTWISE_UNARY(type, rule, types, place, opcode, onnx, since) {#type, GE_FUSED_##opcode, 1},
#define GE_ELEMENTWISE_BINARY(type, rule, types, place, opcode, order, onnx, since) {#type, GE_FUSED_##opcode, 2},
#define GE_ELEMENTWISE_TERNARY(type, opcode) {#type, GE_FUSED_##opcode, 3},
#include "ge/elementwise.def"
    {"BiasAdd", GE_FUSED_ADD, 2},
    {"PRelu", GE_FUSED_PRELU, 2},
};
const Plain *FindPlain(const char *type) {
  for (const Plain &plain : kPlain)
    if (plain.opcode != GE_FUSED_NONE && std::strcmp(plain.type, type) == 0) return &plain;
  return nullptr;
}

Program FromAttributes(const GeOpDesc &op) {
  Program p;
  p.inputs = static_cast<int32_t>(op.input_count);
  for (int32_t i = 0; i < p.inputs; ++i) {
    p.ports.push_back(i);
    p.stored_in.push_back(StoredAs(op.inputs[i].data_type));
  }
  for (size_t o = 0; o < op.output_count; ++o) p.stored_out.push_back(StoredAs(op.outputs[o].data_type));
  size_t words = 0, outputs = 0;
  const int64_t *code = GeOpAttrInts(&op, "program", &words);
  const int64_t *outs = GeOpAttrInts(&op, "outputs", &outputs);
  if (words % GE_FUSED_WORDS != 0 || words == 0)
    Refuse("program has " + std::to_string(words) + " words, expected a multiple of 5");
  if (outputs != op.output_count) Refuse("outputs has " + std::to_string(outputs) + " values, expected one per output");
  if (const GeAttrData *c = GeOpAttr(&op, "constants"))
    if (c->type == C_VT_LIST_FLOAT)
      p.constants.assign(static_cast<const float *>(c->list), static_cast<const float *>(c->list) + c->count);
  for (size_t w = 0; w < words; w += GE_FUSED_WORDS) {
    Instruction in;
    in.opcode = static_cast<int32_t>(code[w]);
    in.dst = static_cast<int32_t>(code[w + 1]);
    int32_t next = p.inputs + static_cast<int32_t>(p.code.size());
    if (in.dst != next)
      Refuse("program: instruction " + std::to_string(p.code.size()) + " writes value " + std::to_string(in.dst));
    for (int k = 0; k < 3; ++k) {
      int64_t v = code[w + 2 + k];
      bool ok =
          v == GE_FUSED_NONE || (v >= 0 && v < next) || (v < 0 && -1 - v < static_cast<int64_t>(p.constants.size()));
      if (!ok) Refuse("program: instruction " + std::to_string(p.code.size()) + " reads value " + std::to_string(v));
      in.operands[k] = static_cast<int32_t>(v);
    }
    p.code.push_back(in);
  }
  for (size_t i = 0; i < outputs; ++i) {
    if (outs[i] < 0 || outs[i] >= p.inputs + static_cast<int64_t>(p.code.size()))
      Refuse("outputs names value " + std::to_string(outs[i]));
    p.outputs.push_back(static_cast<int32_t>(outs[i]));
  }
  return p;
}

void Append(Program *p, int32_t opcode, int32_t a, int32_t b = GE_FUSED_NONE, int32_t c = GE_FUSED_NONE) {
  p->code.push_back({opcode, p->inputs + static_cast<int32_t>(p->code.size()), {a, b, c}});
}

void Inputs(Program *p, int n) {
  p->inputs = n;
  for (int i = 0; i < n; ++i) p->ports.push_back(i);
}
int32_t Constant(Program *p, double value) {
  p->constants.push_back(static_cast<float>(value));
  return -static_cast<int32_t>(p->constants.size());
}

double Number(const GeOpDesc &op, const char *attr, double value) {
  const GeAttrData *a = GeOpAttr(&op, attr);
  return a && a->type == C_VT_INT ? static_cast<double>(a->i) : GeOpAttrFloat(&op, attr, value);
}

/// Adds the attributes to the one instruction: operands, or another opcode. Refuses values that ask for more.
void ReadAttributes(const GeOpDesc &op, Program *p) {
  static const struct {
    const char *type, *attr;
    int operand;  // 0: the attribute must have the value
    double value;
  } kNumbers[] = {
#define GE_ELEMENTWISE_PARAM(type, operand, attr, value, onnx, onnx_value) {#type, #attr, operand, value},
#define GE_ELEMENTWISE_FIXED(type, attr, kind, value) {#type, #attr, 0, value},
#include "ge/elementwise.def"
  };
  static const struct {
    const char *type, *attr, *text;
    int32_t opcode;
  } kModes[] = {
#define GE_ELEMENTWISE_MODE(type, attr, text, opcode) {#type, #attr, text, GE_FUSED_##opcode},
#include "ge/elementwise.def"
  };
  Instruction &in = p->code[0];
  for (const auto &row : kNumbers) {
    if (std::strcmp(row.type, op.type) != 0) continue;
    const double value = Number(op, row.attr, row.value);
    if (row.operand > 0) in.operands[row.operand] = Constant(p, value);
    else if (value != row.value) Refuse(std::string(row.attr) + " is not " + std::to_string(std::lround(row.value)));
  }
  for (const auto &row : kModes) {
    if (std::strcmp(row.type, op.type) == 0 && std::strcmp(GeOpAttrString(&op, row.attr, ""), row.text) == 0)
      in.opcode = row.opcode;
  }
}

Program FromPlain(const GeOpDesc &op) {
  Program p;
  const Plain *plain = FindPlain(op.type);
  Inputs(&p, plain->operands);
  Append(&p, plain->opcode, 0, plain->operands > 1 ? 1 : GE_FUSED_NONE, plain->operands > 2 ? 2 : GE_FUSED_NONE);
  ReadAttributes(op, &p);
  return p;
}

Program FromSwish(const GeOpDesc &op) {
  const double scale = GeOpAttrFloat(&op, "scale", 1.0);
  if (scale == 1.0) return FromPlain(op);
  Program p;
  Inputs(&p, 1);
  Append(&p, GE_FUSED_MUL, 0, Constant(&p, scale));
  Append(&p, GE_FUSED_SIGMOID, 1);
  Append(&p, GE_FUSED_MUL, 0, 2);
  return p;
}

Program FromBNInfer(const GeOpDesc &op) {
  Program p;
  Inputs(&p, 5);  // x, scale, offset, mean, variance
  Append(&p, GE_FUSED_ADD, 4, Constant(&p, GeOpAttrFloat(&op, "epsilon", 1e-4)));
  Append(&p, GE_FUSED_SQRT, 5);
  Append(&p, GE_FUSED_DIV, 1, 6);
  Append(&p, GE_FUSED_SUB, 0, 3);
  Append(&p, GE_FUSED_FMA, 8, 7, 2);
  return p;
}

using Reader = Program (*)(const GeOpDesc &);
/// How the operator becomes a program, or null.
Reader ReaderOf(const char *type) {
  static const struct {
    const char *type;
    Reader read;
  } kReaders[] = {{"FusedElementwise", FromAttributes}, {"Swish", FromSwish}, {"BNInfer", FromBNInfer}};
  for (const auto &row : kReaders)
    if (std::strcmp(row.type, type) == 0) return row.read;
  return FindPlain(type) ? FromPlain : nullptr;
}

}  // namespace

bool IsElementwise(const char *type) { return ReaderOf(type) != nullptr; }

Program FromOperator(const GeOpDesc &op) {
  const Reader read = ReaderOf(op.type);
  Program p = read ? read(op) : Program();
  if (p.outputs.empty()) p.outputs.push_back(p.inputs + static_cast<int32_t>(p.code.size()) - 1);
  return p;
}

}  // namespace vec
