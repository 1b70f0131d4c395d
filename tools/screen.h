// Layout of text that fits on a screen.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tool {

/// Columns of the terminal, those of the environment variable COLUMNS where it is set, 100 where nobody tells.
size_t ScreenWidth();

/// True where somebody looks: standard output is a terminal, or COLUMNS says how wide one is.
bool HasScreen();

/// Lines of at most `width` characters, broken at spaces; longer words stay whole.
std::vector<std::string> Wrapped(const std::string &text, size_t width);

/// `label` and the text beside it, wrapped to the screen; lines after the first are indented as far.
std::string Paragraph(const std::string &label, const std::string &text);

/// A list in at most `width` characters: "a, b +3" when not all fit.
std::string ShortList(const std::vector<std::string> &items, size_t width);

}  // namespace tool
