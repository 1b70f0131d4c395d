// Every inference function, whatever it is given: no crash, and unknown inputs are accepted.
#include <gtest/gtest.h>

#include <functional>

#include "core/ops/builtin_ops.h"
#include "protos/infer/described.h"
#include "protos/table/prototypes.h"
#include "tests/protos/infer_case.h"

namespace gec {
namespace {

/// Gives required attributes some value of their type.
void FillRequired(InferCase &c, const GeOpSchema &schema) {
  std::string type = schema.type;
  for (size_t i = 0; i < schema.attr_count; ++i) {
    const GeIrAttr &attr = schema.attrs[i];
    if (!attr.required) continue;
    std::string name = attr.value.name;
    switch (attr.value.type) {
      case C_VT_INT:
        c.A(attr.value.name, name.ends_with("rank_id") ? 0 : 1);
        break;
      case C_VT_DATA_TYPE:
        c.D(attr.value.name, C_DT_FLOAT);
        break;
      case C_VT_STRING:
        c.A(attr.value.name, name == "padding"      ? "SAME"
                             : name == "mode"       ? "REFLECT"
                             : name == "equation"   ? "ij,jk->ik"
                             : name == "dtype"      ? "torch.qint8"
                             : name == "reduction"  ? "mean"
                             : name == "dst_format" ? "NHWC"
                                                    : "NCHW");
        break;
      case C_VT_LIST_INT:
        if (type.find("3D") != std::string::npos || type.find("3d") != std::string::npos) {
          c.A(attr.value.name, name == "pads"          ? Ints{0, 0, 0, 0, 0, 0}
                               : name == "output_size" ? Ints{1, 1, 1}
                                                       : Ints{1, 1, 1, 1, 1});
          break;
        }
        if (type.ends_with("NDD")) {  // four blocks, each with a pair of borders
          c.A(attr.value.name, name == "block_shape" ? Ints{1, 1, 1, 1} : Ints(8));
          break;
        }
        if (type.starts_with("AvgPool1D") || (type == "DeformableOffsets" && name == "ksize")) {
          c.A(attr.value.name, Ints{1, 1});
          break;
        }
        if (type == "ExtractVolumePatches") {
          c.A(attr.value.name, Ints{1, 1, 1, 1, 1});
          break;
        }
        c.A(attr.value.name, name == "outputs" || name == "axes" || name == "perm" || name == "shifts" ? Ints{0}
                             : name == "shape" && (type == "ExpandD" || type == "ConfusionTransposeD") ? Ints{-1}
                             : name == "shape"                                                         ? Ints{-2}
                             : name == "output_size"                                                   ? Ints{1, 1}
                                                     : Ints{1, 1, 1, 1});
        break;
      default:
        break;
    }
  }
}

void AddInputs(InferCase &c, const GeOpSchema &schema, const std::function<void(InferCase &, int)> &add) {
  int number = 0;
  for (size_t i = 0; i < schema.input_count; ++i) {
    int instances = schema.inputs[i].kind == GE_IR_DYNAMIC ? 2 : 1;
    for (int k = 0; k < instances; ++k) add(c, number++);
    if (instances > 1) c.Count(instances);
  }
}

TEST(InferUnknown, UnknownRanksAreAccepted) {
  ForEachBuiltinPrototype([](const GeOpSchema &schema) {
    const OpEntry *entry = OpRegistry::Instance().Find(Symbol(schema.type));
    // What the sibling says is the answer of these; it is asked here itself.
    if (!entry || !entry->infer || entry->infer == &InferAttributeForm) return;
    std::string type = schema.type;
    InferCase c(schema.type);
    FillRequired(c, schema);
    AddInputs(c, schema, [](InferCase &to, int) { to.Unranked(C_DT_INT64); });
    c.Outputs(1);
    Inferred r = c.Run();
    // These need a value of an attribute that the generic one above is not.
    if (type == "PhonyConcat" || type == "PhonySplit" || type == "FusedElementwise" || type == "FusedDenseLayers" ||
        type == "FusedConvPool2D")
      return;
    if (type == "QuantizeLinear" || type == "QuantizedConv2D" || type == "QuantizedMatMul" ||
        type == "WeightOnlyQuantizedMatMul" || type == "GatherBlockQuantized")
      return;
    if (type == "CommonLSTM" || type == "CommonGRU" || type == "SelectV2" || type == "Select" || type == "MaskedFill" ||
        type == "CoupleProbabilities")
      return;
    EXPECT_EQ(r.status, GE_SUCCESS) << type << ": " << r.message;
  });
}

/// Arbitrary small shapes, values and types: inference answers or refuses, and what it answers is well formed.
TEST(InferUnknown, ArbitraryInputsAreAnsweredOrRefused) {
  uint64_t state = 88172645463325252ull;
  auto next = [&](uint64_t bound) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<int64_t>(state % bound);
  };
  const int64_t values[] = {0,
                            1,
                            2,
                            3,
                            -1,
                            -2,
                            7,
                            std::numeric_limits<int64_t>::max(),
                            std::numeric_limits<int64_t>::min() + 1,
                            std::numeric_limits<int64_t>::min(),
                            int64_t{1} << 40};
  ForEachBuiltinPrototype([&](const GeOpSchema &schema) {
    const OpEntry *entry = OpRegistry::Instance().Find(Symbol(schema.type));
    if (!entry || !entry->infer) return;
    // Described operators share their code: fewer rounds each are as many in all.
    const int rounds = infer::DescriptionOf(schema.type) ? 20 : 200;
    for (int round = 0; round < rounds; ++round) {
      InferCase c(schema.type);
      for (size_t i = 0; i < schema.attr_count; ++i) {
        const GeIrAttr &attr = schema.attrs[i];
        if (!attr.required && next(2)) continue;
        if (attr.value.type == C_VT_INT) c.A(attr.value.name, values[next(11)]);
        if (attr.value.type == C_VT_BOOL) c.B(attr.value.name, next(2) != 0);
        if (attr.value.type == C_VT_DATA_TYPE) c.D(attr.value.name, static_cast<int32_t>(next(30)));
        if (attr.value.type == C_VT_STRING) c.A(attr.value.name, next(2) ? "NCHW" : "");
        if (attr.value.type == C_VT_LIST_INT) {
          Ints list(static_cast<size_t>(next(6)));
          for (int64_t &v : list) v = values[next(11)];
          c.A(attr.value.name, list);
        }
      }
      AddInputs(c, schema, [&](InferCase &to, int) {
        Ints dims(static_cast<size_t>(next(6)));
        switch (next(5)) {
          case 0:
            to.Unranked(static_cast<int32_t>(next(30)));
            break;
          case 1:
            for (int64_t &v : dims) v = values[next(11)];
            to.V(dims, next(2) ? C_DT_INT64 : C_DT_INT32);
            break;
          case 2:
            for (int64_t &v : dims) v = next(3) ? values[next(11)] : kAny;
            to.P(dims);
            break;
          default:
            for (int64_t &v : dims) v = next(4) ? next(5) : next(2) ? -1 : int64_t{1} << 40;
            to.T(next(2) ? C_DT_FLOAT : C_DT_INT64, dims);
        }
      });
      c.Outputs(static_cast<size_t>(1 + next(3)));
      Inferred r = c.Run();
      EXPECT_TRUE(r.status == GE_SUCCESS || r.status == GE_INFER_FAILED) << schema.type << ": " << r.message;
      if (r.status != GE_SUCCESS) {
        EXPECT_FALSE(r.message.empty()) << schema.type;
        continue;
      }
      for (const std::string &shape : r.shapes) EXPECT_EQ(shape.find("-2"), std::string::npos) << schema.type << shape;
    }
  });
}

}  // namespace
}  // namespace gec
