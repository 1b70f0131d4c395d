// Protobuf's wire format, as far as AIR needs it: a writer that refers to weights instead of copying them, and a reader
// that checks every length.
#pragma once

#include <string.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"
#include "core/support/error.h"

namespace gec {

inline constexpr uint32_t kAirVersion = 1;

/// The graph and those its nodes call, the root first.
std::vector<const Graph *> GraphsToSave(const Graph &graph);

class AirMessage {
 public:
  void Uint(uint32_t field, uint64_t value) {
    if (value == 0) return;
    RawVarint(field << 3);
    RawVarint(value);
  }
  void Int(uint32_t field, int32_t value) { Uint(field, static_cast<uint64_t>(int64_t{value})); }
  void Signed(uint32_t field, int64_t value) {
    if (value == 0) return;
    RawVarint(field << 3);
    RawSigned(value);
  }
  void Float(uint32_t field, float value) {
    RawVarint(field << 3 | 5);
    RawFloat(value);
  }
  void Text(uint32_t field, std::string_view text, bool even_empty = false) {
    if (text.empty() && !even_empty) return;
    RawVarint(field << 3 | 2);
    RawVarint(text.size());
    bytes_.append(text);
  }
  void Nested(uint32_t field, const AirMessage &inner) {
    RawVarint(field << 3 | 2);
    RawVarint(inner.size());
    size_t base = bytes_.size();
    bytes_ += inner.bytes_;
    for (Reference r : inner.references_) {
      r.at += base;
      referred_ += r.buffer->size();
      references_.push_back(std::move(r));
    }
  }
  void Packed(uint32_t field, const AirMessage &values) {
    if (!values.bytes_.empty()) Nested(field, values);
  }
  void Borrowed(uint32_t field, std::shared_ptr<Buffer> buffer) {
    RawVarint(field << 3 | 2);
    RawVarint(buffer->size());
    referred_ += buffer->size();
    references_.push_back({bytes_.size(), std::move(buffer)});
  }
  void RawVarint(uint64_t value) {
    while (value >= 0x80) {
      bytes_ += static_cast<char>(value | 0x80);
      value >>= 7;
    }
    bytes_ += static_cast<char>(value);
  }
  void RawSigned(int64_t value) { RawVarint(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63)); }
  void RawFloat(float value) { bytes_.append(reinterpret_cast<const char *>(&value), 4); }

  uint64_t size() const { return bytes_.size() + referred_; }
  template <class Write>
  void WriteTo(Write &&write) const {
    size_t done = 0;
    for (const Reference &r : references_) {
      write(bytes_.data() + done, r.at - done);
      done = r.at;
      write(r.buffer->data(), r.buffer->size());
    }
    write(bytes_.data() + done, bytes_.size() - done);
  }

 private:
  struct Reference {
    size_t at;  // in bytes_
    std::shared_ptr<Buffer> buffer;
  };
  std::string bytes_;
  std::vector<Reference> references_;
  uint64_t referred_ = 0;
};

/// Reads the fields of one message in order.
class AirReader {
 public:
  AirReader(const uint8_t *data, uint64_t size) : start_(data), p_(data), end_(data + size) {}

  bool Next() {
    if (p_ == end_) return false;
    uint64_t tag = Varint();
    if (tag >> 3 == 0 || tag >> 3 > 0x1fffffff) Bad("has a field number out of range");
    field_ = static_cast<uint32_t>(tag >> 3);
    type_ = tag & 7;
    switch (type_) {
      case 0:
        number_ = Varint();
        break;
      case 1:
        Take(8);
        break;
      case 2:
        Take(Varint());
        break;
      case 5:
        Take(4);
        break;
      default:
        Bad("has an unknown wire type");
    }
    return true;
  }
  uint32_t field() const { return field_; }
  uint64_t Uint() const { return Number(0), number_; }
  int64_t Signed() const { return Number(0), Unfold(number_); }
  int32_t Int() const {
    Number(0);
    int64_t v = static_cast<int64_t>(number_);
    if (v < INT32_MIN || v > INT32_MAX) Bad("is beyond 32 bits");
    return static_cast<int32_t>(v);
  }
  float Float() const {
    Number(5);
    float v;
    memcpy(&v, body_, 4);
    return v;
  }
  std::string Text() const { return Number(2), std::string(reinterpret_cast<const char *>(body_), length_); }
  AirReader Nested() const {
    Number(2);
    AirReader inner(body_, length_);
    inner.start_ = start_;
    return inner;
  }
  const uint8_t *data() const { return Number(2), body_; }
  uint64_t length() const { return length_; }
  /// Values of a repeated sint64 field, packed or single.
  void SignedsTo(std::vector<int64_t> &out) const {
    if (type_ == 0) {
      out.push_back(Unfold(number_));
      return;
    }
    AirReader inner = Nested();
    while (inner.p_ != inner.end_) out.push_back(Unfold(inner.Varint()));
  }
  void UintsTo(std::vector<int32_t> &out) const {
    auto add = [&](uint64_t v) {
      if (v > INT32_MAX) Bad("is beyond 31 bits");
      out.push_back(static_cast<int32_t>(v));
    };
    if (type_ == 0) return add(number_);
    AirReader inner = Nested();
    while (inner.p_ != inner.end_) add(inner.Varint());
  }
  void FloatsTo(std::vector<float> &out) const {
    if (type_ == 5) {
      out.push_back(Float());
      return;
    }
    Number(2);
    if (length_ % 4 != 0) Bad("holds a part of a number");
    size_t n = out.size();
    out.resize(n + length_ / 4);
    if (length_) memcpy(out.data() + n, body_, length_);
  }
  const uint8_t *position() const { return p_; }
  uint64_t remaining() const { return static_cast<uint64_t>(end_ - p_); }
  [[noreturn]] void Bad(const char *what) const {
    Fail(GE_MODEL_INVALID, "not an AIR file: the field before byte ", p_ - start_, " ", what);
  }

 private:
  static int64_t Unfold(uint64_t v) { return static_cast<int64_t>(v >> 1 ^ (~(v & 1) + 1)); }
  void Number(uint64_t type) const {
    if (type_ != type) Bad("has the wrong wire type");
  }
  void Take(uint64_t n) {
    if (n > static_cast<uint64_t>(end_ - p_)) Bad("reaches beyond the end of its message");
    body_ = p_;
    length_ = n;
    p_ += n;
  }
  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (p_ == end_) Bad("is cut off");
      uint8_t byte = *p_++;
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      if (!(byte & 0x80)) return value;
    }
    Bad("has a number longer than ten bytes");
  }

  const uint8_t *start_, *p_, *end_;
  uint32_t field_ = 0;
  uint64_t type_ = 0, number_ = 0, length_ = 0;
  const uint8_t *body_ = nullptr;
};

}  // namespace gec
