// FusedElementwise: interprets the instruction list of ge/fused_program.h block by block.
#include <algorithm>

#include "common/saturate.h"
#include "elementwise/elementwise.h"
#include "elementwise/fused_run.h"
#include "elementwise/scalar_math.h"
#include "ge/fused_program.h"
#include "registry.h"

namespace reference {
namespace {

// Values of one block live on the stack; long programs get shorter blocks.
constexpr int64_t kFusedFloats = 16384;

struct Instruction {
  int opcode, dst, a, b, c;
};

struct Program {
  std::vector<Instruction> code;
  std::vector<float> constants;
  std::vector<int> outputs;
  int inputs = 0;
  int values = 0;  // inputs, results, constants
  int64_t block = 0;
};

Program ReadProgram(const Node &node) {
  Program program;
  std::vector<int64_t> words = node.LongInts("program"), outputs = node.LongInts("outputs");
  program.constants = node.Floats("constants");
  program.inputs = node.inputs();
  if (words.empty() || words.size() % GE_FUSED_WORDS)
    Fail(GE_PARAM_INVALID, "%s: program has %zu values, expected a multiple of %d", node.label().c_str(), words.size(),
         GE_FUSED_WORDS);
  int count = int(words.size() / GE_FUSED_WORDS), constants = int(program.constants.size());
  program.values = program.inputs + count + constants;
  if (program.values > kFusedFloats / 8)
    Fail(GE_UNSUPPORTED, "%s: program has %d values, at most %d are supported", node.label().c_str(), program.values,
         int(kFusedFloats / 8));
  for (int k = 0; k < count; ++k) {
    const int64_t *w = &words[size_t(k) * GE_FUSED_WORDS];
    Instruction i{int(w[0]), int(w[1]), 0, 0, 0};
    const int needed = GeFusedOperands(i.opcode);
    if (needed == 0)
      Fail(GE_PARAM_INVALID, "%s: instruction %d has the unknown opcode %d", node.label().c_str(), k, i.opcode);
    if (i.dst != program.inputs + k)
      Fail(GE_PARAM_INVALID, "%s: instruction %d writes value %d, expected %d", node.label().c_str(), k, i.dst,
           program.inputs + k);
    int *operands[3] = {&i.a, &i.b, &i.c};
    for (int o = 0; o < needed; ++o) {
      int64_t id = w[2 + o];
      if (id >= 0 ? id >= i.dst : -1 - id >= constants)
        Fail(GE_PARAM_INVALID, "%s: instruction %d reads the unknown value %lld", node.label().c_str(), k,
             (long long)id);
      *operands[o] = id >= 0 ? int(id) : program.inputs + count + int(-1 - id);
    }
    program.code.push_back(i);
  }
  for (int64_t id : outputs) {
    if (id < 0 || id >= program.inputs + count)
      Fail(GE_PARAM_INVALID, "%s: output names the unknown value %lld", node.label().c_str(), (long long)id);
    program.outputs.push_back(int(id));
  }
  if (int(program.outputs.size()) != node.outputs())
    Fail(GE_PARAM_INVALID, "%s: attribute outputs has %zu values, expected %d", node.label().c_str(), outputs.size(),
         node.outputs());
  program.block = std::min<int64_t>(kBlock, kFusedFloats / program.values);
  return program;
}

void RunBlock(const Program &program, float *values, int64_t n) {
  for (const Instruction &i : program.code)
    RunFusedInstruction(i.opcode, values + i.a * program.block, values + i.b * program.block,
                        values + i.c * program.block, values + i.dst * program.block, n);
}

// How an output is stored: 8-bit integers round half to even and saturate, everything else is converted as it is.
struct FusedOutput {
  StoreFn<float> store;
  IntegerLimits limits;

