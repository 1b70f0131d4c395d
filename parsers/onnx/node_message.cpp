#include "parsers/onnx/node_message.h"

#include <string.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>

#include "core/support/error.h"

namespace gec::onnx {
namespace {

/// Copies of those messages of a node that are encoded otherwise than they are now; they share everything else.
class Completed {
 public:
  Completed(Importer &importer, const Scope &scope) : importer_(importer), scope_(scope) {}

  Onnx__NodeProto *Node(const Onnx__NodeProto &node) {
    Onnx__NodeProto *copy = Keep(nodes_, node);
    std::vector<Onnx__AttributeProto *> &attrs = lists_<Onnx__AttributeProto>().emplace_back();
    for (size_t i = 0; i < node.n_attribute; ++i) {
      const Onnx__AttributeProto *attr = node.attribute[i];
      const char *name = attr->name;
      if (attr->ref_attr_name && *attr->ref_attr_name && scope_.call) {
        auto found = scope_.call->attrs.find(attr->ref_attr_name);
        if (found == scope_.call->attrs.end()) continue;  // the call leaves it out
        attr = found->second;
      }
      attrs.push_back(Attribute(*attr));
      attrs.back()->name = const_cast<char *>(name);
    }
    copy->attribute = attrs.data();
    copy->n_attribute = attrs.size();
    return copy;
  }

 private:
  template <class M>
  static M *Keep(std::deque<M> &all, const M &message) {
    all.push_back(message);
    return &all.back();
  }
  template <class M>
  std::deque<std::vector<M *>> &lists_() {
    if constexpr (std::is_same_v<M, Onnx__AttributeProto>) return attr_lists_;
    else if constexpr (std::is_same_v<M, Onnx__TensorProto>) return tensor_lists_;
    else if constexpr (std::is_same_v<M, Onnx__GraphProto>) return graph_lists_;
    else if constexpr (std::is_same_v<M, Onnx__SparseTensorProto>) return sparse_lists_;
    else return node_lists_;
  }
  template <class M, class Copy>
  void Each(M **&messages, size_t count, Copy copy) {
    if (count == 0) return;
    std::vector<M *> &list = lists_<M>().emplace_back();
    for (size_t i = 0; i < count; ++i) list.push_back(copy(*messages[i]));
    messages = list.data();
  }

  Onnx__AttributeProto *Attribute(const Onnx__AttributeProto &attr) {
    Onnx__AttributeProto *copy = Keep(attrs_, attr);
    if (copy->t) copy->t = Tensor(*copy->t);
    if (copy->g) copy->g = Graph(*copy->g);
    if (copy->sparse_tensor) copy->sparse_tensor = Sparse(*copy->sparse_tensor);
    Each(copy->tensors, copy->n_tensors, [this](const Onnx__TensorProto &t) { return Tensor(t); });
    Each(copy->sparse_tensors, copy->n_sparse_tensors, [this](const Onnx__SparseTensorProto &s) { return Sparse(s); });
    Each(copy->graphs, copy->n_graphs, [this](const Onnx__GraphProto &g) { return Graph(g); });
    return copy;
  }
  Onnx__GraphProto *Graph(const Onnx__GraphProto &graph) {
    Onnx__GraphProto *copy = Keep(graphs_, graph);
    Each(copy->initializer, copy->n_initializer, [this](const Onnx__TensorProto &t) { return Tensor(t); });
    Each(copy->sparse_initializer, copy->n_sparse_initializer,
         [this](const Onnx__SparseTensorProto &s) { return Sparse(s); });
    Each(copy->node, copy->n_node, [this](const Onnx__NodeProto &n) { return Node(n); });
    return copy;
  }
  Onnx__SparseTensorProto *Sparse(const Onnx__SparseTensorProto &sparse) {
    Onnx__SparseTensorProto *copy = Keep(sparse_, sparse);
    if (copy->values) copy->values = Tensor(*copy->values);
    if (copy->indices) copy->indices = Tensor(*copy->indices);
    return copy;
  }
  Onnx__TensorProto *Tensor(const Onnx__TensorProto &tensor) {
    Onnx__TensorProto *copy = Keep(tensors_, tensor);
    const ContentPart *part = tensor.has_raw_part ? importer_.external().model()->Part(tensor.raw_part) : nullptr;
    copy->has_raw_part = 0;
    auto raw = [copy](const void *data, uint64_t size) {
      copy->has_raw_data = 1;
      copy->raw_data = {size, static_cast<uint8_t *>(const_cast<void *>(data))};
    };
    if (part) {
      raw(part->data, part->size);
    } else if (TensorPtr taken = importer_.Taken(&tensor); taken && tensor.data_location != 1) {
      // A constant owns the content now. What the file held as typed values comes as raw ones.
      copy->n_float_data = copy->n_int32_data = copy->n_int64_data = copy->n_double_data = copy->n_uint64_data = 0;
      raw(taken->buffer->data(), taken->buffer->size());
    }
    return copy;
  }

