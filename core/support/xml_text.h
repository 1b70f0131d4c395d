// Text as XML and HTML can hold it, and its letters.
#pragma once

#include <string>
#include <string_view>

namespace gec {

/// Safe between tags and inside quoted attributes. What is no UTF-8, or no character that XML allows, becomes U+FFFD; a
/// control character becomes a space.
std::string XmlText(std::string_view text);

/// One letter of UTF-8 text: its code point and how many bytes it has. What is no UTF-8 is one letter per byte, with
/// the code point U+FFFD.
struct Letter {
  char32_t code;
  size_t bytes;
};
/// The letter at the beginning of a text that is not empty.
Letter FirstLetter(std::string_view text);

/// Width in pixels of a line of a sans-serif font of this size. Fonts differ: this is for one of the wide ones.
double TextWidth(std::string_view text, double size);
/// As much of the beginning as fits into a width; where something is left out, an ellipsis ends it.
std::string BeginningOf(std::string_view text, double width, double size);
/// As much of the end as fits into a width; where something is left out, an ellipsis stands before it.
std::string EndOf(std::string_view text, double width, double size);

}  // namespace gec
