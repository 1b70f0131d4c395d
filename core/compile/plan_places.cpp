#include "core/compile/plan_places.h"

#include <algorithm>
#include <iterator>

#include "core/ops/traits.h"

namespace gec {
namespace {

const TensorDesc &DescAt(Endpoint e) { return e.node->output_desc(static_cast<size_t>(e.port)); }

struct Pair {
  Endpoint part, whole;
};
/// The values of an alias of a node, where they are there.
Pair ValuesOf(const Node &node, const GeAlias &alias) {
  const Endpoint in = node.input(static_cast<size_t>(alias.input));
  const Endpoint out{const_cast<Node *>(&node), alias.output};
  return alias.kind == GE_ALIAS_INPUT_IN_OUTPUT ? Pair{in, out} : Pair{out, in};
}

/// The node of the class's graph is a view of the whole of another value, whatever the size. The kernel for one size
/// may be a view of all there (a slice that takes everything, a transpose that moves extents of 1), and none at others:
/// the operator has to be a view always, or the shapes have to be equal without two extents that could have changed
/// places.
bool IsWholeView(const Node &general, const GeKernel &kernel) {
  if (kernel.alias_count != 1 || kernel.aliases[0].kind != GE_ALIAS_OUTPUT_IN_INPUT || kernel.aliases[0].offset != 0)
    return false;
  if (IsView(general)) return true;
  const Shape &from = general.input_desc(static_cast<size_t>(kernel.aliases[0].input)).shape;
  if (!from.has_rank() || from != general.output_desc(static_cast<size_t>(kernel.aliases[0].output)).shape)
    return false;
  std::vector<int64_t> open;
  std::copy_if(from.dims().begin(), from.dims().end(), std::back_inserter(open), IsSymbolic);
  std::sort(open.begin(), open.end());
  return std::adjacent_find(open.begin(), open.end()) == open.end();
}

/// Pieces of `whole` along one axis, before which no dimension has a second element. -1: there is no such axis.
int64_t AxisOfPieces(const Shape &part, const Shape &whole) {
  if (!part.has_rank() || !whole.has_rank() || part.rank() != whole.rank()) return -1;
  size_t axis = 0;
  const size_t rank = whole.dims().size();
  while (axis < rank && part[axis] == whole[axis] && whole[axis] == 1) ++axis;
  if (axis == rank) return -1;
  for (size_t d = axis + 1; d < rank; ++d)
    if (part[d] != whole[d]) return -1;
  return static_cast<int64_t>(axis);
}

/// All of one value, cut into others or made of them, in their order; empty where it is not so. One part alone may be
/// the whole at this size only: a slice from behind, say.
PlanPlaces::Divided PartsOf(const Node &general, const Node &node, const GeKernel &kernel) {
  PlanPlaces::Divided found;
  uint64_t offset = 0;
  int64_t axis = -1;
  if (kernel.alias_count < 2) return {};
  for (uint32_t i = 0; i < kernel.alias_count; ++i) {
    const GeAlias &alias = kernel.aliases[i];
    if (alias.kind != kernel.aliases[0].kind || alias.offset != offset) return {};
    if (alias.kind != GE_ALIAS_INPUT_IN_OUTPUT && alias.kind != GE_ALIAS_OUTPUT_IN_INPUT) return {};
    const Pair pair = ValuesOf(node, alias), open = ValuesOf(general, alias);
    if (!pair.part || !pair.whole || (i > 0 && pair.whole != found.whole.at) || DescAt(pair.part).bytes() == 0)
      return {};
    const int64_t along = AxisOfPieces(DescAt(open.part).shape, DescAt(open.whole).shape);
    if (along < 0 || (i > 0 && along != axis)) return {};
    axis = along;
    found.whole = {pair.whole, open.whole};
    found.parts.push_back({pair.part, open.part});
    offset += DescAt(pair.part).bytes();
  }
  if (offset != DescAt(found.whole.at).bytes()) return {};
  return found;
}

}  // namespace

bool LieAlikeAtAllSizes(const Node &general, const Node &node, const GeKernel &kernel) {
  return IsWholeView(general, kernel) || !PartsOf(general, node, kernel).parts.empty();
}

bool PlanPlaces::AddView(const Node &general, const ExecPlan::Placed &placed) {
  const GeKernel &kernel = placed.memory();
  const Divided divided = PartsOf(general, *placed.node, kernel);
  if (!divided.parts.empty()) {
    Add(divided, &inside_);
    return true;
  }
  for (uint32_t i = 0; i < kernel.alias_count; ++i) {
    const Pair pair = ValuesOf(*placed.node, kernel.aliases[i]);
    if (pair.part && pair.whole) inside_.push_back({pair.part, pair.whole, {{}, kernel.aliases[i].offset}});
  }
  return IsWholeView(general, kernel);
}

void PlanPlaces::AddPartial(const Node &general, const ExecPlan::Placed &placed) {
  if (!placed.view) return;
  const Divided divided = PartsOf(general, *placed.node, placed.memory());
  if (!divided.parts.empty()) Add(divided, &possible_);
}

void PlanPlaces::Add(const Divided &divided, std::vector<Inside> *to) {
  Place place;
  for (const Value &part : divided.parts) {
    to->push_back({part.at, divided.whole.at, place});
    place.behind.push_back(part);
  }
  divided_.push_back(divided);
}

/// Values of a node that runs and whose memory is shared as its kernel allows: an output over an input, or the part of
/// one that a kernel for one size knows.
void PlanPlaces::AddShared(const ExecPlan::Step &step) {
  const GeKernel &kernel = step.kernel->get();
  for (uint32_t i = 0; i < kernel.alias_count && !step.copy && !step.wait; ++i) {
    const GeAlias &alias = kernel.aliases[i];
    const uint64_t apart = alias.kind == GE_ALIAS_EXTENDS ? 0 : alias.offset;
    const ExecPlan::Argument &in = plan_.arguments[step.first_input + static_cast<uint32_t>(alias.input)],
                             &out = plan_.arguments[step.first_output + static_cast<uint32_t>(alias.output)];
    if (in.absent || out.absent || in.at.storage != out.at.storage || in.at.index != out.at.index ||
        in.at.block != out.at.block)
      continue;
    const bool input_is_part = alias.kind == GE_ALIAS_INPUT_IN_OUTPUT;
    const uint64_t part = input_is_part ? in.at.offset : out.at.offset,
                   whole = input_is_part ? out.at.offset : in.at.offset;
    const Pair pair = ValuesOf(*step.node, alias);
    if (part == whole + apart && pair.part) inside_.push_back({pair.part, pair.whole, {{}, apart}});
  }
}

uint64_t PlanPlaces::BytesAt(const Place &place) const {
  uint64_t bytes = place.bytes;
  for (const Value &value : place.behind) bytes += DescAt(value.at).bytes();
  return bytes;
}

std::optional<uint64_t> PlanPlaces::OffsetOf(const Location &place) const {
  if (place.storage == Storage::kNone || (place.storage == Storage::kArena && place.block < 0)) return std::nullopt;
  const bool arena = place.storage == Storage::kArena;
  return place.offset - (arena ? plan_.memory.blocks[static_cast<size_t>(place.block)].offset : 0);
}

bool PlanPlaces::Resolve(std::string *why) {
  std::map<Key, uint64_t> known;  // offsets at this size
  std::map<Key, const Node *> of;
  std::map<Key, Location> at;
  const auto note = [&](Endpoint e, const ExecPlan::Argument &argument) {
    if (!e || argument.absent) return;
    if (const std::optional<uint64_t> offset = OffsetOf(argument.at)) {
      known[KeyOf(e)] = *offset;
      of[KeyOf(e)] = e.node;
      at[KeyOf(e)] = argument.at;
    }
  };
  for (const ExecPlan::Step &step : plan_.steps) {
    AddShared(step);
    for (size_t i = 0; i < step.input_count; ++i) note(step.node->input(i), plan_.arguments[step.first_input + i]);
    for (size_t o = 0; o < step.output_count; ++o)
      note({const_cast<Node *>(step.node), static_cast<int32_t>(o)}, plan_.arguments[step.first_output + o]);
  }
  const auto location = [&](Endpoint e) {
    const auto found = at.find(KeyOf(e));
    return found == at.end() ? Location{} : found->second;
  };
  for (const Inside &inside : possible_) {
    const Location part = location(inside.part), whole = location(inside.whole);
    if (part.storage != Storage::kNone && part.storage == whole.storage && part.index == whole.index &&
        part.block == whole.block && part.offset == whole.offset + BytesAt(inside.at))
      inside_.push_back(inside);
  }
  for (const auto &[key, offset] : known)
    if (offset == 0) places_[key] = {};  // nothing lies before it, whatever the size
  for (bool more = true; more;) {
    more = false;
    for (const Inside &inside : inside_) {
      const auto part = places_.find(KeyOf(inside.part)), whole = places_.find(KeyOf(inside.whole));
      if (whole != places_.end() && part == places_.end()) {
        Place place = whole->second;
        place.behind.insert(place.behind.end(), inside.at.behind.begin(), inside.at.behind.end());
        place.bytes += inside.at.bytes;
        places_[KeyOf(inside.part)] = std::move(place);
        more = true;
      } else if (part != places_.end() && whole == places_.end() && inside.at.behind.empty() && inside.at.bytes == 0) {
        places_[KeyOf(inside.whole)] = part->second;
        more = true;
      }
    }
  }
  for (const auto &[key, offset] : known) {
    const auto found = places_.find(key);
    if (found != places_.end() && BytesAt(found->second) == offset) continue;
    *why = Str(of[key]->Label(), " lies within another value at each size");
    return false;
  }
  return true;
}

const PlanPlaces::Place *PlanPlaces::Of(Endpoint value) const {
  const auto found = places_.find(KeyOf(value));
  if (found == places_.end() || (found->second.behind.empty() && found->second.bytes == 0)) return nullptr;
  return &found->second;
}

}  // namespace gec