  Importer &importer_;
  const Scope &scope_;
  std::deque<Onnx__NodeProto> nodes_;
  std::deque<Onnx__AttributeProto> attrs_;
  std::deque<Onnx__TensorProto> tensors_;
  std::deque<Onnx__GraphProto> graphs_;
  std::deque<Onnx__SparseTensorProto> sparse_;
  std::deque<std::vector<Onnx__AttributeProto *>> attr_lists_;
  std::deque<std::vector<Onnx__TensorProto *>> tensor_lists_;
  std::deque<std::vector<Onnx__GraphProto *>> graph_lists_;
  std::deque<std::vector<Onnx__SparseTensorProto *>> sparse_lists_;
  std::deque<std::vector<Onnx__NodeProto *>> node_lists_;
};

/// Memory of a decoded message, which goes as a whole: tensors that were read leave holes in the message.
struct Arena {
  static void *Allocate(void *self, size_t bytes) noexcept try {
    auto &blocks = static_cast<Arena *>(self)->blocks;
    const size_t words = bytes / sizeof(std::max_align_t) + 1;
    blocks.push_back(std::make_unique<std::max_align_t[]>(words));
    return blocks.back().get();
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
  std::vector<std::unique_ptr<std::max_align_t[]>> blocks;
};

std::string TextOf(const ProtobufCBinaryData &bytes) {
  return std::string(reinterpret_cast<const char *>(bytes.data), bytes.len);
}

/// Files of the first versions of the format do not say the type of an attribute.
int32_t TypeOf(const Onnx__AttributeProto &a) {
  if (a.type != 0) return a.type;
  if (a.has_f) return 1;
  if (a.has_i) return 2;
  if (a.has_s) return 3;
  if (a.t) return 4;
  if (a.n_floats) return 6;
  if (a.n_ints) return 7;
  if (a.n_strings) return 8;
  return a.n_tensors ? 9 : 0;
}

bool Readable(const Onnx__TensorProto *t) {
  const int32_t type = t ? GeTypeOf(t->data_type) : -1;
  return type >= 0 && type != C_DT_STRING && type != C_DT_UNDEFINED;
}

AttrValue ValueOf(Onnx__AttributeProto &a, ExternalFiles &external) {
  switch (TypeOf(a)) {
    case 1:
      return AttrValue(a.f);
    case 2:
      return AttrValue(int64_t{a.i});
    case 3:
      return AttrValue(TextOf(a.s));
    case 4:
      return Readable(a.t) ? AttrValue(TakeTensor(a.t, &external)) : AttrValue();
    case 6:
      return AttrValue(AttrValue::ListFloat(a.floats, a.floats + a.n_floats));
    case 7:
      return AttrValue(AttrValue::ListInt(a.ints, a.ints + a.n_ints));
    case 8: {
      AttrValue::ListString texts;
      for (size_t i = 0; i < a.n_strings; ++i) texts.push_back(TextOf(a.strings[i]));
      return AttrValue(std::move(texts));
    }
    case 9: {
      AttrValue::ListTensor tensors;
      for (size_t i = 0; i < a.n_tensors; ++i) {
        if (!Readable(a.tensors[i])) return AttrValue();
        tensors.push_back(TakeTensor(a.tensors[i], &external));
      }
      return AttrValue(std::move(tensors));
    }
    default:
      return AttrValue();
  }
}

}  // namespace

std::vector<uint8_t> EncodeNode(Importer &importer, const Scope &scope, const Onnx__NodeProto &node,
                                const std::string &op_type) {
  Completed completed(importer, scope);
  Onnx__NodeProto *copy = completed.Node(node);
  copy->op_type = const_cast<char *>(op_type.c_str());
  std::vector<uint8_t> bytes(onnx__node_proto__get_packed_size(copy));
  onnx__node_proto__pack(copy, bytes.data());
  return bytes;
}

std::vector<std::pair<std::string, AttrValue>> AttrsOf(const std::vector<uint8_t> &message, ExternalFiles &external) {
  Arena arena;
  ProtobufCAllocator memory = {Arena::Allocate, [](void *, void *) {}, &arena};
  Onnx__NodeProto *node = onnx__node_proto__unpack(&memory, message.size(), message.data());
  if (!node) throw std::bad_alloc();  // it was encoded here
  std::vector<std::pair<std::string, AttrValue>> attrs;
  for (size_t i = 0; i < node->n_attribute; ++i) {
    Onnx__AttributeProto &a = *node->attribute[i];
    if (!a.name || !*a.name) continue;
    AttrValue value = ValueOf(a, external);
    if (value.type() != C_VT_NONE) attrs.emplace_back(a.name, std::move(value));
  }
  std::sort(attrs.begin(), attrs.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
  return attrs;
}

}  // namespace gec::onnx
