// The structural check of a protobuf-encoded model, and the model without its large contents.
#include <string.h>

#include "core/support/error.h"
#include "parsers/onnx/limits.h"
#include "parsers/onnx/onnx_file.h"

namespace gec::onnx {
namespace {

enum class Kind { kModel, kGraph, kNode, kAttribute, kFunction, kTensor, kSparse, kValue, kOpset, kEntry };

struct Child {
  Kind in;
  uint32_t field;
  Kind kind;
};
// The only ways messages contain each other to any depth, and where most tensors are.
constexpr Child kChildren[] = {
    {Kind::kModel, 7, Kind::kGraph},      {Kind::kModel, 25, Kind::kFunction},     {Kind::kGraph, 1, Kind::kNode},
    {Kind::kFunction, 7, Kind::kNode},    {Kind::kFunction, 11, Kind::kAttribute}, {Kind::kNode, 5, Kind::kAttribute},
    {Kind::kAttribute, 6, Kind::kGraph},  {Kind::kAttribute, 11, Kind::kGraph},    {Kind::kGraph, 5, Kind::kTensor},
    {Kind::kAttribute, 5, Kind::kTensor},
};

// Looked into for their texts only.
constexpr Child kOthers[] = {
    {Kind::kModel, 8, Kind::kOpset},       {Kind::kGraph, 11, Kind::kValue},      {Kind::kGraph, 12, Kind::kValue},
    {Kind::kGraph, 13, Kind::kValue},      {Kind::kGraph, 15, Kind::kSparse},     {Kind::kAttribute, 10, Kind::kTensor},
    {Kind::kAttribute, 22, Kind::kSparse}, {Kind::kAttribute, 23, Kind::kSparse}, {Kind::kFunction, 9, Kind::kOpset},
    {Kind::kFunction, 12, Kind::kValue},   {Kind::kSparse, 1, Kind::kTensor},     {Kind::kSparse, 2, Kind::kTensor},
    {Kind::kTensor, 13, Kind::kEntry},
};

// Names and paths. The decoder gives them as C strings: behind a NUL byte they would go on unseen.
struct TextField {
  Kind in;
  uint64_t field;
};
constexpr TextField kTexts[] = {
    {Kind::kGraph, 2},    {Kind::kNode, 1},     {Kind::kNode, 2},      {Kind::kNode, 3},       {Kind::kNode, 4},
    {Kind::kNode, 7},     {Kind::kNode, 8},     {Kind::kAttribute, 1}, {Kind::kAttribute, 21}, {Kind::kFunction, 1},
    {Kind::kFunction, 4}, {Kind::kFunction, 5}, {Kind::kFunction, 6},  {Kind::kFunction, 10},  {Kind::kFunction, 13},
    {Kind::kTensor, 8},   {Kind::kValue, 1},    {Kind::kOpset, 1},     {Kind::kEntry, 1},      {Kind::kEntry, 2},
};

constexpr uint32_t kRawData = 9, kRawPart = 100000;  // fields of TensorProto
constexpr uint64_t kStripFrom = 4096;                // bytes; smaller contents are decoded as they are

class Walker {
 public:
  explicit Walker(const uint8_t *start) : start_(start) {}
  uint64_t content_bytes() const { return content_bytes_; }

  void Walk(Kind kind, const uint8_t *p, const uint8_t *end, size_t depth) {
    if (kind == Kind::kGraph && depth > kMaxGraphDepth) {
      Fail(GE_MODEL_INVALID, "graphs are nested deeper than ", kMaxGraphDepth, " levels at byte ", p - start_);
    }
    if (kind == Kind::kNode && ++nodes_ > kMaxNodes) {
      Fail(GE_MODEL_INVALID, "the model has more than ", kMaxNodes, " nodes");
    }
    while (p < end) {
      const uint8_t *at = p;
      uint64_t tag = Varint(p, end);
      uint64_t field = tag >> 3;
      if (field == 0 || field > 0x1fffffff) Bad(at, "has a field number out of range");
      switch (tag & 7) {
        case 0:
          Varint(p, end);
          break;
        case 1:
          Skip(p, end, 8, at);
          break;
        case 5:
          Skip(p, end, 4, at);
          break;
        case 2: {
          uint64_t length = Varint(p, end);
          const uint8_t *body = p;
          Skip(p, end, length, at);
          if (kind == Kind::kTensor && field == kRawData && length >= kStripFrom) content_bytes_ += length;
          for (const Child &c : kChildren) {
            if (c.in == kind && c.field == field) Walk(c.kind, body, p, depth + (c.kind == Kind::kGraph));
          }
          for (const Child &c : kOthers) {
            if (c.in == kind && c.field == field) Walk(c.kind, body, p, depth);
          }
          for (const TextField &t : kTexts) {
            if (t.in == kind && t.field == field && memchr(body, 0, length)) Bad(at, "is a text with a NUL byte in it");
          }
          break;
        }
        default:
          Bad(at, "has a wire type that ONNX does not use");
      }
    }
  }

