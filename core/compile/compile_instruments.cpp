#include "core/compile/compile_instruments.h"

#include <chrono>

#include "core/compile/graph_dumps.h"
#include "core/compile/numbered_dumps.h"

namespace gec {
namespace {

/// Times of the compile's stages, which are the sequences directly inside the outermost.
class StageTimes : public PassInstrument {
 public:
  StageTimes(const CompileConfig &config, CompileReport *report) : config_(config), report_(report) {}
  std::string name() const override { return "stage times"; }
  void RunBefore(Graph &, const PassInfo &info) override {
    if (++depth_ != 2) return;
    begin_ = std::chrono::steady_clock::now();
    if (config_.progress) config_.progress(info.name.c_str());
  }
  void RunAfter(Graph &, const PassInfo &info, const PassRun &run) override {
    if (depth_-- != 2 || !report_) return;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    report_->stages.push_back({info.name, seconds, run.changes});
  }
  void RunFailed(const PassInfo &) noexcept override { --depth_; }

 private:
  const CompileConfig &config_;
  CompileReport *report_;
  int depth_ = 0;
  std::chrono::steady_clock::time_point begin_;
};

/// A point of the compile at which the whole graph is dumped, beside what passes changed.
bool Is(const PassInfo &info, const char *name) { return info.builtin && info.name == name; }

/// Option dump_dir.
class TextDumps : public PassInstrument {
 public:
  explicit TextDumps(const std::string &folder) : dumps_(folder, "option dump_dir") {}
  std::string name() const override { return "dump_dir"; }
  void RunAfter(Graph &root, const PassInfo &info, const PassRun &run) override {
    if (Is(info, "SetInputShapes")) dumps_.Write(root, "input");
    else if (Is(info, kInferStage)) dumps_.Write(root, kInferStage);
    else if (Is(info, kPartitionStage) && run.changed) dumps_.Write(root, "regions");
    else if (Is(info, kCompileSequence)) dumps_.Write(root, "final");
    else if (run.changed && !info.essential && run.kind != PassKind::kSequence) dumps_.Write(root, info.name);
  }

 private:
  NumberedDumps dumps_;
};

/// GE's name of the dump after what programs registered for a stage, or null.
const char *StageDumpName(const PassInfo &info) {
  if (!info.builtin || info.name.rfind("Stage.", 0) != 0) return nullptr;
  switch (info.stage) {
    case GE_STAGE_BEFORE_INFER_SHAPE:
      return "RunCustomPassBeforeInfershape";
    case GE_STAGE_AFTER_INFER_SHAPE:
      return "RunCustomPass_AfterInferShape";
    case GE_STAGE_AFTER_BUILTIN_FUSION_PASS:
      return "RunCustomPassAfterBuiltinFusionPass";
    case GE_STAGE_AFTER_ORIGIN_GRAPH_OPTIMIZE:
      return "RunCustomPassAfterOriginGraphOptimize";
    default:
      return nullptr;
  }
}

/// DUMP_GE_GRAPH.
class GeDumps : public PassInstrument {
 public:
  std::string name() const override { return "DUMP_GE_GRAPH"; }
  bool on() const { return dumps_.on(); }
  void RunAfter(Graph &root, const PassInfo &info, const PassRun &run) override {
    if (Is(info, "SetInputShapes")) return dumps_.Write(root, "PreRunBegin", GraphDumps::kFirst);
    if (Is(info, kInferStage)) return dumps_.Write(root, "AfterInfershape");
    if (Is(info, kCompileSequence)) return dumps_.Write(root, "Build", GraphDumps::kLast);
    if (const char *stage = StageDumpName(info)) {
      const bool runs = !root.attrs().Find(Symbol(kOptimizedAttr));
      if (runs && !PassRegistry::Instance().OfProgram(info.stage).empty()) dumps_.Write(root, stage);
      return;
    }
    if (run.kind == PassKind::kStream) dumps_.Write(root, "RunCustomPass_AfterAssignLogicStream" + info.name);
    else if (run.changed && !info.essential && run.kind != PassKind::kSequence)
      dumps_.Write(root, info.name, GraphDumps::kDetail);
  }

 private:
  const GraphDumps dumps_;
};

}  // namespace

std::vector<PassInstrumentPtr> CompileInstruments(const CompileConfig &config, CompileReport *report) {
  std::vector<PassInstrumentPtr> all{std::make_shared<StageTimes>(config, report)};
  if (!config.dump_dir.empty()) all.push_back(std::make_shared<TextDumps>(config.dump_dir));
  if (auto dumps = std::make_shared<GeDumps>(); dumps->on()) all.push_back(std::move(dumps));
  return all;
}

}  // namespace gec
