// Functions that process points call, and where they are found: registered in the program, or by a library that a
// process point names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/ir/attr.h"
#include "runtime/flow/message.h"

namespace gec {

/// The services for a function. All but the descriptions throw.
class FlowHost {
 public:
  virtual ~FlowHost() = default;
  virtual const std::string &name() const = 0;  // of the process point
  virtual const std::string &work_path() const = 0;
  virtual size_t input_count() const = 0;
  virtual size_t output_count() const = 0;
  virtual const AttrValue *Attr(const std::string &name) const = 0;  // null when there is none
  virtual void SetOutput(size_t index, FlowMessage message) = 0;
  virtual std::vector<FlowMessage> RunModel(const std::string &key, std::vector<FlowMessage> inputs,
                                            int32_t timeout_ms) = 0;
  /// How many outputs RunModel gives.
  virtual size_t ModelOutputs(const std::string &key) const = 0;
  virtual FlowMessage Dequeue(size_t input, int32_t timeout_ms) = 0;
  virtual void QueueSize(size_t input, size_t *waiting, size_t *room) = 0;
  virtual void Raise(int32_t code, uint64_t context) = 0;
  virtual bool NextException(int32_t *code, uint64_t *context) = 0;
};

class FlowFunction {
 public:
  virtual ~FlowFunction() = default;
  const std::string &name() const { return name_; }
  const void *family() const { return family_; }
  bool streams() const { return streams_; }
  /// Throws what the function said.
  virtual std::shared_ptr<void> Create(FlowHost &host) = 0;
  virtual void Process(void *instance, FlowHost &host, std::vector<FlowMessage> inputs) = 0;

 protected:
  FlowFunction(std::string name, const void *family, bool streams)
      : name_(std::move(name)), family_(family), streams_(streams) {}

 private:
  std::string name_;
  const void *family_;
  bool streams_;
};
using FlowFunctionPtr = std::shared_ptr<FlowFunction>;

/// All functions of the process; any thread.
class FlowFunctions {
 public:
  static FlowFunctions &Instance();
  uint64_t Register(FlowFunctionPtr function);
  void Unregister(uint64_t token) noexcept;
  /// Loads a library once and for all; what it registers meanwhile is its own.
  void Load(const std::string &library);
  /// Of a library; "" is the program itself. Throws GE_NOT_FOUND and lists what there is.
  FlowFunctionPtr Find(const std::string &library, const std::string &name) const;

 private:
  struct Tables;
  explicit FlowFunctions(Tables &tables) : tables_(tables) {}
  Tables &tables_;  // never freed: programs unregister while they end
};

/// Builds a library with CMake in `folder`/build and tells its path.
struct FlowLibraryBuild {
  std::string folder;      // of the sources
  std::string cmake_list;  // its CMakeLists.txt, or the folder that holds it; relative to `folder`
  std::string target;      // file name of the library
  std::string compiler;    // program; "" leaves the choice to CMake
};
std::string BuildFlowLibrary(const FlowLibraryBuild &build);

}  // namespace gec
