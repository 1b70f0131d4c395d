// Preparing features (ai.onnx.ml).
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/ir/types.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/importer_internal.h"
#include "parsers/onnx/learned.h"
#include "parsers/onnx/limits.h"

namespace gec::onnx {
namespace {

void Scaler(NodeContext &c) {
  Formula f(c);
  const Endpoint x = c.CastTo(c.In(0), C_DT_FLOAT);
  const auto part = [&](const char *name) {
    const std::vector<float> values = c.Floats(name);
    const int64_t features = c.Rank(x) < 1 ? -1 : c.ShapeOf(x)[static_cast<size_t>(c.Rank(x) - 1)];
    if (values.size() != 1 && features >= 0) NeedCount(c, name, values.size(), static_cast<size_t>(features));
    return Floats(c, values, {}, name);
  };
  Endpoint y = x;
  if (c.HasAttr("offset")) y = f.Sub(y, part("offset"));
  if (c.HasAttr("scale")) y = f.Mul(y, part("scale"));
  c.Out(0, y == x ? c.Op("Identity", {x}) : y);
}

void Normalizer(NodeContext &c) {
  Formula f(c);
  const Endpoint x = c.CastTo(c.In(0), C_DT_FLOAT);
  const std::string norm = c.String("norm", "MAX");
  const int64_t axis = c.NeedRank(x, "to tell rows from features") > 1 ? 1 : 0;
  Endpoint size;
  if (norm == "MAX") {
    // The largest value, as ONNX and ONNX Runtime say; ONNX's reference evaluator takes the largest magnitude.
    const Endpoint most = c.Reduce("ReduceMax", x, {axis}, true);
    const Endpoint zero = f.Equal(most, f.Real(0, C_DT_FLOAT));
    return c.Out(0, f.Div(x, f.Where(zero, f.Real(1, C_DT_FLOAT), most)));
  }
  if (norm == "L1") size = c.Reduce("ReduceSum", c.Op("Abs", {x}), {axis}, true);
  else if (norm == "L2") size = c.Op("Sqrt", {c.Reduce("ReduceSum", f.Mul(x, x), {axis}, true)});
  else c.Refuse(Reason::kInvalidModel, "attribute 'norm' is '" + norm + "', expected MAX, L1 or L2");
  c.Out(0, f.Div(x, f.Max(size, f.Real(1e-30, C_DT_FLOAT))));
}

void Imputer(NodeContext &c) {
  Formula f(c);
  const Endpoint x = c.In(0);
  const bool whole = c.HasAttr("imputed_value_int64s");
  if (whole == c.HasAttr("imputed_value_floats"))
    c.Refuse(Reason::kInvalidModel, "one of the attributes imputed_value_floats and imputed_value_int64s is needed");
  const int32_t type = c.NeedType(x, "to replace values");
  if (whole != (type == C_DT_INT64))
    c.Refuse(Reason::kInvalidModel,
             Str("the input is of ", DataTypeName(type), ", the imputed values are ", whole ? "int64" : "float"));
  Endpoint values = whole ? c.ConstInts(c.Ints("imputed_value_int64s"), "imputed")
                          : c.CastTo(Floats(c, c.Floats("imputed_value_floats"), {}, "imputed"), type);
  const float replaced = c.Float("replaced_value_float", 0);
  const int64_t replaced_int = c.Int("replaced_value_int64", 0);
  const Endpoint missing = whole                  ? f.Equal(x, f.Int(replaced_int))
                           : std::isnan(replaced) ? c.Op("IsNan", {x})
                                                  : f.Equal(x, c.NumberLike(replaced, x, "replaced"));
  const int64_t count = c.ShapeOf(values)[0], rank = c.Rank(x),
                features = rank < 1 ? -1 : c.ShapeOf(x)[static_cast<size_t>(rank - 1)];
  if (count < 1 || (count > 1 && features >= 0 && count != features))
    c.Refuse(Reason::kInvalidModel, Str("there are ", count, " imputed values for ", features, " features"));
  c.Out(0, f.Where(missing, values, x));
}

void Binarizer(NodeContext &c) {
  const Endpoint x = c.In(0);
  const Endpoint above = c.Op("Greater", {x, c.NumberLike(c.Float("threshold", 0), x, "threshold")});
  c.Out(0, c.CastTo(above, c.Type(x)));
}

void ArrayFeatureExtractor(NodeContext &c) {
  Formula f(c);
  const Endpoint x = c.In(0), indices = f.FromFront(f.Flat(c.In(1)), "an index");
  const int64_t rank = c.NeedRank(x, "to find the last axis");
  if (rank < 1) c.Refuse(Reason::kInvalidModel, "the input is a scalar");
  const Endpoint y = f.Gather(x, indices, rank - 1);
  c.Out(0, rank == 1 ? c.Unsqueeze(y, {0}) : y);
}

void FeatureVectorizer(NodeContext &c) {
  Formula f(c);
  const std::vector<int64_t> sizes = c.Ints("inputdimensions");
  std::vector<Endpoint> parts = c.AllInputs();
  if (parts.empty()) c.Refuse(Reason::kInvalidModel, "it has no inputs");
  if (!sizes.empty()) NeedCount(c, "inputdimensions", sizes.size(), parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    Endpoint &x = parts[i];
    const int64_t rank = c.NeedRank(x, "to put features side by side");
    if (rank != 1 && rank != 2)
      c.Refuse(Reason::kInvalidModel, Str("input ", i, " has rank ", rank, ", expected 1 or 2"));
    x = c.CastTo(rank == 1 ? c.Unsqueeze(x, {1}) : x, C_DT_FLOAT);
    if (sizes.empty()) continue;
    if (sizes[i] < 1 || sizes[i] > kMaxDim) c.Refuse(Reason::kInvalidModel, Str("inputdimensions has ", sizes[i]));
    // Wider inputs are cut off, narrower ones are filled up with zeros.
    const int64_t width = c.NeedDim(x, 1, "to cut it to inputdimensions");
    if (width > sizes[i]) x = c.Slice(x, {0}, {sizes[i]}, {1});
    else if (width < sizes[i]) x = f.Pad(x, c.ConstInts({0, 0, 0, sizes[i] - width}, "pads"));
  }
  c.Out(0, parts.size() == 1 ? c.Op("Identity", {parts[0]}) : f.Concat(std::move(parts), 1));
}

/// Which of the keys each element of input 0 is, -1 for none.
Endpoint PlaceOf(NodeContext &c, const ClassLabels &keys) {
  if (keys.texts.empty()) return c.Op("FindKeys", {c.CastTo(c.In(0), C_DT_INT64), c.ConstInts(keys.numbers, "keys")});
  const Value x = c.TextIn(0);
  return c.Op("TextFind", x.parts, {{"keys", keys.texts}});
}

void OneHotEncoder(NodeContext &c) {
  Formula f(c);
  const ClassLabels classes = ClassLabels::Of(c, "cats_int64s", "cats_strings");
  const Endpoint columns = f.Count(f.Int(static_cast<int64_t>(classes.size())));
  Endpoint place = PlaceOf(c, classes);
  if (!c.Flag("zeros", true)) place = f.Gather(columns, f.FromFront(place, "a category"), 0);  // refuses what is none
  c.Out(0, c.CastTo(f.Equal(c.Unsqueeze(place, {-1}), columns), C_DT_FLOAT));
}

// ---- mappings from labels to labels ----

/// One side of a mapping: numbers or texts, as a vector.
struct Labels {
  Value values;
  int64_t count = 0;
};

Labels LabelsOf(NodeContext &c, const std::string &side) {
  const std::string tensor = side + "_tensor", strings = side + "_strings", ints = side + "_int64s",
                    floats = side + "_floats";
  if (c.HasAttr(tensor.c_str())) {
    const Value v = c.IsTextAttr(tensor.c_str()) ? c.TextAttr(tensor.c_str(), "labels")
                                                 : Value(c.Const(c.TensorAttr(tensor.c_str()), "labels"));
    const Shape shape = c.ShapeOf(v.parts[0]);
    if (shape.rank() != 1)
      c.Refuse(Reason::kInvalidModel, Str("attribute '", tensor, "' has shape ", shape.str(), ", expected rank 1"));
    return {v, shape[0]};
  }
  if (c.HasAttr(strings.c_str())) {
    const std::vector<std::string> list = c.Strings(strings.c_str());
    const int64_t n = static_cast<int64_t>(list.size());
    return {c.ConstTexts(list, Shape{n}, "labels"), n};
  }
  if (c.HasAttr(ints.c_str())) {
    const std::vector<int64_t> list = c.Ints(ints.c_str());
    return {c.ConstInts(list, "labels"), static_cast<int64_t>(list.size())};
  }
  if (!c.HasAttr(floats.c_str())) c.Refuse(Reason::kInvalidModel, "there are no " + side);
  const std::vector<float> list = c.Floats(floats.c_str());
  return {Floats(c, list, {}, "labels"), static_cast<int64_t>(list.size())};
}

std::vector<std::string> TextsOf(NodeContext &c, const std::string &side) {
  const std::string tensor = side + "_tensor";
  return c.HasAttr(tensor.c_str()) ? c.importer().TextsOf(*c.Attr(tensor.c_str())->t).first
                                   : c.Strings((side + "_strings").c_str());
}

/// The label that stands for keys that are not there.
Value OtherOf(NodeContext &c, const Value &values) {
  c.Ignore({"default_string", "default_int64", "default_float", "default_tensor"});
  if (values.is(ValueKind::kText)) {
    const Value given = c.IsTextAttr("default_tensor")
                            ? c.TextAttr("default_tensor", "default")
                            : c.ConstTexts({c.String("default_string", "_Unused")}, Shape{1}, "default");
    return Value::Text(c.ReshapeTo(given.parts[0], {1}), given.parts[1]);
  }
  const int32_t type = c.Type(values.parts[0]);
  if (c.HasAttr("default_tensor"))
    return c.CastTo(c.ReshapeTo(c.Const(c.TensorAttr("default_tensor"), "default"), {1}), type);
  if (type == C_DT_INT64) return c.ConstInts({c.Int("default_int64", -1)}, "default");
  return c.ReshapeTo(c.ConstNumber(c.Float("default_float", -0.0f), type, "default"), {1});
}

/// values[place], and `other` where place is below 0.
Value Chosen(NodeContext &c, Endpoint place, const Labels &values, const Value &other) {
  Formula f(c);
  place = f.Where(f.Less(place, f.Int(0)), f.Int(values.count), place);
  if (!values.values.is(ValueKind::kText))
    return f.Gather(f.Concat({values.values.parts[0], other.parts[0]}, 0), place, 0);
  const Endpoint bytes = values.values.parts[1], behind = f.Dim(bytes, 0);
  const Endpoint places = f.Concat({values.values.parts[0], f.Add(other.parts[0], behind)}, 0);
  return Value::Text(f.Gather(places, place, 0), f.Concat({bytes, other.parts[1]}, 0));
}

void LabelEncoder(NodeContext &c) {
  const Labels keys = LabelsOf(c, "keys"), values = LabelsOf(c, "values");
  if (keys.count != values.count)
    c.Refuse(Reason::kInvalidModel, Str("there are ", keys.count, " keys and ", values.count, " values"));
  Endpoint place;
  if (keys.values.is(ValueKind::kText)) place = c.Op("TextFind", c.TextIn(0).parts, {{"keys", TextsOf(c, "keys")}});
  else place = c.Op("FindKeys", {c.In(0), keys.values.parts[0]});
  c.Out(0, Chosen(c, place, values, OtherOf(c, values.values)));
}

/// Version 1: texts and their places in a list.
void LabelEncoderOld(NodeContext &c) {
  const std::vector<std::string> classes = c.Strings("classes_strings");
  const int64_t n = static_cast<int64_t>(classes.size());
  if (n == 0) c.Refuse(Reason::kInvalidModel, "attribute 'classes_strings' is empty");
  const Labels texts{c.ConstTexts(classes, Shape{n}, "labels"), n};
  std::vector<int64_t> counting;
  for (int64_t i = 0; i < n; ++i) counting.push_back(i);
  const Labels numbers{c.ConstInts(counting, "labels"), n};
  const bool from_text = c.InValue(0).is(ValueKind::kText);
  const ClassLabels keys = from_text ? ClassLabels{{}, classes} : ClassLabels{counting, {}};
  c.Out(0, Chosen(c, PlaceOf(c, keys), from_text ? numbers : texts, OtherOf(c, (from_text ? numbers : texts).values)));
}

void CategoryMapper(NodeContext &c) {
  const std::vector<std::string> texts = c.Strings("cats_strings");
  const std::vector<int64_t> numbers = c.Ints("cats_int64s");
  const int64_t n = static_cast<int64_t>(texts.size());
  NeedCount(c, "cats_int64s", numbers.size(), texts.size());
  if (n == 0) c.Refuse(Reason::kInvalidModel, "attribute 'cats_strings' is empty");
  const bool from_text = c.InValue(0).is(ValueKind::kText);
  const Labels values =
      from_text ? Labels{c.ConstInts(numbers, "labels"), n} : Labels{c.ConstTexts(texts, Shape{n}, "labels"), n};
  const ClassLabels keys = from_text ? ClassLabels{{}, texts} : ClassLabels{numbers, {}};
  c.Out(0, Chosen(c, PlaceOf(c, keys), values, OtherOf(c, values.values)));
}

void TfIdfVectorizer(NodeContext &c) {
  // Texts are numbered by their places in the pool; what is not there has number -1, which no n-gram has.
  const std::vector<std::string> words = c.Strings("pool_strings");
  std::vector<int64_t> pool = c.Ints("pool_int64s");
  Endpoint x;
  if (words.empty()) {
    x = c.In(0);
  } else {
    std::unordered_map<std::string, int64_t> last;
    for (size_t i = 0; i < words.size(); ++i) last[words[i]] = static_cast<int64_t>(i);
    pool.clear();
    for (const std::string &word : words) pool.push_back(last[word]);
    x = c.Op("TextFind", c.TextIn(0).parts, {{"keys", words}});
  }
  c.Out(0, c.Op("TfIdfVectorizer", {x},
                {{"max_gram_length", c.NeedInt("max_gram_length")},
                 {"max_skip_count", c.NeedInt("max_skip_count")},
                 {"min_gram_length", c.NeedInt("min_gram_length")},
                 {"mode", c.String("mode", "")},
                 {"ngram_counts", c.Ints("ngram_counts")},
                 {"ngram_indexes", c.Ints("ngram_indexes")},
                 {"pool_int64s", pool},
                 {"weights", c.Floats("weights")}}));
}

constexpr char kFeaturesDomain[] = "ai.onnx.ml";
constexpr Handler kFeatureHandlers[] = {
    {kFeaturesDomain, "ArrayFeatureExtractor", 1, ArrayFeatureExtractor},
    {kFeaturesDomain, "Binarizer", 1, Binarizer},
    {kFeaturesDomain, "FeatureVectorizer", 1, FeatureVectorizer},
    {kFeaturesDomain, "Imputer", 1, Imputer},
    {kFeaturesDomain, "CategoryMapper", 1, CategoryMapper},
    {kFeaturesDomain, "LabelEncoder", 1, LabelEncoderOld},
    {kFeaturesDomain, "LabelEncoder", 2, LabelEncoder},
    {kFeaturesDomain, "Normalizer", 1, Normalizer},
    {kFeaturesDomain, "OneHotEncoder", 1, OneHotEncoder},
    {kFeaturesDomain, "Scaler", 1, Scaler},
    {"", "TfIdfVectorizer", 9, TfIdfVectorizer},
};

}  // namespace

HandlerTable FeatureHandlers() { return {std::begin(kFeatureHandlers), std::end(kFeatureHandlers)}; }

}  // namespace gec::onnx
