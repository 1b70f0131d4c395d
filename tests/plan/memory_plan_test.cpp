// Plans are checked by simulating them: every 64-byte cell of every buffer remembers what was written last, every read
// must find what its value holds by definition.
#include "core/plan/memory_plan.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace gec {
namespace {

constexpr uint64_t kCell = kBufferAlignment;

struct SimStep {
  std::vector<int32_t> inputs, outputs;
  std::vector<GeAlias> aliases;
  bool view = false;
  uint64_t workspace = 0;
};
struct SimGraph {
  std::vector<uint64_t> bytes;                         // by value
  std::vector<std::pair<Storage, int32_t>> externals;  // by value; kNone when a step makes it
  std::vector<SimStep> steps;
  std::vector<int32_t> outputs;
  std::map<int32_t, int32_t> states;  // external value -> number of the output that it is to hold after the run

  int32_t External(Storage storage, int32_t index, uint64_t size) {
    bytes.push_back(size);
    externals.push_back({storage, index});
    return static_cast<int32_t>(bytes.size()) - 1;
  }
  int32_t Value(uint64_t size) { return External(Storage::kNone, -1, size); }
  int32_t Step(std::vector<int32_t> in, uint64_t size, std::vector<GeAlias> aliases = {}, bool view = false) {
    int32_t out = Value(size);
    steps.push_back({std::move(in), {out}, std::move(aliases), view, 0});
    return out;
  }
};

MemoryPlan Solve(const SimGraph &g, bool reuse = true) {
  // The planner numbers values in order of creation, so values are created when their step comes.
  MemoryPlanner planner;
  std::vector<int32_t> id(g.bytes.size(), -1);
  for (size_t v = 0; v < g.bytes.size(); ++v) {
    const auto state = g.states.find(static_cast<int32_t>(v));
    if (state != g.states.end()) id[v] = planner.AddState(g.externals[v].second, g.bytes[v], state->second);
    else if (g.externals[v].first != Storage::kNone)
      id[v] = planner.AddExternal(g.externals[v].first, g.externals[v].second, g.bytes[v]);
    else id[v] = planner.AddValue(g.bytes[v]);
    EXPECT_EQ(id[v], static_cast<int32_t>(v));
  }
  for (const SimStep &s : g.steps) planner.AddStep(s.inputs, s.outputs, s.aliases, s.view, s.workspace);
  for (int32_t v : g.outputs) planner.AddOutput(v);
  return planner.Solve(reuse);
}

class Simulation {
 public:
  Simulation(const SimGraph &g, const MemoryPlan &plan) : g_(g), plan_(plan), content_(g.bytes.size()) {}

  void Run() {
    for (size_t v = 0; v < g_.bytes.size(); ++v) {
      if (g_.externals[v].first == Storage::kNone) continue;
      Fresh(v);
      Write(v);
    }
    for (size_t s = 0; s < g_.steps.size(); ++s) {
      const SimStep &step = g_.steps[s];
      for (int32_t in : step.inputs) {
        if (in >= 0) Read(in, s);
      }
      if (step.workspace && !plan_.elided[s]) {
        for (uint64_t c = 0; c < Cells(step.workspace); ++c)
          cells_[{Storage::kArena, 0, plan_.workspaces[s] / kCell + c}] = 0;
        EXPECT_LE(plan_.workspaces[s] + step.workspace, plan_.arena_bytes);
        // A workspace may lie on nothing that the step reads.
        for (int32_t in : step.inputs) {
          if (in >= 0) Read(in, s);
        }
      }
      for (int32_t out : step.outputs) Define(step, out);
      if (!plan_.elided[s]) {
        for (int32_t out : step.outputs) Write(out);
      }
      for (int32_t out : step.outputs) Read(out, s);
    }
    std::map<int32_t, bool> copied;
    for (const MemoryPlan::OutputCopy &copy : plan_.copies) {
      EXPECT_EQ(g_.outputs[copy.output], copy.value);
      Read(copy.value, g_.steps.size());
      copied[copy.output] = true;
    }
    for (const MemoryPlan::State &state : plan_.states) {
      const Location &at = plan_.values[g_.outputs[state.output]];
      EXPECT_EQ(at.storage, Storage::kInput);
      EXPECT_EQ(at.index, state.input);
      EXPECT_EQ(at.offset, 0u);
      Read(g_.outputs[state.output], g_.steps.size());
      copied[state.output] = true;
    }
    for (size_t j = 0; j < g_.outputs.size(); ++j) {
      if (g_.bytes[g_.outputs[j]] == 0 || copied[static_cast<int32_t>(j)]) continue;
      const Location &at = plan_.values[g_.outputs[j]];
      EXPECT_EQ(at.storage, Storage::kOutput);
      EXPECT_EQ(at.index, static_cast<int32_t>(j));
      EXPECT_EQ(at.offset, 0u);
      Read(g_.outputs[j], g_.steps.size());
    }
  }

