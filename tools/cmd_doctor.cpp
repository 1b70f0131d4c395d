// ge doctor: what this installation consists of and whether it works.
#include <cstdio>

#include "commands.h"
#include "native.h"
#include "table.h"

namespace tool {
namespace {

void Doctor(bool options) {
  if (options) {
    Table table({"option", "values", "default", "effect", "meaning"});
    for (size_t i = 0; i < GeOptionCount(); ++i) {
      const char *key, *values, *fallback, *effect, *doc;
      Check(GeOptionAt(i, &key, &values, &fallback, &effect, &doc));
      table.Add({key, values, fallback, effect, doc});
    }
    std::fputs(table.Text().c_str(), stdout);
    return;
  }
  std::string text;
  Check(GeDoctor(AppendText, &text));
  std::fputs(text.c_str(), stdout);
  if (!text.empty() && text.back() != '\n') std::fputc('\n', stdout);
  if (text.find("problem: ") != std::string::npos) throw Error("there are problems, see above");
}

}  // namespace

void AddDoctor(CLI::App *app) {
  auto options = std::make_shared<bool>(false);
  app->add_flag("--options", *options, "list the options of compilation instead");
  app->callback([options] { Doctor(*options); });
}

}  // namespace tool
