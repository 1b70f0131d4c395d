// The command line tool.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string>

#include "commands.h"
#include "ge/version.h"
#include "interrupt.h"
#include "names.h"
#include "native.h"
#include "screen.h"

namespace {

// The names nearest to an option that the command does not know.
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
        return tool::NearText(said, names);
    }
  }
  return "";
}

// Descriptions are broken into lines that fit the screen, beside the column of names.
class ScreenFormatter : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option *option) const override {
    return Fitted(CLI::Formatter::make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App *sub) const override {
    std::stringstream out;
    CLI::detail::format_help(out, sub->get_name(), Fitted(sub->get_description()), get_column_width());
    return out.str();
  }

  std::string make_footer(const CLI::App *app) const override {
    std::istringstream lines(app->get_footer());
    std::string text;
    for (std::string line; std::getline(lines, line);) {
      const std::string indent(line.find_first_not_of(' ') == std::string::npos ? 0 : line.find_first_not_of(' '), ' ');
      text += tool::Paragraph(indent, line);
    }
    return text;
  }

 private:
  std::string Fitted(const std::string &text) const {
    const size_t screen = tool::ScreenWidth(), names = get_column_width();
    std::string fitted;
    for (const std::string &line : tool::Wrapped(text, screen > names + 20 ? screen - names : 20))
      fitted += (fitted.empty() ? "" : "\n") + line;
    return fitted;
  }
};

}  // namespace

int main(int argc, char **argv) {
  std::signal(SIGPIPE, SIG_DFL);  // `ge ops | head` ends quietly
  tool::CatchInterrupts();
  CLI::App app("OpenGE: compile and run neural networks", "ge");
  app.set_version_flag("--version", std::string("ge ") + GeVersionString());
  app.formatter(std::make_shared<ScreenFormatter>());
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 success, 1 the engine refused or failed, 2 wrong usage or an unreadable "
      "input file, 3 breaking changes (protos diff). docs/command-line.md tells more.");
  tool::AddRun(app.add_subcommand("run", "run a model once"));
  tool::AddBench(app.add_subcommand("bench", "time a model"));
  tool::AddCompare(
      app.add_subcommand("compare", "compare results in another precision, or another model's, with fp32"));
  tool::AddInfo(
      app.add_subcommand("info", "tell what a model takes, what is wrong with it, and where its time and memory go"));
  tool::AddDump(app.add_subcommand("dump", "write a model's graph as text or picture"));
  tool::AddReport(app.add_subcommand("report", "write an HTML page about a model and a run of it"));
  tool::AddOps(app.add_subcommand("ops", "list operators, or tell all of some"));
  tool::AddProtos(app.add_subcommand("protos", "compare and show operator prototypes"));
  tool::AddPasses(app.add_subcommand("passes", "list passes, or tell what each did to a model"));
  tool::AddOpt(app.add_subcommand("opt", "run passes on a graph and write it"));
  tool::AddBisect(app.add_subcommand("bisect", "find the first pass after which a model's outputs differ"));
  tool::AddWhyNot(app.add_subcommand("why-not", "tell why the rules of a pass do not match a model"));
  tool::AddDoctor(app.add_subcommand("doctor", "diagnose this installation, list options"));
  tool::AddEngineTest(app.add_subcommand("engine-test", "run the engine suite against an engine library"));
  try {
    std::string command = argc > 1 && argv[1][0] != '-' ? argv[1] : "";
    bool known = command.empty();
    for (const CLI::App *sub : app.get_subcommands([](CLI::App *) { return true; }))
      known = known || sub->get_name() == command;
    if (!known)
      throw tool::Usage(
          "unknown command '" + command +
          "'; there are run, bench, compare, info, dump, report, ops, protos, passes, opt, bisect, why-not, "
          "doctor and engine-test" +
          tool::NearText(command, {"run", "bench", "compare", "info", "dump", "report", "ops", "protos", "passes",
                                   "opt", "bisect", "why-not", "doctor", "engine-test"}));
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    if (e.get_exit_code() == 0) return app.exit(e);
    std::string meant;
    if (dynamic_cast<const CLI::ExtrasError *>(&e)) meant = MeantOption(app, argc, argv);
    std::fprintf(stderr, "ge: %s%s\nTry 'ge --help' or 'ge <command> --help'.\n", e.what(), meant.c_str());
    return tool::kExitUsage;
  } catch (const tool::Error &e) {
    std::fflush(stdout);  // what was found comes before the error that refers to it
    std::fprintf(stderr, "ge: %s%s\n", tool::Interrupted() ? "interrupted: " : "", e.what());
    if (tool::Interrupted()) tool::EndByInterrupt();
    return e.exit_code;
  } catch (const std::bad_alloc &) {  // of the tool's own: the library says what it had no memory for
    std::fprintf(stderr, "ge: %s\n", tool::OutOfMemory(std::string("ge ") + (argc > 1 ? argv[1] : "")).what());
    return tool::kExitFailed;
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
