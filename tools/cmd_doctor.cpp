// ge doctor: what this installation consists of and whether it works; the options of compilation.
#include <cstdio>
#include <cstring>
#include <sstream>

#include "commands.h"
#include "native.h"
#include "screen.h"
#include "table.h"

namespace tool {
namespace {

struct DoctorArgs {
  bool options = false, all = false;
};

// One paragraph per option: a table of five columns fits no screen.
void Options(bool all) {
  constexpr size_t kIndent = 4;
  size_t shown = 0;
  const auto long_values = [](const char *values) { return std::strlen(values) + kIndent > ScreenWidth(); };
  for (size_t i = 0; i < GeOptionCount(); ++i) {
    const char *key, *values, *fallback, *effect, *doc;
    Check(GeOptionAt(i, &key, &values, &fallback, &effect, &doc));
    const bool acts = std::strcmp(effect, "acts") == 0;
    if (!acts && !all) continue;
    ++shown;
    std::string head = std::string(key) + ": ";
    for (const char *v = values; *v; ++v) head += *v == '|' && long_values(values) ? " | " : std::string(1, *v);
    if (*fallback) head += std::string("; default ") + fallback;
    if (all) head += std::string("; ") + effect;
    for (const std::string &line : Wrapped(head, ScreenWidth())) std::printf("%s\n", line.c_str());
    std::fputs(Paragraph(std::string(kIndent, ' '), doc).c_str(), stdout);
  }
  if (all) {
    std::printf("\n%zu options\n", shown);
    return;
  }
  std::fputs(Paragraph("", "\n" + Counted(shown, "option") + " act; " + std::to_string(GeOptionCount() - shown) +
                               " more are known from GE and do nothing here: --all lists them, with what to do instead")
                 .c_str(),
             stdout);
}

// On a screen long lines are broken below their labels; elsewhere they stay whole, for programs.
void PrintLine(const std::string &line) {
  constexpr size_t kLabel = 17;
  if (!HasScreen() || line.empty()) {
    std::printf("%s\n", line.c_str());
    return;
  }
  const bool problem = line.rfind("problem: ", 0) == 0;
  const size_t name = line.find("  ", 2);  // "  onednn  not used: …"
  const size_t label = problem ? 9 : line[0] != ' ' ? kLabel : name != std::string::npos ? name + 2 : 2;
  if (Width(line) <= ScreenWidth() || line.size() <= label) std::printf("%s\n", line.c_str());
  else std::fputs(Paragraph(line.substr(0, label), line.substr(label)).c_str(), stdout);
}

void Doctor(const DoctorArgs &args) {
  if (args.options || args.all) return Options(args.all);
  std::string text;
  Check(GeDoctor(AppendText, &text));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) PrintLine(line);
  if (text.rfind("problem: ", 0) == 0) throw Error("there are problems, see above");
}

}  // namespace

void AddDoctor(CLI::App *app) {
  auto args = std::make_shared<DoctorArgs>();
  app->add_flag("--options", args->options, "list the options of compilation that act instead");
  app->add_flag("--all", args->all, "with --options: also those that have no effect here, and what to do instead");
  app->footer("Problems come first; the exit status is 1 when there are some.");
  app->callback([args] { Doctor(*args); });
}

}  // namespace tool
