// fe::PlatFormInfos: what a custom operator asks about the target when it compiles its kernel.
#ifndef INC_PLATFORM_PLATFORM_INFOS_DEF_H_
#define INC_PLATFORM_PLATFORM_INFOS_DEF_H_

#include <cstdint>
#include <map>
#include <string>
#include <thread>

namespace fe {

/// This processor, in the words of the interface: cores count as compute cores.
class PlatFormInfos {
 public:
  PlatFormInfos() {
    const std::string cores = std::to_string(GetCoreNum());
    values_["version"]["NpuArch"] = "2201";
    values_["version"]["Short_SoC_version"] = "CPU";
    for (const char *key : {"ai_core_cnt", "cube_core_cnt", "vector_core_cnt"}) values_["SoCInfo"][key] = cores;
  }
  /// False when there is no such value.
  bool GetPlatformResWithLock(const std::string &group, const std::string &key, std::string &value) {
    auto in = values_.find(group);
    if (in == values_.end()) return false;
    auto found = in->second.find(key);
    if (found == in->second.end()) return false;
    value = found->second;
    return true;
  }
  bool GetPlatformResWithLock(const std::string &group, std::map<std::string, std::string> &values) {
    auto found = values_.find(group);
    if (found == values_.end()) return false;
    values = found->second;
    return true;
  }
  /// Processors of the machine, at least 1.
  uint32_t GetCoreNum() const {
    const unsigned count = std::thread::hardware_concurrency();
    return count == 0 ? 1 : count;
  }

 private:
  std::map<std::string, std::map<std::string, std::string>> values_;
};

class OptionalInfos {
 public:
  std::string GetSocVersion() const { return "CPU"; }
  uint32_t GetAICoreNum() const { return PlatFormInfos().GetCoreNum(); }
};

}  // namespace fe

#endif
