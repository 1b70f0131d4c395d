// Structs of callers with shorter, equal and longer headers, alone and in arrays. The structs of the ABI itself have
// not grown yet; these have.
#include "core/support/abi_struct.h"

#include <gtest/gtest.h>

namespace gec {
namespace {

struct Pair {  // what this library knows: ABI 1 ended with `first`
  size_t struct_size;
  uint64_t first, second;
};
struct Shorter {
  size_t struct_size;
  uint64_t first;
};
struct Longer {
  size_t struct_size;
  uint64_t first, second, third;
};

}  // namespace

template <>
struct AbiStruct<Pair> {
  static constexpr const char *kName = "Pair";
  static constexpr size_t kLeast = sizeof(Shorter);
};

namespace {

template <class Given>
const Pair &As(const Given &given) {
  return reinterpret_cast<const Pair &>(given);
}

template <class Body>
std::string Refusal(const Body &body) {
  try {
    body();
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), GE_ABI_MISMATCH);
    return e.what();
  }
  return "accepted";
}

TEST(AbiStruct, ShorterEqualAndLongerAreRead) {
  const Shorter shorter[2] = {{sizeof(Shorter), 1}, {77, 77}};  // what lies behind is not read
  Pair read = ReadStruct(As(shorter[0]), "Call");
  EXPECT_EQ(read.first, 1u);
  EXPECT_EQ(read.second, 0u);
  EXPECT_EQ(read.struct_size, sizeof(Pair));

  read = ReadStruct(Pair{sizeof(Pair), 3, 4}, "Call");
  EXPECT_EQ(read.second, 4u);

  const Longer quiet{sizeof(Longer), 5, 6, 0};
  EXPECT_EQ(ReadStruct(As(quiet), "Call").second, 6u);
}

TEST(AbiStruct, WhatIsNotKnownHereIsRefusedOrNotCalled) {
  const Longer asks{sizeof(Longer), 5, 6, 7};
  EXPECT_EQ(Refusal([&] { (void)ReadStruct(As(asks), "Call"); }),
            "Call: Pair has 32 bytes and byte 24 is set; this library knows the first 24");
  EXPECT_EQ(ReadStruct(As(asks), "Call", Surplus::kIgnored).second, 6u);
}

TEST(AbiStruct, SizesThatCannotBeAreNamed) {
  for (size_t size : {size_t{0}, size_t{8}, size_t{15}})
    EXPECT_EQ(Refusal([&] {
                (void)ReadStruct(Pair{size, 0, 0}, "Call");
              }),
              Str("Call: Pair.struct_size is ", size, ", the least is 16, its size in ABI 1"));
  for (size_t size : {size_t{25}, size_t{1} << 40})
    EXPECT_EQ(Refusal([&] {
                (void)ReadStruct(Pair{size, 0, 0}, "Call");
              }),
              Str("Call: Pair.struct_size is ", size, ", this library has 24"));
}

TEST(AbiStruct, ResultsAreWrittenAsFarAsTheCallerHasRoom) {
  Shorter shorter[2] = {{sizeof(Shorter), 0}, {77, 78}};
  WriteStruct(Pair{sizeof(Pair), 1, 2}, reinterpret_cast<Pair *>(&shorter[0]), "Call");
  EXPECT_EQ(shorter[0].first, 1u);
  EXPECT_EQ(shorter[0].struct_size, sizeof(Shorter));
  EXPECT_EQ(shorter[1].struct_size, 77u);

  Longer longer{sizeof(Longer), 9, 9, 9};
  WriteStruct(Pair{sizeof(Pair), 1, 2}, reinterpret_cast<Pair *>(&longer), "Call");
  EXPECT_EQ(longer.second, 2u);
  EXPECT_EQ(longer.third, 0u);
  EXPECT_EQ(longer.struct_size, sizeof(Longer));
}

TEST(AbiStruct, ElementsAreAsLongAsTheFirstSays) {
  Longer longer[3] = {{sizeof(Longer), 1, 0, 0}, {sizeof(Longer), 2, 0, 0}, {sizeof(Longer), 3, 0, 0}};
  Shorter shorter[3] = {{sizeof(Shorter), 1}, {sizeof(Shorter), 2}, {sizeof(Shorter), 3}};
  const StructArray<Pair> wide(reinterpret_cast<Pair *>(longer), 3, "Call");
  const StructArray<Pair> narrow(reinterpret_cast<Pair *>(shorter), 3, "Call");
  for (uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(wide[i].first, i + 1);
    EXPECT_EQ(narrow[i].first, i + 1);
  }
  longer[1].struct_size = sizeof(Pair);
  EXPECT_EQ(Refusal([&] { (void)wide[1]; }), "Call: Pair 1 has struct_size 24, the first of them has 32");
}

}  // namespace
}  // namespace gec
