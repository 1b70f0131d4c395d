// Sequences and optional values. Where the import knows the elements they are but a list, and no node is made for it.
#include <algorithm>

#include "core/ir/types.h"
#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/importer_internal.h"
#include "parsers/onnx/limits.h"
#include "parsers/onnx/rounds.h"

namespace gec::onnx {
namespace {

Value SequenceIn(NodeContext &c, size_t i) {
  Value v = c.InValue(i);
  if (!v.is(ValueKind::kSequence)) c.RefuseKind(i, v, "a sequence is needed");
  return v;
}

/// The same for a node that changes it.
Value TakeSequence(NodeContext &c, size_t i) {
  SequenceIn(c, i);
  return c.TakeValue(i);
}

/// An element of a sequence must be of its type.
void CheckElement(NodeContext &c, Endpoint x, int32_t type) {
  const int32_t own = c.Type(x);
  if (own != C_DT_UNDEFINED && type != C_DT_UNDEFINED && own != type)
    c.Refuse(Reason::kInvalidModel,
             Str("the tensor is of ", DataTypeName(own), ", the sequence of ", DataTypeName(type)));
}

void SequenceEmpty(NodeContext &c) { c.Out(0, Value::List({}, c.TypeAttr("dtype", C_DT_FLOAT))); }

void SequenceConstruct(NodeContext &c) {
  std::vector<Endpoint> elements = c.AllInputs();
  if (elements.empty()) c.Refuse(Reason::kInvalidModel, "it has no inputs");
  const int32_t type = c.NeedType(elements[0], "as the type of the sequence");
  for (Endpoint e : elements) CheckElement(c, e, type);
  c.Out(0, Value::List(std::move(elements), type));
}

void SequenceLength(NodeContext &c) {
  const Value s = SequenceIn(c, 0);
  if (s.list) c.Out(0, c.ConstInt(static_cast<int64_t>(s.list->tensors.size()), "length"));
  else c.Out(0, Formula(c).Dim(s.parts[1], 0));
}

/// The position that input i names, which the import knows; `places`: how many there are.
size_t KnownPlace(NodeContext &c, size_t i, size_t length, size_t places) {
  const int64_t given = c.NeedInteger(i, "position"), n = static_cast<int64_t>(length);
  if (given < -n || given >= static_cast<int64_t>(places))
    c.Refuse(Reason::kInvalidModel, Str("position ", given, " is out of range for a sequence of ", n, " tensors"));
  return static_cast<size_t>(given < 0 ? given + n : given);
}

/// The elements one behind the other along a new dimension, where all are known to have one shape; empty where they are
/// not.
Endpoint Stacked(NodeContext &c, Elements &list) {
  const std::vector<Endpoint> &all = list.tensors;
  if (list.rows && &list.rows.node->graph() == c.scope().graph) return list.rows;
  list.alike = list.alike && !all.empty() && std::all_of(all.begin(), all.end(), [&](Endpoint e) {
                 return c.ShapeOf(e).known() && c.ShapeOf(e) == c.ShapeOf(all[0]) && c.Type(e) == c.Type(all[0]);
               });
  if (!list.alike) return {};
  std::vector<Endpoint> rows;
  for (Endpoint e : all) rows.push_back(c.Unsqueeze(e, {0}));
  return list.rows = Formula(c).Concat(std::move(rows), 0);
}

// In a list, which is copied and then grows into memory of twice its size, and of a node.
constexpr uint64_t kBytesOfElement = 3 * sizeof(Endpoint), kBytesOfInput = 512;

/// False where as many elements as the list has, of so many bytes each, are beyond what a model may stand for.
bool MayList(NodeContext &c, const Elements &list, uint64_t bytes_of_each) {
  const uint64_t bytes = list.tensors.size() * bytes_of_each;
  if (!c.importer().MayMake(bytes)) return false;
  c.importer().Make(bytes, "the sequence");
  return true;
}

/// The list of `s` to be changed, a copy of its own where others have it; null where it has to be packed.
std::shared_ptr<Elements> ToChange(NodeContext &c, Value *s) {
  if (!s->list) return nullptr;
  if (s->list.use_count() > 1) {
    if (!MayList(c, *s->list, kBytesOfElement)) return nullptr;
    return Value::List(s->list->tensors, s->element).list;
  }
  *s->list = Elements{std::move(s->list->tensors), {}, {}, {}, true};
  return s->list;
}

void SequenceAt(NodeContext &c) {
  const Value s = SequenceIn(c, 0);
  Formula f(c);
  if (s.list && c.ConstIn(1)) {
    const size_t n = s.list->tensors.size();
    return c.Out(0, s.list->tensors[KnownPlace(c, 1, n, n)]);
  }
  if (const Endpoint rows = s.list ? Stacked(c, *s.list) : Endpoint())
    return c.Out(0, f.Gather(rows, f.Scalar(c.In(1), C_DT_INT64), 0));
  const Value packed = Pack(c, s);
  c.Out(0, c.Op("SequenceAt", {packed.parts[0], packed.parts[1], c.In(1)}));
}

void SequenceInsert(NodeContext &c) {
  const Endpoint x = c.In(1);
  Value s = TakeSequence(c, 0);
  CheckElement(c, x, s.element);
  if (!c.HasInput(2) || c.ConstIn(2)) {
    if (const std::shared_ptr<Elements> list = ToChange(c, &s)) {
      const size_t n = list->tensors.size(), at = c.HasInput(2) ? KnownPlace(c, 2, n, n + 1) : n;
      list->tensors.insert(list->tensors.begin() + static_cast<std::ptrdiff_t>(at), x);
      s.list = list;
      return c.Out(0, std::move(s));
    }
  }
  const Value packed = Pack(c, s);
  Node *node = c.Add("SequenceInsert", {packed.parts[0], packed.parts[1], x, c.OptIn(2)});
  c.Out(0, Value::Packed({node, 0}, {node, 1}, s.element));
}

void SequenceErase(NodeContext &c) {
  Value s = TakeSequence(c, 0);
  if (!c.HasInput(1) || c.ConstIn(1)) {
    if (const std::shared_ptr<Elements> list = ToChange(c, &s)) {
      const size_t n = list->tensors.size();
      if (n == 0) c.Refuse(Reason::kInvalidModel, "the sequence is empty, nothing can be removed");
      const size_t at = c.HasInput(1) ? KnownPlace(c, 1, n, n) : n - 1;
      list->tensors.erase(list->tensors.begin() + static_cast<std::ptrdiff_t>(at));
      s.list = list;
      return c.Out(0, std::move(s));
    }
  }
  const Value packed = Pack(c, s);
  Node *node = c.Add("SequenceErase", {packed.parts[0], packed.parts[1], c.OptIn(1)});
  c.Out(0, Value::Packed({node, 0}, {node, 1}, s.element));
}

/// The extents of the pieces of `extent` elements, where the import knows them; empty where a run tells.
std::vector<int64_t> KnownPieces(NodeContext &c, int64_t extent) {
  std::vector<int64_t> sizes;
  if (extent < 0 || (c.HasInput(1) && !c.ConstIn(1))) return sizes;
  int64_t each = 1;
  if (c.HasInput(1)) {
    sizes = c.NeedInts(1, "split");
    if (c.Rank(c.In(1)) != 0) {
      int64_t sum = 0;
      for (int64_t size : sizes) {
        if (size < 0 || size > extent - sum)
          c.Refuse(Reason::kInvalidModel, Str("split has ", size, ", the axis has ", extent - sum, " elements left"));
        sum += size;
      }
      if (sum != extent) c.Refuse(Reason::kInvalidModel, Str("split adds up to ", sum, ", the axis has ", extent));
      return sizes;
    }
    each = sizes.at(0);
    sizes.clear();
    if (each < 1) c.Refuse(Reason::kInvalidModel, Str("split is ", each, ", at least 1 is needed"));
  }
  const int64_t count = extent / each + (extent % each != 0);
  if (count > static_cast<int64_t>(kMaxUnrolledNodes) || !c.importer().MayMakeNodes(static_cast<uint64_t>(count)))
    return sizes;
  for (int64_t from = 0; from < extent; from += each) sizes.push_back(std::min(each, extent - from));
  return sizes;
}

void SplitToSequence(NodeContext &c) {
  const Endpoint x = c.In(0);
  const int64_t axis = c.Axis(c.Int("axis", 0), x);
  const bool keep = c.Flag("keepdims", true) || c.HasInput(1);
  const int64_t extent = c.Rank(x) < 0 ? -1 : c.ShapeOf(x)[static_cast<size_t>(axis)];
  const int32_t type = c.NeedType(x, "as the type of the sequence");
  const std::vector<int64_t> sizes = KnownPieces(c, extent);
  if (sizes.empty()) {
    Node *node = c.Add("SequenceSplit", {x, c.OptIn(1)}, {{"axis", axis}, {"keep_dims", keep}});
    return c.Out(0, Value::Packed({node, 0}, {node, 1}, type));
  }
  const int64_t count = static_cast<int64_t>(sizes.size());
  c.importer().Make(static_cast<uint64_t>(count) * kBytesOfNode, "the pieces");
  std::vector<Endpoint> pieces;
  if (count == 1) {
    pieces.push_back(x);
  } else {
    Node *node = c.Add("SplitV", {x, c.ConstInts(sizes, "sizes"), c.ConstInt(axis, "axis")}, {{"num_split", count}},
                       static_cast<int32_t>(count));
    for (int64_t i = 0; i < count; ++i) pieces.push_back({node, static_cast<int32_t>(i)});
  }
  for (Endpoint &e : pieces)
    if (!keep) e = c.Squeeze(e, {axis});
  c.Out(0, Value::List(std::move(pieces), type));
}

void ConcatFromSequence(NodeContext &c) {
  const Value s = SequenceIn(c, 0);
  const int64_t axis = c.NeedInt("axis");
  const bool fresh = c.Flag("new_axis", false);
  if (s.list && s.list->tensors.empty()) c.Refuse(Reason::kInvalidModel, "the sequence is empty");
  if (!s.list || !MayList(c, *s.list, kBytesOfInput)) {
    c.Out(0, c.Op("SequenceConcat", Pack(c, s).parts, {{"axis", axis}, {"new_axis", fresh}}));
    return;
  }
  std::vector<Endpoint> parts = s.list->tensors;
  for (Endpoint &e : parts)
    if (fresh) e = c.Unsqueeze(e, {axis});
  const int64_t along = c.Axis(axis, parts[0]);
  if (parts.size() == 1) c.Out(0, c.Op("Identity", {parts[0]}));
  else c.Out(0, Formula(c).Concat(std::move(parts), along));
}

void SequenceMap(NodeContext &c) {
  TripCount r;
  r.counts = false;
  r.body = c.GraphAttr("body");
  r.scans = c.output_count();
  r.to_sequences = true;
  if (r.body->n_input != c.input_count() || r.body->n_output != c.output_count())
    c.Refuse(Reason::kInvalidModel, Str("the body has ", r.body->n_input, " inputs and ", r.body->n_output,
                                        " outputs, the node ", c.input_count(), " and ", c.output_count()));
  const Value first = SequenceIn(c, 0);
  bool listed = true;
  for (size_t i = 0; i < c.input_count(); ++i) {
    const Value x = c.InValue(i);
    const bool sequence = x.is(ValueKind::kSequence);
    listed = listed && (!sequence || x.list);
    r.sliced.push_back({x, 0, false, !sequence});
  }
  const size_t n = first.list ? first.list->tensors.size() : 0;
  for (const TripCount::Sliced &s : r.sliced)
    if (listed && !s.whole && s.x.list->tensors.size() != n)
      c.Refuse(Reason::kInvalidModel,
               Str("sequences of ", n, " and of ", s.x.list->tensors.size(), " tensors are mapped"));
  Results results;
  if (listed && FewTrips(c, r.body, static_cast<int64_t>(n))) {
    results = Unroll(c, r, static_cast<int64_t>(n));
  } else {
    std::vector<Endpoint> rows;
    for (TripCount::Sliced &s : r.sliced) {
      if (s.whole) continue;
      s.x = Pack(c, s.x);
      rows.push_back(s.x.parts[1]);
    }
    r.trips = rows.size() == 1 ? Formula(c).Dim(rows[0], 0) : c.Op("SequenceCommonLength", rows);
    results = Repeat(c, r);
  }
  for (size_t i = 0; i < results.collected.size(); ++i) c.Out(i, results.collected[i]);
}

/// The value that an optional one of the declared type would hold.
Value NothingOf(NodeContext &c, const Onnx__TypeProto *type) {
  ValueKind kind = ValueKind::kTensor;
  const Onnx__TypeProto__Tensor *tensor = type ? type->tensor_type : nullptr;
  if (type && type->sequence_type) {
    kind = ValueKind::kSequence;
    tensor = type->sequence_type->elem_type ? type->sequence_type->elem_type->tensor_type : nullptr;
  }
  const int32_t element = tensor && tensor->has_elem_type ? GeTypeOf(tensor->elem_type) : -1;
  if (element < 0) c.Refuse(Reason::kUnsupportedType, "attribute 'type' is no type of tensors or sequences of tensors");
  if (element == C_DT_STRING && kind == ValueKind::kSequence)
    c.Refuse(Reason::kUnsupportedType, "sequences of texts are not supported");
  return Value::Nothing(element == C_DT_STRING ? ValueKind::kText : kind, element);
}

void Optional(NodeContext &c) {
  const Onnx__AttributeProto *type = c.Attr("type");
  if (c.HasInput(0)) return c.Out(0, c.InValue(0));
  if (!type || !type->tp) c.Refuse(Reason::kInvalidModel, "it has neither an input nor attribute 'type'");
  c.Out(0, NothingOf(c, type->tp));
}

void OptionalHasElement(NodeContext &c) {
  const Value v = c.OptValue(0);
  const bool open = v.is(ValueKind::kOptional) && !v.parts.empty();
  if (open) c.Out(0, c.Op("Identity", {v.parts[0]}));
  else c.Out(0, c.ConstNumber(v && !v.is(ValueKind::kOptional), C_DT_BOOL, "there"));
}

void OptionalGetElement(NodeContext &c) {
  const Value v = c.InValue(0);
  if (!v.is(ValueKind::kOptional)) return c.Out(0, v.is_tensor() ? c.Op("Identity", {v.parts[0]}) : v);
  // A branch that asks is not entered where there is nothing; what stands for it is empty.
  const Value form = v.parts.empty() ? InForm(c, v, ValueForm::Of(v)) : v;
  ValueForm content;
  content.kind = v.content;
  content.element = v.element;
  std::vector<Endpoint> parts(form.parts.begin() + 1, form.parts.end());
  parts.back() = c.Op("OptionalGet", {form.parts[0], parts.back()});
  c.Out(0, content.Make(std::move(parts)));
}

constexpr Handler kSequenceHandlers[] = {
    {"", "SequenceEmpty", 11, SequenceEmpty},
    {"", "SequenceConstruct", 11, SequenceConstruct},
    {"", "SequenceLength", 11, SequenceLength},
    {"", "SequenceAt", 11, SequenceAt},
    {"", "SequenceInsert", 11, SequenceInsert},
    {"", "SequenceErase", 11, SequenceErase},
    {"", "SplitToSequence", 11, SplitToSequence},
    {"", "ConcatFromSequence", 11, ConcatFromSequence},
    {"", "SequenceMap", 17, SequenceMap},
    {"", "Optional", 15, Optional},
    {"", "OptionalHasElement", 15, OptionalHasElement},
    {"", "OptionalGetElement", 15, OptionalGetElement},
};

}  // namespace

HandlerTable SequenceHandlers() { return {std::begin(kSequenceHandlers), std::end(kSequenceHandlers)}; }

}  // namespace gec::onnx
