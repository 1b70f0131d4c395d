#include "pass_options.h"

#include <cstdio>

#include "feed.h"
#include "pass_files.h"

namespace tool {
namespace {

std::string Trimmed(const std::string &text) {
  const size_t begin = text.find_first_not_of(" \t\n");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\n") + 1 - begin);
}

/// The value of "key=value" as the type that the key takes.
GeConfigValue ConfigOf(const std::string &key, const std::string &value) {
  GeConfigValue out{};
  out.key = key.c_str();
  out.type = GE_CONFIG_STRING;
  out.text = value.c_str();
  for (size_t i = 0; i < GeConfigKeyCount(); ++i) {
    GeConfigKey known{};
    known.struct_size = sizeof known;
    Check(GeConfigKeyAt(i, &known));
    if (key != known.name) continue;
    char *end = nullptr;
    errno = 0;
    if (known.type == GE_CONFIG_BOOL && (value == "true" || value == "false" || value == "1" || value == "0")) {
      out.type = known.type;
      out.integer = value == "true" || value == "1";
    } else if (known.type == GE_CONFIG_INT) {
      out.integer = std::strtoll(value.c_str(), &end, 10);
      if (!value.empty() && !*end && errno == 0) out.type = known.type;
    } else if (known.type == GE_CONFIG_FLOAT) {
      out.number = std::strtod(value.c_str(), &end);
      if (!value.empty() && !*end) out.type = known.type;
    }
  }
  return out;  // a text where a number is wanted is refused with both types
}

std::vector<const char *> Plain(const std::vector<std::string> &names) {
  std::vector<const char *> list;
  for (const std::string &name : names) list.push_back(name.c_str());
  return list;
}

class Pipeline {
 public:
  explicit Pipeline(const std::string &text) : text_(text) {}
  Pass Whole() {
    Pass all = List("pipeline", 0);
    if (at_ < text_.size())
      throw Usage("pipeline '" + text_ + "': ')' at " + std::to_string(at_ + 1) + " closes nothing");
    return all;
  }

 private:
  Pass List(const std::string &name, size_t opened) {
    std::vector<Pass> passes;
    do {
      passes.push_back(Item(opened));
    } while (at_ < text_.size() && text_[at_] == ',' && ++at_);
    std::vector<GePass *> list;
    for (const Pass &pass : passes) list.push_back(pass.get());
    GePass *made = nullptr;
    Check(GePassSequence(name.c_str(), 0, list.data(), list.size(), nullptr, 0, &made));
    return Pass(made);
  }
  Pass Item(size_t opened) {
    const size_t end = std::min(text_.find_first_of(",()", at_), text_.size());
    const std::string name = Trimmed(text_.substr(at_, end - at_));
    at_ = end;
    if (at_ < text_.size() && text_[at_] == '(') {
      const size_t open = ++at_;
      if (++depth_ > kDeepest)
        throw Usage("pipeline: '(' at " + std::to_string(open) + " is number " + std::to_string(depth_) +
                    " inside one another, at most " + std::to_string(kDeepest) + " are allowed");
      Pass inner = List(name.empty() ? "sequence" : name, open);
      if (at_ == text_.size())
        throw Usage("pipeline '" + text_ + "': '(' at " + std::to_string(open) + " is not closed");
      ++at_;
      const size_t next = std::min(text_.find_first_not_of(" \t\n", at_), text_.size());
      if (next < text_.size() && text_[next] != ',' && text_[next] != ')')
        throw Usage("pipeline '" + text_ + "': expected ',' at " + std::to_string(next + 1));
      at_ = next;
      --depth_;
      return inner;
    }
    if (name.empty())
      throw Usage("pipeline '" + text_ + "': a pass is missing at " + std::to_string(at_ + 1) +
                  (opened ? ", in the '(' at " + std::to_string(opened) : ""));
    GePass *found = nullptr;
    if (GePassFind(name.c_str(), &found) != GE_SUCCESS)
      throw Usage("pipeline '" + text_ + "': " + GeLastErrorMessage());
    return Pass(found);
  }

  static constexpr size_t kDeepest = 90;
  const std::string text_;
  size_t at_ = 0, depth_ = 0;
};

}  // namespace

Instrument FindInstrument(const std::string &name, const std::string &argument) {
  GeInstrument *found = nullptr;
  if (GeInstrumentFind(name.c_str(), argument.c_str(), &found) != GE_SUCCESS) throw Usage(GeLastErrorMessage());
  return Instrument(found);
}

std::string Rendered(const GeInstrument *instrument, int32_t form) {
  std::string text;
  Check(GeInstrumentRender(instrument, form, AppendText, &text));
  return text;
}

void PassArgs::AddTo(CLI::App *app) {
  app->add_option("--pass", files, "passes of your own: a library (.so), a Python file, or a folder of such files")
      ->allow_extra_args(false);
  AddRulesTo(app);
  app->add_option("--instrument", instruments,
                  "what watches: timing, memory, counter, print-before=PASS,…, print-after=PASS,…, dump=DIR")
      ->allow_extra_args(false);
}

void PassArgs::AddRulesTo(CLI::App *app) {
  app->add_option("--opt-level", level, "passes of at most this level run")
      ->check(CLI::Range(0, INT32_MAX))
      ->capture_default_str();
  app->add_option("--require-pass", required, "a pass that runs whatever its level")->allow_extra_args(false);
  app->add_option("--disable-pass", disabled, "a pass that does not run")->allow_extra_args(false);
  app->add_option("--pass-config", config, "an option of passes as key=value")->allow_extra_args(false);
}

PassScope::PassScope(const PassArgs &args, const std::vector<GeInstrument *> &own) {
  LoadPassFiles(args.files, !args.required.empty() || !args.disabled.empty() || !args.config.empty());
  std::vector<GeInstrument *> list = own;
  for (const std::string &text : args.instruments) {
    const size_t equals = text.find('=');
    instruments_.push_back(
        FindInstrument(text.substr(0, equals), equals == std::string::npos ? "" : text.substr(equals + 1)));
    list.push_back(instruments_.back().get());
  }
  std::vector<std::pair<std::string, std::string>> settings;
  for (const std::string &setting : args.config) settings.push_back(SplitAssignment(setting, "key=value"));
  std::vector<GeConfigValue> values;
  for (const auto &[key, value] : settings) values.push_back(ConfigOf(key, value));
  const std::vector<const char *> required = Plain(args.required), disabled = Plain(args.disabled);
  GePassScopeParts parts{};
  parts.struct_size = sizeof parts;
  parts.level = args.level;
  parts.required = required.data();
  parts.required_count = required.size();
  parts.disabled = disabled.data();
  parts.disabled_count = disabled.size();
  parts.instruments = list.data();
  parts.instrument_count = list.size();
  parts.config = values.data();
  parts.config_count = values.size();
  GePassScope *made = nullptr;
  Check(GePassScopeCreate(&parts, &made));
  scope_.reset(made);
  Check(GePassScopeEnter(made));
}

PassScope::~PassScope() {
  if (scope_) (void)GePassScopeExit(scope_.get());
}

void PassScope::Finish() {
  const Scope scope = std::move(scope_);
  Check(GePassScopeExit(scope.get()));
  for (const Instrument &instrument : instruments_) {
    const std::string text = Rendered(instrument.get(), GE_INSTRUMENT_TEXT);
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
}

Pass ParsePipeline(const std::string &text) { return Pipeline(text).Whole(); }

}  // namespace tool
