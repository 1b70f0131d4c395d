// Equal nodes with equal inputs become one; so do constants with equal content.
#include <cstring>

#include "core/ops/traits.h"
#include "core/passes/builtin.h"
#include "core/passes/editor.h"

namespace gec {
namespace {

class Hasher {
 public:
  void Add(uint64_t v) { hash_ = (hash_ ^ v) * 0x9E3779B97F4A7C15ull ^ (hash_ >> 29); }
  void AddBytes(const void *data, size_t bytes) {
    Add(std::hash<std::string_view>()(std::string_view(static_cast<const char *>(data), bytes)));
  }
  uint64_t value() const { return hash_; }

 private:
  uint64_t hash_ = 1469598103934665603ull;
};

/// Enough of an attribute to tell most apart; equality decides.
void AddAttr(Hasher *h, const AttrValue &value) {
  h->Add(static_cast<uint64_t>(value.type()));
  if (auto *i = value.get_if<int64_t>()) h->Add(static_cast<uint64_t>(*i));
  else if (auto *f = value.get_if<float>()) h->AddBytes(f, sizeof *f);
  else if (auto *b = value.get_if<bool>()) h->Add(*b);
  else if (auto *s = value.get_if<std::string>()) h->AddBytes(s->data(), s->size());
  else if (auto *l = value.get_if<AttrValue::ListInt>()) h->AddBytes(l->data(), l->size() * sizeof(int64_t));
  else if (auto *lf = value.get_if<AttrValue::ListFloat>()) h->AddBytes(lf->data(), lf->size() * sizeof(float));
  else if (auto *t = value.get_if<TensorPtr>()) {
    if (!*t) return;
    h->Add(static_cast<uint64_t>((*t)->desc.dtype));
    for (int64_t d : (*t)->desc.shape.dims()) h->Add(static_cast<uint64_t>(d));
    // Both ends of large content are enough for a hash.
    constexpr size_t kPart = 4096;
    size_t bytes = (*t)->bytes();
    const std::shared_ptr<const DeferredContent> deferred = (*t)->buffer ? (*t)->buffer->deferred() : nullptr;
    const void *content = deferred ? deferred->InPlace() : (*t)->data();
    if (!content) {  // it is still to be computed
      h->Add(reinterpret_cast<uintptr_t>((*t)->buffer->address()));
      return;
    }
    const char *data = static_cast<const char *>(content);
    h->AddBytes(data, std::min(bytes, kPart));
    if (bytes > kPart) h->AddBytes(data + bytes - kPart, kPart);
  }
}

/// The first two inputs may come in either order.
bool MaySwap(const Node &node) { return node.input_count() >= 2 && HasTrait(node, GE_TRAIT_COMMUTATIVE); }

uint64_t HashOf(const Node &node) {
  Hasher h;
  h.Add(node.type().hash() ^ (node.ir().own_kernel ? 1 : 0));
  const auto number = [&](size_t i) {
    Endpoint e = node.input(i);
    return e ? (uint64_t{e.node->id()} << 16 | static_cast<uint32_t>(e.port)) : ~uint64_t{0};
  };
  size_t i = 0;
  if (MaySwap(node)) {
    h.Add(number(0) + number(1));
    i = 2;
  }
  for (; i < node.input_count(); ++i) h.Add(number(i));
  for (const auto &[name, value] : node.attrs()) {
    h.Add(name.hash());
    AddAttr(&h, value);
  }
  return h.value();
}

bool SameTensor(const AttrValue &a, const AttrValue &b) {
  auto *x = a.get_if<TensorPtr>(), *y = b.get_if<TensorPtr>();
  return x && y && *x == *y;
}

bool SameInputs(const Node &a, const Node &b) {
  if (a.input_count() != b.input_count()) return false;
  const bool swapped = MaySwap(a) && a.input(0) == b.input(1) && a.input(1) == b.input(0);
  for (size_t i = swapped ? 2 : 0; i < a.input_count(); ++i) {
    if (a.input(i) != b.input(i)) return false;
  }
  return true;
}

/// A program's own operator and the library's may have one type; prototypes of one type may differ.
bool SameOperator(const Node &a, const Node &b) {
  const IrDef &x = a.ir(), &y = b.ir();
  return &x == &y || (x.own_kernel == y.own_kernel && &TraitsOf(a) == &TraitsOf(b) && SameIr(x, y));
}

bool Same(const Node &a, const Node &b) {
  if (a.type() != b.type() || a.output_count() != b.output_count() || !SameInputs(a, b) || !SameOperator(a, b))
    return false;
  for (size_t o = 0; o < a.output_count(); ++o) {
    const TensorDesc &x = a.output_desc(o), &y = b.output_desc(o);
    if (x.dtype != y.dtype || x.format != y.format || x.origin_format != y.origin_format || x.shape != y.shape)
      return false;
  }
  if (a.attrs().size() != b.attrs().size()) return false;
  auto other = b.attrs().begin();
  for (const auto &[name, value] : a.attrs()) {
    if (name != other->first || !(SameTensor(value, other->second) || value == other->second)) return false;
    ++other;
  }
  return true;
}

/// Nodes seen so far by hash, in one table: what a large graph costs here are the places in memory it touches.
class UniqueNodes {
 public:
  explicit UniqueNodes(size_t most) {
    size_t size = 16;
    while (size < 2 * most) size *= 2;
    slots_.resize(size);
  }
  /// An equal node; null when there is none, and then `node` is kept.
  Node *FindOrAdd(Node *node) {
    const uint64_t hash = HashOf(*node);
    const size_t mask = slots_.size() - 1;
    // The low bits of the hash are the least mixed ones.
    for (size_t i = (hash ^ hash >> 32) & mask;; i = (i + 1) & mask) {
      Slot &slot = slots_[i];
      if (!slot.node) {
        slot = {hash, node};
        return nullptr;
      }
      if (slot.hash == hash && !slot.node->removed() && Same(*slot.node, *node)) return slot.node;
    }
  }

 private:
  struct Slot {
    uint64_t hash = 0;
    Node *node = nullptr;
  };
  std::vector<Slot> slots_;  // a power of two, half of them empty at least
};

}  // namespace

bool CommonSubexpression(Graph &graph, PassContext &ctx) {
  static const char *kRule = "CommonSubexpression";
  Editor editor(graph, ctx, kRule);
  std::vector<Node *> order = graph.TopologicalOrder();
  UniqueNodes unique(order.size());
  for (Node *node : order) {
    if (node->removed() || IsDataType(node->type()) || !IsPure(*node) || !node->subgraphs().empty() ||
        Editor::HasControl(*node))
      continue;
    ctx.At(kRule, node);
    Node *first = unique.FindOrAdd(node);
    if (!first) continue;
    ctx.Tried(kRule);
    ctx.Applied(kRule);
    // Long lists of origins would cost more than they tell.
    if (!IsConstType(node->type()) && first->origins().size() < 64) graph.InheritOrigins(first, {first, node}, kRule);
    for (size_t o = 0; o < node->output_count() && !node->removed(); ++o) {
      int32_t port = static_cast<int32_t>(o);
      editor.Replace({node, port}, {first, port});
    }
  }
  return editor.changed;
}

}  // namespace gec
