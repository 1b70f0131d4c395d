// Offline models (.om): a graph that was optimised for no machine in particular, and the options to compile it with.
// docs/offline-models.md has the layout.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

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
/// Models one behind the other. Throws what ReadOffline does for a member that is no single model.
std::string BundleBytes(const std::vector<std::string_view> &models);
/// Views of the members of a bundle; none for a single model. Throws what ReadOffline does.
std::vector<std::string_view> BundleMembers(const void *data, size_t size);
/// Checks everything but the graphs.
void CheckOffline(const void *data, size_t size);

/// The bytes begin as those of an offline model do.
bool IsOffline(const void *data, size_t size);
bool IsOfflineFile(const std::string &path);

}  // namespace gec
