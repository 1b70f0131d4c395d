// Initialisers that a graph lists as inputs too: constants, unless the caller wants them to be fed.
#include <algorithm>
#include <map>

#include "core/support/error.h"
#include "parsers/onnx/importer.h"
#include "parsers/onnx/importer_internal.h"

namespace gec::onnx {
namespace {

// Where the graph says which of its constants may be replaced.
const char kOverridableNames[] = "_overridable_names", kOverridableTypes[] = "_overridable_types",
           kOverridableShapes[] = "_overridable_shapes";
constexpr int64_t kNoRank = -2;  // in place of dimensions

}  // namespace

TensorDesc Importer::InputDesc(const Onnx__TypeProto *type) {
  TensorDesc desc(C_DT_UNDEFINED, Shape::UnknownRank());
  const Onnx__TypeProto__Tensor *t = type ? type->tensor_type : nullptr;
  if (!t) return desc;
  const int32_t type_of = t->has_elem_type ? GeTypeOf(t->elem_type) : -1;
  if (type_of >= 0) desc.dtype = type_of;
  desc.SetShape(DeclaredShape(t));
  return desc;
}

void Importer::ImportOverridable(Scope &scope, int64_t index) {
  const Onnx__GraphProto *graph = model_->graph;
  std::vector<std::string> names;
  std::vector<int64_t> types;
  std::vector<std::vector<int64_t>> shapes;
  std::map<std::string, const Onnx__TypeProto *> all;
  for (size_t i = 0; i < graph->n_input; ++i) {
    std::string name = graph->input[i]->name ? graph->input[i]->name : "";
    if (!scope.initializers.count(name) || !all.emplace(name, graph->input[i]->type).second) continue;
    if (std::find(as_inputs_.begin(), as_inputs_.end(), name) != as_inputs_.end()) continue;
    const TensorDesc desc = InputDesc(graph->input[i]->type);
    names.push_back(name);
    types.push_back(desc.dtype);
    if (desc.shape.has_rank()) shapes.emplace_back(desc.shape.dims().begin(), desc.shape.dims().end());
    else shapes.push_back({kNoRank});
  }
  for (const std::string &name : as_inputs_) {
    auto found = all.find(name);
    if (found == all.end()) {
      std::string known;
      for (const auto &[other, type] : all) known += (known.empty() ? "" : ", ") + other;
      Fail(GE_OPTION_INVALID, "option input_initializers names '", name, "', which is ",
           scope.initializers.count(name) ? "an initializer that the graph does not list as an input"
                                          : "no initializer of the graph, or named twice",
           "; those that can be inputs: ", known.empty() ? "none" : known);
    }
    scope.initializers.erase(name);
    scope.values[name] = {AddData(scope, name, index++, found->second), 0};
    all.erase(found);
  }
  if (names.empty()) return;
  scope.graph->SetGraphAttr(kOverridableNames, std::move(names));
  scope.graph->SetGraphAttr(kOverridableTypes, std::move(types));
  scope.graph->SetGraphAttr(kOverridableShapes, std::move(shapes));
}

std::vector<Overridable> OverridableOf(const Graph &graph) {
  std::vector<Overridable> all;
  const AttrValue *names = graph.attrs().Find(kOverridableNames), *types = graph.attrs().Find(kOverridableTypes),
                  *shapes = graph.attrs().Find(kOverridableShapes);
  if (!names || !types || !shapes) return all;
  const auto *name = names->get_if<AttrValue::ListString>();
  const auto *type = types->get_if<AttrValue::ListInt>();
  const auto *dims = shapes->get_if<AttrValue::ListListInt>();
  if (!name || !type || !dims || type->size() != name->size() || dims->size() != name->size()) return all;
  for (size_t i = 0; i < name->size(); ++i) {
    const std::vector<int64_t> &d = (*dims)[i];
    const bool ranked = d.empty() || d[0] != kNoRank;
    all.push_back({(*name)[i], TensorDesc(static_cast<int32_t>((*type)[i]),
                                          ranked ? Shape(d.data(), d.size()) : Shape::UnknownRank())});
  }
  return all;
}

}  // namespace gec::onnx
