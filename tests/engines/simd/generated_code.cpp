// Reads a fused program from the standard input and writes its generated code, as bytes, to the standard output:
//   LANES INPUTS CONSTANTS OUTPUTS INSTRUCTIONS, then for each of these in turn: how an input moves (a number of
//   RowAccess), a constant, an output's value, the five words of an instruction
#include "generated.h"

#include <cstdio>
#include <iostream>

#include "kernel.h"

int main() {
  size_t lanes = 0, constants = 0, outputs = 0, instructions = 0;
  vec::Program program;
  std::cin >> lanes >> program.inputs >> constants >> outputs >> instructions;
  std::vector<vec::RowAccess> access(static_cast<size_t>(program.inputs));
  for (vec::RowAccess &a : access) {
    int number = 0;
    std::cin >> number;
    a = static_cast<vec::RowAccess>(number);
  }
  program.constants.resize(constants);
  for (float &c : program.constants) std::cin >> c;
  program.outputs.resize(outputs);
  for (int32_t &o : program.outputs) std::cin >> o;
  program.code.resize(instructions);
  for (vec::Instruction &i : program.code)
    std::cin >> i.opcode >> i.dst >> i.operands[0] >> i.operands[1] >> i.operands[2];
  if (!std::cin) return std::fputs("the program ends early\n", stderr), 2;
  try {
    const std::optional<vec::VectorCode> code = vec::Record(program);
    if (!code) return std::fputs("an instruction has no formula\n", stderr), 1;
    const std::shared_ptr<const vec::GeneratedRows> made = vec::Assemble(*code, access, lanes);
    std::fwrite(made->bytes().data(), 1, made->bytes().size(), stdout);
  } catch (const ge::kit::Failure &failure) {
    std::fprintf(stderr, "%s\n", failure.message.c_str());
    return 1;
  }
  return 0;
}