  void Store(const float *from, int64_t n, void *to, int64_t at) const {
    if (!limits.integer) return store(from, n, to, at, 1);
    float block[kBlock];
    for (int64_t done = 0; done < n; done += kBlock) {
      const int64_t count = std::min(kBlock, n - done);
      for (int64_t i = 0; i < count; ++i) block[i] = RoundedTo(limits, from[done + i], 0);
      store(block, count, to, at + done, 1);
    }
  }
};

// Outputs may have different shapes: each shape gets its own walk over the broadcast inputs.
Kernel CreateFused(const Node &node, const OpEntry &) {
  Program program = ReadProgram(node);
  std::vector<Dims> shapes;
  std::vector<LoadFn<float>> loads;
  std::vector<FusedOutput> outputs;
  for (int i = 0; i < node.inputs(); ++i) {
    shapes.push_back(node.in_dims(i));
    loads.push_back(Loader<float>(node.in_type(i)));
  }
  for (int o = 0; o < node.outputs(); ++o)
    outputs.push_back({Storer<float>(node.out_type(o)), IntegerLimitsOf(node.out_type(o))});
  // Outputs of one shape are computed together.
  struct Group {
    BroadcastPlan plan;
    std::vector<int> ports;
    Dims dims;
  };
  std::vector<Group> groups;
  for (int o = 0; o < node.outputs(); ++o) {
    Dims dims = node.out_dims(o);
    auto same = std::find_if(groups.begin(), groups.end(), [&](const Group &g) { return g.dims == dims; });
    if (same != groups.end()) same->ports.push_back(o);
    else groups.push_back({PlanBroadcast(node.label(), dims, shapes), {o}, dims});
  }
  Kernel kernel;
  kernel.flops = double(node.out_count(0)) * double(program.code.size());
  if (groups.size() == 1 && node.outputs() == 1) AddInPlace(node, &kernel, node.inputs());
  kernel.run = [program, groups, loads, outputs](const Call &call) {
    for (const Group &group : groups) {
      call.Parallel(group.plan.total, 1 << 13, [&](int64_t begin, int64_t end) {
        float values[kFusedFloats];
        const int64_t block = program.block;
        for (size_t k = 0; k < program.constants.size(); ++k) {
          float *to = values + (program.inputs + int64_t(program.code.size()) + int64_t(k)) * block;
          std::fill(to, to + block, program.constants[k]);
        }
        ForEachRun(group.plan, begin, end, [&](const int64_t *offsets, int64_t at, int64_t length) {
          for (int64_t done = 0; done < length; done += block) {
            int64_t n = std::min(block, length - done);
            for (int k = 0; k < program.inputs; ++k) {
              const int64_t stride = group.plan.strides[size_t(k)][group.plan.dims.n - 1];
              loads[size_t(k)](call.in(size_t(k)), offsets[k] + done * stride, stride, n, values + k * block);
            }
            RunBlock(program, values, n);
            for (int port : group.ports) {
              if (!call.out(size_t(port))) continue;
              const float *from = values + program.outputs[size_t(port)] * block;
              outputs[size_t(port)].Store(from, n, call.out(size_t(port)), at + done);
            }
          }
        });
      });
    }
  };
  return kernel;
}

constexpr TypeSet kFusedTypes = TypeBit(C_DT_FLOAT) | TypeBit(C_DT_INT8) | TypeBit(C_DT_UINT8) | kBool;

void CheckFused(const Node &node) {
  for (int i = 0; i < node.inputs(); ++i)
    if (!(kFusedTypes & TypeBit(node.in_type(i))))
      Fail(GE_UNSUPPORTED, "%s: %s is not supported for input %d", node.label().c_str(), DataTypeName(node.in_type(i)),
           i);
  for (int o = 0; o < node.outputs(); ++o)
    if (!(kFusedTypes & TypeBit(node.out_type(o))))
      Fail(GE_UNSUPPORTED, "%s: %s is not supported for output %d", node.label().c_str(),
           DataTypeName(node.out_type(o)), o);
  ReadProgram(node);
}

const OpEntry kFused[] = {{"FusedElementwise", kFusedTypes, &CreateFused, &CheckFused}};

}  // namespace

OpTable FusedElementwiseOps() { return TableOf(kFused); }

}  // namespace reference
