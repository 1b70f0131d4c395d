#include "core/ops/infer.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/ir/types.h"
#include "core/ops/image_layout.h"
#include "core/ops/infer_details.h"
#include "core/ops/infer_subgraphs.h"
#include "core/ops/infer_values.h"
#include "core/ops/promotion.h"
#include "core/ops/registry.h"
#include "core/ops/symbolic_dims.h"
#include "core/ops/traits.h"
#include "core/support/cancel.h"
#include "core/support/error.h"
#include "core/support/memory.h"
#include "core/support/per_thread.h"

namespace gec {

bool SameDesc(const TensorDesc &a, const TensorDesc &b) {
  return a.dtype == b.dtype && a.format == b.format && a.origin_format == b.origin_format && a.shape == b.shape &&
         a.origin_shape == b.origin_shape;
}

bool UpdateOutput(Node &node, size_t i, TensorDesc desc) {
  if (SameDesc(node.output_desc(i), desc)) return false;
  node.graph().SetOutputDesc(&node, i, std::move(desc));
  return true;
}

Shape MergeShapes(const Shape &a, const Shape &b) {
  if (!a.has_rank() || a.rank() != b.rank()) return Shape::UnknownRank();
  Shape merged = a;
  for (size_t i = 0; i < merged.dims().size(); ++i) {
    if (a[i] != b[i]) merged[i] = GE_UNKNOWN_DIM;
  }
  return merged;
}

namespace {

constexpr int32_t kPartialCapacity = 256;  // most elements of a partly known value

// Inference functions are plain C: their message waits here until the call is over.
struct FailText {
  std::string text;
};
std::string &LastFailText() { return PerThread<FailText>::Get().text; }
GeStatus KeepFailure(GeStatus code, const char *message) {
  try {
    LastFailText() = message ? message : "";
  } catch (...) {  // the status alone tells
  }
  return code == GE_SUCCESS ? GE_FAILED : code;
}

template <class T>
void Store(Buffer &buffer, const std::vector<int64_t> &values) {
  for (size_t i = 0; i < values.size(); ++i) {
    T v = static_cast<T>(values[i]);
    std::memcpy(static_cast<char *>(buffer.data()) + i * sizeof(T), &v, sizeof(T));
  }
}

// A tensor of an integer (or bool) type with these values, or null for another type.
TensorPtr IntTensor(const TensorDesc &desc, const std::vector<int64_t> &values) {
  if (!IsIntegerType(desc.dtype) && desc.dtype != C_DT_BOOL) return nullptr;
  TensorDesc plain(desc.dtype, desc.shape, desc.format);
  auto buffer = Buffer::Allocate(plain.bytes());
  switch (DataTypeBits(desc.dtype)) {
    case 8:
      Store<int8_t>(*buffer, values);
      break;
    case 16:
      Store<int16_t>(*buffer, values);
      break;
    case 32:
      Store<int32_t>(*buffer, values);
      break;
    default:
      Store<int64_t>(*buffer, values);
      break;
  }
  return std::make_shared<Tensor>(std::move(plain), std::move(buffer));
}

// Storage dimensions of an NC1HWC0 tensor from its NCHW or NHWC ones.
Shape BlockedShape(const Shape &origin, int32_t origin_format, int64_t c0) {
  if (!origin.has_rank() || origin.rank() != 4) return Shape::UnknownRank();
  bool nhwc = origin_format == C_FORMAT_NHWC;
  int64_t n = origin[0], c = origin[nhwc ? 3 : 1], h = origin[nhwc ? 1 : 2], w = origin[nhwc ? 2 : 3];
  return Shape{n, c < 0 ? GE_UNKNOWN_DIM : (c + c0 - 1) / c0, h, w, c0};
}

int64_t BlockOf(const Shape &blocked) {
  return blocked.has_rank() && blocked.rank() == 5 && blocked[4] > 0 ? blocked[4] : 16;
}

// Sets dtype and logical shape of an output; a blocked storage format follows.
TensorDesc WithShape(const TensorDesc &have, int32_t dtype, const Shape &logical) {
  TensorDesc desc = have;
  desc.dtype = dtype;
  desc.origin_shape = logical;
  if (have.format == C_FORMAT_NC1HWC0 && have.origin_format != C_FORMAT_NC1HWC0)
    desc.shape = BlockedShape(logical, have.origin_format, BlockOf(have.shape));
  else desc.shape = logical;
  return desc;
}

// A layout change keeps the logical shape.
bool InferTransData(Node &node, bool *changed) {
  static const Symbol type("TransData"), dst_format("dst_format");
  if (node.type() != type || node.input_count() != 1 || node.output_count() != 1 || !node.input(0)) return false;
  const TensorDesc &in = node.input_desc(0), &out = node.output_desc(0);
  int32_t target = FormatFromName(node.String(dst_format));
  bool blocked = in.format == C_FORMAT_NC1HWC0 || target == C_FORMAT_NC1HWC0;
  if (!blocked || (in.format == C_FORMAT_NC1HWC0 && in.origin_format == C_FORMAT_NC1HWC0)) return false;
  TensorDesc desc = out;
  desc.dtype = in.dtype;
  desc.format = target;
  desc.origin_format = in.origin_format == C_FORMAT_ND ? C_FORMAT_NCHW : in.origin_format;
  desc.origin_shape = in.origin_shape;
  desc.shape = target == C_FORMAT_NC1HWC0 ? BlockedShape(in.origin_shape, desc.origin_format, BlockOf(out.shape))
                                          : in.origin_shape;
  *changed = UpdateOutput(node, 0, std::move(desc));
  return true;
}

// Nodes whose output is what they hold or are given.
bool InferSource(Node &node, bool *changed) {
  static const Symbol value("value"), net_output("NetOutput");
  *changed = false;
  if (IsDataType(node.type())) return true;
  // The handle of a variable has no value.
  if (IsConstType(node.type()) || (IsVariableType(node.type()) && node.input_count() == 1)) {
    TensorPtr tensor = node.attrs().GetTensor(value);
    if (!tensor || !tensor->buffer || node.output_count() != 1) return true;
    TensorDesc desc = tensor->desc;
    const TensorDesc &have = node.output_desc(0);
    if (desc.format == C_FORMAT_ND && have.format != C_FORMAT_ND && have.shape == desc.shape) {
      desc.format = have.format;
      desc.origin_format = have.origin_format;
    }
    desc.attrs = have.attrs;
    *changed = UpdateOutput(node, 0, std::move(desc));
    return true;
  }
  if (node.type() == net_output) {
    for (size_t i = 0; i < std::min(node.input_count(), node.output_count()); ++i) {
      if (node.input(i)) *changed |= UpdateOutput(node, i, node.input_desc(i));
    }
    return true;
  }
  return false;
}

// Computes the node when everything it reads is known and small.
void Evaluate(Node &node, InferScope &scope) {
  if (!scope.evaluate || node.input_count() == 0 || node.output_count() == 0 || !IsFoldable(node)) return;
  bool all_there = true;
  for (size_t o = 0; o < node.output_count(); ++o) {
    const TensorDesc &desc = node.output_desc(o);
    if (!desc.known() || desc.shape.elements() > scope.evaluate_limit || DataTypeBits(desc.dtype) == 0) return;
    all_there &= scope.values.Value({&node, static_cast<int32_t>(o)}) != nullptr;
  }
  if (all_there) return;
  std::vector<TensorPtr> inputs, outputs;
  for (size_t i = 0; i < node.input_count(); ++i) {
    Endpoint e = node.input(i);
    inputs.push_back(scope.values.Known(e));
    if (e && (!inputs.back() || inputs.back()->desc.shape.elements() > scope.evaluate_limit)) return;
  }
  if (std::none_of(inputs.begin(), inputs.end(), [](const TensorPtr &t) { return t != nullptr; })) return;
  if (!(*scope.evaluate)(node, inputs, &outputs)) return;
  for (size_t o = 0; o < outputs.size() && o < node.output_count(); ++o) {
    if (outputs[o]) scope.values.SetValue({&node, static_cast<int32_t>(o)}, outputs[o]);
  }
}

[[noreturn]] void FailInference(const Node &node, GeStatus status) {
  const std::string &text = LastFailText();
  std::string reason = text.empty() ? Str("inference failed with status ", status) : text;
  if (status == GE_OUT_OF_MEMORY) {
    char left[128];
    MemoryText(left, sizeof left);
    reason += Str("; ", left);
  }
  Fail(status == GE_OUT_OF_MEMORY ? status : GE_INFER_FAILED, node.Label(),
       node.OriginText() != node.name() ? Str(" (from ", node.OriginText(), ")") : "", ": ", reason);
}

// Names unknown dimensions, where there are symbolic ones, which are not 0. What is near a symbolic dimension and none
// comes of a function that calculated with one: unknown, too.
void NameUnknowns(GeInferOutput &out, bool values) {
  SymbolicDims *symbolic = CurrentSymbolicDims();
  if (!symbolic) return;
  for (int32_t d = 0; d < out.rank; ++d) {
    int64_t &dim = out.dims[d];
    if (dim == GE_UNKNOWN_DIM || (NearSymbolic(dim) && !symbolic->Has(dim))) dim = symbolic->Fresh();
    else dim = symbolic->Extent(dim);
  }
  for (int32_t k = 0; values && k < out.partial_count; ++k) {
    int64_t &value = out.partial[k];
    if (NearSymbolic(value) && !symbolic->Has(value)) value = SymbolicDims::kNothing;
  }
}

// What an inference function says of output i becomes the node's; true when that is new.
bool TakeOutput(Node &node, size_t i, GeInferOutput &out, InferScope *scope) {
  if (out.rank < GE_UNKNOWN_RANK || out.rank > GE_MAX_RANK)
    Fail(GE_INFER_FAILED, node.Label(), ": output ", i, " was inferred with rank ", out.rank);
  if (!IsDataTypeValue(out.data_type))
    Fail(GE_INFER_FAILED, node.Label(), ": output ", i, " was inferred with data type ", out.data_type,
         ", which is unknown; there are 0 to ", C_DT_MAX - 1);
  if (Shape::SaysUnknownRank(out.dims, out.rank)) out.rank = GE_UNKNOWN_RANK;
  const bool has_values = scope && out.partial_count > 0 && out.partial_count <= kPartialCapacity;
  NameUnknowns(out, has_values);
  for (int32_t d = 0; d < out.rank; ++d) {
    if (out.dims[d] < GE_UNKNOWN_DIM && !(CurrentSymbolicDims() && IsSymbolic(out.dims[d])))
      Fail(GE_INFER_FAILED, node.Label(), ": output ", i, " was inferred with dimension ", out.dims[d]);
  }
  bool changed = UpdateOutput(node, i, WithShape(node.output_desc(i), out.data_type, Shape::From(out.dims, out.rank)));
  if (!scope) return changed;
  Endpoint e{&node, static_cast<int32_t>(i)};
  scope->values.Forget(e);
  // Readers take the number of values from the shape.
  const TensorDesc &desc = node.output_desc(i);
  if (!has_values || desc.shape.elements() != out.partial_count) return changed;
  std::vector<int64_t> partial(out.partial, out.partial + out.partial_count);
  bool whole = std::none_of(partial.begin(), partial.end(), [](int64_t v) { return v == INT64_MIN || IsSymbolic(v); });
  TensorPtr tensor = whole ? IntTensor(desc, partial) : nullptr;
  if (tensor) scope->values.SetValue(e, std::move(tensor));
  else scope->values.SetPartial(e, std::move(partial));
  return changed;
}

struct Scratch {
  OpDescView view;
  std::vector<GeInferOutput> outputs;
  std::vector<int64_t> partial;
};

// What an output has unless its function says otherwise.
int32_t UsualType(const Node &node, size_t o) {
  if (node.ir().promotes || HasTrait(node, GE_TRAIT_PROMOTES)) return PromotedType(node, o);
  return node.input_count() && node.input(0) ? node.input_desc(0).dtype : node.output_desc(o).dtype;
}

// Without `shapes`, the inputs' shapes and values are kept from the function.
bool CallInfer(Node &node, const OpEntry &entry, InferScope *scope, const ValueMap *values, bool shapes = true) {
  const GeInferFn infer = entry.infer;
  std::vector<std::unique_ptr<Scratch>> &pool = PerThread<std::vector<std::unique_ptr<Scratch>>>::Get();
  std::unique_ptr<Scratch> scratch;
  if (pool.empty()) {
    scratch = std::make_unique<Scratch>();
  } else {
    scratch = std::move(pool.back());
    pool.pop_back();
  }
  struct Back {
    std::vector<std::unique_ptr<Scratch>> &pool;
    std::unique_ptr<Scratch> &s;
    ~Back() {
      if (pool.size() < 4 && pool.capacity() > pool.size()) pool.push_back(std::move(s));
    }
  } back{pool, scratch};
  pool.reserve(4);

  OpDescView &view = scratch->view;
  if (CurrentSymbolicDims() && entry.builtin) view.ResetWithSymbolic(node, values);
  else view.Reset(node, values);
  if (!entry.builtin) FillConstants(*view.get());
  // Inference functions see logical shapes; storage shapes of blocked layouts follow from them.
  for (GeTensorData &in : view.inputs()) {
    if (in.format == in.origin_format || in.origin_rank == GE_UNKNOWN_RANK) continue;
    in.format = in.origin_format;
    in.rank = in.origin_rank;
    in.dims = in.origin_dims;
  }
  for (GeTensorData &in : view.inputs()) {
    if (shapes) break;
    in.rank = in.origin_rank = GE_UNKNOWN_RANK;
    in.data = nullptr;
    in.size = 0;
  }
  // A rule for values tells what the library's own operator computes.
  const bool keeps_values = !node.ir().own_kernel;
  size_t count = node.output_count();
  scratch->outputs.assign(count, GeInferOutput{});
  if (scope && scratch->partial.size() < count * kPartialCapacity) scratch->partial.resize(count * kPartialCapacity);
  for (size_t i = 0; i < count; ++i) {
    GeInferOutput &out = scratch->outputs[i];
    out.data_type = UsualType(node, i);
    out.rank = GE_UNKNOWN_RANK;
    if (scope && keeps_values) {
      out.partial = scratch->partial.data() + i * kPartialCapacity;
      out.partial_capacity = kPartialCapacity;
    }
  }
  DetailsHost host(node);
  const GeInferDetails details = host.Details();
  const GeInferContext ctx{sizeof(GeInferContext),    view.get(), scratch->outputs.data(), count, KeepFailure,
                           scope ? &details : nullptr};
  LastFailText().clear();
  GeStatus status;
  try {
    status = infer(&ctx);
  } catch (const std::bad_alloc &) {
    throw;
  } catch (const std::exception &e) {
    status = KeepFailure(GE_FAILED, e.what());
  }
  if (status != GE_SUCCESS) FailInference(node, status);
  bool changed = false;
  for (size_t i = 0; i < count; ++i) changed |= TakeOutput(node, i, scratch->outputs[i], scope);
  if (scope) {
    changed |= host.Apply();
    changed |= InferBounds(node, infer, values, host);
  }
  return changed;
}

// Says of the outputs what holds whatever the inputs' shapes are: their types, seldom more.
void LeaveOpen(Node &node) {
  const OpEntry *entry = OpRegistry::Instance().Find(node.type());
  try {
    if (entry && entry->infer) {
      CallInfer(node, *entry, nullptr, nullptr, false);
      return;
    }
  } catch (const Error &e) {
    if (e.code() != GE_INFER_FAILED) throw;
  }
  for (size_t o = 0; o < node.output_count(); ++o) {
    TensorDesc desc = node.output_desc(o);
    desc.SetShape(Shape::UnknownRank());
    UpdateOutput(node, o, std::move(desc));
  }
}

// An operator without an inference function that works element by element: the inputs' broadcast shape, the first one's
// or their common type. Inputs that do not fit leave the outputs as they are.
bool InferElementwise(Node &node) {
  if (!HasTrait(node, GE_TRAIT_ELEMENTWISE) || node.input_count() == 0 || !node.input(0)) return false;
  std::vector<int64_t> dims;  // from the last one on
  for (size_t i = 0; i < node.input_count(); ++i) {
    if (!node.input(i)) continue;
    const Shape &shape = node.input_desc(i).shape;
    if (!shape.has_rank()) return false;
    const size_t rank = shape.dims().size();
    if (dims.size() < rank) dims.resize(rank, 1);
    for (size_t k = 0; k < rank; ++k) {
      const int64_t have = dims[k], more = shape[rank - 1 - k];
      // That they are equal is a condition of the class of sizes.
      SymbolicDims *symbolic = have != 1 && more != 1 ? CurrentSymbolicDims() : nullptr;
      if (symbolic && symbolic->Equal(have, more).value_or(false)) {
        dims[k] = std::max(have, more);
        continue;
      }
      if (have == 1 || (have < 0 && more > 1)) dims[k] = more;
      else if (have < 0 && more < 0 && have != more) dims[k] = GE_UNKNOWN_DIM;  // one of them may be 1
      else if (have >= 0 && more >= 0 && more != 1 && more != have) return false;
    }
  }
  bool changed = false;
  for (size_t o = 0; o < node.output_count(); ++o)
    changed |= UpdateOutput(node, o,
                            WithShape(node.output_desc(o), UsualType(node, o),
                                      Shape(std::vector<int64_t>(dims.rbegin(), dims.rend()).data(), dims.size())));
  return changed;
}

// An operator without an inference function has the types that its prototype tells.
bool InferPromotedTypes(Node &node) {
  bool changed = false;
  for (size_t o = 0; node.ir().promotes && o < node.output_count(); ++o) {
    TensorDesc desc = node.output_desc(o);
    const int32_t type = PromotedType(node, o);
    if (type == C_DT_UNDEFINED) continue;
    desc.dtype = type;
    changed |= UpdateOutput(node, o, std::move(desc));
  }
  return changed;
}

// A description set on an input port by hand would hide what is known of its producer by now. Details stay, and a
// format where the producer has none.
void FollowProducers(Node &node) {
  if (!node.graph().has_input_descs()) return;
  for (size_t i = 0; i < node.input_count(); ++i) {
    const TensorDesc *own = node.explicit_input_desc(i);
    const Endpoint e = node.input(i);
    if (!own || !e) continue;
    const TensorDesc &source = e.node->output_desc(static_cast<size_t>(e.port));
    TensorDesc desc = source;
    desc.attrs = own->attrs;
    if (source.format == C_FORMAT_ND && SaysLayout(*own)) desc.format = desc.origin_format = own->format;
    if (!SameDesc(*own, desc)) node.graph().SetInputDesc(&node, i, std::move(desc));
  }
}

// Element by element work, convolutions, pooling and normalisation leave the axes where they are. Formats decide for
// convolutions (FollowFormats); for other operators data_format does, and a tensor that lies otherwise says nothing.
bool KeepsLayout(const Node &node, size_t port) {
  static const Symbol data_format("data_format"), gradient("out_backprop");
  if (HasTrait(node, GE_TRAIT_ELEMENTWISE)) return true;
  if (ImagePort(node) != static_cast<int32_t>(port)) return false;
  if (node.ir().FindInput(gradient) >= 0) return false;  // of images and gradients follows a filter
  const char *layout = LayoutOf(node.input_desc(port));
  return IsConvolution(node.ir()) || (layout && node.String(data_format) == layout);
}

// A layout that a program gave an image holds behind operators that keep it.
bool SpreadLayout(Node &node) {
  if (node.output_count() == 0 || node.output_desc(0).format != C_FORMAT_ND) return false;
  for (size_t i = 0; i < node.input_count(); ++i) {
    if (!node.input(i) || !SaysLayout(node.input_desc(i)) || !KeepsLayout(node, i)) continue;
    const TensorDesc &source = node.input_desc(i);
    TensorDesc desc = node.output_desc(0);
    if (!source.shape.has_rank() || !desc.shape.has_rank() || desc.shape.rank() != source.shape.rank()) continue;
    desc.format = desc.origin_format = source.format;
    return UpdateOutput(node, 0, std::move(desc));
  }
  return false;
}

}  // namespace

bool InferOne(Node &node, InferScope &scope) {
  FollowProducers(node);
  bool changed = false;
  if (InferSource(node, &changed) || InferTransData(node, &changed)) return changed;
  if (InferControl(node, scope, &changed)) return changed;
  const OpEntry *entry = OpRegistry::Instance().Find(node.type());
  if (!entry || !entry->infer) {  // what was set stays where nothing is known
    changed = InferElementwise(node) || InferPromotedTypes(node);
    return SpreadLayout(node) || changed;
  }
  changed = CallInfer(node, *entry, &scope, &scope.values);
  changed |= SpreadLayout(node);
  Evaluate(node, scope);
  return changed;
}

namespace {
const Symbol &OpenAttr() {
  static const Symbol name("_does_not_infer");
  return name;
}
}  // namespace

bool Infers(const Graph &graph) { return graph.attrs().Find(OpenAttr()) == nullptr; }

void SetInfers(Graph &graph, bool infers) {
  if (infers == Infers(graph)) return;
  if (infers) graph.RemoveGraphAttr(OpenAttr());
  else graph.SetGraphAttr(OpenAttr(), AttrValue(true));
}

void InferNodes(Graph &graph, InferScope &scope, std::optional<Error> *failure) {
  for (Node *node : graph.TopologicalOrder()) {
    CheckCancelled([&] { return "before shapes of " + node->Label() + " are inferred"; });
    if (!failure) {
      InferOne(*node, scope);
      continue;
    }
    try {
      InferOne(*node, scope);
    } catch (const Error &e) {
      if (e.code() != GE_INFER_FAILED) throw;
      LeaveOpen(*node);
      for (size_t o = 0; o < node->output_count(); ++o) scope.values.Forget({node, static_cast<int32_t>(o)});
      if (!*failure) failure->emplace(e);
    }
  }
}

bool InferNode(Node &node, const ValueMap *values) {
  FollowProducers(node);
  bool changed = false;
  if (InferSource(node, &changed) || InferTransData(node, &changed)) return changed;
  if (!node.ir().graphs.empty()) {
    InferScope scope;
    for (size_t i = 0; values && i < node.input_count(); ++i) {
      Endpoint e = node.input(i);
      if (!e) continue;
      if (TensorPtr value = values->Value(e)) scope.values.SetValue(e, std::move(value));
      else if (auto *partial = values->Partial(e)) scope.values.SetPartial(e, *partial);
    }
    if (InferControl(node, scope, &changed)) return changed;
  }
  const OpEntry *entry = OpRegistry::Instance().Find(node.type());
  return entry && entry->infer ? CallInfer(node, *entry, nullptr, values) : InferElementwise(node);
}

namespace {

template <class Infer>
std::optional<Error> TryInfer(Node &node, const Infer &infer) {
  try {
    infer();
    return std::nullopt;
  } catch (const Error &e) {
    if (e.code() != GE_INFER_FAILED) throw;
    LeaveOpen(node);
    return e;
  }
}

}  // namespace

std::optional<Error> TryInferNode(Node &node) {
  return TryInfer(node, [&] { InferNode(node); });
}

std::optional<Error> TryInferNode(Node &node, InferScope &known) {
  return TryInfer(node, [&] { InferOne(node, known); });
}

InferResult InferGraph(Graph &graph, const InferOptions &options) {
  InferScope scope;
  scope.evaluate = options.evaluate;
  scope.evaluate_limit = options.evaluate_limit;
  if (options.inputs) {
    std::vector<Node *> inputs = graph.Inputs();
    if (options.inputs->size() != inputs.size())
      Fail(GE_PARAM_INVALID, "graph '", graph.name(), "' has ", inputs.size(), " inputs, ", options.inputs->size(),
           " descriptions were given");
    for (size_t i = 0; i < inputs.size(); ++i) {
      const TensorDesc &desc = (*options.inputs)[i];
      UpdateOutput(*inputs[i], 0, desc);
      if (inputs[i]->explicit_input_desc(0)) graph.SetInputDesc(inputs[i], 0, desc);
    }
  }
  InferNodes(graph, scope);
  SetInfers(graph, true);
  InferResult result;
  for (Node *node : graph.Nodes()) {
    for (size_t o = 0; o < node->output_count() && result.all_known; ++o)
      result.all_known = node->output_desc(o).known();
  }
  result.values = scope.values.TakeValues();
  return result;
}

}  // namespace gec
