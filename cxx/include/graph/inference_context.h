// InferenceContext: what inference functions hand to one another beside shapes.
#ifndef INC_GRAPH_INFERENCE_CONTEXT_H_
#define INC_GRAPH_INFERENCE_CONTEXT_H_

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/error_codes.h"
#include "graph/resource_context.h"
#include "graph/tensor.h"
#include "graph/types.h"

namespace ge {

class InferenceContext;
using InferenceContextPtr = std::shared_ptr<InferenceContext>;

/// Describes an element behind a resource handle.
class ShapeAndType {
 public:
  ShapeAndType() = default;
  ShapeAndType(const Shape &shape, DataType data_type) : shape_(shape), data_type_(data_type) {}
  void SetShape(const Shape &shape) { shape_ = shape; }
  void SetType(DataType data_type) { data_type_ = data_type; }
  Shape GetShape() const { return shape_; }
  DataType GetDataType() const { return data_type_; }

 private:
  Shape shape_;
  DataType data_type_ = DT_UNDEFINED;
};

class InferenceContext {
 public:
  /// `resource_context_mgr` is a ResourceContextMgr that outlives the context, or null: then there are no resource
  /// contexts.
  static std::unique_ptr<InferenceContext> Create(void *resource_context_mgr = nullptr) {
    return std::unique_ptr<InferenceContext>(new InferenceContext(resource_context_mgr));
  }
  ~InferenceContext() = default;
  InferenceContext(const InferenceContext &) = delete;
  InferenceContext(InferenceContext &&) = delete;
  InferenceContext &operator=(const InferenceContext &) = delete;
  InferenceContext &operator=(InferenceContext &&) = delete;

  void SetInputHandleShapesAndTypes(std::vector<std::vector<ShapeAndType>> &&shapes_and_types) {
    inputs_ = std::move(shapes_and_types);
  }
  const std::vector<std::vector<ShapeAndType>> &GetInputHandleShapesAndTypes() const { return inputs_; }
  void SetOutputHandleShapesAndTypes(const std::vector<std::vector<ShapeAndType>> &shapes_and_types) {
    outputs_ = shapes_and_types;
  }
  void SetOutputHandleShapesAndTypes(std::vector<std::vector<ShapeAndType>> &&shapes_and_types) {
    outputs_ = std::move(shapes_and_types);
  }
  const std::vector<std::vector<ShapeAndType>> &GetOutputHandleShapesAndTypes() const { return outputs_; }

  void SetMarks(const std::vector<AscendString> &marks) { marks_ = marks; }
  void GetMarks(std::vector<AscendString> &marks) const { marks = marks_; }
  ATTRIBUTED_DEPRECATED(void SetMarks(const std::vector<AscendString> &))
  void SetMarks(const std::vector<std::string> &marks) {
    marks_.clear();
    for (const std::string &mark : marks) marks_.emplace_back(mark.c_str(), mark.size());
  }
  ATTRIBUTED_DEPRECATED(void GetMarks(std::vector<AscendString> &) const)
  std::vector<std::string> GetMarks() const {
    std::vector<std::string> marks;
    for (const AscendString &mark : marks_) marks.emplace_back(mark.GetString(), mark.GetLength());
    return marks;
  }

  ResourceContext *GetResourceContext(const AscendString &key) const {
    return manager_ == nullptr ? nullptr : manager_->GetResourceContext(key.GetString());
  }
  /// Ownership goes to the manager; without one it stays the caller's.
  graphStatus SetResourceContext(const AscendString &key, ResourceContext *resource_context) {
    if (manager_ == nullptr) return GRAPH_FAILED;
    manager_->SetResourceContext(key.GetString(), resource_context);
    return GRAPH_SUCCESS;
  }
  graphStatus RegisterReliedOnResourceKey(const AscendString &key) { return Insert(relied_on_, key); }
  graphStatus AddChangedResourceKey(const AscendString &key) { return Insert(changed_, key); }
  const std::set<AscendString> &GetReliedOnResourceKeys() const { return relied_on_; }
  const std::set<AscendString> &GetChangedResourceKeys() const { return changed_; }
  void ClearChangedResourceKeys() { changed_.clear(); }

 private:
  explicit InferenceContext(void *manager) : manager_(static_cast<ResourceContextMgr *>(manager)) {}
  static graphStatus Insert(std::set<AscendString> &keys, const AscendString &key) {
    keys.insert(key);
    return GRAPH_SUCCESS;
  }
  ResourceContextMgr *manager_;
  std::vector<std::vector<ShapeAndType>> inputs_, outputs_;
  std::vector<AscendString> marks_;
  std::set<AscendString> relied_on_, changed_;
};

}  // namespace ge

#endif
