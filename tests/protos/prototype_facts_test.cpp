// Compares the registered prototypes with facts.tsv, the table of GE's operator interfaces.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "core/ops/registry.h"
#include "protos/table/prototypes.h"

namespace gec {
namespace {

struct Fact {
  std::string part, name, kind, value;
};

std::map<std::string, std::vector<Fact>> ReadFacts() {
  std::map<std::string, std::vector<Fact>> facts;
  std::ifstream file(GE_PROTO_FACTS);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream cells(line);
    std::string op;
    Fact fact;
    std::getline(cells, op, '\t');
    std::getline(cells, fact.part, '\t');
    std::getline(cells, fact.name, '\t');
    std::getline(cells, fact.kind, '\t');
    std::getline(cells, fact.value, '\t');
    facts[op].push_back(fact);
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

int64_t IntegerOf(const std::string &text) {
  if (text.rfind("DT_", 0) == 0) return GeDataTypeFromName(text.c_str());
  return std::strtoll(text.c_str(), nullptr, 0);
}

std::vector<std::string> Items(const std::string &text) {
  std::vector<std::string> items;
  std::istringstream body(text.substr(1, text.size() - 2));
  for (std::string item; std::getline(body, item, ',');) items.push_back(item);
  return items;
}

/// Whether a recorded default is what the fact's C++ text says.
bool SameDefault(const AttrValue &value, const std::string &text) {
  switch (value.type()) {
    case C_VT_INT:
      return *value.get_if<int64_t>() == IntegerOf(text);
    case C_VT_DATA_TYPE:
      return value.get_if<DataTypeValue>()->value == IntegerOf(text);
    case C_VT_FLOAT:
      return *value.get_if<float>() == std::strtof(text.c_str(), nullptr);
    case C_VT_BOOL:
      return *value.get_if<bool>() == (text == "true");
    case C_VT_STRING:
      return "\"" + *value.get_if<std::string>() + "\"" == text;
    case C_VT_TENSOR:
      return text == "Tensor()";
    case C_VT_LIST_INT: {
      std::vector<int64_t> want;
      for (const std::string &item : Items(text)) want.push_back(std::stoll(item));
      return *value.get_if<AttrValue::ListInt>() == want;
    }
    case C_VT_LIST_FLOAT: {
      std::vector<float> want;
      for (const std::string &item : Items(text)) want.push_back(std::stof(item));
      return *value.get_if<AttrValue::ListFloat>() == want;
    }
    case C_VT_LIST_STRING:
      return text == "{}" && value.get_if<AttrValue::ListString>()->empty();
    default:
      return false;
  }
}

TEST(PrototypeFacts, EveryDeclaredOperatorMatches) {
  auto facts = ReadFacts();
  ASSERT_GT(facts.size(), 250u);
  for (const auto &[op, rows] : facts) {
    const OpEntry *entry = OpRegistry::Instance().Find(Symbol(op));
    ASSERT_NE(entry, nullptr) << op;
    const IrDef &ir = *entry->ir;
    size_t in = 0, out = 0, attr = 0, graph = 0;
    for (const Fact &fact : rows) {
      SCOPED_TRACE(op + " " + fact.part + " " + fact.name);
      if (fact.part == "input") {
        ASSERT_LT(in, ir.inputs.size());
        EXPECT_EQ(ir.inputs[in].name.view(), fact.name);
        EXPECT_EQ(KindText(ir.inputs[in++].kind), fact.kind);
      } else if (fact.part == "output") {
        ASSERT_LT(out, ir.outputs.size());
        EXPECT_EQ(ir.outputs[out].name.view(), fact.name);
        EXPECT_EQ(KindText(ir.outputs[out++].kind), fact.kind);
      } else if (fact.part == "attr") {
        ASSERT_LT(attr, ir.attrs.size());
        const IrAttr &have = ir.attrs[attr++];
        EXPECT_EQ(have.name.view(), fact.name);
        EXPECT_EQ(TypeText(have.type), fact.kind);
        EXPECT_EQ(have.required, fact.value == "required");
        EXPECT_TRUE(have.required || SameDefault(have.fallback, fact.value)) << "default is not " << fact.value;
      } else if (fact.part == "graph") {
        ASSERT_LT(graph, ir.graphs.size());
        EXPECT_EQ(ir.graphs[graph].name.view(), fact.name);
        EXPECT_EQ(KindText(ir.graphs[graph++].kind), fact.kind);
      }
    }
    EXPECT_EQ(in, ir.inputs.size()) << op;
    EXPECT_EQ(out, ir.outputs.size()) << op;
    EXPECT_EQ(attr, ir.attrs.size()) << op;
    EXPECT_EQ(graph, ir.graphs.size()) << op;
  }
}

TEST(PrototypeFacts, EveryPrototypeIsDocumentedAndInferred) {
  // Control flow is inferred by running inference on the subgraphs.
  const std::set<std::string> by_subgraph = {"If",   "StatelessIf", "While",           "StatelessWhile",
                                             "Case", "For",         "PartitionedCall", "StatefulPartitionedCall"};
  size_t count = 0;
  ForEachBuiltinPrototype([&](const GeOpSchema &schema) {
    ++count;
    ASSERT_NE(schema.family, nullptr) << schema.type;
    ASSERT_NE(schema.brief, nullptr) << schema.type;
    EXPECT_STRNE(schema.brief, "") << schema.type;
    const OpEntry *entry = OpRegistry::Instance().Find(Symbol(schema.type));
    ASSERT_NE(entry, nullptr) << schema.type;
    EXPECT_EQ(entry->infer == nullptr, by_subgraph.count(schema.type) == 1) << schema.type;
    for (size_t i = 0; i < schema.attr_count; ++i)
      EXPECT_NE(schema.attrs[i].value.type, C_VT_NONE) << schema.type << "." << schema.attrs[i].value.name;
  });
  EXPECT_EQ(count, BuiltinPrototypeCount());
  EXPECT_GE(count, 260u);
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

}  // namespace
}  // namespace gec
