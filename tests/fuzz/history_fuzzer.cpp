// libFuzzer target of prototype histories: index.json, metadata.json and operators.json of a package, one behind the
// other with lines of "====" between them; a fourth part is an older operators.json. The readers check no digest: the
// list of digests guards the project's own files (tests/codegen).
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "codegen/cpp_plan.h"
#include "codegen/history.h"
#include "codegen/op_model.h"
#include "codegen/proto_diff.h"
#include "codegen/type_sets.h"
#include "ge/op.h"
#include "memory_file.h"

namespace {

constexpr char kVersion[] = "1.0.0";  // the release that the package's folder is called after

/// A folder, gone with the process.
class Package {
 public:
  Package() {
    root_ = (std::filesystem::temp_directory_path() / "history_XXXXXX").string();
    if (mkdtemp(root_.data()) == nullptr) std::abort();
    mkdir((root_ + "/registry").c_str(), 0700);
    mkdir(Folder().c_str(), 0700);
  }
  ~Package() {
    for (const char *file : {"/metadata.json", "/operators.json"}) unlink((Folder() + file).c_str());
    unlink((root_ + "/index.json").c_str());
    for (const std::string &folder : {Folder(), root_ + "/registry", root_}) rmdir(folder.c_str());
  }
  void Write(std::string_view index, std::string_view metadata, std::string_view operators) {
    Put(root_ + "/index.json", index);
    Put(Folder() + "/metadata.json", metadata);
    Put(Folder() + "/operators.json", operators);
  }
  const std::string &root() const { return root_; }

 private:
  std::string Folder() const { return root_ + "/registry/" + kVersion; }
  static void Put(const std::string &path, std::string_view text) {
    if (!(std::ofstream(path, std::ios::binary) << text)) std::abort();
  }
  std::string root_;
};

std::string_view NextPart(std::string_view *text) {
  static constexpr std::string_view kBetween = "\n====\n";
  const size_t end = text->find(kBetween);
  const std::string_view part = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + kBetween.size());
  return part;
}

codegen::ProtoSet Operators(std::string_view text) {
  try {
    return codegen::ReadOperators(fuzz::MemoryFile(text).path()).ops;
  } catch (const std::runtime_error &) {
    return {};
  }
}

void Plan(const codegen::Proto &proto, const std::vector<codegen::Proto> &chain) {
  const GeOpSchema *schema = nullptr;
  codegen::Op op;
  codegen::Proto present;
  if (GeOpFind(proto.type.c_str(), &schema) != GE_SUCCESS) return;
  if (codegen::BuildOp(*schema, &op).empty() && codegen::ProtoOf(*schema, &present).empty())
    codegen::PlanSignatures(op, present, chain);
}

/// Writes what was read, which has to read as the same; a required attribute has no default that means anything.
void WrittenAgain(codegen::ProtoSet set) {
  std::vector<codegen::Proto> protos;
  for (auto &[type, proto] : set) {
    for (codegen::ProtoAttr &attr : proto.attrs)
      if (attr.required) attr.has_default = false, attr.default_text.clear();
    protos.push_back(proto);
  }
  const std::string text = codegen::OperatorsText(protos);
  if (Operators(text) == set) return;
  std::fprintf(stderr, "a history that was written reads as another one: %s\n", text.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Package package;
  std::string_view text(reinterpret_cast<const char *>(data), size);
  const std::string_view index = NextPart(&text), metadata = NextPart(&text), operators = NextPart(&text);
  package.Write(index, metadata, operators);
  std::ostringstream log;
  const codegen::History history(package.root(), kVersion, log);
  const codegen::ProtoSet newer = Operators(operators), older = Operators(NextPart(&text));
  for (const auto &[type, proto] : newer) {
    std::vector<std::string> notes;
    Plan(proto, history.Chain(type, &notes));
    for (const codegen::ProtoAttr &attr : proto.attrs) {
      codegen::DefaultProblem(attr);
      codegen::ShownDefault(attr);
    }
    std::set<std::string> types;
    for (const codegen::ProtoPort &port : proto.inputs) codegen::TypesOf(port.dtype, &types);
  }
  codegen::CompareSets(older, newer);
  WrittenAgain(newer);
  return 0;
}
