#include "compare_ort.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "native.h"

extern char **environ;

namespace tool {
namespace {

// Answers each line of its input, a number of runs, with their times. Its threads do not spin between the turns, where
// they would take processors from the other library.
constexpr char kScript[] = R"(
import json, sys, time
def say(**what): print(json.dumps(what), flush=True)
try:
    import numpy as np
    import onnxruntime as ort
except ImportError as e:
    say(error=f"{sys.executable} has no package {e.name}: pip install onnxruntime"); sys.exit()
model, folder, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
names = json.loads(sys.argv[4])
try:
    with np.load(folder + "/feed.npz") as file: feed = {n: file[f"i{k}"] for k, n in enumerate(names)}
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = threads, 1, 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    clock = time.perf_counter
    begin = clock(); session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"]); loaded = clock()
    result = session.run(None, feed)
    say(version=ort.__version__, load=(loaded - begin) * 1e3, first=(clock() - loaded) * 1e3)
    for line in sys.stdin:
        if line.strip() == "outputs":
            outputs = zip([o.name for o in session.get_outputs()], result)
            np.savez(folder + "/result.npz", **{f"o{k}": v for k, (n, v) in enumerate(outputs)})
            say(names=[o.name for o in session.get_outputs()]); break
        times = []
        for _ in range(int(line)):
            begin = clock(); result = session.run(None, feed); times.append((clock() - begin) * 1e3)
        say(times=times)
except Exception as e:
    say(error=f"ONNX Runtime {ort.__version__}: {e}")
)";

std::string PythonCommand() {
  const char *given = std::getenv("GE_PYTHON");
  if (given && *given) return given;
  const char *environment = std::getenv("VIRTUAL_ENV");
  return environment && *environment ? std::string(environment) + "/bin/python" : "python3";
}

nlohmann::json Parsed(const std::string &line) {
  nlohmann::json answer = nlohmann::json::parse(line, nullptr, false);
  if (!answer.is_object()) throw Error("--compare ort: the answer is not understood: " + line);
  if (answer.contains("error")) throw Error("--compare ort: " + answer["error"].get<std::string>());
  return answer;
}

template <class T>
double DifferenceOf(const Array &a, const Array &b) {
  const size_t count = std::min(a.bytes.size(), b.bytes.size()) / sizeof(T);
  double most = 0, largest = 0;
  for (size_t i = 0; i < count; ++i) {
    T x, y;
    std::memcpy(&x, a.bytes.data() + i * sizeof(T), sizeof(T));
    std::memcpy(&y, b.bytes.data() + i * sizeof(T), sizeof(T));
    const double p = static_cast<double>(x), q = static_cast<double>(y);
    if (std::isnan(p) && std::isnan(q)) continue;
    most = std::max(most, std::isnan(p) || std::isnan(q) ? HUGE_VAL : p == q ? 0 : std::fabs(p - q));
    largest = std::max(largest, std::isfinite(q) ? std::fabs(q) : 0);
  }
  return most / (largest > 0 ? largest : 1);
}

double DifferenceOf(const Array &a, const Array &b) {
  if (a.dims != b.dims || a.data_type != b.data_type) return HUGE_VAL;
  switch (a.data_type) {
    case C_DT_FLOAT:
      return DifferenceOf<float>(a, b);
    case C_DT_DOUBLE:
      return DifferenceOf<double>(a, b);
    case C_DT_INT64:
      return DifferenceOf<int64_t>(a, b);
    case C_DT_INT32:
      return DifferenceOf<int32_t>(a, b);
    default:
      return a.bytes == b.bytes ? 0 : HUGE_VAL;
  }
}

}  // namespace

OrtPeer::OrtPeer(const std::string &model, int threads, const std::vector<std::string> &names,
                 const std::vector<Array> &feed) {
  std::string pattern = (std::filesystem::temp_directory_path() / "ge_bench_XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw Error("--compare ort: no folder for its inputs: " + std::string(strerror(errno)));
  folder_ = pattern;
  try {
    std::vector<std::pair<std::string, const Array *>> arrays;
    for (size_t i = 0; i < feed.size(); ++i) arrays.emplace_back("i" + std::to_string(i), &feed[i]);
    WriteNpz(folder_ + "/feed.npz", arrays);
    int input[2], output[2];
    if (pipe2(input, O_CLOEXEC) != 0) throw Error("--compare ort: " + std::string(strerror(errno)));
    to_ = input[1];
    if (pipe2(output, O_CLOEXEC) != 0) {
      close(input[0]);
      throw Error("--compare ort: " + std::string(strerror(errno)));
    }
    from_ = output[0];
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
    const std::string python = PythonCommand(), count = std::to_string(threads), list = nlohmann::json(names).dump(),
                      script = kScript;
    const char *arguments[] = {python.c_str(),  "-c",          script.c_str(), model.c_str(),
                               folder_.c_str(), count.c_str(), list.c_str(),   nullptr};
    const int failure =
        posix_spawnp(&process_, python.c_str(), &actions, nullptr, const_cast<char *const *>(arguments), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(input[0]);
    close(output[1]);
    if (failure != 0) {
      process_ = -1;
      throw Error("--compare ort: cannot start '" + python + "', which runs ONNX Runtime: " + strerror(failure) +
                  " (GE_PYTHON names another)");
    }
    const nlohmann::json answer = Parsed(Line());
    version_ = answer["version"];
    load_ms_ = answer["load"];
    first_run_ms_ = answer["first"];
  } catch (...) {
    End();
    throw;
  }
}

OrtPeer::~OrtPeer() { End(); }

void OrtPeer::End() noexcept {
  for (int *end : {&to_, &from_}) {
    if (*end >= 0) close(*end);
    *end = -1;
  }
  if (process_ > 0) waitpid(process_, nullptr, 0);
  process_ = -1;
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  folder_.clear();
}

std::string OrtPeer::Line() {
  for (;;) {
    if (const size_t end = read_.find('\n'); end != std::string::npos) {
      std::string line = read_.substr(0, end);
      read_.erase(0, end + 1);
      return line;
    }
    char part[4096];
    const ssize_t n = read(from_, part, sizeof part);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw Error("--compare ort: Python ended without an answer; what it said stands above");
    read_.append(part, static_cast<size_t>(n));
  }
}

void OrtPeer::Say(const std::string &line) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);  // where it has ended, its last line says why
  const ssize_t written = write(to_, line.data(), line.size());
  std::signal(SIGPIPE, before);
  (void)written;
}

std::vector<double> OrtPeer::Run(int times) {
  Say(std::to_string(times) + "\n");
  return Parsed(Line())["times"].get<std::vector<double>>();
}

double OrtPeer::Difference(const std::vector<std::string> &names, const std::vector<Array> &ours) {
  Say("outputs\n");
  const std::vector<std::string> theirs = Parsed(Line())["names"];
  const std::map<std::string, Array> results = ReadNpz(folder_ + "/result.npz");
  double most = 0;
  for (size_t k = 0; k < theirs.size(); ++k)
    for (size_t i = 0; i < names.size(); ++i)
      if (names[i] == theirs[k]) most = std::max(most, DifferenceOf(ours[i], results.at("o" + std::to_string(k))));
  End();
  return most;
}

}  // namespace tool
