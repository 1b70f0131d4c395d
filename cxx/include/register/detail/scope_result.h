// The findings of a scope fusion pass, and their replacements.
#ifndef INC_REGISTER_DETAIL_SCOPE_RESULT_H_
#define INC_REGISTER_DETAIL_SCOPE_RESULT_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/operator_factory.h"
#include "graph/types.h"
#include "register/detail/scope_pattern.h"

namespace ge {

const int32_t kFusionDisableIndex = 99999;                     // an input or output that the fused node does not have
const char_t *const kScopeToMultiNodes = "ScopeToMultiNodes";  // type of a result that is several nodes
const char_t *const kScopeInvalidType = "ScopeInvalidType";    // type of a result that is none after all
const char_t *const kInputFromFusionScope = "InputFromFusionScope";
const char_t *const kOutputToFusionScope = "OutputToFusionScope";

/// Scopes and single nodes that are replaced together.
class ScopesResult {
 public:
  ScopesResult() = default;
  void SetScopes(std::vector<Scope *> &scopes) { scopes_ = scopes; }
  void SetNodes(std::vector<OperatorPtr> &nodes) { nodes_ = nodes; }

 private:
  friend struct detail::ResultAccess;
  friend class ScopeBasePass;
  std::vector<Scope *> scopes_;
  std::vector<OperatorPtr> nodes_;
};

class FusionScopesResult {
 public:
  FusionScopesResult() = default;
  FusionScopesResult(const FusionScopesResult &) = delete;
  FusionScopesResult &operator=(const FusionScopesResult &) = delete;
  ~FusionScopesResult() = default;
  Status Init() { return SUCCESS; }

  void SetName(const std::string &name) { name_ = name; }
  void SetName(const char_t *name) { name_ = detail::TextOf(name); }
  /// The operator's type, kScopeToMultiNodes or kScopeInvalidType. Attributes come from the registration whose
  /// OriginOpType it is (FusionParseParamsFn).
  void SetType(const std::string &type) { type_ = type; }
  void SetType(const char_t *type) { type_ = detail::TextOf(type); }
  void SetDescription(const std::string &description) { description_ = description; }
  void SetDescription(const char_t *description) { description_ = detail::TextOf(description); }
  const std::string &Name() const { return name_; }
  Status Name(AscendString &name) const {
    name = AscendString(name_.c_str());
    return SUCCESS;
  }
  /// The nodes that are replaced.
  const std::vector<OperatorPtr> &Nodes() const { return nodes_; }
  /// Input i of the node is input index_map[i] of the fused one. The node is named from the scope on ("transpose"), or
  /// whole.
  void InsertInputs(const std::string &inner_op_name, const std::vector<int32_t> &index_map) {
    inputs_.emplace_back(inner_op_name, index_map);
  }
  void InsertInputs(const char_t *inner_op_name, const std::vector<int32_t> &index_map) {
    InsertInputs(detail::TextOf(inner_op_name), index_map);
  }
  /// Output i of the node is output index_map[i] of the fused one.
  void InsertOutputs(const std::string &inner_op_name, const std::vector<int32_t> &index_map) {
    outputs_.emplace_back(inner_op_name, index_map);
  }
  void InsertOutputs(const char_t *inner_op_name, const std::vector<int32_t> &index_map) {
    InsertOutputs(detail::TextOf(inner_op_name), index_map);
  }

  /// One of several nodes: its name follows that of the result ("gelu/mul").
  class InnerNodeInfo {
   public:
    explicit InnerNodeInfo(const std::string &fusion_node_name) : fusion_name_(fusion_node_name) {}
    explicit InnerNodeInfo(const char_t *fusion_node_name) : fusion_name_(detail::TextOf(fusion_node_name)) {}
    InnerNodeInfo(const std::string &fusion_node_name, const std::string &name, const std::string &type)
        : fusion_name_(fusion_node_name), name_(FullName(name)), type_(type) {}
    InnerNodeInfo(const char_t *fusion_node_name, const char_t *name, const char_t *type)
        : InnerNodeInfo(detail::TextOf(fusion_node_name), detail::TextOf(name), detail::TextOf(type)) {}
    InnerNodeInfo(InnerNodeInfo &&other) noexcept = default;
    InnerNodeInfo &operator=(InnerNodeInfo &&other) noexcept = default;
    InnerNodeInfo(const InnerNodeInfo &) = delete;
    InnerNodeInfo &operator=(const InnerNodeInfo &) = delete;
    ~InnerNodeInfo() = default;

