// Profiling by the program: graphs that sessions run between start and stop.
//
//   aclgrphProfInit(folder, strlen(folder));                       // after GEInitialize
//   uint32_t device = 0;
//   auto *config = aclgrphProfCreateConfig(&device, 1, kAicorePipeUtilization, nullptr, kProfTaskTime);
//   aclgrphProfStart(config);
//   … session.RunGraph(…);
//   aclgrphProfStop(config);                                       // writes folder/PROF_…/
//   aclgrphProfDestroyConfig(config);
//   aclgrphProfFinalize();
//
// ge/profile.h says what the files hold. There is one recording at a time in a process; any thread may call. Functions
// that refuse leave the reason for GEGetErrorMsgV2. Since: 0.1.0.
#ifndef INC_EXTERNAL_GE_GE_PROF_H_
#define INC_EXTERNAL_GE_GE_PROF_H_

#include <cstdint>
#include <cstring>
#include <new>
#include <string>

#include "ge/detail/process.h"
#include "ge/profile.h"
#include "ge_common/ge_api_error_codes.h"

namespace ge {

/// The kinds of records as a set of bits. Task times are those of the nodes a run calls; without them there are whole
/// runs only. The others are counters of a device: they are taken, and there is nothing to record for them.
enum ProfDataTypeConfig {
  kProfTaskTime = 0x0002,
  kProfAiCoreMetrics = 0x0004,
  kProfAicpu = 0x0008,
  kProfL2cache = 0x0010,
  kProfHccl = 0x0020,
  kProfTrainingTrace = 0x0040,
  kProfTaskTimeL0 = 0x0800
};

/// Which counters of a device's cores: without effect on a CPU.
enum ProfilingAicoreMetrics {
  kAicoreArithmeticUtilization = 0,
  kAicorePipeUtilization = 1,
  kAicoreMemory = 2,
  kAicoreMemoryL0 = 3,
  kAicoreResourceConflictRatio = 4,
  kAicoreMemoryUB = 5,
  kAicoreL2Cache = 6,
  kAicorePipelineExecuteUtilization = 7
};

/// Reserved: programs pass null.
typedef struct ProfAicoreEvents ProfAicoreEvents;
/// Opaque; made by aclgrphProfCreateConfig.
typedef struct aclgrphProfConfig aclgrphProfConfig;
struct aclgrphProfConfig {
  uint32_t what;
  bool started;
};

namespace detail {
inline Status ProfRefuse(GeStatus code, const std::string &reason, Status status = FAILED) {
  (void)GeSetLastError(code, ("E10062: " + reason).c_str());
  return status;
}
}  // namespace detail

/// Where files go: a folder, which is made where it is not there. `length` is that of the path.
/// GE_CLI_GE_NOT_INITIALIZED before GEInitialize, PARAM_INVALID for a path that is null, empty, longer than 4096 or not
/// of this length; FAILED for a folder that cannot be written, and when this was called before.
inline Status aclgrphProfInit(const char *profiler_path, uint32_t length) {
  constexpr uint32_t kLongest = 4096;
  if (!detail::Initialized())
    return detail::ProfRefuse(GE_NOT_INITIALIZED, "aclgrphProfInit was called before GEInitialize",
                              GE_CLI_GE_NOT_INITIALIZED);
  if (profiler_path == nullptr || length == 0 || length > kLongest || std::strlen(profiler_path) != length)
    return detail::ProfRefuse(
        GE_PARAM_INVALID,
        "aclgrphProfInit: a path of 1 to 4096 characters and its length are expected, length is " +
            std::to_string(length),
        PARAM_INVALID);
  return GeProfilerOpen(profiler_path) == GE_SUCCESS ? SUCCESS : FAILED;
}

/// Ends recording, if it is on, and writes its files. FAILED without aclgrphProfInit.
inline Status aclgrphProfFinalize() { return GeProfilerClose() == GE_SUCCESS ? SUCCESS : FAILED; }

/// The caller destroys it. There is one device, number 0. Null for no device, another one or one that is named twice,
/// for unknown metrics, and for a set of data types that is empty or has unknown bits.
inline aclgrphProfConfig *aclgrphProfCreateConfig(uint32_t *deviceid_list, uint32_t device_nums,
                                                  ProfilingAicoreMetrics aicore_metrics, ProfAicoreEvents *,
                                                  uint64_t data_type_config) {
  constexpr uint64_t kKnown =
      kProfTaskTime | kProfAiCoreMetrics | kProfAicpu | kProfL2cache | kProfHccl | kProfTrainingTrace | kProfTaskTimeL0;
  const int metrics = static_cast<int>(aicore_metrics);
  std::string reason;
  if (deviceid_list == nullptr || device_nums != 1)
    reason = "one device is expected, " + std::to_string(deviceid_list == nullptr ? 0 : device_nums) + " are named";
  else if (deviceid_list[0] != 0) reason = "there is no device " + std::to_string(deviceid_list[0]) + ", only device 0";
  else if (metrics < kAicoreArithmeticUtilization || metrics > kAicorePipelineExecuteUtilization)
    reason = "metrics are " + std::to_string(metrics) + ", expected 0 to 7";
  else if (data_type_config == 0 || (data_type_config & ~kKnown) != 0)
    reason = "data types are " + std::to_string(data_type_config) + ", expected a set of " + std::to_string(kKnown);
  aclgrphProfConfig *config = nullptr;
  if (reason.empty()) {
    const bool tasks = (data_type_config & (kProfTaskTime | kProfTaskTimeL0)) != 0;
    config = new (std::nothrow) aclgrphProfConfig{tasks ? GE_PROFILE_OPERATORS : 0, false};
    if (config == nullptr) reason = "there is no memory left";
  }
  if (config == nullptr) (void)detail::ProfRefuse(GE_PARAM_INVALID, "aclgrphProfCreateConfig: " + reason);
  return config;
}

/// PARAM_INVALID for null. A recording that this configuration started goes on until aclgrphProfFinalize.
inline Status aclgrphProfDestroyConfig(aclgrphProfConfig *profiler_config) {
  if (profiler_config == nullptr)
    return detail::ProfRefuse(GE_PARAM_INVALID, "aclgrphProfDestroyConfig: the configuration is null", PARAM_INVALID);
  delete profiler_config;
  return SUCCESS;
}

/// From now on what sessions run is recorded. PARAM_INVALID for null; FAILED without aclgrphProfInit, and while a
/// configuration is recording.
inline Status aclgrphProfStart(aclgrphProfConfig *profiler_config) {
  if (profiler_config == nullptr)
    return detail::ProfRefuse(GE_PARAM_INVALID, "aclgrphProfStart: the configuration is null", PARAM_INVALID);
  if (GeProfilerStart(profiler_config->what) != GE_SUCCESS) return FAILED;
  profiler_config->started = true;
  return SUCCESS;
}

/// Ends recording and writes the files. Runs that have not ended yet are not in them. PARAM_INVALID for null; FAILED
/// for a configuration that was not started, and for files that cannot be written.
inline Status aclgrphProfStop(aclgrphProfConfig *profiler_config) {
  if (profiler_config == nullptr)
    return detail::ProfRefuse(GE_PARAM_INVALID, "aclgrphProfStop: the configuration is null", PARAM_INVALID);
  if (!profiler_config->started)
    return detail::ProfRefuse(GE_BAD_STATE, "aclgrphProfStop: this configuration was not started");
  profiler_config->started = false;
  return GeProfilerStop() == GE_SUCCESS ? SUCCESS : FAILED;
}

}  // namespace ge

#endif
