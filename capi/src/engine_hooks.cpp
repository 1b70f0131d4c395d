// Handles of graphs for engines that change them (GeEngineTable.optimize).
#include "core/compile/engine_hooks.h"

#include "capi/src/engine_hooks.h"
#include "capi/src/pass_handles.h"

namespace gec::api {

bool OfferGraphHandles() {
  SetGraphHandles([](Graph &graph, const std::function<void(GeGraph *)> &call) {
    BorrowedGraph handle(graph);
    call(handle.get());
  });
  return true;
}

}  // namespace gec::api