 private:
  [[noreturn]] void Bad(const uint8_t *at, const char *what) {
    Fail(GE_MODEL_INVALID, "not an ONNX model: the field at byte ", at - start_, " ", what);
  }
  uint64_t Varint(const uint8_t *&p, const uint8_t *end) {
    const uint8_t *at = p;
    uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (p == end) Bad(at, "is cut off");
      uint8_t byte = *p++;
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      if (!(byte & 0x80)) return value;
    }
    Bad(at, "has a number longer than ten bytes");
  }
  void Skip(const uint8_t *&p, const uint8_t *end, uint64_t length, const uint8_t *at) {
    if (length > static_cast<uint64_t>(end - p)) Bad(at, "reaches beyond the end of its message");
    p += length;
  }

  const uint8_t *start_;
  size_t nodes_ = 0;
  uint64_t content_bytes_ = 0;
};

/// Writes a checked message again, without large contents.
class Stripper {
 public:
  Stripper(std::vector<uint8_t> *out, std::vector<ContentPart> *parts) : out_(*out), parts_(*parts) {}

  void Write(Kind kind, const uint8_t *p, const uint8_t *end) {
    while (p < end) {
      const uint8_t *at = p;
      const uint64_t tag = Varint(p), field = tag >> 3;
      switch (tag & 7) {
        case 0:
          Varint(p);
          break;
        case 1:
          p += 8;
          break;
        case 5:
          p += 4;
          break;
        default: {
          const uint64_t length = Varint(p);
          const uint8_t *body = p;
          p += length;
          if (kind == Kind::kTensor && field == kRawData && length >= kStripFrom) {
            PutVarint(uint64_t{kRawPart} << 3);
            PutVarint(parts_.size());
            parts_.push_back({body, length});
            continue;
          }
          const Child *child = nullptr;
          for (const Child &c : kChildren) {
            if (c.in == kind && c.field == field) child = &c;
          }
          if (!child) break;
          PutVarint(tag);
          // The length is known afterwards; a number may have more digits than it needs.
          const size_t place = out_.size();
          out_.resize(place + kLengthDigits);
          Write(child->kind, body, p);
          uint64_t written = out_.size() - place - kLengthDigits;
          for (size_t i = 0; i < kLengthDigits; ++i, written >>= 7) {
            out_[place + i] = static_cast<uint8_t>((written & 0x7f) | (i + 1 < kLengthDigits ? 0x80 : 0));
          }
          continue;
        }
      }
      if (kind == Kind::kTensor && field == kRawPart) continue;  // the file may not say it
      out_.insert(out_.end(), at, p);
    }
  }

 private:
  static constexpr size_t kLengthDigits = 5;  // enough for kMaxFileBytes
  static uint64_t Varint(const uint8_t *&p) {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const uint8_t byte = *p++;
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      if (!(byte & 0x80)) return value;
    }
  }
  void PutVarint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<uint8_t>(value | 0x80));
    out_.push_back(static_cast<uint8_t>(value));
  }
  std::vector<uint8_t> &out_;
  std::vector<ContentPart> &parts_;
};

}  // namespace

uint64_t CheckStructure(const uint8_t *data, uint64_t size) {
  if (size == 0) Fail(GE_MODEL_INVALID, "not an ONNX model: it is empty");
  if (size > kMaxFileBytes) {
    Fail(GE_MODEL_INVALID, "the model has ", size, " bytes, more than the ", kMaxFileBytes,
         " that the format allows in one file; store the weights as external data");
  }
  Walker walker(data);
  walker.Walk(Kind::kModel, data, data + size, 0);
  return walker.content_bytes();
}

bool LooksLikeModel(const uint8_t *data, uint64_t size) {
  // Wire type of each field of ModelProto; 9: no field of ours.
  constexpr uint8_t kWire[] = {9, 0, 2, 2, 2, 0, 2, 2, 2};
  bool graph = false, version = false;
  const uint8_t *p = data, *end = data + size;
  auto varint = [&](uint64_t *value) {
    *value = 0;
    for (int shift = 0; shift < 64 && p < end; shift += 7) {
      const uint8_t byte = *p++;
      *value |= uint64_t{byte & 0x7fu} << shift;
      if (!(byte & 0x80)) return true;
    }
    return false;
  };
  while (p < end) {
    uint64_t tag, length;
    if (!varint(&tag) || tag >> 3 == 0) return false;
    const uint64_t field = tag >> 3, wire = tag & 7;
    if (field < sizeof kWire && wire != kWire[field]) return false;
    if ((wire != 0 && wire != 2) || !varint(&length)) return false;
    if (wire == 2) {
      if (length > static_cast<uint64_t>(end - p)) return false;
      p += length;
    }
    graph |= field == 7;
    version |= field == 1 || field == 8;
  }
  return graph && version;
}

std::vector<uint8_t> StripContents(const uint8_t *data, uint64_t size, std::vector<ContentPart> *parts) {
  std::vector<uint8_t> out;
  Stripper(&out, parts).Write(Kind::kModel, data, data + size);
  return out;
}

}  // namespace gec::onnx
