#include "runtime/trace_rows.h"

#include <unistd.h>

#include "core/support/error.h"
#include "core/support/json_text.h"

namespace gec {

// Threads have numbers up to 2^22: with engines behind them they still fit into the 32 bits that viewers read.
constexpr long kEnginesPerThread = 100;

long TraceRows::Row(long thread, const std::string &engine) {
  long number = thread;
  if (!engine.empty()) {
    const long next = static_cast<long>(engines_.size()) + 1;
    number = thread * kEnginesPerThread + engines_.emplace(engine, next).first->second % kEnginesPerThread;
  }
  return rows_.emplace(std::pair(thread, engine), number).first->second;
}

std::string TraceRows::Names(const std::string &process) const {
  const std::string start = Str("{\"ph\":\"M\",\"pid\":", getpid(), ",\"name\":\"");
  std::string text = Str(start, "process_name\",\"args\":{\"name\":", JsonText(process), "}}");
  std::string labels;
  for (const auto &[engine, number] : engines_) labels += (labels.empty() ? "" : ", ") + engine;
  if (!labels.empty()) text += Str(",\n", start, "process_labels\",\"args\":{\"labels\":", JsonText(labels), "}}");
  long order = 0;  // rows_ has a thread's own row before those of its engines
  for (const auto &[key, number] : rows_) {
    const auto &[thread, engine] = key;
    const std::string name = engine.empty() ? Str("thread ", thread) : Str(engine, " in thread ", thread);
    text += Str(",\n", start, "thread_name\",\"tid\":", number, ",\"args\":{\"name\":", JsonText(name), "}}");
    text += Str(",\n", start, "thread_sort_index\",\"tid\":", number, ",\"args\":{\"sort_index\":", order++, "}}");
  }
  return text;
}

}  // namespace gec
