// The command line tool.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>

#include "commands.h"
#include "ge/version.h"
#include "interrupt.h"
#include "native.h"

namespace {

// Steps of one character from a to b.
size_t Distance(const std::string &a, const std::string &b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row.back();
}

// The names nearest to what was said.
std::string Meant(const std::string &said, std::vector<std::string> names) {
  std::stable_sort(names.begin(), names.end(),
                   [&](const std::string &a, const std::string &b) { return Distance(said, a) < Distance(said, b); });
  std::string text;
  for (size_t i = 0; i < names.size() && i < 3; ++i) text += (i ? ", " : "; the nearest are ") + names[i];
  return text;
}

// The same for an option that the command does not know.
std::string MeantOption(CLI::App &app, int argc, char **argv) {
  for (const CLI::App *sub : app.get_subcommands()) {
    std::vector<std::string> names;
    for (const CLI::Option *option : sub->get_options()) {
      for (const std::string &name : option->get_lnames()) names.push_back("--" + name);
    }
    for (int i = 2; i < argc; ++i) {
      std::string said = argv[i];
      said = said.substr(0, said.find('='));
      if (said.size() > 2 && said.compare(0, 2, "--") == 0 &&
          std::find(names.begin(), names.end(), said) == names.end())
        return Meant(said, names);
    }
  }
  return "";
}

}  // namespace

int main(int argc, char **argv) {
  std::signal(SIGPIPE, SIG_DFL);  // `ge ops | head` ends quietly
  tool::CatchInterrupts();
  CLI::App app("OpenGE: compile and run neural networks", "ge");
  app.set_version_flag("--version", std::string("ge ") + GeVersionString());
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 success, 1 the engine refused or failed, 2 wrong usage or an unreadable input file,\n3 breaking "
      "changes (protos diff).");
  tool::AddRun(app.add_subcommand("run", "run a model once"));
  tool::AddBench(app.add_subcommand("bench", "time a model"));
  tool::AddInfo(app.add_subcommand("info", "tell what a model takes and how it was compiled"));
  tool::AddDump(app.add_subcommand("dump", "write a model's graph as text or picture"));
  tool::AddReport(app.add_subcommand("report", "write an HTML page about a model and a run of it"));
  tool::AddOps(app.add_subcommand("ops", "list operators"));
  tool::AddProtos(app.add_subcommand("protos", "compare and show operator prototypes"));
  tool::AddDoctor(app.add_subcommand("doctor", "diagnose this installation"));
  tool::AddEngineTest(app.add_subcommand("engine-test", "run the engine suite against an engine library"));
  try {
    std::string command = argc > 1 && argv[1][0] != '-' ? argv[1] : "";
    bool known = command.empty();
    for (const CLI::App *sub : app.get_subcommands([](CLI::App *) { return true; }))
      known = known || sub->get_name() == command;
    if (!known)
      throw tool::Usage(
          "unknown command '" + command +
          "'; there are run, bench, info, dump, report, ops, protos, doctor and engine-test" +
          Meant(command, {"run", "bench", "info", "dump", "report", "ops", "protos", "doctor", "engine-test"}));
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    if (e.get_exit_code() == 0) return app.exit(e);
    std::string meant;
    if (dynamic_cast<const CLI::ExtrasError *>(&e)) meant = MeantOption(app, argc, argv);
    std::fprintf(stderr, "ge: %s%s\nTry 'ge --help' or 'ge <command> --help'.\n", e.what(), meant.c_str());
    return tool::kExitUsage;
  } catch (const tool::Error &e) {
    std::fprintf(stderr, "ge: %s%s\n", tool::Interrupted() ? "interrupted: " : "", e.what());
    if (tool::Interrupted()) tool::EndByInterrupt();
    return e.exit_code;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "ge: %s\n", e.what());
    return tool::kExitFailed;
  }
  if (tool::Interrupted()) tool::EndByInterrupt();  // it came too late for the library to see it
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    std::fprintf(stderr, "ge: standard output cannot be written: %s\n", std::strerror(errno ? errno : EIO));
    return tool::kExitFailed;
  }
  return 0;
}
