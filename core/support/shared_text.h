// Text that never changes and is freed with the last object that holds it: names of nodes, which every model brings
// anew. (Symbol is for texts of which there are few: those stay for ever.) Copies share the text; any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace gec {

class SharedText {
 public:
  SharedText() noexcept = default;
  SharedText(std::string_view text) {
    if (text.empty()) return;
    if (text.size() > UINT32_MAX) throw std::bad_alloc();
    void *memory = ::operator new(sizeof(Block) + text.size() + 1);
    block_ = new (memory) Block{{1}, static_cast<uint32_t>(text.size())};
    std::memcpy(block_->text(), text.data(), text.size());
    block_->text()[text.size()] = 0;
  }
  SharedText(const char *text) : SharedText(std::string_view(text)) {}
  SharedText(const std::string &text) : SharedText(std::string_view(text)) {}
  SharedText(const SharedText &other) noexcept : block_(other.block_) {
    if (block_) block_->holders.fetch_add(1, std::memory_order_relaxed);
  }
  SharedText(SharedText &&other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  SharedText &operator=(SharedText other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~SharedText() {
    if (block_ && block_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) ::operator delete(block_);
  }

  std::string_view view() const noexcept {
    return block_ ? std::string_view(block_->text(), block_->size) : std::string_view("");
  }
  const char *c_str() const noexcept { return block_ ? block_->text() : ""; }
  friend bool operator==(const SharedText &a, const SharedText &b) noexcept {
    return a.block_ == b.block_ || a.view() == b.view();
  }
  friend bool operator!=(const SharedText &a, const SharedText &b) noexcept { return !(a == b); }

 private:
  struct Block {                    // the characters follow
    std::atomic<uint32_t> holders;  // few bytes beside texts that are short themselves
    uint32_t size;
    char *text() noexcept { return reinterpret_cast<char *>(this + 1); }
  };
  Block *block_ = nullptr;  // null: the empty text
};

}  // namespace gec

template <>
struct std::hash<gec::SharedText> {
  size_t operator()(const gec::SharedText &text) const noexcept { return std::hash<std::string_view>()(text.view()); }
};
