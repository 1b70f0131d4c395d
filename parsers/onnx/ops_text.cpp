// Operators of texts.
#include <string.h>

#include "core/ir/types.h"
#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/onnx_file.h"
#include "parsers/onnx/texts.h"

namespace gec::onnx {
namespace {

void StringConcat(NodeContext &c) {
  const Value a = c.TextIn(0), b = c.TextIn(1);
  Node *node = c.Add("TextConcat", {a.parts[0], a.parts[1], b.parts[0], b.parts[1]});
  c.Out(0, Value::Text({node, 0}, {node, 1}));
}

void StringNormalizer(NodeContext &c) {
  const Value x = c.TextIn(0);
  c.Ignore({"locale"});  // case follows the letters
  Node *node = c.Add("TextNormalize", x.parts,
                     {{"case_change", c.String("case_change_action", "NONE")},
                      {"case_sensitive", c.Flag("is_case_sensitive", false)},
                      {"stop_words", c.Strings("stopwords")}});
  c.Out(0, Value::Text({node, 0}, {node, 1}));
}

void StringSplit(NodeContext &c) {
  const Value x = c.TextIn(0);
  Node *node =
      c.Add("TextSplit", x.parts, {{"delimiter", c.String("delimiter", "")}, {"max_split", c.Int("maxsplit", -1)}});
  c.Out(0, Value::Text({node, 0}, {node, 1}));
  c.Out(1, Endpoint{node, 2});
}

void RegexFullMatch(NodeContext &c) {
  if (!c.HasAttr("pattern")) c.Refuse(Reason::kInvalidModel, "attribute 'pattern' is missing");
  c.Out(0, c.Op("TextFullMatch", c.TextIn(0).parts, {{"pattern", c.String("pattern", "")}}));
}

void EqualTexts(NodeContext &c) {
  const Value a = c.TextIn(0), b = c.TextIn(1);
  c.Out(0, c.Op("TextEqual", {a.parts[0], a.parts[1], b.parts[0], b.parts[1]}));
}

void CastTexts(NodeContext &c) {
  const Value x = c.TextIn(0);
  c.Ignore({"saturate", "round_mode"});
  if (!c.HasAttr("to")) c.Refuse(Reason::kInvalidModel, "attribute 'to' is missing");
  if (GeTypeOf(static_cast<int32_t>(c.Int("to", 0))) == C_DT_STRING) return c.Out(0, x);
  const int32_t to = c.TypeAttr("to", C_DT_FLOAT);
  c.Out(0, c.Op("NumbersOfText", x.parts, {{"dst_type", int64_t{to}}}));
}

void CheckScatter(NodeContext &c) {
  const std::string reduction = c.String("reduction", "none");
  if (reduction != "none")
    c.Refuse(Reason::kUnsupportedUse,
             "attribute 'reduction' is '" + reduction + "', which texts do not have; expected none");
}

constexpr Handler kTextHandlers[] = {
    {"", "StringConcat", 20, StringConcat},
    {"", "StringNormalizer", 10, StringNormalizer},
    {"", "StringSplit", 20, StringSplit},
    {"", "RegexFullMatch", 20, RegexFullMatch},
};

constexpr TextHandler kWithTexts[] = {
    {"", "Equal", EqualTexts},
    {"", "Cast", CastTexts},
    {"", "Compress", nullptr},
    {"", "Concat", nullptr},
    {"", "DepthToSpace", nullptr},
    {"", "Expand", nullptr},
    {"", "Flatten", nullptr},
    {"", "Gather", nullptr},
    {"", "GatherElements", nullptr},
    {"", "GatherND", nullptr},
    {"", "Reshape", nullptr},
    {"", "ReverseSequence", nullptr},
    {"", "ScatterElements", nullptr, false, CheckScatter},
    {"", "ScatterND", nullptr, false, CheckScatter},
    {"", "Slice", nullptr},
    {"", "SpaceToDepth", nullptr},
    {"", "Split", nullptr},
    {"", "Squeeze", nullptr},
    {"", "Tile", nullptr},
    {"", "Transpose", nullptr},
    {"", "Unsqueeze", nullptr},
    {"", "Where", nullptr},
    {"ai.onnx.ml", "ArrayFeatureExtractor", nullptr},
    {"", "Shape", nullptr, true},
    {"", "Size", nullptr, true},
};

}  // namespace

HandlerTable TextHandlers() { return {std::begin(kTextHandlers), std::end(kTextHandlers)}; }

const TextHandler *FindTextHandler(std::string_view domain, std::string_view type) {
  for (const TextHandler &h : kWithTexts)
    if (domain == h.domain && type == h.type) return &h;
  return nullptr;
}

}  // namespace gec::onnx
