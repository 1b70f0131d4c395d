// EsTensorHolder: one output of one node inside a builder; a copyable handle of one pointer.
#ifndef AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_GRAPH_BUILDER_ES_TENSOR_HOLDER_H_
#define AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_GRAPH_BUILDER_ES_TENSOR_HOLDER_H_

#include <cstdint>
#include <vector>

#include "esb_funcs.h"
#include "ge/es_node.h"
#include "ge_common/ge_api_error_codes.h"
#include "graph/detail/library_table.h"
#include "graph/gnode.h"
#include "graph/types.h"

extern "C" {
// Generated operator libraries define EsAdd, …; the base library's own versions lead to the one that the caller is
// linked with. They have other names here, because a program may declare them itself, and a library's Add may have
// other parameters.
EsCTensorHolder *GeEsOperatorAdd(EsCTensorHolder *x1, EsCTensorHolder *x2) __asm__("EsAdd");
EsCTensorHolder *GeEsOperatorSub(EsCTensorHolder *x1, EsCTensorHolder *x2) __asm__("EsSub");
EsCTensorHolder *GeEsOperatorMul(EsCTensorHolder *x1, EsCTensorHolder *x2) __asm__("EsMul");
EsCTensorHolder *GeEsOperatorDiv(EsCTensorHolder *x1, EsCTensorHolder *x2) __asm__("EsDiv");
}

namespace ge {
namespace es {

class EsTensorHolder {
 public:
  EsTensorHolder(EsCTensorHolder *tensor) : tensor_(tensor) {  // NOLINT: implicit by contract
    // A function that ends here stays on the stack while it makes the tensor: the base library knows by that address
    // whose EsAdd is meant.
    __asm__ volatile("" : "+r"(tensor_));
  }
  EsTensorHolder() = default;

  GE_OF_THIS_LIBRARY EsTensorHolder operator+(const EsTensorHolder &other) const {
    return GeEsOperatorAdd(tensor_, other.tensor_);
  }
  GE_OF_THIS_LIBRARY EsTensorHolder operator-(const EsTensorHolder &other) const {
    return GeEsOperatorSub(tensor_, other.tensor_);
  }
  GE_OF_THIS_LIBRARY EsTensorHolder operator*(const EsTensorHolder &other) const {
    return GeEsOperatorMul(tensor_, other.tensor_);
  }
  GE_OF_THIS_LIBRARY EsTensorHolder operator/(const EsTensorHolder &other) const {
    return GeEsOperatorDiv(tensor_, other.tensor_);
  }

  EsTensorHolder &SetDataType(const ge::DataType data_type) {
    (void)EsSetDataType(tensor_, static_cast<C_DataType>(data_type));
    return *this;
  }
  EsTensorHolder &SetFormat(const ge::Format format) {
    (void)EsSetFormat(tensor_, static_cast<C_Format>(format));
    return *this;
  }
  EsTensorHolder &SetShape(const std::vector<int64_t> &dims) {
    (void)EsSetShape(tensor_, dims.data(), static_cast<int64_t>(dims.size()));
    return *this;
  }
  EsTensorHolder &SetOriginSymbolShape(const std::vector<const char *> &dims) {
    (void)EsSetOriginSymbolShape(tensor_, dims.data(), static_cast<int64_t>(dims.size()));
    return *this;
  }
  Status SetAttr(const char *name, int64_t value) { return EsSetInt64AttrForTensor(tensor_, name, value); }
  Status SetAttr(const char *name, const char *value) { return EsSetStringAttrForTensor(tensor_, name, value); }
  Status SetAttr(const char *name, bool value) { return EsSetBoolAttrForTensor(tensor_, name, value); }
  Status SetAttrForNode(const char *name, int64_t value) { return EsSetInt64AttrForNode(tensor_, name, value); }
  Status SetAttrForNode(const char *name, const char *value) { return EsSetStringAttrForNode(tensor_, name, value); }
  Status SetAttrForNode(const char *name, bool value) { return EsSetBoolAttrForNode(tensor_, name, value); }

  EsCTensorHolder *GetCTensorHolder() const { return tensor_; }
  int32_t GetProducerOutIndex() const { return tensor_ == nullptr ? 0 : GeEsHolderIndex(tensor_); }
  /// Borrowed from the builder; null for a null holder.
  GNode *GetProducer() const {
    return tensor_ == nullptr ? nullptr : static_cast<GNode *>(static_cast<void *>(EsGetProducer(tensor_)));
  }
  Status AddControlEdge(const std::vector<EsTensorHolder> &ctrl_ins) const {
    std::vector<EsCTensorHolder *> sources;
    for (const EsTensorHolder &source : ctrl_ins) sources.push_back(source.tensor_);
    const int64_t count = static_cast<int64_t>(sources.size());
    if (sources.empty()) sources.push_back(nullptr);  // an empty vector has no array to point to
    return EsAddControlEdge(tensor_, sources.data(), count);
  }

 private:
  EsCTensorHolder *tensor_ = nullptr;
};

}  // namespace es
}  // namespace ge

#endif
