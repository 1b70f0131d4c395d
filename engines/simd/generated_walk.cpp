#include "generated_walk.h"

namespace vec {

std::optional<RowForm> FormOfRows(const Space &space, size_t lanes) {
  const size_t inner = space.rank - 1;
  // One vector of an input for many pixels, where each vector of the others is a pixel.
  bool vectors = inner > 0 && space.dims[inner] == static_cast<int64_t>(lanes), any = false;
  for (size_t k = 0; vectors && k < space.inputs; ++k) {
    const int64_t step = space.strides(k)[inner], across = space.strides(k)[inner - 1];
    vectors = step == 1 ? across == space.dims[inner] || across == 0 : across == 0;
    any |= step == 1 && across == 0;
  }
  vectors &= any;
  RowForm form;
  form.outer = space;
  form.vectors = vectors;
  form.outer.rank -= vectors ? 2 : 1;
  form.columns = space.dims[inner] * (vectors ? space.dims[inner - 1] : 1);
  form.rows = Count(space.dims, space.dims + form.outer.rank);
  if (form.outer.rank > 0) form.together = space.dims[form.outer.rank - 1];
  for (size_t k = 0; k < space.inputs; ++k)
    form.access[k] = space.step(k) == 0                            ? RowAccess::kOne
                     : vectors && space.strides(k)[inner - 1] == 0 ? RowAccess::kVector
                                                                   : RowAccess::kDense;
  constexpr int64_t kShortest = 5;  // measured with vectors of 8
  if (form.rows > 1 && form.columns < kShortest) return std::nullopt;
  return form;
}

namespace {

// Element `offset` behind p.
const void *Behind(const void *p, int64_t offset) { return static_cast<const float *>(p) + offset; }

}  // namespace

void RunRows(const GeneratedRows &code, const RowForm &form, const RowData &data, Range rows, Range columns) {
  constexpr int64_t kFloat = sizeof(float);
  const Space &outer = form.outer;
  const Space none{.rank = 1, .inputs = outer.inputs, .dims = outer.dims};  // of a single row nothing is walked
  RowWalk walk(outer.rank ? outer : none, rows.begin / form.together);
  for (int64_t row = rows.begin; row < rows.end; walk.Next()) {
    const int64_t first = row % form.together;
    Rows call;
    call.count = std::min(form.together - first, rows.end - row);
    call.bytes = (columns.end - columns.begin) * kFloat;
    for (size_t k = 0; k < outer.inputs; ++k) {
      const int64_t step = outer.rank ? outer.step(k) : 0;
      const int64_t along = form.access[k] == RowAccess::kDense ? columns.begin : 0;
      call.places[k] = {Behind(data.inputs[k], walk.offset(k) + first * step + along), step * kFloat};
    }
    for (size_t o = 0; o < data.output_count; ++o)
      call.places[outer.inputs + o] = {Behind(data.outputs[o], row * form.columns + columns.begin),
                                       form.columns * kFloat};
    row += call.count;
    code.Run(&call);
  }
}

RowCode::~RowCode() {
  for (const Entry *entry = first_; entry;) delete std::exchange(entry, entry->next);
}

const GeneratedRows *RowCode::Find(const Program &program, std::span<const RowAccess> access, size_t lanes) const {
  uint64_t ways = 0;
  for (const RowAccess a : access) ways = ways * 4 + static_cast<uint64_t>(a);
  const Entry *first = first_;
  for (const Entry *entry = first; entry; entry = entry->next)
    if (entry->ways == ways) return entry->code.get();
  // Two runs may make an entry at the same time; both have the same code.
  auto *entry = new Entry{ways, GenerateRows(program, access, lanes), first};
  while (!first_.compare_exchange_weak(entry->next, entry)) {
  }
  return entry->code.get();
}

}  // namespace vec
