// Fields of an encoded protobuf message, one after the other.
#pragma once

#include <cstring>

#include "core/support/error.h"
#include "parsers/tensorflow/graph_def.h"

namespace gec::tensorflow {

class Wire {
 public:
  static constexpr uint32_t kNumber = 0, kEight = 1, kBytes = 2, kFour = 5;

  explicit Wire(Span message) : p_(message.data), end_(message.data + message.size), start_(message.data) {}
  /// Moves to the next field; false at the end.
  bool Next() {
    if (p_ == end_) return false;
    at_ = p_;
    const uint64_t tag = Varint();
    if (tag >> 3 == 0 || tag >> 3 > 0x1fffffff) Bad("has a field number out of range");
    field_ = static_cast<uint32_t>(tag >> 3);
    type_ = static_cast<uint32_t>(tag & 7);
    number_ = 0;
    bytes_ = {};
    switch (type_) {
      case kNumber:
        number_ = Varint();
        break;
      case kEight:
      case kFour: {
        const uint64_t size = type_ == kEight ? 8 : 4;
        if (size > static_cast<uint64_t>(end_ - p_)) Bad("is cut off");
        memcpy(&number_, p_, size);
        p_ += size;
        break;
      }
      case kBytes: {
        const uint64_t size = Varint();
        if (size > static_cast<uint64_t>(end_ - p_)) Bad("reaches beyond the end of its message");
        bytes_ = {p_, size};
        p_ += size;
        break;
      }
      default:
        Bad("has a wire type that the format does not use");
    }
    return true;
  }
  uint32_t field() const { return field_; }
  bool Is(uint32_t field, uint32_t type) const { return field_ == field && type_ == type; }
  uint64_t number() const { return number_; }
  Span bytes() const { return bytes_; }
  std::string_view text() const { return {reinterpret_cast<const char *>(bytes_.data), bytes_.size}; }
  /// A text that names something: without NUL bytes, behind which C would not see it.
  std::string_view name() const {
    if (bytes_.size && memchr(bytes_.data, 0, bytes_.size)) Bad("is a name with a NUL byte in it");
    return text();
  }
  float as_float() const {
    const uint32_t bits = static_cast<uint32_t>(number_);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  double as_double() const {
    double value;
    memcpy(&value, &number_, sizeof value);
    return value;
  }
  [[noreturn]] void Bad(const char *what) const {
    Fail(GE_MODEL_INVALID, "not a TensorFlow graph: the field at byte ", at_ - start_, " of its message ", what);
  }
  /// Values of a repeated number: one, or all of a packed field.
  template <class Add>
  void Numbers(Add add) {
    if (type_ == kNumber) return add(number_);
    if (type_ != kBytes) Bad("is not a list of integers");
    Wire packed(bytes_);
    while (packed.p_ != packed.end_) {
      packed.at_ = packed.p_;
      add(packed.Varint());
    }
  }
  template <class T>
  void Reals(std::vector<T> *values) {
    if (type_ == (sizeof(T) == 4 ? kFour : kEight)) {
      T value;
      memcpy(&value, &number_, sizeof value);
      values->push_back(value);
      return;
    }
    if (type_ != kBytes || bytes_.size % sizeof(T) != 0) Bad("is not a list of numbers");
    const size_t before = values->size();
    values->resize(before + bytes_.size / sizeof(T));
    if (bytes_.size) memcpy(values->data() + before, bytes_.data, bytes_.size);
  }

 private:
  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (p_ == end_) Bad("is cut off");
      const uint8_t byte = *p_++;
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      if (!(byte & 0x80)) return value;
    }
    Bad("has a number longer than ten bytes");
  }
  const uint8_t *p_, *end_, *start_, *at_ = nullptr;
  uint32_t field_ = 0, type_ = 0;
  uint64_t number_ = 0;
  Span bytes_;
};

}  // namespace gec::tensorflow
