// Texts: their number is mostly known, their bytes are not.
#include "protos/infer/context.h"

namespace gec::infer {
namespace {

void CheckText(const Context &c, size_t places, const char *name) { c.DimsOfRank(places + 1, 1, name); }

Shape Both(Context &c) {
  CheckText(c, 0, "bytes1");
  CheckText(c, 2, "bytes2");
  return c.Broadcast(c.Dims(0), c.Dims(2), "places1", "places2");
}

void OutText(Context &c, const Shape &shape) {
  c.Out(0, C_DT_INT64, shape);
  c.Out(1, C_DT_UINT8, Shape{-1});
}

void ConcatTextsRule(Context &c) { OutText(c, Both(c)); }
void EqualTextsRule(Context &c) { c.Out(0, C_DT_BOOL, Both(c)); }

template <int32_t type>
void EachRule(Context &c) {
  CheckText(c, 0, "bytes");
  c.Out(0, type, c.Dims(0));
}

void NormalizeRule(Context &c) {
  CheckText(c, 0, "bytes");
  const Shape x = c.Dims(0);
  if (x.has_rank() && x.rank() != 1 && (x.rank() != 2 || (x[0] >= 0 && x[0] != 1)))
    c.Fail("places has shape ", x.str(), ", expected [n] or [1, n]");
  OutText(c, !x.has_rank() ? x : x.rank() == 1 ? Shape{-1} : Shape{1, -1});
}

void SplitTextsRule(Context &c) {
  CheckText(c, 0, "bytes");
  Shape x = c.Dims(0);
  c.Out(2, C_DT_INT64, x);
  if (x.has_rank()) x.dims().push_back(-1);
  OutText(c, x);
}

void OfNumbersRule(Context &c) { OutText(c, c.Dims(0)); }

void ToNumbersRule(Context &c) {
  CheckText(c, 0, "bytes");
  c.Out(0, c.TypeAttr("dst_type", C_DT_UNDEFINED), c.Dims(0));
}

constexpr Entry kTextRules[] = {
    {"TextConcat", Guarded<ConcatTextsRule>},    {"TextEqual", Guarded<EqualTextsRule>},
    {"TextFind", Guarded<EachRule<C_DT_INT64>>}, {"TextFullMatch", Guarded<EachRule<C_DT_BOOL>>},
    {"TextNormalize", Guarded<NormalizeRule>},   {"TextSplit", Guarded<SplitTextsRule>},
    {"TextOfNumbers", Guarded<OfNumbersRule>},   {"NumbersOfText", Guarded<ToNumbersRule>},
};

}  // namespace

std::span<const Entry> TextRules() { return kTextRules; }

}  // namespace gec::infer
