#include "names.h"

#include <sstream>
#include <unordered_set>

namespace codegen {
namespace {

using NameSet = std::unordered_set<std::string>;

NameSet Split(const char *text) {
  NameSet words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.insert(word);
  return words;
}

// GE's two lists: a name is changed when it is in them, and only then, because members of output structs are part of a
// caller's source.
const NameSet &Keywords(Language language) {
  static const NameSet cpp = Split(
      "alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand bitor bool break case "
      "catch char char16_t char32_t class compl concept const consteval constexpr constinit const_cast continue "
      "co_await co_return co_yield decltype default delete do double dynamic_cast else enum explicit export extern "
      "false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or "
      "or_eq private protected public register reinterpret_cast requires return short signed sizeof static "
      "static_assert static_cast struct switch synchronized template this thread_local throw true try typedef typeid "
      "typename union unsigned using virtual void volatile wchar_t while xor xor_eq");
  static const NameSet python = Split(
      "False None True and as assert async await break class continue def del elif else except finally for from global "
      "if import in is lambda nonlocal not or pass raise return try while with yield");
  return language == Language::kCpp ? cpp : python;
}

// NameSet that break generated text without being in the lists above: keywords of C only or of C++20, macros of the
// standard headers and of GNU compilers, functions the bodies call.
const NameSet &Reserved(Language language) {
  static const NameSet cpp = Split(
      "restrict char8_t typeof assert errno NULL EOF stdin stdout stderr offsetof linux unix INFINITY NAN HUGE_VAL "
      "INT64_MIN memset strlen signbit isnan isinf va_start va_end va_arg owner_builder owner_graph_builder "
      "EsTensorHolder EsTensorLike EsGraphBuilder EsCTensorHolder EsCGraphBuilder EsCTensor EsCGraph C_DataType "
      "EsMakeUnique EsErrorResult EsNullptr ResolveBuilder TensorsToEsCTensorHolders GeGraphsToEsCGraphs "
      "DataTypesToEsCDataTypes ListListTypeToPtrAndCounts GeEsInput GeEsGraph GeEsAttr GeEsCall GeEsAddNode _Bool "
      "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t "
      "uint64_t "
      "size_t es_attrs_ es_builder_ es_call_ es_counts_ es_dynamic_ es_graphs_ es_inputs_ es_out_ es_result_");
  static const NameSet python = Split(
      "owner_builder owner_graph_builder __debug__ _AnyError _ArgumentError _NULL _Tensor _TensorHolder _array "
      "_builder_arg _convert _default _elements _first_builder _getattr _graph_arg _holder _int_rows _items _len _list "
      "_needed _refused _resolve _strings "
      "_take_back _tensor_arg _text _v _wrap _wrap_list _wrap_outputs _es_builder _es_error _es_out");
  return language == Language::kCpp ? cpp : python;
}

}  // namespace

bool IsKeyword(Language language, const std::string &name) { return Keywords(language).count(name) != 0; }
bool IsReserved(Language language, const std::string &name) { return Reserved(language).count(name) != 0; }

std::string AsIdentifier(const std::string &name) {
  std::string out;
  for (char c : name) {
    bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    out += good ? c : '_';
  }
  if (out.empty() || (out[0] >= '0' && out[0] <= '9')) out.insert(out.begin(), '_');
  return out;
}

std::string Mangle(Language language, const std::string &name, const char *prefix) {
  std::string plain = AsIdentifier(name);
  return IsKeyword(language, plain) ? prefix + plain : plain;
}

std::string TypeNameProblem(const std::string &type) {
  if (AsIdentifier(type) != type) return "The operator type is not an identifier";
  if (IsKeyword(Language::kCpp, type)) return "The operator type is a keyword of C++";
  if (IsKeyword(Language::kPython, type)) return "The operator type is a keyword of Python";
  // Es<Type> would be a function of esb_funcs.h.
  static const NameSet base = Split(
      "CreateGraphBuilder DestroyGraphBuilder CreateGraphInputWithDetails CreateGraphInput CreateVariable SetDataType "
      "SetFormat SetShape SetOriginSymbolShape CreateConstInt64 CreateConstInt32 CreateConstUInt64 CreateConstUInt32 "
      "CreateConstFloat CreateVectorInt64 CreateVectorInt32 CreateVectorUInt64 CreateVectorUInt32 CreateVectorFloat "
      "CreateScalarInt64 CreateScalarInt32 CreateScalarUInt64 CreateScalarUInt32 CreateScalarFloat SetGraphOutput "
      "BuildGraphAndReset GetOwnerBuilder GetProducer AddControlEdge CreateEsCTensor CreateEsCTensorFromFile "
      "SetInt64AttrForGraph SetStringAttrForGraph SetBoolAttrForGraph SetInt64AttrForTensor SetStringAttrForTensor "
      "SetBoolAttrForTensor SetInt64AttrForNode SetStringAttrForNode SetBoolAttrForNode TensorHolder TensorLike "
      "GraphBuilder CreateConst CreateConstV2 CTensorHolder CGraphBuilder CTensor CGraph CNode MakeUnique ErrorResult "
      "ReportFailure EsGraphBuilder EsTensorHolder EsTensorLike ResolveBuilder CreateTensor EsCTensorHolder "
      "EsCGraphBuilder EsCTensor EsCGraph EsMakeUnique EsErrorResult C_DataType int64_t uint8_t");
  if (base.count(type) != 0) return "The wrapper would have a name of the base library";
  return "";
}

bool Scope::Free(const std::string &name, const std::vector<std::string> &tails) const {
  if (IsKeyword(language_, name) || IsReserved(language_, name)) return false;
  for (const std::string &tail : tails)
    if (taken_.count(name + tail) != 0) return false;
  return true;
}

std::string Scope::Take(std::string name, const char *prefix, const std::vector<std::string> &tails) {
  if (!Free(name, tails)) name = prefix + name;
  while (!Free(name, tails)) name += '_';
  for (const std::string &tail : tails) taken_.insert(name + tail);
  return name;
}

}  // namespace codegen
