#include "generated.h"

#include <bit>
#include <map>
#include <mutex>

#include "kernel.h"

namespace vec {
namespace {

/// All that generated code depends on, word by word.
using Key = std::vector<int32_t>;
Key KeyOf(const Program &program, std::span<const RowAccess> access, size_t lanes) {
  Key key = {static_cast<int32_t>(lanes), program.inputs};
  // Numbers of values could pass for bits of constants: where each part ends is part of the key.
  for (const size_t count : {program.code.size(), program.outputs.size(), program.constants.size()})
    key.push_back(static_cast<int32_t>(count));
  for (const RowAccess a : access) key.push_back(static_cast<int32_t>(a));
  for (const Instruction &in : program.code) {
    key.push_back(in.opcode);
    key.insert(key.end(), in.operands, in.operands + 3);
  }
  key.insert(key.end(), program.outputs.begin(), program.outputs.end());
  for (const float c : program.constants) key.push_back(std::bit_cast<int32_t>(c));
  return key;
}

/// Null where it cannot be: the loops of single instructions do it then.
std::shared_ptr<const GeneratedRows> Make(const Program &program, std::span<const RowAccess> access, size_t lanes) {
  std::shared_ptr<const GeneratedRows> made;
  const auto nothing = [](GeStatus code, const char *) { return code; };
  (void)ge::kit::Guard(nothing, [&] {
    const std::optional<VectorCode> code = Record(program);
    if (code && !LoopsAreFaster(*code, program.code.size())) made = Assemble(*code, access, lanes);
  });
  return made;
}

}  // namespace

std::shared_ptr<const GeneratedRows> GenerateRows(const Program &program, std::span<const RowAccess> access,
                                                  size_t lanes) {
  // Layers of a network have the same few programs. What no kernel uses any more is made anew.
  static std::mutex mutex;
  static std::map<Key, std::weak_ptr<const GeneratedRows>> known;
  const std::lock_guard lock(mutex);
  std::weak_ptr<const GeneratedRows> &place = known[KeyOf(program, access, lanes)];
  std::shared_ptr<const GeneratedRows> code = place.lock();
  if (code) return code;
  place = code = Make(program, access, lanes);
  std::erase_if(known, [](const auto &entry) { return entry.second.expired(); });
  return code;
}

}  // namespace vec
