#include "core/support/xml_text.h"

#include "ge/utf8.h"

namespace gec {
namespace {

bool Allowed(char32_t code) {
  return (code >= 0x20 && code < 0xd800) || (code >= 0xe000 && code < 0xfffe) || (code >= 0x10000 && code <= 0x10ffff);
}

/// In parts of the font's size.
double LetterWidth(char32_t code) {
  if (code >= 0x1100) return code >= 0x2000 && code < 0x2e80 ? 0.84 : 1.05;
  const char c = code < 0x80 ? static_cast<char>(code) : 'n';
  switch (c) {
    case 'm':
    case 'M':
    case 'W':
    case '@':
    case '%':
      return 1;
    case 'i':
    case 'j':
    case 'l':
      return 0.29;
    case ' ':
    case '.':
    case ',':
    case '\'':
      return 0.33;
    case 'f':
    case 't':
    case 'r':
    case '/':
    case ':':
    case '(':
    case ')':
    case '[':
    case ']':
    case '-':
    case '|':
    case '!':
    case 'I':
      return 0.42;
    case 'w':
    case '+':
    case '=':
    case '<':
    case '>':
    case '~':
      return 0.84;
    default:
      return c >= 'A' && c <= 'Z' ? 0.74 : 0.64;
  }
}

}  // namespace

Letter FirstLetter(std::string_view text) {
  size_t bytes = 0;
  const char32_t code = GeFirstCharacter(text.data(), text.size(), &bytes);
  return bytes == 0 ? Letter{0xfffd, 1} : Letter{code, bytes};
}

std::string XmlText(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Letter letter = FirstLetter(text);
    const std::string_view raw = text.substr(0, letter.bytes);
    text.remove_prefix(letter.bytes);
    if (letter.code == '<') out += "&lt;";
    else if (letter.code == '>') out += "&gt;";
    else if (letter.code == '&') out += "&amp;";
    else if (letter.code == '"') out += "&quot;";
    else if (letter.code == '\'') out += "&#39;";
    else if (letter.code == '\n') out += '\n';
    else if (letter.code < 0x20 || letter.code == 0x7f) out += ' ';
    else if (letter.code == 0xfffd || !Allowed(letter.code) || (letter.code >= 0x80 && letter.code < 0xa0))
      out += "\xef\xbf\xbd";
    else out += raw;
  }
  return out;
}

double TextWidth(std::string_view text, double size) {
  double width = 0;
  while (!text.empty()) {
    const Letter letter = FirstLetter(text);
    width += LetterWidth(letter.code);
    text.remove_prefix(letter.bytes);
  }
  return width * size;
}

std::string BeginningOf(std::string_view text, double width, double size) {
  double used = 0;
  size_t fits = 0;  // bytes that leave room for an ellipsis
  const double room = width - 0.84 * size;
  for (size_t at = 0; at < text.size();) {
    const Letter letter = FirstLetter(text.substr(at));
    used += LetterWidth(letter.code) * size;
    at += letter.bytes;
    if (used <= room) fits = at;
    if (used > width) return std::string(text.substr(0, fits)) + "…";
  }
  return std::string(text);
}

std::string EndOf(std::string_view text, double width, double size) {
  double left = TextWidth(text, size);
  if (left <= width) return std::string(text);
  size_t at = 0;
  while (at < text.size() && left > width - 0.84 * size) {
    const Letter letter = FirstLetter(text.substr(at));
    left -= LetterWidth(letter.code) * size;
    at += letter.bytes;
  }
  return "…" + std::string(text.substr(at));
}

}  // namespace gec
