// Patterns of scopes: how many nodes of a type they hold, what attributes say, which scopes lie in them.
#ifndef INC_REGISTER_DETAIL_SCOPE_PATTERN_H_
#define INC_REGISTER_DETAIL_SCOPE_PATTERN_H_

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "graph/types.h"
#include "register/detail/scope_tree.h"

namespace ge {
namespace detail {
inline std::string TextOf(const char_t *text) { return text == nullptr ? std::string() : std::string(text); }
/// Step 0: exactly `num`. Otherwise `num` is what is left when `count` is divided by `step`.
inline bool CountFits(int32_t count, int32_t num, int32_t step) {
  return step == 0 ? count == num : count % step == num;
}
}  // namespace detail

class ScopeAttrValue {
 public:
  ScopeAttrValue() = default;
  void SetIntValue(int64_t value) { int_ = value; }
  void SetFloatValue(float value) { float_ = value; }
  void SetStringValue(std::string value) { text_ = std::move(value); }
  void SetStringValue(const char_t *value) { text_ = detail::TextOf(value); }
  void SetBoolValue(bool value) { bool_ = value; }

 private:
  friend class NodeAttrFeature;
  int64_t int_ = 0;
  float float_ = 0;
  std::string text_;
  bool bool_ = false;
};

class ScopeBaseFeature {
 public:
  virtual bool Match(const Scope *scope) = 0;
  virtual ~ScopeBaseFeature() = default;
};

/// The scope, with those in it, holds `num` nodes of the type (-1 or 0: none); with a step, a number that leaves `num`
/// when it is divided by it, so that (type, 0, 2) is 2, 4, 6, … nodes.
class NodeOpTypeFeature : public ScopeBaseFeature {
 public:
  NodeOpTypeFeature(std::string node_type, int32_t num, int32_t step = 0)
      : type_(std::move(node_type)), num_(num), step_(step) {}
  NodeOpTypeFeature(const char_t *node_type, int32_t num, int32_t step = 0)
      : NodeOpTypeFeature(detail::TextOf(node_type), num, step) {}
  bool Match(const Scope *scope) override {
    if (scope == nullptr) return false;
    const int32_t count = detail::ScopeAccess::CountOf(*scope, type_);
    if (count < 0) return step_ == 0 && num_ <= 0;
    return detail::CountFits(count, num_, step_);
  }

 private:
  std::string type_;
  int32_t num_, step_;
};

/// A node of the type has the attribute with this value: of DT_FLOAT, DT_INT32 or DT_INT64, DT_BOOL, DT_STRING.
class NodeAttrFeature : public ScopeBaseFeature {
 public:
  NodeAttrFeature(std::string node_type, std::string attr_name, DataType datatype, ScopeAttrValue &attr_value)
      : type_(std::move(node_type)), name_(std::move(attr_name)), datatype_(datatype), value_(attr_value) {}
  NodeAttrFeature(const char_t *node_type, const char_t *attr_name, DataType datatype, ScopeAttrValue &attr_value)
      : NodeAttrFeature(detail::TextOf(node_type), detail::TextOf(attr_name), datatype, attr_value) {}
  bool Match(const Scope *scope) override {
    if (scope == nullptr) return false;
    for (const auto &[name, node] : scope->AllNodesMap())
      if (node->GetOpType() == type_ && Equal(*node)) return true;
    return false;
  }

 private:
  bool Equal(const Operator &node) const {
    if (datatype_ == DT_FLOAT) {
      float value = 0;
      return node.GetAttr(name_.c_str(), value) == GRAPH_SUCCESS && std::fabs(value - value_.float_) <= 1e-6f;
    }
    if (datatype_ == DT_INT32 || datatype_ == DT_INT64) {
      int64_t value = 0;
      return node.GetAttr(name_.c_str(), value) == GRAPH_SUCCESS && value == value_.int_;
    }
    if (datatype_ == DT_BOOL) {
      bool value = false;
      return node.GetAttr(name_.c_str(), value) == GRAPH_SUCCESS && value == value_.bool_;
    }
    AscendString value;
    return datatype_ == DT_STRING && node.GetAttr(name_.c_str(), value) == GRAPH_SUCCESS &&
           value == AscendString(value_.text_.c_str());
  }

