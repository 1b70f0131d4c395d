// Compares every registered prototype with prototypes.tsv, the table of GE's operator interfaces, in both directions.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "core/ops/attribute_forms.h"
#include "core/ops/registry.h"
#include "protos/table/prototypes.h"

namespace gec {
namespace {

using Row = std::vector<std::string>;

/// Prototypes that the table does not have: from GE's Python documentation, collectives, and what fusions create.
const std::set<std::string> kOwn = {"MatMul",
                                    "LogicalXor",
                                    "HcomAllReduce",
                                    "HcomAllGather",
                                    "HcomReduceScatter",
                                    "HcomBroadcast",
                                    "HcomAllToAllV",
                                    "HcomSend",
                                    "HcomReceive",
                                    "FusedConv2D",
                                    "FusedConvPool2D",
                                    "FusedSeparableConv2D",
                                    "FusedConv3D",
                                    "FusedConvTranspose",
                                    "FusedMatMulV2",
                                    "FusedDenseLayers",
                                    "FusedElementwise",
                                    "QuantizeLinear",
                                    "DequantizeLinear",
                                    "DynamicQuantizeLinear",
                                    "QuantizedMatMul",
                                    "QuantizedConv2D",
                                    "ScaledDotProductAttention",
                                    "AppendKeyValue",
                                    "PromptFlashAttention",
                                    "WeightOnlyQuantizedMatMul",
                                    "SmallFloatCast",
                                    "GatherBlockQuantized",
                                    "GroupedMatmulFinalizeRouting",
                                    "SequencePack",
                                    "SequenceAt",
                                    "SequenceInsert",
                                    "SequenceErase",
                                    "SequenceSplit",
                                    "SequenceConcat",
                                    "SequenceCommonLength",
                                    "OptionalGet",
                                    "TextConcat",
                                    "TextEqual",
                                    "TextFind",
                                    "TextFullMatch",
                                    "TextNormalize",
                                    "TextSplit",
                                    "TextOfNumbers",
                                    "NumbersOfText",
                                    "LinearAttention",
                                    "TreeEnsemble",
                                    "FindKeys",
                                    "CoupleProbabilities",
                                    "MatrixDeterminant"};

Row Split(const std::string &text, char separator) {
  Row parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::map<std::string, Row> ReadFacts() {
  std::map<std::string, Row> facts;
  std::ifstream file(GE_PROTO_FACTS);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    Row row = Split(line, '\t');
    row.resize(7);
    facts[row[0]] = row;
  }
  return facts;
}

std::string KindText(int32_t kind) {
  return kind == GE_IR_OPTIONAL ? "optional" : kind == GE_IR_DYNAMIC ? "dynamic" : "required";
}

std::string TypeText(int32_t type) {
  static const std::map<int32_t, std::string> names = {{C_VT_INT, "Int"},
                                                       {C_VT_FLOAT, "Float"},
                                                       {C_VT_BOOL, "Bool"},
                                                       {C_VT_STRING, "String"},
                                                       {C_VT_DATA_TYPE, "Type"},
                                                       {C_VT_TENSOR, "Tensor"},
                                                       {C_VT_LIST_INT, "ListInt"},
                                                       {C_VT_LIST_FLOAT, "ListFloat"},
                                                       {C_VT_LIST_BOOL, "ListBool"},
                                                       {C_VT_LIST_STRING, "ListString"},
                                                       {C_VT_LIST_DATA_TYPE, "ListType"},
                                                       {C_VT_LIST_LIST_INT, "ListListInt"}};
  auto it = names.find(type);
  return it == names.end() ? "?" : it->second;
}

/// The table writes TensorType({DT_FLOAT, DT_BOOL}) as FLOAT,BOOL, and everything else as it stands.
std::string PlainTypes(std::string text) {
  std::erase(text, ' ');
  std::erase(text, '"');
  auto starts = [&](const char *head) { return text.rfind(head, 0) == 0; };
  auto cut = [&](size_t head, size_t tail) { text = text.substr(head, text.size() - head - tail); };
  if (text == "TensorType::ALL()") return "ALL";
  if (starts("TensorType({")) cut(12, 2);
  else if (starts("TensorType(")) cut(11, 1);
  else return text;
  Row items = Split(text, ',');
  std::string plain;
  for (std::string item : items) {
    if (size_t at = item.find("DT_"); at != std::string::npos) item.erase(at, 3);
    plain += (plain.empty() ? "" : ",") + item;
  }
  return plain;
}

std::string Unspaced(std::string text) {
  std::erase(text, ' ');
  std::erase(text, '"');
  if (!text.empty() && text.back() == ',') text.pop_back();
  return text;
}

int64_t IntegerOf(const std::string &text) {
  if (text.rfind("DT_", 0) == 0) return GeDataTypeFromName(text.c_str());
  char *end = nullptr;
  int64_t value = std::strtoll(text.c_str(), &end, 0);
  EXPECT_EQ(*end, '\0') << text;
  return value;
}

/// "0.25", "1.f / 8", "1e-5f"
float FloatOf(const std::string &text) {
  size_t slash = text.find('/');
  if (slash != std::string::npos) return FloatOf(text.substr(0, slash)) / FloatOf(text.substr(slash + 1));
  return std::strtof(text.c_str(), nullptr);
}

Row Items(const std::string &text) { return Split(text.substr(1, text.size() - 2), ','); }

/// Whether a recorded default is what the fact's C++ text says.
bool SameDefault(const AttrValue &value, const std::string &text) {
  switch (value.type()) {
    case C_VT_INT:
      return *value.get_if<int64_t>() == IntegerOf(text);
    case C_VT_DATA_TYPE:
      return value.get_if<DataTypeValue>()->value == IntegerOf(text);
    case C_VT_FLOAT:
      return *value.get_if<float>() == FloatOf(text);
    case C_VT_BOOL:
      return *value.get_if<bool>() == (text == "true");
    case C_VT_STRING:
      return "\"" + *value.get_if<std::string>() + "\"" == text;
    case C_VT_TENSOR:
      return text == "Tensor()";
    case C_VT_LIST_INT: {
      std::vector<int64_t> want;
      if (text == "ge::UNKNOWN_SHAPE") want = {-1};
      else if (text == "ge::UNKNOWN_RANK") want = {-2};
      else
        for (const std::string &item : Items(text)) want.push_back(std::stoll(item));
      return *value.get_if<AttrValue::ListInt>() == want;
    }
    case C_VT_LIST_FLOAT: {
      std::vector<float> want;
      for (const std::string &item : Items(text)) want.push_back(FloatOf(item));
      return *value.get_if<AttrValue::ListFloat>() == want;
    }
    case C_VT_LIST_BOOL: {
      std::vector<bool> want, have;
      for (const std::string &item : Items(text)) want.push_back(Unspaced(item) == "true");
      for (auto item : *value.get_if<AttrValue::ListBool>()) have.push_back(item != 0);
      return have == want;
    }
    case C_VT_LIST_STRING:
      return text == "{}" && value.get_if<AttrValue::ListString>()->empty();
    case C_VT_LIST_DATA_TYPE:
      return text == "{}" && value.get_if<AttrValue::ListType>()->empty();
    case C_VT_LIST_LIST_INT:
      return text == "{{}, {}}" && *value.get_if<AttrValue::ListListInt>() == AttrValue::ListListInt(2);
    default:
      return false;
  }
}

void ExpectPorts(const std::vector<IrPort> &have, const std::string &facts, const char *what) {
  Row want = Split(facts, ';');
  ASSERT_EQ(have.size(), want.size()) << what;
  for (size_t i = 0; i < want.size(); ++i) {
    Row port = Split(want[i], '|');
    SCOPED_TRACE(std::string(what) + " " + port[0]);
    EXPECT_EQ(have[i].name.view(), port[0]);
    EXPECT_EQ(KindText(have[i].kind), port[1]);
    EXPECT_EQ(PlainTypes(have[i].data_types), Unspaced(port[2]));
  }
}

TEST(PrototypeFacts, EveryOperatorOfTheTableIsDeclaredAlike) {
  auto facts = ReadFacts();
  ASSERT_EQ(facts.size(), 1150u);
  for (const auto &[op, row] : facts) {
    SCOPED_TRACE(op);
    const OpEntry *entry = OpRegistry::Instance().Find(Symbol(op));
    ASSERT_NE(entry, nullptr);
    const IrDef &ir = *entry->ir;
    Row families = Split(ir.family, ',');
    EXPECT_TRUE(std::count(families.begin(), families.end(), row[1]) == 1) << ir.family << " without " << row[1];
    ExpectPorts(ir.inputs, row[2], "input");
    ExpectPorts(ir.outputs, row[3], "output");
    Row attrs = Split(row[4], ';');
    ASSERT_EQ(ir.attrs.size(), attrs.size());
    for (size_t i = 0; i < attrs.size(); ++i) {
      Row want = Split(attrs[i], '|');
      SCOPED_TRACE("attribute " + want[0]);
      const IrAttr &have = ir.attrs[i];
      EXPECT_EQ(have.name.view(), want[0]);
      EXPECT_EQ(TypeText(have.type), want[1]);
      EXPECT_EQ(have.required, want.size() == 2);
      if (!have.required && want.size() == 3) {
        EXPECT_TRUE(SameDefault(have.fallback, want[2])) << "default is not " << want[2];
      }
    }
    Row graphs = Split(row[5], ';');
    ASSERT_EQ(ir.graphs.size(), graphs.size());
    for (size_t i = 0; i < graphs.size(); ++i)
      EXPECT_EQ(ir.graphs[i].name.str() + "|" + KindText(ir.graphs[i].kind), graphs[i]);
    Row symbols = Split(row[6], ';');
    ASSERT_EQ(ir.symbols.size(), symbols.size());
    for (size_t i = 0; i < symbols.size(); ++i)
      EXPECT_EQ(ir.symbols[i].first + "|" + PlainTypes(ir.symbols[i].second), Unspaced(symbols[i]));
  }
}

/// Operators that programs name and GE's packages leave to programs: with attributes in place of a sibling's inputs.
bool IsUndeclaredForm(const std::string &type, const std::map<std::string, Row> &facts) {
  return facts.count(type) == 0 && FindAttributeForm(Symbol(type)) != nullptr;
}

TEST(PrototypeFacts, NothingElseIsDeclared) {
  auto facts = ReadFacts();
  std::set<std::string> types;
  size_t forms = 0;
  ForEachBuiltinPrototype([&](const GeOpSchema &schema) {
    EXPECT_TRUE(types.insert(schema.type).second) << schema.type << " twice";
    const bool form = IsUndeclaredForm(schema.type, facts);
    forms += form;
    EXPECT_EQ(facts.count(schema.type) + kOwn.count(schema.type) + form, 1u) << schema.type;
  });
  EXPECT_GT(forms, 30u);
  EXPECT_EQ(types.size(), facts.size() + kOwn.size() + forms);
  EXPECT_EQ(types.size(), BuiltinPrototypeCount());
  EXPECT_EQ(OpRegistry::Instance().size(), BuiltinPrototypeCount());
}

void ExpectWholeForm(const AttributeForm &form) {
  ASSERT_EQ(form.inputs.size(), form.sibling->inputs.size());
  EXPECT_NE(form.infer, nullptr);
  std::set<std::string> used;
  for (size_t i = 0; i < form.inputs.size(); ++i) {
    const AttributeForm::Input &input = form.inputs[i];
    const IrPort &port = form.sibling->inputs[i];
    EXPECT_TRUE(input.own >= 0 || !input.attr.empty() || port.kind == GE_IR_OPTIONAL)
        << "nothing for " << port.name.view();
    if (input.own >= 0) {
      EXPECT_EQ(form.own->inputs[static_cast<size_t>(input.own)].kind, port.kind) << port.name.view();
    }
    used.insert(input.attr.str());
  }
  for (const IrAttr &attr : form.own->attrs)
    EXPECT_TRUE(used.count(attr.name.str()) || form.sibling->FindAttr(attr.name)) << attr.name.view() << " is lost";
  for (const IrAttr &attr : form.sibling->attrs)
    EXPECT_TRUE(!attr.required || form.own->FindAttr(attr.name)) << "nothing for " << attr.name.view();
  ASSERT_EQ(form.own->outputs.size(), form.sibling->outputs.size());
  for (size_t o = 0; o < form.own->outputs.size(); ++o)
    EXPECT_EQ(form.own->outputs[o].kind, form.sibling->outputs[o].kind);
}

TEST(AttributeForms, SiblingsGetAllThatTheyNeed) {
  size_t forms = 0;
  ForEachBuiltinPrototype([&](const GeOpSchema &schema) {
    const AttributeForm *form = FindAttributeForm(Symbol(schema.type));
    if (!form) return;
    SCOPED_TRACE(schema.type);
    ++forms;
    ExpectWholeForm(*form);
  });
  EXPECT_GT(forms, 40u);
  EXPECT_EQ(FindAttributeForm("ReduceSum"), nullptr);
  EXPECT_EQ(FindAttributeForm("NoSuchOperatorD"), nullptr);
}

TEST(AttributeForms, ConstantsHaveTheTypeThatTheSiblingReads) {
  const auto input = [](const char *type, size_t i) { return FindAttributeForm(type)->inputs[i]; };
  EXPECT_EQ(input("ReduceSumD", 1).data_type, C_DT_INT64);
  EXPECT_EQ(input("SplitD", 0).data_type, C_DT_INT32);      // Split takes no other
  EXPECT_EQ(input("PadV3D", 2).data_type, C_DT_UNDEFINED);  // that of x
  EXPECT_EQ(input("RangeD", 1).attr, Symbol("limit"));
  EXPECT_EQ(input("TopKD", 1).attr, Symbol("k"));
}

TEST(PrototypeFacts, EveryPrototypeHasABriefOfItsOwn) {
  std::map<std::string, std::string> briefs;
  ForEachBuiltinPrototype([&](const GeOpSchema &schema) {
    ASSERT_NE(schema.family, nullptr) << schema.type;
    EXPECT_STRNE(schema.family, "") << schema.type;
    ASSERT_NE(schema.brief, nullptr) << schema.type;
    std::string brief = schema.brief;
    EXPECT_GE(std::count(brief.begin(), brief.end(), ' '), 1) << schema.type << ": " << brief;
    EXPECT_EQ(brief.back(), '.') << schema.type << ": " << brief;
    auto [it, fresh] = briefs.emplace(brief, schema.type);
    EXPECT_TRUE(fresh) << schema.type << " and " << it->second << ": " << brief;
    for (size_t i = 0; i < schema.attr_count; ++i)
      EXPECT_NE(schema.attrs[i].value.type, C_VT_NONE) << schema.type << "." << schema.attrs[i].value.name;
  });
}

TEST(PrototypeFacts, FamiliesAndSymbols) {
  auto family = [](const char *type) { return OpRegistry::Instance().Get(type)->family; };
  for (const char *type : {"MatMul", "GEMM", "Add", "ConcatV2", "Concat", "Split", "Identity", "TensorMove"})
    EXPECT_NE(("," + family(type) + ",").find(",math,"), std::string::npos) << type;
  for (const char *type : {"Conv2D", "BatchMatMulV2", "Relu"})
    EXPECT_NE(("," + family(type) + ",").find(",nn,"), std::string::npos) << type;
  const IrDef *mul = OpRegistry::Instance().Get("Mul");
  EXPECT_EQ(mul->inputs[0].data_types, "T1");  // written as "T1" in the declaration
  ASSERT_EQ(mul->symbols.size(), 3u);
  EXPECT_EQ(mul->symbols[2].first, "T3");
  EXPECT_EQ(mul->symbols[2].second, "Promote({\"T1\", \"T2\"})");
  EXPECT_EQ(OpRegistry::Instance().Get("Equal")->outputs[0].data_types, "TensorType({DT_BOOL})");
}

TEST(PrototypeTable, OneOperatorByItsType) {
  std::string brief;
  auto keep = [&](const GeOpSchema &schema) { brief = schema.brief; };
  EXPECT_TRUE(VisitBuiltinPrototype("Add", keep));
  EXPECT_EQ(brief, OpRegistry::Instance().Get("Add")->brief);
  for (const char *type : {"", "A", "Ad", "Addd", "add", "zzzz", "~"}) {
    EXPECT_FALSE(VisitBuiltinPrototype(type, keep)) << type;
    EXPECT_EQ(OpRegistry::Instance().Find(Symbol(type)), nullptr) << type;
  }
  EXPECT_STREQ(BuiltinPrototypeType(0), "Abs");
}

TEST(PrototypeTable, ThreadsGetTheSameEntries) {
  std::vector<std::vector<const OpEntry *>> seen(4);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < seen.size(); ++t)
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < BuiltinPrototypeCount(); ++i)
        seen[t].push_back(OpRegistry::Instance().Find(Symbol(BuiltinPrototypeType(i))));
    });
  for (std::thread &thread : threads) thread.join();
  for (const auto &entries : seen) EXPECT_EQ(entries, seen[0]);
  for (const OpEntry *entry : seen[0]) EXPECT_NE(entry, nullptr);
}

}  // namespace
}  // namespace gec