    InnerNodeInfo &SetName(const std::string &name) {
      name_ = FullName(name);
      return *this;
    }
    InnerNodeInfo &SetName(const char_t *name) { return SetName(detail::TextOf(name)); }
    InnerNodeInfo &SetType(const std::string &type) {
      type_ = type;
      return *this;
    }
    InnerNodeInfo &SetType(const char_t *type) { return SetType(detail::TextOf(type)); }
    /// The next input: an output of another inner node, or input `peer_out_idx` of the scope (kInputFromFusionScope).
    InnerNodeInfo &InsertInput(const std::string &input_node, int32_t peer_out_idx) {
      inputs_.emplace_back(input_node == kInputFromFusionScope ? input_node : FullName(input_node), peer_out_idx);
      return *this;
    }
    InnerNodeInfo &InsertInput(const char_t *input_node, int32_t peer_out_idx) {
      return InsertInput(detail::TextOf(input_node), peer_out_idx);
    }
    /// The next output: who reads it, or output `peer_in_idx` of the scope (kOutputToFusionScope). All are output 0 of
    /// an operator that has only one.
    InnerNodeInfo &InsertOutput(const std::string &output_node, int32_t peer_in_idx) {
      outputs_.emplace_back(output_node == kOutputToFusionScope ? output_node : FullName(output_node), peer_in_idx);
      return *this;
    }
    InnerNodeInfo &InsertOutput(const char_t *output_node, int32_t peer_in_idx) {
      return InsertOutput(detail::TextOf(output_node), peer_in_idx);
    }
    /// Makes the operator; a dynamic input of an operator with only one takes the inputs that the others leave.
    graphStatus BuildInnerNode() {
      operator_ = OperatorFactory::CreateOperator(name_.c_str(), type_.c_str());
      if (name_.empty() || operator_.IsEmpty()) {
        const std::string text =
            "E10501: no operator of type '" + type_ + "' can be made for inner node '" + name_ + "'";
        (void)GeSetLastError(GE_NOT_FOUND, text.c_str());
        return GRAPH_FAILED;
      }
      return GRAPH_SUCCESS;
    }
    graphStatus SetInputFormat(const std::string &input_name, const std::string &format) {
      return SetFormat(true, input_name, format);
    }
    graphStatus SetInputFormat(const char_t *input_name, const char_t *format) {
      return SetFormat(true, detail::TextOf(input_name), detail::TextOf(format));
    }
    graphStatus SetOutputFormat(const std::string &output_name, const std::string &format) {
      return SetFormat(false, output_name, format);
    }
    graphStatus SetOutputFormat(const char_t *output_name, const char_t *format) {
      return SetFormat(false, detail::TextOf(output_name), detail::TextOf(format));
    }
    graphStatus SetDynamicInputFormat(const std::string &input_name, uint32_t index, const std::string &format) {
      return SetFormat(true, input_name + std::to_string(index), format);
    }
    graphStatus SetDynamicInputFormat(const char_t *input_name, uint32_t index, const char_t *format) {
      return SetDynamicInputFormat(detail::TextOf(input_name), index, detail::TextOf(format));
    }
    graphStatus SetDynamicOutputFormat(const std::string &output_name, uint32_t index, const std::string &format) {
      return SetFormat(false, output_name + std::to_string(index), format);
    }
    graphStatus SetDynamicOutputFormat(const char_t *output_name, uint32_t index, const char_t *format) {
      return SetDynamicOutputFormat(detail::TextOf(output_name), index, detail::TextOf(format));
    }
    /// Null before BuildInnerNode.
    Operator *MutableOperator() { return operator_.IsEmpty() ? nullptr : &operator_; }

