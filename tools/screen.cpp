#include "screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "names.h"

namespace tool {

size_t ScreenWidth() {
  constexpr size_t kDefault = 100, kLeast = 40, kMost = 1000;
  auto within = [](size_t width) { return width < kLeast ? kLeast : width > kMost ? kMost : width; };
  if (const char *columns = std::getenv("COLUMNS")) {
    char *end = nullptr;
    const long width = std::strtol(columns, &end, 10);
    if (end != columns && *end == '\0' && width > 0) return within(static_cast<size_t>(width));
  }
  winsize size{};
  if (isatty(1) && ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return within(size.ws_col);
  return kDefault;
}

bool HasScreen() { return std::getenv("COLUMNS") != nullptr || isatty(1); }

namespace {

// A number stays with its unit: "12.0 KB".
bool IsUnit(const std::string &word) {
  for (const char *unit : {"B", "KB", "MB", "GB", "TB", "ms", "%"})
    if (word.rfind(unit, 0) == 0 && word.find_first_not_of(",;.)", std::strlen(unit)) == std::string::npos) return true;
  return false;
}

std::vector<std::string> Words(const std::string &text) {
  std::vector<std::string> words;
  std::istringstream read(text);
  for (std::string word; read >> word;) {
    if (IsUnit(word) && !words.empty() && std::isdigit(static_cast<unsigned char>(words.back().back())))
      words.back() += " " + word;
    else words.push_back(word);
  }
  return words;
}

}  // namespace

std::vector<std::string> Wrapped(const std::string &text, size_t width) {
  std::vector<std::string> lines;
  std::istringstream paragraphs(text);
  for (std::string paragraph; std::getline(paragraphs, paragraph);) {
    std::string line;
    for (const std::string &word : Words(paragraph)) {
      if (!line.empty() && Width(line) + 1 + Width(word) > width) {
        lines.push_back(line);
        line.clear();
      }
      line += (line.empty() ? "" : " ") + word;
    }
    lines.push_back(line);
  }
  if (lines.empty()) lines.emplace_back();
  return lines;
}

std::string Paragraph(const std::string &label, const std::string &text) {
  const size_t indent = Width(label), width = ScreenWidth();
  std::string out;
  for (const std::string &line : Wrapped(text, width > indent + 20 ? width - indent : 20)) {
    out += out.empty() ? label : std::string(indent, ' ');
    out += line;
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  }
  return out;
}

std::string ShortList(const std::vector<std::string> &items, size_t width) {
  std::string text;
  for (size_t i = 0; i < items.size(); ++i) {
    const std::string longer = text + (i ? ", " : "") + items[i];
    const std::string rest = i + 1 < items.size() ? " +" + std::to_string(items.size() - i - 1) : "";
    if (Width(longer + rest) > width && i > 0) return text + " +" + std::to_string(items.size() - i);
    if (Width(longer + rest) <= width) text = longer;
    else return ShortNames({items[i]}, width > Width(rest) ? width - Width(rest) : 1)[0] + rest;  // the first alone
  }
  return text;
}

}  // namespace tool
