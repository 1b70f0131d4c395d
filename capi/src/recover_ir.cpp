#include "core/ops/recover_ir.h"

#include "capi/src/handles.h"
#include "core/serialize/air.h"
#include "ge/serialize.h"

using namespace gec;
using namespace gec::api;

extern "C" GeStatus GeGraphRecoverIr(GeGraph *graph, int32_t *changed) {
  return Guard([&] {
    if (changed) *changed = 0;
    Graph &g = GraphOf(graph, "GeGraphRecoverIr");
    if (g.parent()) Fail(GE_BAD_STATE, "graph '", g.name(), "' is a subgraph; only a root graph can be recovered");
    GraphPtr recovered = RecoverIr(g);
    if (!recovered) return;
    const std::string bytes = AirBytes(*recovered);
    LoadAirBytes(g, bytes.data(), bytes.size());
    if (changed) *changed = 1;
  });
}
