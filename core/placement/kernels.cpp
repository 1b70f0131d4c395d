#include "core/placement/kernels.h"

#include <algorithm>
#include <cstring>

namespace gec {
namespace {

void AppendBytes(std::string *key, const void *data, size_t bytes) {
  key->append(static_cast<const char *>(data), bytes);
}
template <class T>
void AppendValue(std::string *key, const T &value) {
  AppendBytes(key, &value, sizeof value);
}

void AppendTensor(std::string *key, const GeTensorData &t) {
  const int32_t head[] = {t.data_type, t.format, t.origin_format, t.rank, static_cast<int32_t>(t.flags)};
  AppendBytes(key, head, sizeof head);
  if (t.rank > 0) AppendBytes(key, t.dims, sizeof(int64_t) * static_cast<size_t>(t.rank));
  AppendValue(key, t.data);
}

void AppendAttr(std::string *key, const GeAttrData &a) {
  key->append(a.name);
  key->push_back('\0');
  AppendValue(key, a.type);
  auto list = [&](size_t element) {
    AppendValue(key, a.count);
    if (a.count) AppendBytes(key, a.list, a.count * element);
  };
  switch (a.type) {
    case C_VT_INT:
    case C_VT_BOOL:
    case C_VT_DATA_TYPE:
      AppendValue(key, a.i);
      break;
    case C_VT_FLOAT:
      AppendValue(key, a.f);
      break;
    case C_VT_STRING:
      AppendValue(key, a.count);
      if (a.s) key->append(a.s, a.count);
      break;
    case C_VT_BYTES:
    case C_VT_LIST_BOOL:
      list(1);
      break;
    case C_VT_LIST_INT:
      list(sizeof(int64_t));
      break;
    case C_VT_LIST_FLOAT:
      list(sizeof(float));
      break;
    case C_VT_LIST_DATA_TYPE:
      list(sizeof(int32_t));
      break;
    case C_VT_TENSOR:
      AppendValue(key, a.tensor ? a.tensor->data : nullptr);
      break;
    case C_VT_LIST_STRING:
      for (uint64_t i = 0; i < a.count; ++i) {
        key->append(static_cast<const char *const *>(a.list)[i]);
        key->push_back('\0');
      }
      break;
    case C_VT_LIST_TENSOR:
      for (uint64_t i = 0; i < a.count; ++i)
        AppendValue(key, static_cast<const GeTensorData *const *>(a.list)[i]->data);
      break;
    case C_VT_LIST_LIST_INT:
    case C_VT_LIST_LIST_FLOAT: {
      const size_t element = a.type == C_VT_LIST_LIST_INT ? sizeof(int64_t) : sizeof(float);
      for (uint64_t i = 0; i < a.count; ++i) {
        AppendValue(key, a.inner_counts[i]);
        AppendBytes(key, static_cast<const void *const *>(a.list)[i], element * static_cast<size_t>(a.inner_counts[i]));
      }
      break;
    }
    default:
      break;
  }
}

/// Everything a kernel may depend on. Constants count by address: the kernel keeps them alive, so an address stays
/// theirs.
std::string KernelKey(const GeOpDesc &op) {
  std::string key;
  key.reserve(256);
  key.append(op.type);
  key.push_back('\0');
  AppendValue(&key, op.input_count);
  for (size_t i = 0; i < op.input_count; ++i) AppendTensor(&key, op.inputs[i]);
  AppendValue(&key, op.output_count);
  for (size_t i = 0; i < op.output_count; ++i) AppendTensor(&key, op.outputs[i]);
  for (size_t i = 0; i < op.ir_input_total; ++i) AppendValue(&key, op.ir_input_counts[i]);
  for (size_t i = 0; i < op.attr_count; ++i) AppendAttr(&key, op.attrs[i]);
  return key;
}

std::vector<TensorPtr> ConstantsOf(const Node &node) {
  std::vector<TensorPtr> constants;
  for (size_t i = 0; i < node.input_count(); ++i) {
    if (TensorPtr t = ConstantInput(node, i)) constants.push_back(std::move(t));
  }
  return constants;
}

}  // namespace

bool IsControlFlow(Symbol type) {
  static const Symbol kTypes[] = {"If",  "StatelessIf",   "While",           "StatelessWhile",         "Case",
                                  "For", "StatelessCase", "PartitionedCall", "StatefulPartitionedCall"};
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

bool NeedsKernel(const Node &node) {
  static const Symbol kNetOutput = "NetOutput", kNoOp = "NoOp";
  Symbol type = node.type();
  return !IsConstType(type) && !IsDataType(type) && type != kNetOutput && type != kNoOp && !IsControlFlow(type);
}

KernelFactory::KernelFactory(EngineList engines, std::vector<std::string> excluded, const GeKernelEnv *env)
    : engines_(std::move(engines)), excluded_(std::move(excluded)), env_(env) {
  for (const EnginePtr &e : engines_) {
    if (e->name() == kReferenceEngine) reference_ = e;
  }
}

/// Calls attempt(engine, &reason) for each engine that may be asked until one returns true; collects the reasons.
template <class Try>
void KernelFactory::Walk(const Node &node, std::string *refusals, Try &&attempt) const {
  static const Symbol kChoice = "_engine";
  const AttrValue *choice = node.attrs().empty() ? nullptr : node.attrs().Find(kChoice);
  const std::string *wanted = choice ? choice->get_if<std::string>() : nullptr;
  auto note = [&](const std::string &name, std::string_view why) {
    refusals->append(refusals->empty() ? "" : "\n").append(name).append(": ").append(why);
  };
  bool found = false;
  for (const EnginePtr &engine : engines_) {
    if (wanted) {
      if (engine->name() != *wanted) continue;
      found = true;
    } else if (std::find(excluded_.begin(), excluded_.end(), engine->name()) != excluded_.end()) {
      note(engine->name(), "excluded by option engines.exclude");
      continue;
    }
    std::string reason;
    if (attempt(engine, &reason)) return;
    note(engine->name(), reason);
  }
  if (wanted && !found) note(*wanted, "the node asks for this engine, but no such engine is loaded");
}

NodePlacement KernelFactory::Place(const Node &node, const GeOpDesc &op) const {
  NodePlacement placement;
  Walk(node, &placement.refusals, [&](const EnginePtr &engine, std::string *reason) {
    if (!engine->Check(op, reason)) return false;
    placement.engine = engine.get();
    return true;
  });
  return placement;
}

KernelFactory::Made KernelFactory::Make(const Node &node, const GeOpDesc &op) {
  std::string key = KernelKey(op);
  {
    std::lock_guard lock(mutex_);
    auto at = known_.find(key);
    if (at != known_.end()) {
      if (KernelPtr kernel = at->second.kernel.lock()) return {std::move(kernel), at->second.refusals};
    }
  }
  Made made;
  Walk(node, &made.refusals, [&](const EnginePtr &engine, std::string *reason) {
    if (!engine->Check(op, reason)) return false;
    made.kernel = engine->Create(op, *env_, ConstantsOf(node), reason);
    return made.kernel != nullptr;
  });
  if (!made.kernel) return made;
  std::lock_guard lock(mutex_);
  if (known_.size() >= sweep_at_) {
    std::erase_if(known_, [](const auto &entry) { return entry.second.kernel.expired(); });
    sweep_at_ = std::max<size_t>(1024, 2 * known_.size());
  }
  known_[std::move(key)] = {made.kernel, made.refusals};
  return made;
}

bool KernelFactory::Supported(const GeOpDesc &op, std::string *name) const {
  for (const EnginePtr &engine : engines_) {
    if (engine == reference_ || std::find(excluded_.begin(), excluded_.end(), engine->name()) != excluded_.end())
      continue;
    if (!engine->Check(op, nullptr)) continue;
    if (name) *name = engine->name();
    return true;
  }
  return false;
}

EvaluateFn KernelFactory::Evaluator() const {
  if (!reference_) return {};
  return [engine = reference_, env = env_](const Node &node, const std::vector<TensorPtr> &inputs,
                                           std::vector<TensorPtr> *outputs) {
    if (!NeedsKernel(node)) return false;
    OpDescView view(node);
    std::vector<TensorPtr> keep;
    std::vector<const void *> in(view.inputs().size());
    for (size_t i = 0; i < view.inputs().size() && i < inputs.size(); ++i) {
      if (!inputs[i]) {
        if (view.inputs()[i].data_type != C_DT_UNDEFINED) return false;
        continue;
      }
      view.inputs()[i] = inputs[i]->View();
      in[i] = inputs[i]->data();
      keep.push_back(inputs[i]);
    }
    std::vector<std::shared_ptr<Tensor>> made;
    std::vector<void *> out;
    for (size_t i = 0; i < node.output_count(); ++i) {
      const TensorDesc &desc = node.output_desc(i);
      if (!desc.known() || GeDataTypeBits(desc.dtype) == 0) return false;
      made.push_back(std::make_shared<Tensor>(desc, Buffer::Allocate(desc.bytes())));
      out.push_back(made.back()->buffer->data());
    }
    KernelPtr kernel;
    if (!engine->Check(*view.get(), nullptr)) return false;
    try {
      kernel = engine->Create(*view.get(), *env, std::move(keep), nullptr);
    } catch (const Error &) {
      return false;
    }
    if (!kernel || kernel->data_dependent()) return false;
    std::shared_ptr<Buffer> workspace =
        kernel->get().workspace_bytes ? Buffer::Allocate(kernel->get().workspace_bytes) : nullptr;
    GeKernelArgs args{in.data(), out.data(), workspace ? workspace->data() : nullptr};
    if (kernel->get().run(kernel->get().state, &args) != GE_SUCCESS) {
      TakeEngineError();
      return false;
    }
    outputs->assign(made.begin(), made.end());
    return true;
  };
}

void UnplacedNodes::Add(const Node &node, const std::string &refusals) {
  constexpr size_t kMost = 50;  // enough to act on; the rest is counted
  if (++count_ > kMost) return;
  text_ += Str("\n  ", node.type().view(), " '", node.OriginText(), "'");
  if (refusals.empty()) text_ += ": no engine is loaded";
  size_t begin = 0;
  while (begin < refusals.size()) {
    size_t end = std::min(refusals.find('\n', begin), refusals.size());
    text_ += "\n    " + refusals.substr(begin, end - begin);
    begin = end + 1;
  }
}

void UnplacedNodes::ThrowIfAny() const {
  if (count_ == 0) return;
  Fail(GE_UNSUPPORTED, count_ == 1 ? "1 node is" : Str(count_, " nodes are"), " taken by no engine:", text_);
}

}  // namespace gec
