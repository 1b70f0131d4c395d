// securec.h as C++ programs use it: through std types, from functions of their own with variable arguments, and
// inlined.
#include "securec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <vector>

namespace {

#define CUT_FORMAT __attribute__((format(printf, 3, 4)))

CUT_FORMAT int Cut(char *to, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int length = vsnprintf_s(to, size, size - 1, format, args);
  va_end(args);
  return length;
}
CUT_FORMAT int All(char *to, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int length = vsprintf_s(to, size, format, args);
  va_end(args);
  return length;
}

TEST(Securec, VariableArguments) {
  std::array<char, 6> text{};
  EXPECT_EQ(Cut(text.data(), text.size(), "%s=%d", "ab", 12), 5);
  EXPECT_STREQ(text.data(), "ab=12");
  EXPECT_EQ(Cut(text.data(), text.size(), "%s=%d", "ab", 345), -1);
  EXPECT_STREQ(text.data(), "ab=34");
  EXPECT_EQ(All(text.data(), text.size(), "%.1f", 2.5), 3);
  EXPECT_STREQ(text.data(), "2.5");
  EXPECT_EQ(All(text.data(), text.size(), "%s=%d", "ab", 345), -1);
  EXPECT_STREQ(text.data(), "");
}

TEST(Securec, CopiesOfEverySizeThatFits) {
  for (size_t size = 0; size <= 40; ++size) {
    for (size_t room = 1; room <= 40; ++room) {
      std::vector<uint8_t> from(size, 7), to(room, 9);
      from.push_back(0);
      const errno_t fits = size <= room ? EOK : ERANGE_AND_RESET;
      std::vector<uint8_t> want(room, size <= room ? 9 : 0);
      if (size <= room) std::fill_n(want.begin(), size, 7);
      EXPECT_EQ(memcpy_s(to.data(), room, from.data(), size), fits);
      EXPECT_EQ(to, want) << size << " into " << room;

      const std::string text(size, 'x');
      std::string copy(room, '?'), sum(room, '?');
      sum[0] = '\0';
      EXPECT_EQ(strcpy_s(&copy[0], room, text.c_str()), size < room ? EOK : ERANGE_AND_RESET);
      EXPECT_EQ(strcat_s(&sum[0], room, text.c_str()), size < room ? EOK : ERANGE_AND_RESET);
      const std::string left = size < room ? text : std::string();
      EXPECT_EQ(copy.c_str(), left);
      EXPECT_EQ(sum.c_str(), left);
    }
  }
}

TEST(Securec, TokensOfAnotherContext) {
  std::string outer = "a b;c", inner;
  char *outer_place = nullptr;
  std::vector<std::string> found;
  for (char *part = strtok_s(&outer[0], ";", &outer_place); part != nullptr;
       part = strtok_s(nullptr, ";", &outer_place)) {
    inner = part;
    char *inner_place = nullptr;
    for (char *word = strtok_s(&inner[0], " ", &inner_place); word != nullptr;
         word = strtok_s(nullptr, " ", &inner_place))
      found.emplace_back(word);
  }
  EXPECT_EQ(found, (std::vector<std::string>{"a", "b", "c"}));
}

TEST(Securec, ResultsHaveTheDocumentedTypes) {
  static_assert(std::is_same<errno_t, int>::value, "errno_t");
  static_assert(std::is_same<decltype(&memset_s), errno_t (*)(void *, size_t, int, size_t)>::value, "memset_s");
  static_assert(std::is_same<decltype(&memmove_s), errno_t (*)(void *, size_t, const void *, size_t)>::value,
                "memmove_s");
  static_assert(std::is_same<decltype(&strncpy_s), errno_t (*)(char *, size_t, const char *, size_t)>::value,
                "strncpy_s");
  static_assert(std::is_same<decltype(&strtok_s), char *(*)(char *, const char *, char **)>::value, "strtok_s");
  std::array<char, 4> bytes{};
  EXPECT_EQ(memset_s(bytes.data(), bytes.size(), 'k', bytes.size()), EOK);
  EXPECT_EQ(std::string(bytes.data(), bytes.size()), "kkkk");
}

}  // namespace
