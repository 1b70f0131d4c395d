// HcomTopoInfo: what is known of the groups of ranks that collective operators work in.
#ifndef INC_EXTERNAL_HCOM_HCOM_TOPO_INFO_H_
#define INC_EXTERNAL_HCOM_HCOM_TOPO_INFO_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "ge_common/api_error_codes.h"
#include "graph/detail/library_table.h"
#include "graph/types.h"

namespace ge {

/// How the ranks of a level reach one another, as bits of TopoLevelDesc::comm_sets.
static constexpr uint32_t COMM_MESH = 0b1U;
static constexpr uint32_t COMM_SWITCH = COMM_MESH << 1U;
static constexpr uint32_t COMM_RING = COMM_MESH << 2U;
static constexpr uint32_t COMM_PAIRWISE = COMM_MESH << 3U;

/// One for the library it is compiled into. Any thread may call. Handles and streams are kept as they are given: they
/// stay the caller's. Look-ups answer FAILED for a group that nobody set, and leave the result alone.
class GE_OF_THIS_LIBRARY HcomTopoInfo {
 public:
  enum class TopoLevel {
    L0 = 0,
    L1,
    MAX,
  };
  struct TopoLevelDesc {
    uint32_t comm_sets = 0;
    uint32_t rank_size = 0;
  };
  using TopoDescs = TopoLevelDesc[static_cast<int32_t>(TopoLevel::MAX)];
  struct TopoInfo {
    int64_t rank_size = 0;
    void *notify_handle = nullptr;
    TopoDescs topo_level_descs;
    uint64_t local_window_size = 0;  // bytes that a rank shows the others
  };

  static HcomTopoInfo &Instance() {
    static HcomTopoInfo info;
    return info;
  }
  HcomTopoInfo(const HcomTopoInfo &) = delete;
  HcomTopoInfo &operator=(const HcomTopoInfo &) = delete;

  bool TopoInfoHasBeenSet(const char_t *group) {
    TopoInfo info;
    return TryGetGroupTopoInfo(group, info);
  }
  bool TryGetGroupTopoInfo(const char_t *group, TopoInfo &info) {
    Locked all;
    const TopoInfo *found = all.Group(group);
    if (found != nullptr) info = *found;
    return found != nullptr;
  }
  /// The last call for a group counts. FAILED without a group.
  Status SetGroupTopoInfo(const char_t *group, const TopoInfo &info) {
    if (group == nullptr) return FAILED;
    Locked all;
    Entry &entry = all.content.groups[group];
    if (entry == nullptr) entry = std::make_unique<TopoInfo>();
    *entry = info;
    return SUCCESS;
  }
  void UnsetGroupTopoInfo(const char_t *group) {
    if (group == nullptr) return;
    Locked all;
    all.content.groups.erase(group);
  }
  Status GetGroupRankSize(const char_t *group, int64_t &rank_size) {
    Locked all;
    const TopoInfo *found = all.Group(group);
    if (found == nullptr) return FAILED;
    rank_size = found->rank_size;
    return SUCCESS;
  }
  /// Null for a group that nobody set; valid until the group is unset.
  TopoDescs *GetGroupTopoDesc(const char_t *group) {
    Locked all;
    TopoInfo *found = all.Group(group);
    return found != nullptr ? &found->topo_level_descs : nullptr;
  }
  Status GetGroupNotifyHandle(const char_t *group, void *&notify_handle) {
    Locked all;
    const TopoInfo *found = all.Group(group);
    if (found == nullptr) return FAILED;
    notify_handle = found->notify_handle;
    return SUCCESS;
  }

  /// The stream that a group's operators of a device go through one after another.
  Status SetGroupOrderedStream(const int32_t device_id, const char_t *group, void *stream) {
    if (group == nullptr) return FAILED;
    Locked all;
    all.content.streams[{group, device_id}] = stream;
    return SUCCESS;
  }
  Status GetGroupOrderedStream(const int32_t device_id, const char_t *group, void *&stream) {
    Locked all;
    auto found = group != nullptr ? all.content.streams.find({group, device_id}) : all.content.streams.end();
    if (found == all.content.streams.end()) return FAILED;
    stream = found->second;
    return SUCCESS;
  }
  void UnsetGroupOrderedStream(const int32_t device_id, const char_t *group) {
    if (group == nullptr) return;
    Locked all;
    all.content.streams.erase({group, device_id});
  }

 private:
  using Entry = std::unique_ptr<TopoInfo>;
  struct Content {
    std::mutex mutex;
    std::map<std::string, Entry> groups;
    std::map<std::pair<std::string, int32_t>, void *> streams;
  };
  struct Locked {
    Locked() : content(ge::detail::LibraryTable<Content, HcomTopoInfo>()), lock(content.mutex) {}
    TopoInfo *Group(const char_t *group) {
      auto found = group != nullptr ? content.groups.find(group) : content.groups.end();
      return found == content.groups.end() ? nullptr : found->second.get();
    }
    Content &content;
    std::lock_guard<std::mutex> lock;
  };
  HcomTopoInfo() = default;
  ~HcomTopoInfo() = default;
};

}  // namespace ge

#endif
