// The command line tool.
#include <csignal>
#include <cstdio>
#include <string>

#include "commands.h"
#include "ge/version.h"
#include "native.h"

int main(int argc, char **argv) {
  std::signal(SIGPIPE, SIG_DFL);  // `ge ops | head` ends quietly
  CLI::App app("OpenGE: compile and run neural networks", "ge");
  app.set_version_flag("--version", std::string("ge ") + GeVersionString());
  app.require_subcommand(1);
  app.footer("Exit status: 0 success, 1 the engine refused or failed, 2 wrong usage or an unreadable input file.");
  tool::AddRun(app.add_subcommand("run", "run a model once"));
  tool::AddBench(app.add_subcommand("bench", "time a model"));
  tool::AddInfo(app.add_subcommand("info", "tell what a model takes and how it was compiled"));
  tool::AddDump(app.add_subcommand("dump", "write a model's graph as text or picture"));
  tool::AddOps(app.add_subcommand("ops", "list operators"));
  tool::AddDoctor(app.add_subcommand("doctor", "diagnose this installation"));
  try {
    std::string command = argc > 1 && argv[1][0] != '-' ? argv[1] : "";
    bool known = command.empty();
    for (const CLI::App *sub : app.get_subcommands([](CLI::App *) { return true; }))
      known = known || sub->get_name() == command;
    if (!known)
      throw tool::Usage("unknown command '" + command + "'; there are run, bench, info, dump, ops and doctor");
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    if (e.get_exit_code() == 0) return app.exit(e);
    std::fprintf(stderr, "ge: %s\nTry 'ge --help' or 'ge <command> --help'.\n", e.what());
    return tool::kExitUsage;
  } catch (const tool::Error &e) {
    std::fprintf(stderr, "ge: %s\n", e.what());
    return e.exit_code;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "ge: %s\n", e.what());
    return tool::kExitFailed;
  }
  if (std::fflush(stdout) != 0) {
    std::fprintf(stderr, "ge: standard output cannot be written\n");
    return tool::kExitFailed;
  }
  return 0;
}
