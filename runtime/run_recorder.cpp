#include "runtime/run_recorder.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "core/serialize/air.h"
#include "core/support/error.h"
#include "core/support/json_text.h"
#include "ge/profile.h"
#include "runtime/micros.h"
#include "runtime/trace_rows.h"

namespace gec {

struct RecordedRun::Run {
  uint64_t recording;  // number of the start it belongs to
  bool operators;
  uint64_t session;
  uint32_t graph_id;
  std::string graph;
  long thread;
  uint64_t begin, end;
  Profiler profiler;
};

namespace {

constexpr size_t kMostRows = 250'000;

struct Row {
  size_t run;  // in runs
  Profiler::Event event;
};
struct Ran {
  uint64_t session;
  uint32_t graph_id;
  std::string graph;
  long thread;
  uint64_t begin, end, number;  // of the graph's runs, from 1
};
struct Times {
  uint64_t count = 0, total = 0, least = UINT64_MAX, most = 0;
};
using GraphKey = std::pair<uint64_t, uint32_t>;  // session, graph

struct Recording {
  uint32_t what = 0;
  uint64_t begin = 0;
  std::vector<Ran> runs;
  std::vector<Row> rows;
  size_t left_out = 0;  // rows above the limit
  std::map<GraphKey, uint64_t> run_counts;
  std::map<std::tuple<uint64_t, uint32_t, std::string, std::string>, Times> by_type;  // …, type, engine
};

struct State {
  std::mutex mutex;
  std::string folder;  // empty: not open
  std::unique_ptr<Recording> recording;
  uint64_t starts = 0, written = 0;
};
State &The() {
  static auto *state = new State;
  return *state;
}
/// Number of the start that is on; 0: nothing is recorded. Beside the lock, for runs.
std::atomic<uint64_t> g_on{0};
std::atomic<bool> g_operators{false};

/// A field of a CSV file, in quotes where it needs them.
std::string Field(const std::string &text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

/// A text file that is written in pieces.
class TextFile {
 public:
  explicit TextFile(const std::string &path) : file_(path) {}
  TextFile &operator<<(const std::string &text) {
    pending_ += text;
    if (pending_.size() > (1u << 20)) Flush();
    return *this;
  }
  void Commit() {
    Flush();
    file_.Commit();
  }

 private:
  void Flush() {
    file_.Write(pending_.data(), pending_.size());
    pending_.clear();
  }
  FileWriter file_;
  std::string pending_;
};

void WriteSummary(const std::string &path, const Recording &r) {
  TextFile file(path);
  file << "Device_id,Session ID,Graph ID,Graph,Run,Op Name,Origin Names,OP Type,Task Type,Implementation,"
          "Task Start Time(us),Task Duration(us),Inputs,Outputs\n";
  for (const Row &row : r.rows) {
    const Ran &run = r.runs[row.run];
    const Profiler::Event &e = row.event;
    if (e.type.empty()) continue;  // a span around others
    file << Str("0,", run.session, ",", run.graph_id, ",") << Field(run.graph) << Str(",", run.number, ",")
         << Field(e.node) << "," << Field(e.origins) << "," << Field(e.type) << "," << Field(e.engine) << ","
         << Field(e.implementation) << "," << Micros(e.begin - r.begin) << "," << Micros(e.end - e.begin) << ","
         << Field(e.inputs) << "," << Field(e.outputs) << "\n";
  }
  file.Commit();
}

void WriteStatistic(const std::string &path, const Recording &r) {
  std::map<GraphKey, uint64_t> totals;
  for (const auto &[key, times] : r.by_type) totals[{std::get<0>(key), std::get<1>(key)}] += times.total;
  TextFile file(path);
  file << "Device_id,Session ID,Graph ID,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),"
          "Max Time(us),Ratio(%)\n";
  for (const auto &[key, times] : r.by_type) {
    const auto &[session, graph, type, engine] = key;
    const uint64_t total = totals[{session, graph}];
    char ratio[16];
    std::snprintf(ratio, sizeof ratio, "%.3f",
                  total ? 100.0 * static_cast<double>(times.total) / static_cast<double>(total) : 0.0);
    file << Str("0,", session, ",", graph, ",") << Field(type) << "," << Field(engine) << Str(",", times.count, ",")
         << Micros(times.total) << "," << Micros(times.least) << "," << Micros(times.total / times.count) << ","
         << Micros(times.most) << "," << ratio << "\n";
  }
  file.Commit();
}

void WriteTrace(const std::string &path, const Recording &r) {
  const std::string process = std::to_string(getpid());
  TextFile file(path);
  file << "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"left_out\":\"" << std::to_string(r.left_out)
       << "\"},\"traceEvents\":[\n";
  TraceRows rows;
  auto event = [&](const std::string &json, long row, uint64_t begin, uint64_t end) {
    file << "{" << json << ",\"ph\":\"X\",\"pid\":" << process << ",\"tid\":" << std::to_string(row)
         << ",\"ts\":" << Micros(begin - r.begin) << ",\"dur\":" << Micros(end - begin) << "},\n";
  };
  for (const Ran &run : r.runs) {
    event(Str("\"name\":", JsonText("run " + run.graph), ",\"cat\":\"run\",\"args\":{\"session\":", run.session,
              ",\"graph\":", run.graph_id, ",\"run\":", run.number, "}"),
          rows.Row(run.thread, ""), run.begin, run.end);
  }
  for (const Row &row : r.rows)
    event(row.event.json, rows.Row(r.runs[row.run].thread, row.event.engine), row.event.begin, row.event.end);
  file << rows.Names("OpenGE, runs of sessions") << "\n]}\n";
  file.Commit();
}

/// PROF_000001_20261121214500123_4711
std::string NameOf(uint64_t number) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  tm local{};
  localtime_r(&now.tv_sec, &local);
  char time[32], name[96];
  std::strftime(time, sizeof time, "%Y%m%d%H%M%S", &local);
  std::snprintf(name, sizeof name, "PROF_%06llu_%s%03d_%d", static_cast<unsigned long long>(number), time,
                static_cast<int>(now.tv_nsec / 1'000'000), static_cast<int>(getpid()));
  return name;
}

void MakeFolder(const std::string &folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (!code && !std::filesystem::is_directory(folder, code) && !code)
    code = std::make_error_code(std::errc::not_a_directory);
  if (code) Fail(GE_PATH_INVALID, "cannot make folder '", folder, "': ", code.message());
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    Fail(GE_PATH_INVALID, "cannot write into folder '", folder,
         "': ", std::error_code(errno, std::generic_category()).message());
}

/// The lock is held. What was recorded is gone afterwards, even if it cannot be written.
void StopLocked(State &state) {
  if (!state.recording) Fail(GE_BAD_STATE, "profiling was not started");
  g_on = 0;
  const std::unique_ptr<Recording> r = std::move(state.recording);
  std::stable_sort(r->rows.begin(), r->rows.end(),
                   [](const Row &a, const Row &b) { return a.event.begin < b.event.begin; });
  const std::string folder = state.folder + "/" + NameOf(++state.written);
  MakeFolder(folder);
  WriteSummary(folder + "/op_summary.csv", *r);
  WriteStatistic(folder + "/op_statistic.csv", *r);
  WriteTrace(folder + "/trace.json", *r);
}

}  // namespace

void RunRecorder::Open(const std::string &folder) {
  State &state = The();
  std::lock_guard lock(state.mutex);
  if (!state.folder.empty()) Fail(GE_BAD_STATE, "profiling is open already, for folder '", state.folder, "'");
  if (folder.empty()) Fail(GE_PATH_INVALID, "the profiling folder's path is empty");
  MakeFolder(folder);
  // The program may change its working folder meanwhile.
  state.folder = std::filesystem::absolute(folder).string();
}

void RunRecorder::Start(uint32_t what) {
  State &state = The();
  std::lock_guard lock(state.mutex);
  if (state.folder.empty()) Fail(GE_BAD_STATE, "profiling is not open: there is no folder for its files");
  if (state.recording) Fail(GE_BAD_STATE, "profiling was started already");
  if (what & ~GE_PROFILE_ALL) Fail(GE_PARAM_INVALID, "what to profile is ", what, ", known bits: ", GE_PROFILE_ALL);
  state.recording = std::make_unique<Recording>();
  state.recording->what = what;
  state.recording->begin = Profiler::Now();
  g_operators = (what & GE_PROFILE_OPERATORS) != 0;
  g_on = ++state.starts;
}

void RunRecorder::Stop() {
  State &state = The();
  std::lock_guard lock(state.mutex);
  StopLocked(state);
}

void RunRecorder::Close() {
  State &state = The();
  std::lock_guard lock(state.mutex);
  if (state.folder.empty()) Fail(GE_BAD_STATE, "profiling is not open");
  struct Forget {
    State &state;
    ~Forget() { state.folder.clear(); }
  } forget{state};
  if (state.recording) StopLocked(state);
}

RecordedRun::RecordedRun(uint64_t session, uint32_t graph_id, const std::string &graph) {
  const uint64_t on = g_on;
  if (on == 0) return;
  run_ = std::make_unique<Run>();
  run_->recording = on;
  run_->operators = g_operators;
  run_->session = session;
  run_->graph_id = graph_id;
  run_->graph = graph;
  run_->thread = syscall(SYS_gettid);
  run_->begin = Profiler::Now();
}

RecordedRun::~RecordedRun() = default;

Profiler *RecordedRun::profiler() { return run_ && run_->operators ? &run_->profiler : nullptr; }

void RecordedRun::Done() {
  if (!run_) return;
  run_->end = Profiler::Now();
  run_->profiler.Finish();
  State &state = The();
  std::lock_guard lock(state.mutex);
  if (!state.recording || state.starts != run_->recording) return;  // stopped meanwhile
  Recording &r = *state.recording;
  const size_t at = r.runs.size();
  r.runs.push_back({run_->session, run_->graph_id, run_->graph, run_->thread, run_->begin, run_->end,
                    ++r.run_counts[{run_->session, run_->graph_id}]});
  for (const Profiler::Event &event : run_->profiler.events()) {
    if (!event.type.empty()) {
      Times &times = r.by_type[{run_->session, run_->graph_id, event.type, event.engine}];
      const uint64_t time = event.end - event.begin;
      ++times.count;
      times.total += time;
      times.least = std::min(times.least, time);
      times.most = std::max(times.most, time);
    }
    if (r.rows.size() < kMostRows) r.rows.push_back({at, event});
    else ++r.left_out;
  }
}

}  // namespace gec
