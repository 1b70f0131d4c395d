// Every operator, given inputs of types that the table of GE's interfaces allows, must answer with types that the table
// allows for its outputs; an output that has the name of an input is that input, written in place.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tests/protos/infer_case.h"

namespace gec {
namespace {

using Row = std::vector<std::string>;

Row Split(const std::string &text, char separator) {
  Row parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// Data types of a list such as FLOAT16,INT32; empty for sets that are no plain list.
std::vector<int32_t> TypesOf(const std::string &text) {
  std::vector<int32_t> types;
  for (const std::string &item : Split(text, ',')) {
    int32_t type = GeDataTypeFromName(("DT_" + item).c_str());
    if (type == C_DT_UNDEFINED) return {};
    types.push_back(type);
  }
  return types;
}

struct Port {
  std::string name, kind;
  std::vector<int32_t> types;
};
struct Facts {
  std::string op;
  std::vector<Port> inputs, outputs;
  bool complete = true;  // plain type lists everywhere
};

std::vector<Port> PortsOf(const std::string &text, const std::map<std::string, std::string> &symbols, bool *complete) {
  std::vector<Port> ports;
  for (const std::string &item : Split(text, ';')) {
    Row cells = Split(item, '|');
    std::string types = cells[2];
    std::erase(types, '"');
    auto symbol = symbols.find(types);
    ports.push_back({cells[0], cells[1], TypesOf(symbol == symbols.end() ? types : symbol->second)});
    *complete &= !ports.back().types.empty();
  }
  return ports;
}

std::vector<Facts> ReadFacts() {
  std::vector<Facts> all;
  std::ifstream file(GE_PROTO_FACTS);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    Row row = Split(line, '\t');
    row.resize(7);
    std::map<std::string, std::string> symbols;
    for (const std::string &item : Split(row[6], ';')) symbols[Split(item, '|')[0]] = Split(item, '|')[1];
    Facts facts;
    facts.op = row[0];
    facts.inputs = PortsOf(row[2], symbols, &facts.complete);
    facts.outputs = PortsOf(row[3], symbols, &facts.complete);
    all.push_back(facts);
  }
  return all;
}

/// Result of inference on inputs of unknown rank with the `choice`-th (or last) type each may have.
Inferred Infer(const Facts &facts, size_t choice) {
  InferCase c(facts.op.c_str());
  for (const Port &port : facts.inputs) {
    c.Unranked(port.types[std::min(choice, port.types.size() - 1)]);
    if (port.kind == "dynamic") c.Count(1);
  }
  return c.Outputs(facts.outputs.size()).Run();
}

TEST(InferTypes, OutputsHaveTypesThatTheTableAllows) {
  // Their attribute dtype chooses between 32 and 64 bits, while the table lists 32 only.
  const std::set<std::string> by_attribute = {"ArgMaxD", "ArgMinD"};
  size_t checked = 0;
  for (const Facts &facts : ReadFacts()) {
    const OpEntry *entry = OpRegistry::Instance().Find(Symbol(facts.op));
    if (by_attribute.count(facts.op) || !facts.complete || !entry || !entry->infer) continue;
    Inferred r = Infer(facts, 0);
    if (r.status != GE_SUCCESS) continue;  // a required attribute is missing
    for (size_t i = 0; i < facts.outputs.size(); ++i) {
      if (r.types[i] == C_DT_UNDEFINED) continue;
      ++checked;
      const auto &allowed = facts.outputs[i].types;
      EXPECT_TRUE(std::count(allowed.begin(), allowed.end(), r.types[i]) > 0)
          << facts.op << " output " << facts.outputs[i].name << " is " << GeDataTypeName(r.types[i]);
    }
  }
  EXPECT_GT(checked, 600u);
}

TEST(InferTypes, OutputsNamedLikeAnInputAreThatInput) {
  size_t checked = 0;
  for (const Facts &facts : ReadFacts()) {
    std::map<std::string, size_t> names;
    for (size_t i = 0; i < facts.inputs.size(); ++i) names[facts.inputs[i].name] = i;
    bool any = false;
    for (const Port &port : facts.outputs) any |= names.count(port.name) != 0;
    const OpEntry *entry = OpRegistry::Instance().Find(Symbol(facts.op));
    if (!any || !entry || !entry->infer) continue;
    InferCase c(facts.op.c_str());
    for (size_t i = 0; i < facts.inputs.size(); ++i) {
      c.T(i % 2 ? C_DT_FLOAT : C_DT_FLOAT16, {static_cast<int64_t>(i) + 2, 100});
      if (facts.inputs[i].kind == "dynamic") c.Count(1);
    }
    Inferred r = c.Outputs(facts.outputs.size()).Run();
    if (r.status != GE_SUCCESS) continue;  // it checks its inputs more closely
    for (size_t i = 0; i < facts.outputs.size(); ++i) {
      auto it = names.find(facts.outputs[i].name);
      if (it == names.end()) continue;
      ++checked;
      EXPECT_EQ(r.shapes[i], "[" + std::to_string(it->second + 2) + ", 100]") << facts.op;
      EXPECT_EQ(r.types[i], it->second % 2 ? C_DT_FLOAT : C_DT_FLOAT16) << facts.op;
    }
  }
  EXPECT_GT(checked, 100u);
}

}  // namespace
}  // namespace gec