 private:
  using Cell = std::tuple<Storage, int32_t, uint64_t>;
  static uint64_t Cells(uint64_t bytes) { return (bytes + kCell - 1) / kCell; }
  void Fresh(size_t v) {
    content_[v].clear();
    for (uint64_t c = 0; c < Cells(g_.bytes[v]); ++c) content_[v].push_back(++next_);
  }
  /// What the step's output holds: a view's cells are its input's, everything else is new.
  void Define(const SimStep &step, int32_t out) {
    Fresh(static_cast<size_t>(out));
    if (!step.view) return;
    for (const GeAlias &a : step.aliases) {
      if (step.outputs[a.output] != out) continue;
      const std::vector<uint64_t> &in = content_[step.inputs[a.input]];
      uint64_t shift = a.offset / kCell;
      if (a.kind == GE_ALIAS_OUTPUT_IN_INPUT) {
        for (uint64_t c = 0; c < content_[out].size(); ++c) content_[out][c] = in[shift + c];
      } else if (a.kind == GE_ALIAS_INPUT_IN_OUTPUT) {
        for (uint64_t c = 0; c < in.size(); ++c) content_[out][shift + c] = in[c];
      }
    }
  }
  bool IsState(const Location &at) const {
    return at.storage == Storage::kInput &&
           std::any_of(plan_.states.begin(), plan_.states.end(), [&](const auto &s) { return s.input == at.index; });
  }
  Cell At(int32_t v, uint64_t c) const {
    const Location &at = plan_.values[v];
    return {at.storage, at.index, at.offset / kCell + c};
  }
  void Write(size_t v) {
    if (g_.bytes[v] == 0) return;
    const Location &at = plan_.values[v];
    EXPECT_EQ(at.offset % kCell, 0u);
    if (at.storage == Storage::kArena) {
      EXPECT_LE(at.offset + g_.bytes[v], plan_.arena_bytes);
    }
    if (g_.externals[v].first == Storage::kNone) {
      EXPECT_TRUE(at.storage == Storage::kArena || at.storage == Storage::kOutput || IsState(at))
          << "step writes to an input or a constant, value " << v;
    }
    for (uint64_t c = 0; c < content_[v].size(); ++c) cells_[At(static_cast<int32_t>(v), c)] = content_[v][c];
  }
  void Read(int32_t v, size_t step) {
    for (uint64_t c = 0; c < content_[v].size(); ++c) {
      ASSERT_EQ(cells_[At(v, c)], content_[v][c]) << "step " << step << " reads value " << v << ", cell " << c;
    }
  }

