// Offline models (.om): a graph that was optimised for no machine in particular, and the options to compile it with.
// docs/offline-models.md has the layout.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "core/ir/graph.h"

namespace gec {

struct OfflineModel {
  GraphPtr graph;
  std::map<std::string, std::string> options;
};

/// The same model gives the same bytes.
std::string OfflineBytes(const OfflineModel &model);
/// Throws GE_MODEL_INVALID, saying what is wrong with the bytes, and GE_UNSUPPORTED for kinds of models that other
/// producers make.
OfflineModel ReadOffline(const void *data, size_t size);
/// Checks everything but the graph.
void CheckOffline(const void *data, size_t size);

/// The bytes begin as those of an offline model do.
bool IsOffline(const void *data, size_t size);
bool IsOfflineFile(const std::string &path);

}  // namespace gec