  std::string type_, name_;
  DataType datatype_;
  ScopeAttrValue value_;
};

/// Scopes inside: `num` of them have the sub-type (step as in NodeOpTypeFeature), the scope's own last name ends with
/// `suffix`, and the name of one inside holds `sub_scope_mask`. Empty texts ask for nothing.
class ScopeFeature : public ScopeBaseFeature {
 public:
  ScopeFeature(std::string sub_type, int32_t num, std::string suffix = "", std::string sub_scope_mask = "",
               int32_t step = 0)
      : sub_type_(std::move(sub_type)),
        num_(num),
        suffix_(std::move(suffix)),
        mask_(std::move(sub_scope_mask)),
        step_(step) {}
  ScopeFeature(const char_t *sub_type, int32_t num, const char_t *suffix, const char_t *sub_scope_mask,
               int32_t step = 0)
      : ScopeFeature(detail::TextOf(sub_type), num, detail::TextOf(suffix), detail::TextOf(sub_scope_mask), step) {}
  bool Match(const Scope *scope) override {
    if (scope == nullptr) return false;
    const std::string last = scope->LastName();
    if (suffix_.size() > last.size() || last.compare(last.size() - suffix_.size(), suffix_.size(), suffix_) != 0)
      return false;
    int32_t count = 0;
    bool masked = mask_.empty();
    for (const Scope *inner : scope->GetAllSubScopes()) {
      count += !sub_type_.empty() && inner->SubType() == sub_type_;
      masked = masked || inner->Name().find(mask_, scope->Name().size()) != std::string::npos;
    }
    return masked && (sub_type_.empty() || detail::CountFits(count, num_, step_));
  }

 private:
  std::string sub_type_;
  int32_t num_;
  std::string suffix_, mask_;
  int32_t step_;
};

/// Matches a scope that has all its features, and gives it a sub-type.
class ScopePattern {
 public:
  ScopePattern() = default;
  ScopePattern(const ScopePattern &) = delete;
  ScopePattern &operator=(const ScopePattern &) = delete;
  ~ScopePattern() = default;
  ScopePattern &SetSubType(const std::string &sub_type) {
    sub_type_ = sub_type;
    return *this;
  }
  ScopePattern &SetSubType(const char_t *sub_type) { return SetSubType(detail::TextOf(sub_type)); }
  ScopePattern &AddNodeOpTypeFeature(NodeOpTypeFeature feature) {
    types_.push_back(std::move(feature));
    return *this;
  }
  ScopePattern &AddNodeAttrFeature(NodeAttrFeature feature) {
    attrs_.push_back(std::move(feature));
    return *this;
  }
  ScopePattern &AddScopeFeature(ScopeFeature feature) {
    scopes_.push_back(std::move(feature));
    return *this;
  }

 private:
  friend class ScopeBasePass;
  bool Match(const Scope &scope) {
    for (NodeOpTypeFeature &feature : types_)
      if (!feature.Match(&scope)) return false;
    for (NodeAttrFeature &feature : attrs_)
      if (!feature.Match(&scope)) return false;
    for (ScopeFeature &feature : scopes_)
      if (!feature.Match(&scope)) return false;
    return true;
  }
  std::string sub_type_;
  std::vector<NodeOpTypeFeature> types_;
  std::vector<NodeAttrFeature> attrs_;
  std::vector<ScopeFeature> scopes_;
};

/// Batches of patterns: each has to match a scope; a later batch sees the sub-types that earlier ones gave.
using ScopeFusionPatterns = std::vector<std::vector<ScopePattern *>>;

class ScopeUtil {
 public:
  static std::string StringReplaceAll(std::string str, const std::string &old_value, const std::string &new_value) {
    if (old_value.empty()) return str;
    for (size_t at = str.find(old_value); at != std::string::npos; at = str.find(old_value, at + new_value.size()))
      str.replace(at, old_value.size(), new_value);
    return str;
  }
  static AscendString StringReplaceAll(const char_t *str, const char_t *old_value, const char_t *new_value) {
    return AscendString(
        StringReplaceAll(detail::TextOf(str), detail::TextOf(old_value), detail::TextOf(new_value)).c_str());
  }
  static void FreeScopePatterns(ScopeFusionPatterns &patterns) {
    for (std::vector<ScopePattern *> &batch : patterns) FreeOneBatchPattern(batch);
    patterns.clear();
  }
  static void FreeOneBatchPattern(std::vector<ScopePattern *> &one_batch_pattern) {
    for (ScopePattern *pattern : one_batch_pattern) delete pattern;
    one_batch_pattern.clear();
  }
};

}  // namespace ge

#endif
