// The structural check of a protobuf-encoded model.
#include "core/support/error.h"
#include "parsers/onnx/limits.h"
#include "parsers/onnx/onnx_file.h"

namespace gec::onnx {
namespace {

enum class Kind { kModel, kGraph, kNode, kAttribute, kFunction };

struct Child {
  Kind in;
  uint32_t field;
  Kind kind;
};
// The only ways messages contain each other to any depth.
constexpr Child kChildren[] = {
    {Kind::kModel, 7, Kind::kGraph},     {Kind::kModel, 25, Kind::kFunction},     {Kind::kGraph, 1, Kind::kNode},
    {Kind::kFunction, 7, Kind::kNode},   {Kind::kFunction, 11, Kind::kAttribute}, {Kind::kNode, 5, Kind::kAttribute},
    {Kind::kAttribute, 6, Kind::kGraph}, {Kind::kAttribute, 11, Kind::kGraph},
};

class Walker {
 public:
  explicit Walker(const uint8_t *start) : start_(start) {}

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
          for (const Child &c : kChildren) {
            if (c.in == kind && c.field == field) Walk(c.kind, body, p, depth + (c.kind == Kind::kGraph));
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
};

}  // namespace

void CheckStructure(const uint8_t *data, uint64_t size) {
  if (size == 0) Fail(GE_MODEL_INVALID, "not an ONNX model: it is empty");
  if (size > kMaxFileBytes) {
    Fail(GE_MODEL_INVALID, "the model has ", size, " bytes, more than the ", kMaxFileBytes,
         " that the format allows in one file; store the weights as external data");
  }
  Walker(data).Walk(Kind::kModel, data, data + size, 0);
}

}  // namespace gec::onnx