  const SimGraph &g_;
  const MemoryPlan &plan_;
  std::vector<std::vector<uint64_t>> content_;
  std::map<Cell, uint64_t> cells_;
  uint64_t next_ = 0;
};

GeAlias InPlace(int32_t in, int32_t out = 0) { return {GE_ALIAS_IN_PLACE, in, out, 0, 0}; }
GeAlias State(int32_t in) { return {GE_ALIAS_STATE, in, 0, 0, 0}; }
GeAlias ViewOf(int32_t in, uint64_t offset, int32_t out = 0) { return {GE_ALIAS_OUTPUT_IN_INPUT, in, out, 0, offset}; }
GeAlias PartOf(int32_t in, uint64_t offset) { return {GE_ALIAS_INPUT_IN_OUTPUT, in, 0, 0, offset}; }

TEST(MemoryPlan, ChainOfElementwiseUsesTheOutputBufferOnly) {
  SimGraph g;
  int32_t v = g.External(Storage::kInput, 0, 4096);
  for (int i = 0; i < 10; ++i) v = g.Step({v}, 4096, {InPlace(0)});
  g.outputs = {v};
  MemoryPlan plan = Solve(g);
  EXPECT_EQ(plan.arena_bytes, 0u);
  EXPECT_EQ(plan.in_place, 9u);  // the first step may not write over the input
  EXPECT_TRUE(plan.copies.empty());
  Simulation(g, plan).Run();
}

TEST(MemoryPlan, OneOfTwoInputsIsOverwritten) {
  SimGraph g;
  int32_t x = g.External(Storage::kInput, 0, 256);
  int32_t a = g.Step({x}, 256), b = g.Step({a}, 256), c = g.Step({a, b}, 256, {InPlace(0), InPlace(1)});
  g.outputs = {g.Step({c}, 256)};
  MemoryPlan plan = Solve(g);
  EXPECT_EQ(plan.in_place, 1u);
  Simulation(g, plan).Run();
}

TEST(MemoryPlan, ConcatOfConcatsAndASplitCopyNothing) {
  SimGraph g;
  int32_t x = g.External(Storage::kInput, 0, 128);
  int32_t a = g.Step({x}, 128), b = g.Step({x}, 128), c = g.Step({x}, 256);
  int32_t ab = g.Step({a, b}, 256, {PartOf(0, 0), PartOf(1, 128)}, true);
  int32_t all = g.Step({ab, c}, 512, {PartOf(0, 0), PartOf(1, 256)}, true);
  int32_t tail = g.Step({all}, 128, {ViewOf(0, 384)}, true);
  g.outputs = {g.Step({tail}, 128)};
  MemoryPlan plan = Solve(g);
  EXPECT_EQ(plan.viewed, 3u);
  EXPECT_EQ(plan.arena_bytes, 512u);
  Simulation(g, plan).Run();
}

TEST(MemoryPlan, TheSameValueTwiceInAConcatIsCopied) {
  SimGraph g;
  int32_t x = g.External(Storage::kInput, 0, 128);
  int32_t a = g.Step({x}, 128);
  int32_t aa = g.Step({a, a}, 256, {PartOf(0, 0), PartOf(1, 128)}, true);
  g.outputs = {g.Step({aa}, 256)};
  MemoryPlan plan = Solve(g);
  EXPECT_EQ(plan.viewed, 0u);
  Simulation(g, plan).Run();
}

TEST(MemoryPlan, ConcatOfGraphInputsIsCopied) {
  SimGraph g;
  int32_t x = g.External(Storage::kInput, 0, 128), w = g.External(Storage::kConst, 0, 128);
  int32_t all = g.Step({x, w}, 256, {PartOf(0, 0), PartOf(1, 128)}, true);
  g.outputs = {all};
  MemoryPlan plan = Solve(g);
  EXPECT_EQ(plan.elided[0], 0);
  EXPECT_EQ(plan.values[all].storage, Storage::kOutput);
  Simulation(g, plan).Run();
}

TEST(MemoryPlan, PartsThatAreNotAlignedAreCopied) {
  SimGraph g;
  int32_t x = g.External(Storage::kInput, 0, 100);
  int32_t a = g.Step({x}, 100), b = g.Step({x}, 100);
  g.outputs = {g.Step({a, b}, 200, {PartOf(0, 0), PartOf(1, 100)}, true)};
  MemoryPlan plan = Solve(g);
  EXPECT_EQ(plan.elided[0 + 2], 0);
}

/// A kernel that calls itself a view, and whose aliases do not say where all of its outputs lie, computes.
TEST(MemoryPlan, AViewThatLeavesAnOutputOutIsRun) {
  const auto elided = [](std::vector<uint64_t> outputs, std::vector<int32_t> inputs, std::vector<GeAlias> aliases) {
    SimGraph g;
    const int32_t x = g.External(Storage::kInput, 0, 256);
    const int32_t a = g.Step({x}, 256), b = g.Step({x}, 128);
    for (int32_t &v : inputs) v = v < 0 ? -1 : v == 0 ? a : b;
    SimStep step{inputs, {}, std::move(aliases), true, 0};
    for (uint64_t bytes : outputs) step.outputs.push_back(g.Value(bytes));
    g.steps.push_back(step);
    for (int32_t v : step.outputs)
      if (g.bytes[v] != 0) g.outputs.push_back(g.Step({v}, 64));
    const MemoryPlan plan = Solve(g);
    if (!plan.elided[2]) {  // then nothing lies where the kernel would write over what it reads
      for (int32_t out : step.outputs) {
        const Location &o = plan.values[out], &i = plan.values[a];
        EXPECT_TRUE(g.bytes[out] == 0 || o.offset >= i.offset + 256 || i.offset >= o.offset + g.bytes[out]);
      }
    }
    return plan.elided[2] != 0;
  };
  EXPECT_TRUE(elided({128, 128}, {0, 1}, {ViewOf(0, 0, 0), ViewOf(0, 128, 1)}));
  EXPECT_TRUE(elided({128, 0}, {0, 1}, {ViewOf(0, 0, 0)}));  // nothing to place
  EXPECT_FALSE(elided({128, 128}, {0, 1}, {ViewOf(0, 0, 0)}));
  EXPECT_FALSE(elided({128, 128}, {0, 1}, {ViewOf(0, 0, 1)}));
  EXPECT_FALSE(elided({128}, {0, 1}, {}));
  EXPECT_FALSE(elided({256}, {-1, 0}, {ViewOf(0, 0)}));  // of an input that is not there
  EXPECT_TRUE(elided({384}, {0, 1}, {PartOf(0, 0), PartOf(1, 256)}));
  EXPECT_FALSE(elided({384}, {0, 1}, {PartOf(0, 0)}));
}

TEST(MemoryPlan, AKernelThatOverwritesIsRunWhateverItCallsItself) {
  for (const GeAlias &alias : {InPlace(0), State(0)}) {
    SimGraph g;
    const int32_t a = g.Step({g.External(Storage::kInput, 0, 256)}, 256);
    const int32_t b = g.Step({a}, 256, {alias}, true);
    g.outputs = {g.Step({b}, 64)};
    const MemoryPlan plan = Solve(g);
    EXPECT_EQ(plan.elided[1], 0);
    EXPECT_EQ(plan.in_place, 1u);
    Simulation(g, plan).Run();
  }
}

TEST(MemoryPlan, AResidualMayNotBeOverwrittenWhileItIsRead) {
  // y = f(x1 = a, residual = a): the kernel declares the residual only.
  SimGraph g;
  int32_t x = g.External(Storage::kInput, 0, 256);
  int32_t a = g.Step({x}, 256);
  int32_t y = g.Step({a, a}, 256, {InPlace(1)});
  g.outputs = {g.Step({y}, 256)};
  MemoryPlan plan = Solve(g);
  EXPECT_EQ(plan.in_place, 0u);
}

TEST(MemoryPlan, TwoOutputsDoNotReplaceTheSameInput) {
  // Nobody reads the first output, but the kernel writes it.
  SimGraph g;
  int32_t a = g.Step({g.External(Storage::kInput, 0, 256)}, 256);
  int32_t unread = g.Value(256), y = g.Value(256);
  g.steps.push_back({{a}, {unread, y}, {InPlace(0, 0), InPlace(0, 1)}, false, 0});
  g.outputs = {g.Step({y}, 256)};
  MemoryPlan plan = Solve(g);
  EXPECT_EQ(plan.in_place, 1u);
  Simulation(g, plan).Run();
}

TEST(MemoryPlan, AViewThatIsNotAlignedIsCopied) {
  for (uint64_t offset : {uint64_t{4}, kCell}) {
    SimGraph g;
    int32_t a = g.Step({g.External(Storage::kInput, 0, 256)}, 256);
    int32_t part = g.Step({a}, 64, {ViewOf(0, offset)}, true);
    g.outputs = {g.Step({part}, 64)};
    MemoryPlan plan = Solve(g);
    EXPECT_EQ(plan.elided[1] != 0, offset == kCell);
    EXPECT_EQ(plan.values[part].offset % kBufferAlignment, 0u);
  }
}

TEST(MemoryPlan, OutputsThatCannotBeProducedInPlaceAreCopied) {
  SimGraph g;
  int32_t x = g.External(Storage::kInput, 0, 256), w = g.External(Storage::kConst, 0, 256);
  int32_t a = g.Step({x}, 256);
  int32_t half = g.Step({a}, 128, {ViewOf(0, 128)}, true);
  g.outputs = {x, w, a, a, half};
  MemoryPlan plan = Solve(g);
  EXPECT_EQ(plan.copies.size(), 4u);  // only the first use of a is direct
  Simulation(g, plan).Run();
}

TEST(MemoryPlan, StateIsUpdatedWhereItLies) {
  SimGraph g;
  int32_t cache = g.External(Storage::kInput, 0, 512), x = g.External(Storage::kInput, 1, 64);
  int32_t flat = g.Step({cache}, 512, {ViewOf(0, 0)}, true);
  int32_t read = g.Step({flat}, 64), once = g.Step({flat, x}, 512, {State(0)});
  int32_t twice = g.Step({once, read}, 512, {State(0)});
  int32_t whole = g.Step({twice}, 512, {ViewOf(0, 0)}, true), part = g.Step({whole}, 64);
  g.outputs = {part, whole, whole};
  g.states = {{cache, 2}};
  MemoryPlan plan = Solve(g);
  ASSERT_EQ(plan.states.size(), 1u);
  EXPECT_EQ(plan.values[once].storage, Storage::kInput);
  EXPECT_EQ(plan.copies.size(), 1u);  // the caller's other output has the new content, too
  Simulation(g, plan).Run();
}

TEST(MemoryPlan, StateThatNobodyReadsAnyMoreIsWrittenAnew) {
  SimGraph g;
  int32_t old = g.External(Storage::kInput, 0, 256);
  int32_t half = g.Step({old}, 128), next = g.Step({half}, 256);
  g.outputs = {next};
  g.states = {{old, 0}};
  MemoryPlan plan = Solve(g);
  EXPECT_EQ(plan.states.size(), 1u);
  Simulation(g, plan).Run();
}

TEST(MemoryPlan, StateWhoseOldContentIsNeededIsCopied) {
  const auto states = [](bool read_later, bool is_output, bool other_argument, bool no_alias) {
    SimGraph g;
    int32_t cache = g.External(Storage::kInput, 0, 512);
    int32_t half = g.Step({cache}, 512, {ViewOf(0, 0)}, true);
    int32_t next = g.Step({cache, other_argument ? half : cache}, 512, {});
    if (!no_alias) g.steps.back().aliases = {State(0)};
    if (!other_argument) g.steps.back().inputs.pop_back();
    int32_t later = g.Step({read_later ? half : next}, 64);
    g.outputs = {later, next};
    if (is_output) g.outputs.insert(g.outputs.begin(), half);
    g.states = {{cache, static_cast<int32_t>(g.outputs.size()) - 1}};
    MemoryPlan plan = Solve(g);
    Simulation(g, plan).Run();
    return plan.states.size();
  };
  EXPECT_EQ(states(false, false, false, false), 1u);
  EXPECT_EQ(states(true, false, false, false), 0u);
  EXPECT_EQ(states(false, true, false, false), 0u);
  EXPECT_EQ(states(false, false, true, false), 0u);
  EXPECT_EQ(states(false, false, false, true), 0u);
}

TEST(MemoryPlan, StatesThatAreExchangedAreCopied) {
  SimGraph g;
  int32_t a = g.External(Storage::kInput, 0, 256), b = g.External(Storage::kInput, 1, 256);
  g.outputs = {b, a};
  g.states = {{a, 0}, {b, 1}};
  MemoryPlan plan = Solve(g);
  EXPECT_TRUE(plan.states.empty());
  Simulation(g, plan).Run();
}

TEST(MemoryPlan, ALongChainOfSumsOfOneStateIsFoundAtOnce) {
  SimGraph g;
  int32_t old = g.External(Storage::kInput, 0, 256), v = old;
  for (int i = 0; i < 5000; ++i) v = g.Step({v, v}, 256, {InPlace(0), InPlace(1)});
  g.outputs = {v};
  g.states = {{old, 0}};
  MemoryPlan plan = Solve(g);
  EXPECT_EQ(plan.states.size(), 1u);
  EXPECT_EQ(plan.arena_bytes, 0u);
  Simulation(g, plan).Run();
}

TEST(MemoryPlan, WithoutReuseNothingIsShared) {
  SimGraph g;
  int32_t v = g.External(Storage::kInput, 0, 64);
  for (int i = 0; i < 5; ++i) v = g.Step({v}, 64, {InPlace(0)});
  g.outputs = {v};
  MemoryPlan plan = Solve(g, false);
  EXPECT_EQ(plan.arena_bytes, 4u * 64);
  Simulation(g, plan).Run();
}

constexpr int kSeeds = 400;
class RandomPlans : public ::testing::TestWithParam<int> {
 protected:
  static inline size_t states = 0;
  static inline int runs = 0;
  static void TearDownTestSuite() {
    if (runs != kSeeds) return;
    EXPECT_GT(states, 40u) << "hardly any random plan updates state where it lies";
  }
};

TEST_P(RandomPlans, EveryReadFindsItsValue) {
  std::mt19937 rng(static_cast<unsigned>(GetParam()));
  auto pick = [&](int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); };
  SimGraph g;
  std::vector<int32_t> alive;
  for (int i = 0; i < 2; ++i)
    alive.push_back(g.External(Storage::kInput, i, kCell * static_cast<uint64_t>(1 + pick(4))));
  alive.push_back(g.External(Storage::kConst, 0, kCell * 2));
  const int steps = 5 + pick(60);
  auto any = [&] { return alive[static_cast<size_t>(std::max(0, static_cast<int>(alive.size()) - 1 - pick(8)))]; };
  for (int s = 0; s < steps; ++s) {
    SimStep step;
    switch (pick(6)) {
      case 0: {  // a view of a part
        int32_t in = any();
        uint64_t cells = g.bytes[in] / kCell;
        if (cells == 0) continue;
        uint64_t first = static_cast<uint64_t>(pick(static_cast<int>(cells))),
                 count = 1 + static_cast<uint64_t>(pick(static_cast<int>(cells - first)));
        step.inputs = {in};
        step.outputs = {g.Value(count * kCell)};
        step.aliases = {ViewOf(0, first * kCell)};
        step.view = true;
        break;
      }
      case 1: {  // a split into all parts
        int32_t in = any();
        uint64_t cells = g.bytes[in] / kCell;
        step.inputs = {in};
        step.view = true;
        for (uint64_t at = 0; at < cells;) {
          uint64_t count = 1 + static_cast<uint64_t>(pick(static_cast<int>(cells - at)));
          step.aliases.push_back(ViewOf(0, at * kCell, static_cast<int32_t>(step.outputs.size())));
          step.outputs.push_back(g.Value(count * kCell));
          at += count;
        }
        if (step.outputs.empty()) continue;
        break;
      }
      case 2: {  // a concat, repetitions allowed
        uint64_t offset = 0;
        step.view = true;
        for (int i = 0, n = 1 + pick(4); i < n; ++i) {
          step.inputs.push_back(any());
          step.aliases.push_back(PartOf(i, offset));
          offset += g.bytes[step.inputs.back()];
        }
        if (offset > 64 * kCell) continue;
        step.outputs = {g.Value(offset)};
        break;
      }
      case 3: {  // elementwise on operands of one size
        int32_t a = any(), b = any();
        if (g.bytes[a] != g.bytes[b]) b = a;
        step.inputs = {a, b};
        step.outputs = {g.Value(g.bytes[a])};
        step.aliases = {pick(2) ? InPlace(0) : State(0)};
        if (pick(2)) step.aliases.push_back(InPlace(1));
        break;
      }
      case 4: {  // two outputs over two inputs
        int32_t a = any(), b = any();
        step.inputs = {a, b};
        step.outputs = {g.Value(g.bytes[a]), g.Value(g.bytes[b])};
        if (a != b) step.aliases = {InPlace(0, 0), InPlace(1, 1)};
        break;
      }
      default:
        step.inputs = {any(), any()};
        step.outputs = {g.Value(kCell * static_cast<uint64_t>(pick(6)))};
        step.workspace = pick(3) ? 0 : kCell * static_cast<uint64_t>(1 + pick(5));
    }
    for (int32_t out : step.outputs) alive.push_back(out);
    g.steps.push_back(std::move(step));
  }
  for (int i = 0, n = 1 + pick(4); i < n; ++i) g.outputs.push_back(any());
  for (int32_t state = 0; state < 2; ++state) {  // inputs that are to hold late values of their size, if there are any
    std::vector<int32_t> fit;
    for (int32_t v : alive)
      if (g.bytes[v] == g.bytes[state] && pick(4)) fit.push_back(v);
    if (fit.empty()) continue;
    g.states[state] = static_cast<int32_t>(g.outputs.size());
    g.outputs.push_back(fit.back());
  }
  MemoryPlan plan = Solve(g);
  states += plan.states.size();
  ++runs;
  EXPECT_GE(plan.arena_bytes, plan.live_peak);
  EXPECT_LE(plan.arena_bytes, plan.total_bytes);
  Simulation(g, plan).Run();
  Simulation(g, Solve(g, false)).Run();
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPlans, ::testing::Range(0, kSeeds));

}  // namespace
}  // namespace gec
