#include "core/compile/leading_constants.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "core/ir/types.h"
#include "core/ops/traits.h"
#include "core/passes/editor.h"

namespace gec {
namespace {

constexpr uint64_t kMostBytes = uint64_t{16} << 20;  // of a table that is made

/// The input is a constant, and each of its numbers is this one.
bool Only(const Node &node, size_t input, int64_t number) {
  std::vector<int64_t> values;
  return IntsAt(node, input, &values) &&
         std::all_of(values.begin(), values.end(), [&](int64_t v) { return v == number; });
}

/// Elements that are whole bytes, and those of no text.
bool IsOfBytes(const Tensor &tensor) {
  const uint32_t bits = DataTypeBits(tensor.desc.dtype);
  return bits > 0 && bits % 8 == 0 && tensor.desc.dtype != C_DT_STRING;
}

/// Rows of a table one behind the other; null where a row is not there.
TensorPtr Rows(const Tensor &table, const std::vector<int64_t> &numbers) {
  const int64_t rows = table.desc.shape[0], count = static_cast<int64_t>(numbers.size());
  if (rows <= 0 || table.bytes() % static_cast<uint64_t>(rows) != 0) return nullptr;
  const uint64_t row = table.bytes() / static_cast<uint64_t>(rows);
  if (row == 0 || static_cast<uint64_t>(count) > kMostBytes / row) return nullptr;
  Shape::Dims dims = table.desc.shape.dims();
  dims[0] = count;
  auto made =
      std::make_shared<Tensor>(TensorDesc{table.desc.dtype, Shape(dims)}, Buffer::Allocate(row * numbers.size()));
  char *to = static_cast<char *>(made->buffer->data());
  for (int64_t number : numbers) {
    const int64_t at = number < 0 ? number + rows : number;
    if (at < 0 || at >= rows) return nullptr;
    std::memcpy(to, static_cast<const char *>(table.data()) + static_cast<uint64_t>(at) * row, row);
    to += row;
  }
  return made;
}

}  // namespace

LeadingConstants::LeadingConstants(const Graph &general) {
  for (const Node *node : general.TopologicalOrder()) {
    if (node->output_count() != 1 || node->output_desc(0).known()) continue;
    if (Whole whole = Of(*node)) by_id_.emplace(node->id(), std::move(whole));
  }
}

LeadingConstants::Whole LeadingConstants::WholeOf(Endpoint value) const {
  if (!value) return {};
  if (TensorPtr constant = ConstantOf(value)) return IsOfBytes(*constant) ? Whole{std::move(constant), false} : Whole{};
  const auto found = by_id_.find(value.node->id());
  return found == by_id_.end() ? Whole{} : found->second;
}

LeadingConstants::Whole LeadingConstants::Of(const Node &node) const {
  using Read = Whole (LeadingConstants::*)(const Node &) const;
  static const auto *by_type = new std::unordered_map<Symbol, Read>{
      {"StridedSliceV2", &LeadingConstants::Cut},
      {"Slice", &LeadingConstants::Cut},
      {"GatherV2", &LeadingConstants::LookUp},
      {"Range", &LeadingConstants::Count},
  };
  if (!HasBuiltinTraits(node)) return {};
  const auto read = by_type->find(node.known_type());
  if (read != by_type->end()) return (this->*read->second)(node);
  return IsView(node) ? WholeOf(node.input(0)) : Whole{};
}

LeadingConstants::Whole LeadingConstants::Count(const Node &node) const {
  return {nullptr, Only(node, 0, 0) && Only(node, 2, 1)};
}

/// All dimensions from their beginning, one of them not to its end, and none of the ones before it has a second
/// element.
LeadingConstants::Whole LeadingConstants::Cut(const Node &node) const {
  const Shape &from = node.input_desc(0).shape, &to = node.output_desc(0).shape;
  if (!from.has_rank() || !to.has_rank() || from.rank() != to.rank() || !Only(node, 1, 0)) return {};
  if (node.input_count() > 4 && node.input(4) && !Only(node, 4, 1)) return {};
  size_t cut = 0, rank = from.dims().size();
  while (cut < rank && from[cut] == to[cut] && from[cut] == 1) ++cut;
  for (size_t d = cut + 1; d < rank; ++d)
    if (from[d] != to[d]) return {};
  return WholeOf(node.input(0));
}

/// Rows of a constant by numbers that are the leading part of a constant themselves.
LeadingConstants::Whole LeadingConstants::LookUp(const Node &node) const {
  static const Symbol batch_dims("batch_dims");
  const TensorPtr table = ConstantInput(node, 0);
  if (!table || !IsOfBytes(*table) || table->desc.shape.rank() < 1 || !Only(node, 2, 0) || node.Int(batch_dims, 0) != 0)
    return {};
  const Whole numbers = WholeOf(node.input(1));
  if (numbers.counts) return {table, false};  // more than it has are refused where a size asks for them
  if (!numbers || !numbers.tensor) return {};
  if (!IsIntegerType(numbers.tensor->desc.dtype)) return {};
  return {Rows(*table, numbers.tensor->Ints()), false};
}

bool LeadingConstants::Begins(Endpoint value, const Tensor &part) const {
  const Whole whole = WholeOf(value);
  return whole.tensor && whole.tensor->desc.dtype == part.desc.dtype && whole.tensor->bytes() >= part.bytes() &&
         std::memcmp(whole.tensor->data(), part.data(), part.bytes()) == 0;
}

void LeadingConstants::Widen(const Node &general, const ExecPlan::Step &step, ExecPlan *plan) const {
  if (by_id_.empty()) return;
  for (size_t i = 0; i < general.input_count(); ++i) {
    const ExecPlan::Argument &argument = plan->arguments[step.first_input + i];
    if (argument.absent || argument.at.storage != Storage::kConst || argument.at.offset != 0) continue;
    TensorPtr &constant = plan->constants[static_cast<size_t>(argument.at.index)];
    if (ConstantInput(general, i) || !constant || !Begins(general.input(i), *constant)) continue;
    constant = WholeOf(general.input(i)).tensor;
  }
}

}  // namespace gec
