// Control flow: If, Case, While, For and calls run their subgraphs through runners of the same context.
#include <cstring>

#include "core/ops/infer_subgraphs.h"
#include "core/support/cancel.h"
#include "core/support/memory.h"
#include "runtime/interpreter.h"
#include "runtime/profiler.h"

namespace gec {

void Interpreter::TakeArguments(const Step &step, size_t first, std::vector<RunValue> *arguments) const {
  arguments->clear();
  for (size_t i = first; i < step.inputs.size(); ++i) {
    int32_t v = step.inputs[i];
    arguments->emplace_back();
    if (v < 0) continue;
    arguments->back() = values_[v];
    arguments->back().constant = nullptr;  // lives as long as the model
  }
}

void Interpreter::SetOutputs(Step &step) {
  const Node &node = *step.node;
  if (step.results.size() < node.output_count()) {
    Fail(GE_GRAPH_INVALID, node.Label(), ": its subgraph gives ", step.results.size(), " outputs, the node has ",
         node.output_count());
  }
  for (size_t i = 0; i < node.output_count(); ++i) values_[step.first_output + i] = std::move(step.results[i]);
}

int64_t Interpreter::Integer(const RunValue &value, const Node &node) const {
  if (!value.present || value.bytes == 0) Fail(GE_DATA_MISMATCH, node.Label(), ": its controlling value is empty");
  auto read = [&](auto type) {
    decltype(type) v;
    std::memcpy(&v, value.data, sizeof v);
    return static_cast<int64_t>(v);
  };
  switch (value.desc.dtype) {
    case C_DT_BOOL:
      return read(uint8_t{}) != 0;
    case C_DT_UINT8:
      return read(uint8_t{});
    case C_DT_INT8:
      return read(int8_t{});
    case C_DT_INT16:
      return read(int16_t{});
    case C_DT_UINT16:
      return read(uint16_t{});
    case C_DT_INT32:
      return read(int32_t{});
    case C_DT_UINT32:
      return read(uint32_t{});
    case C_DT_INT64:
    case C_DT_UINT64:
      return read(int64_t{});
    default:
      Fail(GE_DATA_MISMATCH, node.Label(), ": its controlling value has type ", GeDataTypeName(value.desc.dtype),
           ", expected an integer or bool");
  }
}

/// GE's rule: a number is true when it is not zero, a tensor of another rank than 0 when it has elements.
bool Interpreter::Truth(const RunValue &value, const Node &node) const {
  if (value.present && value.desc.shape.elements() != 1) return value.desc.shape.elements() != 0;
  if (value.present && value.desc.dtype == C_DT_FLOAT) {
    float v;
    std::memcpy(&v, value.data, sizeof v);
    return v != 0;
  }
  if (value.present && value.desc.dtype == C_DT_DOUBLE) {
    double v;
    std::memcpy(&v, value.data, sizeof v);
    return v != 0;
  }
  return Integer(value, node) != 0;
}

const RunValue &Interpreter::Controlling(const Step &step, size_t input) const {
  if (input >= step.inputs.size() || step.inputs[input] < 0)
    Fail(GE_GRAPH_INVALID, step.node->Label(), ": input ", input, " is not connected");
  return values_[step.inputs[input]];
}

RunValue Interpreter::CounterOf(int64_t value) {
  RunValue counter;
  counter.desc = TensorDesc(C_DT_INT32, Shape{});
  counter.bytes = sizeof(int32_t);
  counter.block = BlockRef::Acquire(state_.pool(), counter.bytes);
  const int32_t narrow = static_cast<int32_t>(value);
  std::memcpy(counter.block.data(), &narrow, sizeof narrow);
  counter.data = counter.block.data();
  counter.present = true;
  return counter;
}

/// A loop that does not end, or whose values grow without end, is an error that tells so, long before the machine does.
void Interpreter::CheckRound(const Step &step, uint64_t round, const std::vector<RunValue> &values) {
  const Settings &settings = state_.model().settings();
  const auto where = [&] { return Str("before round ", round, " of ", step.node->Label()); };
  CheckCancelled(where);
  if (settings.loop_limit != 0 && round > settings.loop_limit)
    Fail(GE_FAILED, step.node->Label(), ": it has made ", settings.loop_limit,
         " rounds and goes on; option loop_limit allows more, 0 allows any number");
  uint64_t bytes = 0;
  for (const RunValue &value : values) bytes += value.bytes;
  static const uint64_t half = TotalMemory() / 2;
  if (const uint64_t allowed = settings.loop_bytes ? settings.loop_bytes : half; bytes > allowed)
    Fail(GE_OUT_OF_MEMORY, step.node->Label(), ": its values have ", bytes, " bytes ", where(), ", ", allowed,
         " are allowed; option loop_memory_limit allows more");
}

void Interpreter::RunSubgraph(Step &step, size_t which, Profiler *profiler) {
  const Node &node = *step.node;
  if (which >= step.subgraphs.size() || step.subgraphs[which].empty())
    Fail(GE_GRAPH_INVALID, node.Label(), ": subgraph ", which, " is missing");
  const std::string &name = step.subgraphs[which];
  try {
    state_.RunnerFor(name).Call(step.arguments, &step.results, profiler);
  } catch (const Error &e) {
    if (step.island) throw;  // no graph that the program knows
    Fail(e.code(), SubgraphLabel(node, name), ": ", e.what());
  } catch (const Cancelled &e) {
    if (step.island) throw;
    throw Cancelled(e.code(), Str(SubgraphLabel(node, name), ": ", e.what()));
  }
}

void Interpreter::RunControl(Step &step, Profiler *profiler) {
  const Node &node = *step.node;
  const uint64_t begin = profiler ? Profiler::Now() : 0;
  // The lists keep their room from run to run, but no values.
  std::vector<RunValue> &arguments = step.arguments, &results = step.results;
  struct Cleaner {
    Step &step;
    ~Cleaner() {
      step.arguments.clear();
      step.results.clear();
    }
  } cleaner{step};
  const auto run = [&](size_t which) { RunSubgraph(step, which, profiler); };  // from `arguments` into `results`
  // Subgraphs are attached in the order they were set; the prototype's names say which is which.
  auto named = [&](const char *name, size_t fallback) {
    for (size_t i = 0; i < node.subgraphs().size(); ++i) {
      if (node.subgraphs()[i].ir_name.view() == name) return i;
    }
    return fallback;
  };
  uint64_t rounds = 0;
  const auto next_round = [&] { CheckRound(step, ++rounds, arguments); };
  switch (step.kind) {
    case Kind::kKernel:
      break;
    case Kind::kCall:
      TakeArguments(step, 0, &arguments);
      run(0);
      break;
    case Kind::kIf:
      TakeArguments(step, 1, &arguments);
      run(Truth(Controlling(step, 0), node) ? named("then_branch", 0) : named("else_branch", 1));
      break;
    case Kind::kCase: {
      // Out of range means the last branch.
      const int64_t index = Integer(Controlling(step, 0), node), count = static_cast<int64_t>(step.subgraphs.size());
      const int64_t chosen = index < 0 || index >= count ? count - 1 : index;
      TakeArguments(step, 1, &arguments);
      run(named(("branches" + std::to_string(chosen)).c_str(), static_cast<size_t>(chosen)));
      break;
    }
    case Kind::kWhile: {
      const size_t cond = named("cond", 0), body = named("body", 1);
      TakeArguments(step, 0, &arguments);
      for (;;) {
        run(cond);
        if (results.empty()) Fail(GE_GRAPH_INVALID, node.Label(), ": its condition gives no output");
        if (!Truth(results[0], node)) break;
        next_round();
        run(body);
        std::swap(arguments, results);
      }
      std::swap(arguments, results);
      break;
    }
    case Kind::kFor: {
      const int64_t start = Integer(Controlling(step, 0), node), limit = Integer(Controlling(step, 1), node),
                    delta = Integer(Controlling(step, 2), node);
      if (delta == 0) Fail(GE_DATA_MISMATCH, node.Label(), ": delta is 0");
      TakeArguments(step, 3, &arguments);
      for (int64_t i = start; delta > 0 ? i < limit : i > limit; i += delta) {
        next_round();
        if (step.counter) arguments.insert(arguments.begin(), CounterOf(i));
        run(0);
        std::swap(arguments, results);
      }
      std::swap(arguments, results);
      break;
    }
  }
  SetOutputs(step);
  if (profiler) profiler->Span(SpanOf(step), begin, Profiler::Now());
}

std::string Interpreter::SpanOf(const Step &step) {
  // A call of an island stands for many nodes: its own name is shorter.
  return Str(step.node->type().view(), ' ', step.island ? step.subgraphs[0] : step.node->OriginText());
}

}  // namespace gec
