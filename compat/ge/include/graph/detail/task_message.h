// Protobuf's wire format, as far as descriptions of tasks need it: numbers, texts and messages in messages.
#ifndef INC_GRAPH_DETAIL_TASK_MESSAGE_H_
#define INC_GRAPH_DETAIL_TASK_MESSAGE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ge {
namespace detail {

class TaskWriter {
 public:
  void Number(uint32_t field, uint64_t value) {
    Varint(uint64_t{field} << 3);
    Varint(value);
  }
  void Block(uint32_t field, const void *data, size_t size) {
    Varint(uint64_t{field} << 3 | 2);
    Varint(size);
    const auto *bytes = static_cast<const uint8_t *>(data);
    bytes_.insert(bytes_.end(), bytes, bytes + size);
  }
  void Text(uint32_t field, const std::string &text) { Block(field, text.data(), text.size()); }
  void Message(uint32_t field, const std::vector<uint8_t> &message) { Block(field, message.data(), message.size()); }
  std::vector<uint8_t> Take() { return std::move(bytes_); }

 private:
  void Varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<uint8_t>(value | 0x80));
    bytes_.push_back(static_cast<uint8_t>(value));
  }
  std::vector<uint8_t> bytes_;
};

/// Fields one by one, in the order of the bytes.
class TaskReader {
 public:
  TaskReader(const uint8_t *data, size_t size) : at_(data), end_(data + size) {}
  /// False at the end, and where the bytes are no message: then broken() is true.
  bool Next() {
    uint64_t key = 0;
    if (broken_ || at_ == end_ || !Varint(key)) return false;
    field_ = static_cast<uint32_t>(key >> 3);
    kind_ = static_cast<uint32_t>(key & 7);
    switch (kind_) {
      case 0:
        return Varint(number_);
      case 1:
        return Skip(8);
      case 2: {
        uint64_t size = 0;
        return Varint(size) && Skip(size);
      }
      case 5:
        return Skip(4);
      default:
        return Break();
    }
  }
  bool broken() const { return broken_; }
  uint32_t field() const { return field_; }
  /// 0 where the field is no number.
  uint64_t number() const { return kind_ == 0 ? number_ : 0; }
  /// Empty where the field is no text.
  std::string text() const { return kind_ == 2 ? std::string(reinterpret_cast<const char *>(block_), size_) : ""; }
  TaskReader message() const { return kind_ == 2 ? TaskReader(block_, size_) : TaskReader(end_, 0); }

 private:
  bool Break() {
    broken_ = true;
    return false;
  }
  bool Varint(uint64_t &value) {
    value = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
      if (at_ == end_) return Break();
      const uint8_t byte = *at_++;
      value |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return true;
    }
    return Break();
  }
  bool Skip(uint64_t size) {
    if (size > static_cast<uint64_t>(end_ - at_)) return Break();
    block_ = at_;
    size_ = static_cast<size_t>(size);
    at_ += size_;
    return true;
  }
  const uint8_t *at_, *end_, *block_ = nullptr;
  size_t size_ = 0;
  uint64_t number_ = 0;
  uint32_t field_ = 0, kind_ = 0;
  bool broken_ = false;
};

}  // namespace detail
}  // namespace ge

#endif
