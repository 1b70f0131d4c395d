#include "runtime/strided.h"

#include <cstring>

#include "core/ir/types.h"
#include "core/support/abi_sizes.h"

namespace gec {
namespace {

/// Bytes from the first element to the end of the last one.
uint64_t Extent(const GeTensorData &from, const GeTensorLayout &layout, uint64_t element, const std::string &name) {
  uint64_t last = 0;
  for (int32_t d = 0; d < from.rank; ++d) {
    const int64_t stride = layout.strides[d];
    if (stride < 0)
      Fail(GE_DATA_MISMATCH, "input '", name, "' has stride ", stride, " in dimension ", d, ", at least 0");
    uint64_t step;
    if (from.dims[d] == 0) return 0;
    if (__builtin_mul_overflow(static_cast<uint64_t>(from.dims[d] - 1), static_cast<uint64_t>(stride), &step) ||
        __builtin_add_overflow(last, step, &last))
      Fail(GE_DATA_MISMATCH, "input '", name, "' has stride ", stride, " in dimension ", d, ", which is too large");
  }
  uint64_t bytes;
  if (__builtin_mul_overflow(last + 1, element, &bytes))
    Fail(GE_DATA_MISMATCH, "input '", name, "' has strides that reach too far");
  return bytes;
}

}  // namespace

void CopyDense(const GeTensorData &from, const std::string &name, void *to) {
  const GeTensorLayout layout = ReadStruct(*from.layout, "layout of a GeTensorData");
  const uint64_t bits = GeDataTypeBits(from.data_type);
  if (bits % 8 != 0)
    Fail(GE_DATA_MISMATCH, "input '", name, "' of ", GeDataTypeName(from.data_type), " cannot be strided");
  const uint64_t element = bits / 8, needed = Extent(from, layout, element, name);
  if (needed == 0) return;
  if (!from.data) Fail(GE_DATA_MISMATCH, "input '", name, "' has no data");
  if (from.size < needed)
    Fail(GE_DATA_MISMATCH, "input '", name, "' has ", from.size, " bytes, its strides reach over ", needed);
  // The dimensions at the end that are dense already are copied at once.
  int32_t inner = from.rank;
  uint64_t row = 1;
  while (inner > 0 && (static_cast<uint64_t>(layout.strides[inner - 1]) == row || from.dims[inner - 1] == 1))
    row *= static_cast<uint64_t>(from.dims[--inner]);
  const char *base = static_cast<const char *>(from.data);
  char *out = static_cast<char *>(to);
  int64_t index[GE_MAX_RANK] = {};
  for (;;) {
    int64_t at = 0;
    for (int32_t d = 0; d < inner; ++d) at += index[d] * layout.strides[d];
    std::memcpy(out, base + static_cast<uint64_t>(at) * element, row * element);
    out += row * element;
    int32_t d = inner - 1;
    while (d >= 0 && ++index[d] == from.dims[d]) index[d--] = 0;
    if (d < 0) return;
  }
}

}  // namespace gec
