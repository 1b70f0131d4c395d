// The tensors of a builder. Their memory serves tensors only, in all builders one after another: a pointer to one that
// is gone leads to a slot without a builder, or to another builder's tensor, and can be refused instead of followed.
#pragma once

#include <cstddef>
#include <vector>

struct EsCTensorHolder;

namespace gec::api {

class EsHolders {
 public:
  EsHolders() = default;
  ~EsHolders();
  EsHolders(const EsHolders &) = delete;
  EsHolders &operator=(const EsHolders &) = delete;

  size_t size() const noexcept { return size_; }
  EsCTensorHolder &operator[](size_t i) noexcept;
  /// A new one. Throws std::bad_alloc and is unchanged then.
  EsCTensorHolder *Add(const EsCTensorHolder &holder);

  static constexpr size_t kPerBlock = 128;
  struct Block;

 private:
  std::vector<Block *> blocks_;
  size_t size_ = 0;
};

}  // namespace gec::api
