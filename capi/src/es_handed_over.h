// Graphs and tensors that a builder took over. Their boxes hold one pointer, so who owns a box is noted here.
#pragma once

#include <vector>

namespace gec::api {

/// A builder owns this EsCGraph or EsCTensor.
bool HandedOver(const void *box) noexcept;
/// The box is the caller's again, or free.
void ReturnToPool(const void *box) noexcept;

/// Notes boxes as handed over; without Commit they are the caller's again.
class HandingOver {
 public:
  HandingOver() = default;
  HandingOver(const HandingOver &) = delete;
  HandingOver &operator=(const HandingOver &) = delete;
  ~HandingOver();
  void Add(const void *box);
  void Commit() noexcept { boxes_.clear(); }

 private:
  std::vector<const void *> boxes_;
};

}  // namespace gec::api
