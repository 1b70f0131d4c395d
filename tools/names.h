// Names for people: the nearest to what was said, and long ones shortened where they agree.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tool {

/// Characters on a screen, not bytes: names may be UTF-8.
size_t Width(const std::string &text);

/// Up to three names near to what was said, nearest first; those that have nothing in common with it are left out.
std::vector<std::string> NearNames(const std::string &said, std::vector<std::string> names);
/// "; the nearest are a, b", or "" when none is near.
std::string NearText(const std::string &said, const std::vector<std::string> &names);

/// The beginning that all names share, up to a '/', '.', ':' or '_'; "" unless there are several names and each has
/// more.
std::string CommonPrefix(const std::vector<std::string> &names);

/// Names of at most `width` characters, in the order given. Left out is a part in the middle or at the beginning, never
/// the end; names that differ still differ, and one that cannot be told apart in so few characters stays whole.
std::vector<std::string> ShortNames(const std::vector<std::string> &names, size_t width);

}  // namespace tool
