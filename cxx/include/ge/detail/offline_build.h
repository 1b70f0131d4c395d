// The implementation of ge/ge_ir_build.h: options of an offline build, and the model it gives.
#ifndef INC_GE_DETAIL_OFFLINE_BUILD_H_
#define INC_GE_DETAIL_OFFLINE_BUILD_H_

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "ge/detail/files.h"
#include "ge/detail/model_buffer.h"
#include "ge/detail/process.h"
#include "ge/log.h"
#include "ge/offline.h"
#include "ge/serialize.h"
#include "ge_common/ge_ir_options.h"
#include "graph/detail/language.h"
#include "graph/detail/library_table.h"
#include "graph/graph.h"

namespace ge {
namespace detail {

/// Takes the memory that the library made.
inline void AdoptModel(void *data, size_t size, ModelBufferData &model) {
  model.data = std::shared_ptr<uint8_t>(static_cast<uint8_t *>(data), [](uint8_t *p) { GeBytesDestroy(p); });
  model.length = size;
}

class GE_OF_THIS_LIBRARY OfflineBuilder {
 public:
  static OfflineBuilder &Instance() {
    static auto *builder = new OfflineBuilder;
    return *builder;
  }
  graphStatus Initialize(const OptionMap &options) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (on_) {
      if (GeIsInitialized() != 0) InitializeAgain(options);
      return GRAPH_SUCCESS;
    }
    const AscendString null(nullptr);
    for (const auto &option : options) {
      if (option.first == null || option.second == null)
        return Refuse(GRAPH_FAILED, "an option's key or value is null");
      if (ir_option::global_options.count(option.first.GetString()) != 0) continue;
      const std::string text =
          std::string("aclgrphBuildInitialize: '") + option.first.GetString() + "' is no global option";
      (void)GeWarningAdd(text.c_str());
    }
    Options set(options);
    if (set.status() != SUCCESS) return GRAPH_PARAM_INVALID;
    if (GeInitialize(set.get()) != GE_SUCCESS) return GRAPH_FAILED;
    if (CustomLibraries::Load() != SUCCESS) {
      (void)GeFinalize();  // leaves the message
      return GRAPH_FAILED;
    }
    global_ = options;
    on_ = InitializedOffline() = true;
    return GRAPH_SUCCESS;
  }
  void Finalize() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (on_ && !Initialized()) (void)GeFinalize();  // a start by GEInitialize goes on
    on_ = InitializedOffline() = false;
    global_.clear();
  }
  graphStatus Build(const Graph &graph, const OptionMap &options, ModelBufferData &model) {
    OptionMap all;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!on_) return Refuse(GRAPH_FAILED, "E10062: aclgrphBuildModel needs aclgrphBuildInitialize before it");
      all = global_;
    }
    if (graph.handle() == nullptr) return Refuse(GRAPH_PARAM_INVALID, "aclgrphBuildModel: the graph is empty");
    const graphStatus status = Check(options);
    if (status != GRAPH_SUCCESS) return status;
    GeGraph *copy = nullptr;
    if (GeGraphClone(graph.handle(), nullptr, &copy) != GE_SUCCESS) return GRAPH_FAILED;
    const Graph held = Graph::Adopt(copy);
    for (const auto &option : options) {
      if (Changes(option.first)) {
        if (GeGraphApplyParserOption(copy, option.first.GetString(), option.second.GetString()) != GE_SUCCESS)
          return GRAPH_PARAM_INVALID;
      } else if (option.first == ir_option::INPUT_SHAPE_RANGE) {
        std::string shapes = option.second.GetString();  // the brackets of the older form
        for (char bracket : {'[', ']'}) shapes.erase(std::remove(shapes.begin(), shapes.end(), bracket), shapes.end());
        if (GeGraphApplyParserOption(copy, ir_option::INPUT_SHAPE, shapes.c_str()) != GE_SUCCESS)
          return GRAPH_PARAM_INVALID;
      } else {
        all[option.first] = option.second;
      }
    }
    Options set(all);
    if (set.status() != SUCCESS) return GRAPH_PARAM_INVALID;
    void *data = nullptr;
    size_t size = 0;
    const GeStatus built = GeOfflineBuild(copy, set.get(), &data, &size);
    if (built == GE_OPTION_INVALID) return GRAPH_PARAM_INVALID;
    if (built != GE_SUCCESS) return GRAPH_FAILED;
    AdoptModel(data, size, model);
    return GRAPH_SUCCESS;
  }
  graphStatus Build(const Graph &graph, const OptionMap &options, void ***model) {
    *model = nullptr;
    auto built = MakeUnique<ModelBufferData>();
    const graphStatus status = Build(graph, options, *built);
    if (status == GRAPH_SUCCESS) *model = new (void *)(built.release());
    return status;
  }
  static graphStatus Bundle(const std::vector<ModelBufferData> &models, ModelBufferData &model) {
    if (models.size() < 2)
      return Refuse(GRAPH_PARAM_INVALID, "aclgrphBundleBuildModel: a bundle has at least two graphs");
    std::vector<const void *> datas;
    std::vector<size_t> sizes;
    for (const ModelBufferData &one : models) {
      datas.push_back(one.data.get());
      sizes.push_back(one.length);
    }
    void *data = nullptr;
    size_t size = 0;
    if (GeOfflineBundle(datas.data(), sizes.data(), datas.size(), &data, &size) != GE_SUCCESS) return GRAPH_FAILED;
    AdoptModel(data, size, model);
    return GRAPH_SUCCESS;
  }
  static graphStatus Save(const char_t *file, const ModelBufferData &model, bool bundle) {
    if (file == nullptr || *file == '\0') return Refuse(GRAPH_PARAM_INVALID, "aclgrphSaveModel: the file has no name");
    if (model.data == nullptr || model.length == 0)
      return Refuse(GRAPH_PARAM_INVALID, "aclgrphSaveModel: the model is empty");
    size_t members = 0;
    if (GeOfflineBundleCount(model.data.get(), model.length, &members) != GE_SUCCESS) return GRAPH_FAILED;
    if (bundle != (members != 0))
      return Refuse(GRAPH_FAILED, bundle ? "aclgrphBundleSaveModel: the model is no bundle"
                                         : "aclgrphSaveModel: the model is a bundle");
    const std::string folder = FolderOf(file);
    const int error = folder.empty() ? 0 : MakeFolders(folder);
    if (error != 0)
      return Refuse(GRAPH_FAILED, "aclgrphSaveModel: cannot make folder '" + folder + "': " + std::strerror(error));
    const std::string path = std::string(file) + ".om";
    return GeOfflineSave(path.c_str(), model.data.get(), model.length) == GE_SUCCESS ? GRAPH_SUCCESS : GRAPH_FAILED;
  }

 private:
  static graphStatus Refuse(graphStatus status, const std::string &text) {
    (void)GeSetLastError(status == GRAPH_PARAM_INVALID ? GE_OPTION_INVALID : GE_FAILED, text.c_str());
    return status;
  }
  static graphStatus Invalid(const AscendString &key, const AscendString &value, const std::string &why) {
    return Refuse(GRAPH_PARAM_INVALID,
                  std::string("E10001: option ") + key.GetString() + " is '" + value.GetString() + "': " + why);
  }
  /// Options that change the graph before it is built.
  static bool Changes(const AscendString &key) {
    return key == ir_option::INPUT_SHAPE || key == ir_option::OUT_NODES || key == ir_option::INPUT_FP16_NODES;
  }
  static graphStatus Check(const OptionMap &options) {
    const bool shaped = options.count(ir_option::INPUT_SHAPE) != 0;
    size_t gears = 0;
    for (const auto &option : options) {
      const std::string name = option.first.GetString(), text = option.second.GetString();
      if (ir_option::ir_builder_suppported_options.count(name) == 0)
        return Invalid(option.first, option.second, "a build has no such option");
      if (name == ir_option::DYNAMIC_BATCH_SIZE || name == ir_option::DYNAMIC_IMAGE_SIZE ||
          name == ir_option::DYNAMIC_DIMS) {
        if (++gears > 1)
          return Invalid(option.first, option.second, "sizes of batches, images and dimensions exclude one another");
        if (!shaped) return Invalid(option.first, option.second, std::string("it needs ") + ir_option::INPUT_SHAPE);
        if (text.find_first_not_of("0123456789,; ") != std::string::npos || text.empty())
          return Invalid(option.first, option.second, "it is a list of sizes");
      }
    }
    return GRAPH_SUCCESS;
  }
  std::mutex mutex_;
  bool on_ = false;
  OptionMap global_;
};

}  // namespace detail
}  // namespace ge

#endif
