// Convolutions, products and attention of one graph that read bf16 (option precision bf16).
//
// First each one on its own: weights become constants of bf16, x goes through a Cast, the result stays float32. Then
// results that nothing but such nodes read are made in bf16 themselves, so that of a chain of convolutions nothing in
// between is float32. What another node reads, or the program, is never rounded.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/passes/conv.h"
#include "core/passes/editor.h"
#include "core/passes/product.h"

namespace gec {

/// No finite number becomes infinite when it is rounded.
bool FitsBf16(const Tensor &t);

class Bf16Nodes {
 public:
  explicit Bf16Nodes(Editor &editor) : editor_(editor) {}

  /// Takes over what an earlier run on this graph left: nodes in bf16 whose results are float32, and Casts.
  void Adopt();
  /// Puts a node in bf16 in the place of the product, whose scale goes into its weights. A reason where it cannot be;
  /// nothing is changed then.
  std::string Product(const gec::Product &p, const TensorPtr &weights);
  /// The same for a convolution of images.
  std::string Conv(const ConvSite &site, const TensorPtr &filter);
  /// Of a depthwise convolution: nothing but a convolution in bf16 makes its x. Alone it gains nothing.
  static bool FollowsBf16(const ConvSite &site);
  /// The same for attention whose query, key and value are results of such nodes: nothing is rounded for it alone.
  std::string Attention(Node *node);
  /// Results of nodes made so far, in the graph's order, that are rounded for the next one become bf16.
  void Narrow();

 private:
  using Key = std::pair<uint32_t, int32_t>;  // of an endpoint
  static Key KeyOf(Endpoint e) { return {e.node->id(), e.port}; }
  /// Constants that share their memory may have other shapes, formats and scales.
  using WeightsKey = std::tuple<const Buffer *, std::string, double>;
  struct Rounded {
    std::weak_ptr<Buffer> source;  // while it is there, its address belongs to no other
    Endpoint constant;
  };

  std::string Put(const char *type, const Node &node, std::vector<Endpoint> inputs, std::vector<Editor::Attr> attrs,
                  const TensorPtr &weights, double scale);
  Endpoint Cast(Endpoint value);
  void LiftCasts();
  bool ComesOfMade(Endpoint value, const std::set<const Node *> &made) const;
  Endpoint MovedRounded(Endpoint value);
  /// Takes back the casts behind the first `casts`, with the change that made them.
  void Forget(size_t casts);
  bool CanNarrow(Node *node, const std::set<const Node *> &narrow) const;
  void NarrowNode(Node *node);

  Editor &editor_;
  std::vector<Node *> made_;
  std::map<Key, Endpoint> rounded_;  // what a Cast made of a float32 value
  std::vector<Endpoint> casts_;      // those values, in the order in which they came
  std::map<WeightsKey, Rounded> weights_;
};

}  // namespace gec
