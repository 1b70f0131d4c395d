// ge engine-test: runs the engine suite against an engine library.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <unistd.h>

#include "commands.h"
#include "engine_case.h"
#include "ge/engine.h"
#include "table.h"

namespace tool {
namespace {

struct EngineTestArgs {
  std::string library, cases, never, not_yet;
  std::vector<std::string> operators, options;
  bool json = false, list = false;
  unsigned timeout = 60;  // seconds
};

// A case that ends the process, or never ends, is named all the same.
char current_case[256];
void OnDeath(int signal) {
  const char *what = signal == SIGALRM ? " did not end in time\n" : " ended the process\n";
  const char head[] = "\nge: case ";
  ssize_t ignored = write(2, head, sizeof head - 1);
  ignored = write(2, current_case, std::strlen(current_case));
  ignored = write(2, what, std::strlen(what));
  (void)ignored;
  _exit(kExitFailed);
}

void CatchDeath() {
  static char stack[64 << 10];  // a kernel may have used up its own
  stack_t other{};
  other.ss_sp = stack;
  other.ss_size = sizeof stack;
  sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_handler = OnDeath;
  action.sa_flags = SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGALRM}) sigaction(signal, &action, nullptr);
}

// Operators, their cases of one type, and single cases, one a line; lines that begin with '#' are comments.
std::set<std::string> ReadCaseList(const std::string &path, const std::vector<EngineCase> &cases) {
  std::set<std::string> names, known;
  if (path.empty()) return names;
  for (const EngineCase &c : cases) known.insert({c.op, c.kind, c.name});
  std::ifstream file(path);
  if (!file) throw Usage("'" + path + "' cannot be opened: " + std::strerror(errno));
  std::string line;
  for (size_t number = 1; std::getline(file, line); ++number) {
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (line.empty() || line[0] == '#') continue;
    if (known.count(line) == 0)
      throw Usage("'" + path + "' line " + std::to_string(number) + ": there is no operator or case '" + line + "'");
    names.insert(line);
  }
  return names;
}

std::string LoadEngine(const EngineTestArgs &args) {
  std::string options;
  for (const std::string &o : args.options) options += o + "\n";
  if (!std::filesystem::exists(args.library)) throw Usage("there is no file '" + args.library + "'");
  const std::string path = std::filesystem::absolute(args.library).string();
  Check(GeEngineLoad(path.c_str(), options.c_str()));
  for (size_t i = 0; i < GeEngineCount(); ++i) {
    GeEngineInfo info{};
    info.struct_size = sizeof info;
    Check(GeEngineAt(i, &info));
    std::error_code error;
    if (*info.path && std::filesystem::equivalent(info.path, path, error)) {
      if (*info.error) throw Error(std::string(info.name) + ": " + info.error);
      return info.name;
    }
  }
  throw Error("'" + args.library + "' was loaded and is not among the engines");
}

struct CaseCounts {
  size_t cases = 0, passed = 0, refused = 0, failed = 0;
};

void RunSuite(const EngineTestArgs &args) {
  const std::vector<EngineCase> cases = EngineCases(args.cases);
  if (args.list) {
    for (const EngineCase &c : cases) std::printf("%s\n", c.name.c_str());
    return;
  }
  const std::set<std::string> never = ReadCaseList(args.never, cases), not_yet = ReadCaseList(args.not_yet, cases);
  const bool lists = !args.never.empty() || !args.not_yet.empty();
  const std::string engine = LoadEngine(args);
  CatchDeath();
  std::map<std::string, CaseCounts> by_operator;
  CaseCounts all;
  std::vector<std::string> wrong;
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  static const char *const kKinds[] = {"passed", "refused", "failed"};
  for (const EngineCase &c : cases) {
    if (!args.operators.empty() &&
        std::find(args.operators.begin(), args.operators.end(), c.op) == args.operators.end())
      continue;
    std::snprintf(current_case, sizeof current_case, "%s", c.name.c_str());
    alarm(args.timeout);
    const CaseResult result = RunEngineCase(c, engine);
    alarm(0);
    const auto in = [&c](const std::set<std::string> &list) {
      return list.count(c.op) + list.count(c.kind) + list.count(c.name) != 0;
    };
    const bool is_never = in(never), is_not_yet = in(not_yet);
    for (CaseCounts *counts : {&all, &by_operator[c.op]}) {
      ++counts->cases;
      counts->passed += result.kind == CaseResult::kPassed;
      counts->refused += result.kind == CaseResult::kRefused;
      counts->failed += result.kind == CaseResult::kFailed;
    }
    if (result.kind == CaseResult::kPassed && (is_never || is_not_yet))
      wrong.push_back(c.name + " passes, and stands in the list --" + (is_never ? "never" : "not-yet"));
    if (result.kind == CaseResult::kFailed && !is_not_yet) wrong.push_back(c.name + " fails: " + result.text);
    if (result.kind == CaseResult::kRefused && lists && !is_never && !is_not_yet)
      wrong.push_back(c.name + " is refused and stands in no list: " + result.text);
    if (args.json) results.push_back({{"case", c.name}, {"result", kKinds[result.kind]}, {"text", result.text}});
  }
  if (all.cases == 0) throw Usage("there are no cases of these operators; `ge engine-test --list` lists all");
  if (args.json) {
    std::printf("%s\n",
                nlohmann::ordered_json{{"engine", engine}, {"cases", results}, {"problems", wrong}}.dump(1).c_str());
  } else {
    constexpr Fit kWhole = Fit::kWhole;
    Table table({{"operator"},
                 {"cases", kWhole, true},
                 {"passed", kWhole, true},
                 {"refused", kWhole, true},
                 {"failed", kWhole, true}});
    const auto row = [&table](const std::string &name, const CaseCounts &n) {
      table.Add({name, std::to_string(n.cases), std::to_string(n.passed), std::to_string(n.refused),
                 std::to_string(n.failed)});
    };
    for (const auto &[op, counts] : by_operator)
      if (counts.refused != counts.cases) row(op, counts);
    row("all operators", all);
    std::printf("%s: operators of which it refuses all cases are left out\n%s", engine.c_str(), table.Text().c_str());
    for (const std::string &text : wrong) std::printf("%s\n", text.c_str());
  }
  if (!wrong.empty())
    throw Error(std::to_string(wrong.size()) + " of " + std::to_string(all.cases) + " cases are not as they should be");
}

}  // namespace

void AddEngineTest(CLI::App *app) {
  auto args = std::make_shared<EngineTestArgs>();
  app->add_option("library", args->library, "the engine: a shared library");
  app->add_option("--operator", args->operators, "only cases of these operators");
  app->add_option("--cases", args->cases, "file: other cases than those built in, one JSON object a line");
  app->add_option("--never", args->never,
                  "file: what the engine will never run, one a line: Add, Add:DT_INT8, Add:DT_FLOAT[2,3]");
  app->add_option("--not-yet", args->not_yet, "file: those that it does not run yet, or not rightly");
  app->add_option("-O,--option", args->options, "key=value for the engine's open");
  app->add_option("--timeout", args->timeout, "seconds that a case may take")->check(CLI::Range(1, 86400));
  app->add_flag("--json", args->json, "results as JSON");
  app->add_flag("--list", args->list, "list the cases and run none");
  app->footer("Without lists refusals are counted only. With lists every case that is refused has to stand in one.");
  app->callback([args] {
    if (args->library.empty() && !args->list) throw Usage("engine-test needs the library of an engine");
    RunSuite(*args);
  });
}

}  // namespace tool
