#include "native.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>

namespace tool {

void Check(GeStatus status) {
  if (status == GE_SUCCESS) return;
  const char *message = GeLastErrorMessage();
  // Files that cannot be read and options that do not exist are the caller's to mend.
  const bool usage = status == GE_PATH_INVALID || status == GE_MODEL_INVALID || status == GE_OPTION_INVALID;
  throw Error(*message ? message : GeStatusName(status), usage ? kExitUsage : kExitFailed);
}

Error OutOfMemory(const std::string &what, uint64_t bytes) {
  constexpr double kMega = 1 << 20;
  double pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  const double page = static_cast<double>(sysconf(_SC_PAGESIZE)) / kMega;
  rlimit limit{};
  char left[128];
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    std::snprintf(left, sizeof left, "the process has %.1f MB of address space, its limit is %.1f MB", pages * page,
                  static_cast<double>(limit.rlim_cur) / kMega);
  else std::snprintf(left, sizeof left, "the process holds %.1f MB", resident * page);
  return Error("out of memory" + (bytes ? ": " + std::to_string(bytes) + " bytes for " : " in ") + what + "; " + left);
}

void AppendText(void *user, const char *text, size_t length) { static_cast<std::string *>(user)->append(text, length); }

static Port MakePort(const char *name, const GeTensorData &data) {
  Port port;
  port.name = name;
  port.data_type = data.data_type;
  port.ranked = data.rank >= 0;
  if (port.ranked) port.dims.assign(data.dims, data.dims + data.rank);
  return port;
}

std::vector<Port> ModelInputs(const GeModel *model) {
  std::vector<Port> ports;
  for (size_t i = 0; i < GeModelInputCount(model); ++i) {
    const char *name = nullptr;
    GeTensorData data{};
    Check(GeModelGetInput(model, i, &name, &data));
    ports.push_back(MakePort(name, data));
  }
  return ports;
}

std::vector<Port> ModelOutputs(const GeModel *model) {
  std::vector<Port> ports;
  for (size_t i = 0; i < GeModelOutputCount(model); ++i) {
    const char *name = nullptr;
    GeTensorData data{};
    Check(GeModelGetOutput(model, i, &name, &data));
    ports.push_back(MakePort(name, data));
  }
  return ports;
}

std::string Describe(const GeModel *model, int32_t what) {
  std::string text;
  Check(GeModelDescribe(model, what, AppendText, &text));
  return text;
}

std::string DimsText(const int64_t *dims, int64_t rank) {
  std::string text = "[";
  for (int64_t i = 0; i < rank; ++i) text += (i ? ", " : "") + (dims[i] < 0 ? "?" : std::to_string(dims[i]));
  return text + "]";
}

std::string ShapeText(const Port &port) {
  return port.ranked ? DimsText(port.dims.data(), static_cast<int64_t>(port.dims.size())) : "[...]";
}

std::string TypeText(int32_t data_type) {
  std::string name = GeDataTypeName(data_type);
  if (name.rfind("DT_", 0) == 0) name.erase(0, 3);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

std::string PortText(const Port &port) { return port.name + ": " + TypeText(port.data_type) + ShapeText(port); }

}  // namespace tool
