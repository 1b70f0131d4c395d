#include "capi/src/guard.h"
#include "core/ir/op_traits.h"
#include "core/ops/traits.h"
#include "core/placement/registry.h"
#include "core/support/abi_sizes.h"
#include "ge/engine.h"

using namespace gec;
using namespace gec::api;

namespace {

/// Ports as engines get them: an unknown rank is said in one way.
std::vector<GeTensorData> Ports(const GeTensorData *list, size_t count) {
  std::vector<GeTensorData> ports(list, list + count);
  for (GeTensorData &port : ports) {
    if (Shape::SaysUnknownRank(port.dims, port.rank)) port.rank = GE_UNKNOWN_RANK;
    if (Shape::SaysUnknownRank(port.origin_dims, port.origin_rank)) port.origin_rank = GE_UNKNOWN_RANK;
    if (port.rank <= 0) port.dims = nullptr;
    if (port.origin_rank <= 0) port.origin_dims = nullptr;
  }
  return ports;
}

// Engines read what they get without looking.
void CheckOp(const GeOpDesc &op) {
  constexpr const char *kFunction = "GeEngineCheck";
  if (!op.type) NullArgument(kFunction, "op->type");
  if (!op.inputs && op.input_count) NullArgument(kFunction, "op->inputs");
  if (!op.outputs && op.output_count) NullArgument(kFunction, "op->outputs");
  if (!op.attrs && op.attr_count) NullArgument(kFunction, "op->attrs");
  auto ports = [&](const GeTensorData *list, size_t count, const char *what) {
    for (size_t i = 0; i < count; ++i) {
      if (list[i].rank < GE_UNKNOWN_RANK || list[i].rank > GE_MAX_RANK)
        Fail(GE_PARAM_INVALID, kFunction, ": ", what, " ", i, " has rank ", list[i].rank, ", at most ", GE_MAX_RANK);
      if (list[i].rank > 0 && !list[i].dims)
        Fail(GE_PARAM_INVALID, kFunction, ": ", what, " ", i, " has rank ", list[i].rank, ", but dims is null");
      CheckReserved(list[i].reserved, kFunction, "reserved of a port");
    }
  };
  ports(op.inputs, op.input_count, "input");
  ports(op.outputs, op.output_count, "output");
  for (size_t i = 0; i < op.attr_count; ++i) {
    if (!op.attrs[i].name) Fail(GE_PARAM_INVALID, kFunction, ": the name of attribute ", i, " is null");
  }
}

}  // namespace

extern "C" GeStatus GeEngineCheck(const char *name, const GeOpDesc *op) {
  return Guard([&]() -> GeStatus {
    GE_CHECK_ARG(GeEngineCheck, name);
    GE_CHECK_ARG(GeEngineCheck, op);
    GeOpDesc known = ReadStruct(*op, "GeEngineCheck");
    CheckOp(known);
    const std::vector<GeTensorData> inputs = Ports(op->inputs, op->input_count),
                                    outputs = Ports(op->outputs, op->output_count);
    known.inputs = inputs.data();
    known.outputs = outputs.data();
    GeOpTraits given;
    if (known.traits) known.traits = &(given = ReadTraits(known.type, *known.traits));
    else known.traits = TraitsOfType(known.type);
    for (const EnginePtr &engine : EngineRegistry::Instance().Engines()) {
      if (engine->name() != name) continue;
      std::string reason;
      if (engine->Check(known, &reason)) return GE_SUCCESS;
      return Report(GE_UNSUPPORTED, reason.c_str());
    }
    Fail(GE_NOT_FOUND, "no usable engine is called '", name, "'");
  });
}
