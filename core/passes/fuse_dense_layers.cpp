// Small dense layers of one row become one FusedDenseLayers: each takes as long as it takes to call a kernel. A layer
// is a product with constant weights, its bias and activation, then a factor and the layer's own input added again.
#include <algorithm>
#include <span>
#include <unordered_set>

#include "core/passes/builtin.h"
#include "core/passes/fusion_cost.h"
#include "core/passes/product.h"

namespace gec {
namespace {

const char kRule[] = "FuseDenseLayers";

enum Residual : int64_t { kNone, kBeforeActivation, kAtEnd };

struct Layer {
  Product product;
  Epilogue after;  // what was joined behind the product
  Residual residual = kNone;
  float factor = 1;
};

bool IsOneRow(Endpoint e) {
  const Shape &shape = DescOf(e).shape;
  return shape.known() && shape.rank() >= 2 && shape[static_cast<size_t>(shape.rank() - 1)] == shape.elements();
}

bool IsConstantMatrix(Endpoint e) { return ConstantOf(e) && DescOf(e).shape.rank() == 2; }

/// The product, with nothing behind it yet.
bool ReadLayer(Node *node, Layer *layer) {
  static const Symbol reshape("Reshape");
  Product &p = layer->product;
  if (!ReadProduct(node, &p) || Editor::HasControl(*node) || p.scale != 1 || p.adjoint[0]) return false;
  const Endpoint y{node, 0};
  if (!IsFloat32(y) || !IsOneRow(p.x[0]) || !IsOneRow(y) || !IsConstantMatrix(p.x[1])) return false;
  layer->after.last = y;
  layer->after.joined = {node};
  // One row that is added may have become a bias.
  if (p.bias && !p.residual && p.bias.node->known_type() == reshape && p.bias.node->input(0) == p.x[0]) {
    layer->after.joined = {p.bias.node, node};
    p.residual = p.x[0];
    p.bias = {};
  }
  if (p.bias && (!ConstantOf(p.bias) || DescOf(p.bias).shape.elements() != Columns(p))) return false;
  if (p.residual && p.residual != p.x[0]) return false;
  if (p.residual) layer->residual = kBeforeActivation;
  return true;
}

/// A factor and the layer's input, where they follow.
void JoinRest(const Editor &editor, Layer *layer) {
  static const Symbol mul("Mul"), add("Add");
  int32_t port;
  double factor;
  Epilogue &after = layer->after;
  Node *reader = after.Reader(editor, &port);
  if (reader && reader->known_type() == mul &&
      ScalarBeside(reader->input(static_cast<size_t>(1 - port)), after.last, &factor)) {
    layer->factor = static_cast<float>(factor);
    after.Join(reader);
    reader = after.Reader(editor, &port);
  }
  if (layer->residual || !reader || reader->known_type() != add) return;
  const Endpoint other = reader->input(static_cast<size_t>(1 - port)), x = layer->product.x[0];
  if (other != x || !SameKnownShape({reader, 0}, after.last) || !SameKnownShape(x, after.last)) return;
  layer->residual = kAtEnd;
  after.Join(reader);
}

/// The layer that reads what this one makes, when nobody else does.
bool Next(const Editor &editor, const Layer &layer, Layer *next) {
  const Endpoint value = layer.after.last;
  if (editor.IsOutput(value) || Editor::HasControl(*value.node)) return false;
  const auto &uses = value.node->uses(static_cast<size_t>(value.port));
  for (const Use &use : uses) {
    if (use.port != 0 || !ReadLayer(use.node, next)) continue;
    JoinRest(editor, next);
    const std::vector<const Node *> &own = next->after.joined;
    return std::all_of(uses.begin(), uses.end(),
                       [&](const Use &u) { return std::find(own.begin(), own.end(), u.node) != own.end(); });
  }
  return false;
}

/// A fused node is made to ask engines, which look at the descriptions of its weights alone, or to compute with them.
enum class Purpose { kAsk, kUse };

/// The matrix as rows of inputs, for a product that reads it the other way round.
Endpoint AsRows(Editor &editor, const Product &p, Purpose purpose) {
  if (!p.adjoint[1]) return p.x[1];
  const TensorPtr from = ConstantOf(p.x[1]);
  const auto n = static_cast<size_t>(from->desc.shape[0]), k = static_cast<size_t>(from->desc.shape[1]);
  const TensorDesc desc(C_DT_FLOAT, Shape{static_cast<int64_t>(k), static_cast<int64_t>(n)});
  auto buffer = Buffer::AllocateUnset(n * k * sizeof(float));
  auto *to = static_cast<float *>(buffer->data());
  for (size_t j = 0; purpose == Purpose::kUse && j < n; ++j)
    for (size_t i = 0; i < k; ++i) to[i * n + j] = from->as<float>()[j * k + i];
  return editor.Constant(std::make_shared<Tensor>(desc, std::move(buffer)), p.x[1].node->name(), {p.x[1].node});
}

using Layers = std::span<const Layer>;

Node *MakeFused(Editor &editor, Layers layers, Purpose purpose, std::vector<const Node *> *parts) {
  std::vector<Endpoint> inputs = {layers[0].product.x[0]};
  std::vector<int64_t> biased, residuals;
  std::vector<std::string> activations;
  std::vector<float> alphas, betas, factors;
  for (const Layer &layer : layers) {
    const Product &p = layer.product;
    inputs.push_back(AsRows(editor, p, purpose));
    if (p.bias) inputs.push_back(p.bias);
    biased.push_back(p.bias ? 1 : 0);
    activations.push_back(p.activation.name);
    alphas.push_back(p.activation.alpha);
    betas.push_back(p.activation.beta);
    factors.push_back(layer.factor);
    residuals.push_back(layer.residual);
    parts->insert(parts->end(), layer.after.joined.begin(), layer.after.joined.end());
  }
  const Node &last = *layers.back().after.last.node;
  return editor.Make("FusedDenseLayers", last.name(), inputs,
                     {{"biased", biased},
                      {"activations", activations},
                      {"alphas", alphas},
                      {"betas", betas},
                      {"factors", factors},
                      {"residuals", residuals}},
                     *parts, &last.output_desc(0));
}

bool Fuse(Editor &editor, Layers layers, Refusal *why) {
  Transaction attempt(editor.graph.root());
  const bool was_changed = editor.changed;
  std::vector<const Node *> parts;
  Node *made = MakeFused(editor, layers, Purpose::kUse, &parts);
  if (!FusionTaken(editor.ctx, *made, parts, why)) {
    editor.changed = was_changed;
    return false;
  }
  editor.Replace(layers.back().after.last, {made, 0});
  attempt.Commit();
  editor.ctx.Applied(kRule);
  return true;
}

/// True when an engine takes the layers as one; nothing is changed.
bool Taken(Editor &editor, Layers layers, Refusal *why) {
  const Transaction attempt(editor.graph.root());
  const bool was_changed = editor.changed;
  std::vector<const Node *> parts;
  const Node *made = MakeFused(editor, layers, Purpose::kAsk, &parts);
  const bool taken = FusionTaken(editor.ctx, *made, parts, why);
  editor.changed = was_changed;
  return taken;
}

/// How many of the last layers an engine takes together, less than two for none: where it takes some it takes fewer.
size_t MostTaken(Editor &editor, Layers layers, Refusal *why) {
  const auto taken = [&](size_t count) { return Taken(editor, layers.last(count), why); };
  if (layers.size() < 2 || !taken(2)) return 0;
  size_t most = 2, end = layers.size() + 1;
  for (size_t count = 4; most + 1 < end && count < 2 * layers.size(); count *= 2) {
    const size_t tried = std::min(count, layers.size());
    if (!taken(tried)) {
      end = tried;
      break;
    }
    most = tried;
  }
  while (most + 1 < end) {
    const size_t middle = most + (end - most) / 2;
    (taken(middle) ? most : end) = middle;
  }
  return most;
}

/// Puts layers together from the end back, so that those in front stay as they were read: as many at a time as an
/// engine takes, without those that it does not take. True when there were some.
bool FuseAll(Editor &editor, Layers layers, Refusal *why) {
  bool any = false;
  while (layers.size() >= 2) {
    const size_t count = MostTaken(editor, layers, why);
    any |= count && Fuse(editor, layers.last(count), why);
    layers = layers.first(layers.size() - std::max<size_t>(count, 1));
  }
  return any;
}

}  // namespace

bool FuseDenseLayers(Graph &graph, PassContext &ctx) {
  if (!HasProduct(graph)) return false;
  Editor editor(graph, ctx, kRule);
  std::unordered_set<const Node *> seen;
  for (Node *node : graph.TopologicalOrder()) {
    std::vector<Layer> layers(1);
    if (seen.count(node) || node->removed() || !ReadLayer(node, &layers[0])) continue;
    JoinRest(editor, &layers[0]);
    for (Layer next; Next(editor, layers.back(), &next); next = Layer()) layers.push_back(next);
    for (const Layer &layer : layers) seen.insert(layer.product.node);
    if (layers.size() < 2) continue;
    editor.ctx.At(kRule, node);
    editor.ctx.Tried(kRule);
    Refusal why;
    if (!FuseAll(editor, layers, &why)) editor.ctx.Declined(kRule, *node, why);
  }
  return editor.changed;
}

}  // namespace gec
