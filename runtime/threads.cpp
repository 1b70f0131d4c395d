#include "runtime/threads.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <fstream>
#include <future>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "core/passes/pass_scope.h"
#include "core/support/cancel.h"
#include "core/support/context.h"
#include "core/support/error.h"
#include "core/support/warnings.h"
#include "ge/engine_kit/shares.hpp"
#include "runtime/watched_thread.h"

// The entry points of libgomp that compilers emit calls to; its ABI keeps them.
extern "C" {
void GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags);
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_in_parallel(void);
void omp_set_num_threads(int);
}

namespace gec {
namespace {

struct Job {
  GeParallelFn fn;
  void *arg;
  ge::kit::Shares shares;
};

void RunParts(void *data) {
  Job &job = *static_cast<Job *>(data);
  // A team may be smaller than asked for; every part still runs.
  const int64_t thread = omp_get_thread_num();
  for (int64_t begin, end; job.shares.Next(thread, &begin, &end);) job.fn(job.arg, begin, end);
}

/// Limit of one cgroup v2 folder ("max 100000" or "150000 100000"), 0 when none.
double QuotaV2(const std::string &folder) {
  std::ifstream file(folder + "/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return 0;
  return std::strtod(quota.c_str(), nullptr) / period;
}

double QuotaV1(const std::string &folder) {
  std::ifstream quota_file(folder + "/cpu.cfs_quota_us"), period_file(folder + "/cpu.cfs_period_us");
  double quota = 0, period = 0;
  if (!(quota_file >> quota) || !(period_file >> period) || quota <= 0 || period <= 0) return 0;
  return quota / period;
}

thread_local bool led_a_team = false;
thread_local bool team_is_gone = false;

void NoteTeam() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { team_is_gone = led_a_team; });
  static_cast<void>(registered);  // fails for lack of memory only
  led_a_team = true;
}

/// How many threads may start now, next to the calling one, of those wanted: libgomp ends the process where it gets
/// fewer than it asks for.
int32_t Startable(int32_t wanted) {
  struct Gate {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
    bool open = false;
  } gate;
  std::vector<pthread_t> started;
  started.reserve(static_cast<size_t>(wanted));
  const auto wait = [](void *data) -> void * {
    Gate &g = *static_cast<Gate *>(data);
    pthread_mutex_lock(&g.mutex);
    while (!g.open) pthread_cond_wait(&g.opened, &g.mutex);
    pthread_mutex_unlock(&g.mutex);
    return nullptr;
  };
  for (pthread_t thread; static_cast<int32_t>(started.size()) < wanted; started.push_back(thread))
    if (pthread_create(&thread, nullptr, wait, &gate) != 0) break;
  pthread_mutex_lock(&gate.mutex);
  gate.open = true;
  pthread_cond_broadcast(&gate.opened);
  pthread_mutex_unlock(&gate.mutex);
  for (pthread_t thread : started) pthread_join(thread, nullptr);
  return static_cast<int32_t>(started.size());
}

/// `threads`, or 1 on a thread whose team cannot start.
int32_t Possible(int32_t threads) {
  thread_local int32_t proved = 1;
  if (threads <= proved) return threads;
  const int32_t more = Startable(threads - 1);
  if (more == threads - 1) return proved = threads;
  WarnOnce(Str("only ", more, " more threads can be started where a model is to use ", threads,
               " (a limit of the process or of memory); it runs on one"));
  return 1;
}

double Smaller(double a, double b) { return a == 0 ? b : b == 0 ? a : std::min(a, b); }

}  // namespace

double CgroupLimit(const std::string &root) {
  // Every folder from the process's own up to the mount counts; inside a container only the mount may be visible.
  double limit = 0;
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    bool v2 = controllers.empty();
    if (!v2 && ("," + controllers + ",").find(",cpu,") == std::string::npos) continue;
    std::string mount = root + (v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/" + controllers);
    for (;;) {
      std::string folder = mount + (path == "/" ? "" : path);
      limit = Smaller(limit, v2 ? QuotaV2(folder) : QuotaV1(folder));
      size_t slash = path.rfind('/');
      if (path.empty() || path == "/" || slash == std::string::npos) break;
      path.resize(slash);
    }
  }
  limit = Smaller(limit, QuotaV2(root + "/sys/fs/cgroup"));
  return Smaller(limit, QuotaV1(root + "/sys/fs/cgroup/cpu"));
}

int32_t AffinityThreads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? static_cast<int32_t>(online) : 1;
}

int32_t DefaultThreads() {
  const int32_t affinity = AffinityThreads();
  const double limit = CgroupLimit();
  if (limit == 0) return affinity;
  return std::clamp(static_cast<int32_t>(std::ceil(limit - 1e-9)), 1, affinity);
}

UseThreads::UseThreads(int32_t threads) : before_(omp_get_max_threads()), threads_(Possible(threads)) {
  if (before_ != threads_) omp_set_num_threads(threads_);
  if (threads_ > 1 && !led_a_team) NoteTeam();
}

UseThreads::~UseThreads() {
  if (before_ != threads_) omp_set_num_threads(before_);
}

bool ThreadTeamLost() { return team_is_gone; }

void OnNewThread(const std::function<void()> &body) {
  std::exception_ptr error;
  std::vector<std::string> contexts;
  CancelRequest ended{false};
  std::promise<void> done;
  std::thread thread([&, scope = PassScope::Current()] {
    try {
      const AdoptScope adopted(scope);
      const CancelScope caller(&ended, {});
      body();
    } catch (...) {
      contexts = TakeContexts();
      error = std::current_exception();
    }
    done.set_value();
  });
  CancelState &cancel = CancelState::Here();
  const std::future<void> end = done.get_future();
  constexpr std::chrono::milliseconds kTurn(CancelState::kCheckMilliseconds);
  while (cancel.any() && !ended && end.wait_for(kTurn) != std::future_status::ready)
    if (cancel.Due()) ended = true;
  thread.join();
  try {
    RethrowFor(error, ended);
  } catch (const Error &e) {
    std::string text;  // contexts belong to the thread that left them; here they travel in the message
    for (const std::string &context : contexts) text += context + ": ";
    Fail(e.code(), text, e.what());
  }
}

void ParallelFor(int32_t threads, int64_t n, int64_t grain, GeParallelFn fn, void *arg) {
  if (n <= 0) return;
  threads = std::min(threads, omp_get_max_threads());  // fewer than the model's where no more can start
  const int64_t parts = grain > 1 ? n / grain : n;
  if (threads <= 1 || parts <= 1 || omp_in_parallel()) {
    fn(arg, 0, n);
    return;
  }
  Job job{fn, arg, ge::kit::Shares(n, parts, threads)};
  // Always the whole team: libgomp ends threads when a smaller one follows, and starting them again is slow.
  GOMP_parallel(RunParts, &job, static_cast<unsigned>(threads), 0);
}

}  // namespace gec