    std::string GetName() const { return name_; }
    Status GetName(AscendString &name) const {
      name = AscendString(name_.c_str());
      return SUCCESS;
    }
    std::string GetType() const { return type_; }
    Status GetType(AscendString &type) const {
      type = AscendString(type_.c_str());
      return SUCCESS;
    }
    std::vector<std::pair<std::string, int32_t>> GetInputs() const { return inputs_; }
    Status GetInputs(std::vector<std::pair<AscendString, int32_t>> &inputs) const {
      for (const auto &[name, index] : inputs_) inputs.emplace_back(AscendString(name.c_str()), index);
      return SUCCESS;
    }
    std::vector<std::pair<std::string, int32_t>> GetOutputs() const { return outputs_; }
    Status GetOutputs(std::vector<std::pair<AscendString, int32_t>> &outputs) const {
      for (const auto &[name, index] : outputs_) outputs.emplace_back(AscendString(name.c_str()), index);
      return SUCCESS;
    }

   private:
    friend struct detail::ResultAccess;
    std::string FullName(const std::string &name) const {
      if (fusion_name_.empty()) return name;
      return fusion_name_.back() == '/' ? fusion_name_ + name : fusion_name_ + "/" + name;
    }
    graphStatus SetFormat(bool input, const std::string &port, const std::string &format) {
      if (operator_.IsEmpty()) return GRAPH_FAILED;
      static const std::pair<const char_t *, Format> known[] = {{"NCHW", FORMAT_NCHW},   {"NHWC", FORMAT_NHWC},
                                                                {"ND", FORMAT_ND},       {"HWCN", FORMAT_HWCN},
                                                                {"NDHWC", FORMAT_NDHWC}, {"NCDHW", FORMAT_NCDHW}};
      for (const auto &[name, value] : known) {
        if (format != name) continue;
        TensorDesc desc =
            input ? operator_.GetInputDescByName(port.c_str()) : operator_.GetOutputDescByName(port.c_str());
        desc.SetFormat(value);
        desc.SetOriginFormat(value);
        return input ? operator_.UpdateInputDesc(port.c_str(), desc) : operator_.UpdateOutputDesc(port.c_str(), desc);
      }
      return GRAPH_FAILED;
    }
    std::string fusion_name_, name_, type_;
    std::vector<std::pair<std::string, int32_t>> inputs_, outputs_;
    Operator operator_;
  };

  /// For a result of type kScopeToMultiNodes; SetName comes before. It stays where it is until the result is gone.
  InnerNodeInfo *AddInnerNode(const std::string &name, const std::string &type) {
    inner_.push_back(std::make_unique<InnerNodeInfo>(name_, name, type));
    return inner_.back().get();
  }
  InnerNodeInfo *AddInnerNode(const char_t *name, const char_t *type) {
    return AddInnerNode(detail::TextOf(name), detail::TextOf(type));
  }
  InnerNodeInfo *MutableRecentInnerNode() { return inner_.empty() ? nullptr : inner_.back().get(); }
  InnerNodeInfo *MutableInnerNode(uint32_t index) { return index < inner_.size() ? inner_[index].get() : nullptr; }
  /// True when the inner nodes are built and name each other; else the last error has the problem. The import checks
  /// this, too.
  graphStatus CheckInnerNodesInfo();

 private:
  friend struct detail::ResultAccess;
  std::string name_, type_, description_;
  std::vector<OperatorPtr> nodes_;
  std::vector<Scope *> scopes_;
  std::vector<std::pair<std::string, std::vector<int32_t>>> inputs_, outputs_;
  std::vector<std::unique_ptr<InnerNodeInfo>> inner_;
};

}  // namespace ge

/// Ends GenerateFusionResult with a result that is none where the condition fails.
#define CHECK_INNER_NODE_CONDITION(cond, fusion_rlt)                               \
  do {                                                                             \
    if (!(cond)) {                                                                 \
      if ((fusion_rlt) != nullptr) (fusion_rlt)->SetType(::ge::kScopeInvalidType); \
      return;                                                                      \
    }                                                                              \
  } while (0)

#endif
