// The precision that a program asks for constants: options precision, precision.nodes and precision.strict.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"

namespace gec {

/// Values of option precision, in the order of enum Precision.
#define GE_PRECISIONS "fp32|bf16|fp16_weights|int8_weights|int4_weights"
enum class Precision { kFp32, kBf16, kFp16Weights, kInt8Weights, kInt4Weights };
std::string NameOf(Precision precision);
/// Of one of the weights; 0 for precisions that are not only theirs.
int64_t WeightBits(Precision precision);

struct PrecisionRule {
  std::string pattern;  // of names: * stands for any characters, ? for one
  Precision precision = Precision::kFp32;
};
/// "pattern=precision;…". Throws GE_OPTION_INVALID that names the part and the allowed values.
std::vector<PrecisionRule> ReadPrecisionRules(std::string_view text);

/// The precision that options ask for each node.
struct PrecisionChoice {
  Precision all = Precision::kFp32;
  std::vector<PrecisionRule> rules;  // the first one that fits a node decides
  bool strict = false;               // what cannot be done is an error

  explicit PrecisionChoice(const std::map<std::string, std::string, std::less<>> &options);
  /// Something has to be done or checked.
  bool Asks() const { return all != Precision::kFp32 || !rules.empty(); }
  /// The rule for a node, or for one of the nodes that it stands for; -1: none.
  int RuleFor(const Node &node) const;
  Precision For(int rule) const { return rule < 0 ? all : rules[static_cast<size_t>(rule)].precision; }
};

/// One line of the report: a node with constants that a lower precision could be for.
struct PrecisionNote {
  std::string node;  // names of the nodes that it was made of
  std::string type, asked, ran;
  std::string why;                 // in plain words
  uint64_t bytes = 0, before = 0;  // of the node's weights, now and in float32
};
/// Notes are kept with the graph, in offline models too. Those of a graph that is compiled again come first.
void AddPrecisionNotes(Graph &graph, const std::vector<PrecisionNote> &notes);
std::vector<PrecisionNote> PrecisionNotes(const Graph &graph);

}  // namespace gec
