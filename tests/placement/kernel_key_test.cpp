// Whatever create_kernel can read tells two kernels apart: every member is changed by itself and the key must follow.
#include "core/placement/kernel_key.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

namespace gec {
namespace {

/// A description with one input, one output and one attribute, whose members a test may change before it asks for the
/// key.
struct Described {
  int64_t dims[5] = {1, 3, 6, 6, 16}, origin_dims[4] = {1, 40, 6, 6}, more_dims[4] = {1, 48, 6, 6};
  int64_t partial[1728] = {};
  float scales[2] = {1, 2};
  int32_t counts[2] = {1, 1}, other_counts[2] = {1, 2};
  char data[2] = {};
  GeTensorLayout layout = {sizeof(GeTensorLayout), dims, 0, 0, 0, nullptr, nullptr, 0};
  GeOpTraits traits = {sizeof(GeOpTraits), GE_TRAIT_PURE, GE_CONTROL_FLOW_NONE, 0};
  GeTensorData input{}, output{}, value{};
  GeAttrData attr{};
  GeOpDesc op{};

  Described() {
    input = {C_DT_FLOAT, C_FORMAT_NC1HWC0, C_FORMAT_NCHW, 5, 4, 0, dims, origin_dims, nullptr, 0, nullptr, nullptr, 0};
    output = value = input;
    attr.name = "axes";
    attr.type = C_VT_INT;
    op = {sizeof op, "Pool", "pool", &input, 1, &output, 1, &attr, 1, counts, 1, counts, 1, nullptr};
  }
  bool own_kernel = false;
  std::string Key() const { return KernelKey(op, own_kernel); }
};

using Change = std::function<void(Described &)>;

std::vector<Change> TensorChanges(GeTensorData Described::*member) {
  auto at = [member](auto change) { return [=](Described &d) { change(d.*member, d); }; };
  return {
      at([](auto &t, auto &) { t.data_type = C_DT_INT32; }), at([](auto &t, auto &) { t.format = C_FORMAT_ND; }),
      at([](auto &t, auto &) { t.origin_format = C_FORMAT_NHWC; }), at([](auto &t, auto &) { t.rank = 4; }),
      at([](auto &t, auto &) { t.origin_rank = 3; }), at([](auto &t, auto &) { t.flags = GE_TENSOR_CONSTANT; }),
      at([](auto &t, auto &d) { t.dims = d.more_dims, t.rank = 4; }),
      // The defect that this test began with: 40 and 48 channels are three blocks of 16 each.
      at([](auto &t, auto &d) { t.origin_dims = d.more_dims; }), at([](auto &t, auto &d) { t.data = d.data; }),
      at([](auto &t, auto &d) { t.data = d.data + 1; }), at([](auto &t, auto &) { t.size = 8; }),
      at([](auto &t, auto &d) { t.partial = d.partial; }), at([](auto &t, auto &) { t.reserved = 1; }),
      at([](auto &t, auto &d) { t.layout = &d.layout; }),
      at([](auto &t, auto &d) { d.layout.strides = nullptr, t.layout = &d.layout; }),
      at([](auto &t, auto &d) { d.layout.quant_scheme = GE_QUANT_PER_TENSOR, t.layout = &d.layout; }),
      at([](auto &t, auto &d) { d.layout.quant_axis = 1, t.layout = &d.layout; }),
      at([](auto &t, auto &d) { d.layout.quant_block = 32, t.layout = &d.layout; }),
      at([](auto &t, auto &d) { d.layout.scales = d.scales, d.layout.scale_count = 1, t.layout = &d.layout; }),
      at([](auto &t, auto &d) { d.layout.scales = d.scales + 1, d.layout.scale_count = 1, t.layout = &d.layout; }),
      at([](auto &t, auto &d) { d.layout.zero_points = d.counts, d.layout.scale_count = 1, t.layout = &d.layout; })};
}

std::vector<Change> AttrChanges() {
  static const int64_t ints[] = {1, 2}, counts[] = {1, 1}, row[] = {7}, other_row[] = {8};
  static const int64_t *const rows[] = {row, row}, *const other_rows[] = {row, other_row};
  static const float floats[] = {1.f, 2.f};
  static const float *const float_rows[] = {floats, floats + 1};
  static const uint8_t bytes[] = {1, 0};
  static const int32_t types[] = {C_DT_FLOAT, C_DT_INT8};
  static const char *const texts[] = {"a", "bc"}, *const other_texts[] = {"ab", "c"};
  auto at = [](auto change) { return [=](Described &d) { change(d.attr, d); }; };
  auto list = [&](int32_t type, const void *values, uint64_t count) {
    return at([=](GeAttrData &a, Described &) { a.type = type, a.list = values, a.count = count; });
  };
  return {
      at([](auto &a, auto &) { a.name = "axis"; }), at([](auto &a, auto &) { a.type = C_VT_BOOL; }),
      at([](auto &a, auto &) { a.reserved = 1; }), at([](auto &a, auto &) { a.i = 1; }),
      at([](auto &a, auto &) { a.f = 1; }), at([](auto &a, auto &) { a.type = C_VT_STRING, a.s = "a", a.count = 1; }),
      at([](auto &a, auto &) { a.type = C_VT_STRING, a.s = "b", a.count = 1; }),
      at([](auto &a, auto &d) { a.type = C_VT_TENSOR, a.tensor = &d.value; }),
      // Two tensors without data differ by their shapes.
      at([](auto &a, auto &d) { a.type = C_VT_TENSOR, a.tensor = &d.value, d.value.rank = 2; }),
      list(C_VT_LIST_INT, ints, 1), list(C_VT_LIST_INT, ints, 2), list(C_VT_LIST_FLOAT, floats, 2),
      list(C_VT_LIST_BOOL, bytes, 2), list(C_VT_BYTES, bytes, 2), list(C_VT_LIST_DATA_TYPE, types, 2),
      list(C_VT_LIST_STRING, texts, 2), list(C_VT_LIST_STRING, other_texts, 2),
      at([=](auto &a, auto &) { a.type = C_VT_LIST_LIST_INT, a.list = rows, a.count = 2, a.inner_counts = counts; }),
      at([=](auto &a, auto &) {
        a.type = C_VT_LIST_LIST_INT, a.list = other_rows, a.count = 2, a.inner_counts = counts;
      }),
      at([=](auto &a, auto &) {
        a.type = C_VT_LIST_LIST_FLOAT, a.list = float_rows, a.count = 2, a.inner_counts = counts;
      })};
}

TEST(KernelKey, EveryMemberCounts) {
  std::vector<Change> changes = {
      [](Described &) {},
      [](Described &d) { d.op.struct_size += 8; },
      [](Described &d) { d.op.type = "Pool2"; },
      [](Described &d) { d.op.name = "pool2"; },
      [](Described &d) { d.op.input_count = 0; },
      [](Described &d) { d.op.output_count = 0; },
      [](Described &d) { d.op.attr_count = 0; },
      [](Described &d) { d.op.ir_input_counts = nullptr; },
      [](Described &d) { d.op.ir_input_total = 2; },
      [](Described &d) { d.op.ir_input_counts = d.other_counts, d.op.ir_input_total = 2; },
      [](Described &d) { d.own_kernel = true; },
      [](Described &d) { d.op.ir_output_counts = nullptr; },
      [](Described &d) { d.op.ir_output_total = 2; },
      [](Described &d) { d.op.ir_output_counts = d.other_counts, d.op.ir_output_total = 2; },
      [](Described &d) { d.op.traits = &d.traits; },
      [](Described &d) { d.op.traits = &d.traits, d.traits.flags |= GE_TRAIT_VIEW; },
      [](Described &d) { d.op.traits = &d.traits, d.traits.control_flow = GE_CONTROL_FLOW_CALL; },
      [](Described &d) { d.op.traits = &d.traits, d.traits.fused_opcode = 1; },
      [](Described &d) { d.op.traits = &d.traits, d.traits.struct_size += 8; }};
  for (auto member : {&Described::input, &Described::output})
    for (Change &change : TensorChanges(member)) changes.push_back(std::move(change));
  for (Change &change : AttrChanges()) changes.push_back(std::move(change));
  std::set<std::string> keys;
  Described d;
  const Described untouched = d;
  for (size_t i = 0; i < changes.size(); ++i) {
    // The same object each time, so that no pointer differs but those that a change sets.
    d.input = untouched.input, d.output = untouched.output, d.value = untouched.value, d.attr = untouched.attr;
    d.layout = untouched.layout, d.layout.strides = d.dims;
    d.op = untouched.op, d.traits = untouched.traits, d.own_kernel = false;
    d.input.dims = d.output.dims = d.value.dims = d.dims;
    d.input.origin_dims = d.output.origin_dims = d.value.origin_dims = d.origin_dims;
    d.op.inputs = &d.input, d.op.outputs = &d.output, d.op.attrs = &d.attr;
    d.op.ir_input_counts = d.op.ir_output_counts = d.counts;
    changes[i](d);
    EXPECT_TRUE(keys.insert(d.Key()).second) << "change " << i << " does not show in the key";
  }
}

TEST(KernelKey, EqualDescriptionsAgreeWhereverTheyLie) {
  Described a, b;
  EXPECT_EQ(a.Key(), b.Key());
}

}  // namespace
}  // namespace gec
