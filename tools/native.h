// The C ABI as this tool uses it: handles that free themselves, statuses that become errors.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ge/data.h"
#include "ge/graph.h"
#include "ge/model.h"
#include "ge/status.h"
#include "ge/tensorflow.h"

namespace tool {

// Exit codes: 0 success, 1 the engine refused or failed, 2 wrong usage (also unreadable input files).
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

struct Error : std::runtime_error {
  explicit Error(const std::string &message, int code = kExitFailed) : std::runtime_error(message), exit_code(code) {}
  int exit_code;
};

inline Error Usage(const std::string &message) { return Error(message, kExitUsage); }

void Check(GeStatus status);

template <typename T, void (*Destroy)(T *)>
struct Deleter {
  void operator()(T *p) const { Destroy(p); }
};
using Options = std::unique_ptr<GeOptions, Deleter<GeOptions, GeOptionsDestroy>>;
using Model = std::unique_ptr<GeModel, Deleter<GeModel, GeModelDestroy>>;
using Context = std::unique_ptr<GeRunContext, Deleter<GeRunContext, GeRunContextDestroy>>;
using Graph = std::unique_ptr<GeGraph, Deleter<GeGraph, GeGraphDestroy>>;

// "out of memory: 32000000 bytes for input 'x'; the process has 90.1 MB of address space, its limit is 100.0 MB".
Error OutOfMemory(const std::string &what, uint64_t bytes = 0);

// For functions that deliver text: collects all pieces.
void AppendText(void *user, const char *text, size_t length);

struct Port {
  std::string name;
  int32_t data_type = 0;
  bool ranked = false;
  std::vector<int64_t> dims;  // -1: unknown
};
std::vector<Port> ModelInputs(const GeModel *model);
std::vector<Port> ModelOutputs(const GeModel *model);
std::string Describe(const GeModel *model, int32_t what);

std::string ShapeText(const Port &port);  // "[1, ?, 224]"
std::string DimsText(const int64_t *dims, int64_t rank);
std::string TypeText(int32_t data_type);  // "float", "int64"
std::string PortText(const Port &port);   // "x: float[1, 3, 224, 224]"

}  // namespace tool
