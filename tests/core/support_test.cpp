// Symbols, small vectors, shapes, sizes, tensors, attributes, prototypes.
#include <sys/mman.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <limits>
#include <thread>
#include <unordered_map>

#include "capi/src/guard.h"
#include "core/ir/tensor.h"
#include "core/ir/types.h"
#include "core/ops/registry.h"
#include "core/support/context.h"
#include "core/support/growing_pages.h"
#include "core/support/large_pages.h"
#include "core/support/loader_memory.h"
#include "ge/status.h"
#include "helpers.h"

namespace gec {
namespace {

TEST(Symbol, QuestionsInternNothing) {
  const Symbol known("a text that is there");
  const size_t count = Symbol::Count();
  EXPECT_EQ(Symbol::Lookup("a text that is there"), known);
  EXPECT_EQ(Symbol::Lookup(""), Symbol());
  const Symbol unknown = Symbol::Lookup("a text that nobody interned");
  EXPECT_NE(unknown, known);
  EXPECT_NE(unknown, Symbol());
  EXPECT_EQ(Symbol::Count(), count);
}

TEST(Symbol, EqualTextIsOneAddress) {
  EXPECT_EQ(Symbol("alpha"), Symbol(std::string("al") + "pha"));
  EXPECT_NE(Symbol("alpha"), Symbol("beta"));
  EXPECT_EQ(Symbol(""), Symbol());
  EXPECT_TRUE(Symbol("").empty());
  std::vector<Symbol> seen(64);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 16; ++i)
        seen[static_cast<size_t>(t * 16 + i)] = Symbol("made in a thread " + std::to_string(i));
    });
  }
  for (auto &t : threads) t.join();
  for (size_t i = 16; i < 64; ++i) EXPECT_EQ(seen[i], seen[i % 16]);
}

TEST(InlineVec, GrowsAndMoves) {
  InlineVec<std::string, 2> v{"a", "b"};
  v.push_back("a text that is too long to be inside the string");
  v.insert(v.begin() + 1, "x");
  EXPECT_EQ(v.size(), 4u);
  EXPECT_EQ(v[1], "x");
  v.erase(v.begin());
  InlineVec<std::string, 2> moved(std::move(v)), copy = moved;
  EXPECT_TRUE(v.empty());
  EXPECT_EQ(copy, moved);
  copy.resize(1);
  EXPECT_EQ(copy[0], "x");
  moved = std::move(copy);
  EXPECT_EQ(moved.size(), 1u);
}

TEST(Shape, KnowsWhatIsKnown) {
  EXPECT_EQ(Shape().elements(), 1);
  EXPECT_EQ((Shape{2, 3, 4}).elements(), 24);
  EXPECT_EQ((Shape{2, -1}).elements(), -1);
  EXPECT_EQ(Shape::UnknownRank().elements(), -1);
  EXPECT_FALSE(Shape::UnknownRank().known());
  EXPECT_EQ((Shape{1, -1}).str(), "[1, -1]");
  EXPECT_EQ(Shape::UnknownRank().str(), "[?]");
  EXPECT_NE(Shape::UnknownRank(), Shape());
  int64_t big = std::numeric_limits<int64_t>::max();
  EXPECT_EQ((Shape{big, 0, big}).elements(), 0);
  EXPECT_ERROR(GE_PARAM_INVALID, "64 bits", (Shape{big, 2}).elements());
}

TEST(ByteSize, IsChecked) {
  EXPECT_EQ(ByteSize(C_DT_FLOAT, 3), 12u);
  EXPECT_EQ(ByteSize(C_DT_INT4, 3), 2u);
  EXPECT_EQ(ByteSize(C_DT_UINT1, 9), 2u);
  EXPECT_EQ(ByteSize(C_DT_FLOAT, 0), 0u);
  EXPECT_ERROR(GE_PARAM_INVALID, "no fixed size", ByteSize(C_DT_STRING, 1));
  EXPECT_ERROR(GE_PARAM_INVALID, "not known", ByteSize(C_DT_FLOAT, -1));
  EXPECT_ERROR(GE_PARAM_INVALID, "limit", ByteSize(C_DT_FLOAT, int64_t{1} << 62));
}

TEST(Tensor, IntegersOfEveryWidth) {
  EXPECT_EQ(Tensor::Of<int8_t>(C_DT_INT8, {2}, {-1, 2})->Ints(), (std::vector<int64_t>{-1, 2}));
  EXPECT_EQ(Tensor::Of<uint8_t>(C_DT_UINT8, {2}, {255, 2})->Ints(), (std::vector<int64_t>{255, 2}));
  EXPECT_EQ(Tensor::Of<int16_t>(C_DT_INT16, {1}, {-300})->Ints(), (std::vector<int64_t>{-300}));
  EXPECT_EQ(Tensor::Of<int32_t>(C_DT_INT32, {1}, {-70000})->Ints(), (std::vector<int64_t>{-70000}));
  EXPECT_EQ(Tensor::Of<uint32_t>(C_DT_UINT32, {1}, {4000000000u})->Ints(), (std::vector<int64_t>{4000000000}));
  EXPECT_EQ(Tensor::Of<int64_t>(C_DT_INT64, {1}, {INT64_MIN})->Ints(), (std::vector<int64_t>{INT64_MIN}));
  EXPECT_ERROR(GE_PARAM_INVALID, "DT_FLOAT", Tensor::Of<float>(C_DT_FLOAT, {1}, {1})->Ints());
}

TEST(Attr, ComparesBitByBit) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(AttrValue(nan), AttrValue(nan));
  EXPECT_FALSE(AttrValue(0.0f) == AttrValue(-0.0f));
  EXPECT_FALSE(AttrValue(int64_t{1}) == AttrValue(true));
  EXPECT_EQ(AttrValue(AttrValue::ListFloat{nan}), AttrValue(AttrValue::ListFloat{nan}));
  EXPECT_EQ(AttrValue(TensorPtr(Tensor::Of<float>(C_DT_FLOAT, {1}, {2}))),
            AttrValue(Tensor::Of<float>(C_DT_FLOAT, {1}, {2})));
  EXPECT_FALSE(AttrValue(Tensor::Of<float>(C_DT_FLOAT, {1}, {2})) ==
               AttrValue(Tensor::Of<float>(C_DT_FLOAT, {1, 1}, {2})));
}

TEST(Attr, SharedTextsAreAListLikeAnyOther) {
  const AttrValue::ListString texts{"Add", "Relu"};
  const AttrValue plain(texts), shared(std::make_shared<const AttrValue::ListString>(texts));
  EXPECT_EQ(shared.type(), C_VT_LIST_STRING);
  ASSERT_NE(shared.get_if<AttrValue::ListString>(), nullptr);
  EXPECT_EQ(*shared.get_if<AttrValue::ListString>(), texts);
  EXPECT_TRUE(shared == plain && plain == shared);
  EXPECT_FALSE(shared == AttrValue(AttrValue::ListString{"Add"}));
  EXPECT_FALSE(shared == AttrValue(std::string("Add")));
  size_t seen = 0;
  shared.Visit([&](const auto &held) {
    if constexpr (std::is_same_v<std::decay_t<decltype(held)>, AttrValue::ListString>) seen = held.size();
  });
  EXPECT_EQ(seen, 2u);
}

TEST(Attr, MapIsSortedWhateverOrderItIsFilledIn) {
  AttrMap map;
  for (const char *name : {"b", "d", "a", "c", "d"}) map.Set(name, AttrValue(std::string(name)));
  std::string names;
  for (const auto &[name, value] : map) names += name.view();
  EXPECT_EQ(names, "abcd");
}

TEST(Attr, MapIsSortedAndReadsLeniently) {
  AttrMap map;
  map.Set("zeta", AttrValue(1));
  map.Set("alpha", AttrValue(true));
  map.Set("middle", AttrValue(DataTypeValue{C_DT_INT8}));
  std::string names;
  for (const auto &[name, value] : map) names += name.str() + " ";
  EXPECT_EQ(names, "alpha middle zeta ");
  EXPECT_EQ(map.Int("alpha", 9), 1);
  EXPECT_EQ(map.Int("middle", 9), C_DT_INT8);
  EXPECT_EQ(map.Int("absent", 9), 9);
  EXPECT_EQ(map.Float("zeta", 0.5f), 0.5f);
  EXPECT_TRUE(map.Remove("zeta"));
  EXPECT_FALSE(map.Remove("zeta"));
  EXPECT_EQ(map.size(), 2u);
}

TEST(Schema, SameAddressSameContentSameDefinition) {
  GeIrPort x{"x", GE_IR_REQUIRED, 0, "T"};
  GeOpSchema a{};
  a.struct_size = sizeof a;
  a.type = "TestIntern";
  a.inputs = &x;
  a.input_count = 1;
  GeOpSchema b = a;
  const IrDef *first = InternSchema(&a);
  EXPECT_EQ(InternSchema(&a), first);
  EXPECT_EQ(InternSchema(&b), first);
  // Memory that holds another schema now is noticed.
  a.input_count = 0;
  const IrDef *changed = InternSchema(&a);
  EXPECT_NE(changed, first);
  EXPECT_EQ(changed->inputs.size(), 0u);
  a.type = "TestInternOther";
  EXPECT_EQ(InternSchema(&a)->type, Symbol("TestInternOther"));
  b.input_count = 1;
  x.kind = GE_IR_DYNAMIC;
  GeOpSchema c = b;
  EXPECT_TRUE(InternSchema(&c)->dynamic_inputs);
}

TEST(Schema, MalformedOnesAreRefused) {
  GeIrPort bad{"", GE_IR_REQUIRED, 0, "T"};
  GeOpSchema s{};
  s.struct_size = sizeof s;
  s.type = "TestMalformed";
  s.inputs = &bad;
  s.input_count = 1;
  EXPECT_ERROR(GE_PARAM_INVALID, "without a name", InternSchema(&s));
  bad = {"x", 7, 0, "T"};
  EXPECT_ERROR(GE_PARAM_INVALID, "kind 7", InternSchema(&s));
  s.input_count = 1u << 20;
  EXPECT_ERROR(GE_PARAM_INVALID, "too many", InternSchema(&s));
  s.struct_size = 1;
  EXPECT_ERROR(GE_ABI_MISMATCH, "struct_size is 1", InternSchema(&s));
  EXPECT_ERROR(GE_PARAM_INVALID, "null", InternSchema(nullptr));
}

TEST(Registry, SuggestsNearNames) {
  std::vector<std::string> names{"MatMul", "MatMulV2", "BatchMatMul", "Relu", "Relu6"};
  EXPECT_EQ(NearNames("matmul", names), (std::vector<std::string>{"MatMul", "MatMulV2"}));
  EXPECT_EQ(NearNames("Rleu", names, 1), (std::vector<std::string>{"Relu"}));
  EXPECT_TRUE(NearNames("Completely", names).empty());
  EXPECT_ERROR(GE_NOT_FOUND, "did you mean", OpRegistry::Instance().Get("Addd"));
}

TEST(Context, IsCollectedOutermostFirst) {
  TakeContexts();
  try {
    ContextScope outer("file", "model.onnx");
    { ContextScope finished("node", "fine"); }
    ContextScope inner("node", "conv1");
    throw Error(GE_FAILED, "broken");
  } catch (const Error &) {
  }
  EXPECT_EQ(TakeContexts(), (std::vector<std::string>{"file 'model.onnx'", "node 'conv1'"}));
  EXPECT_TRUE(TakeContexts().empty());
}

TEST(Guard, AnExceptionWithoutATextForUsersIsAnInternalError) {
  const auto look_up = [] {
    ContextScope scope("compiling graph", "net");
    std::unordered_map<int, int>().at(1);
  };
  EXPECT_EQ(api::Guard(look_up), GE_FAILED);
  const std::string text = GeLastErrorMessage();
  EXPECT_EQ(text.rfind("compiling graph 'net': internal error: ", 0), 0u) << text;
  EXPECT_EQ(api::Guard([] { Fail(GE_PARAM_INVALID, "x is 3"); }), GE_PARAM_INVALID);
  EXPECT_STREQ(GeLastErrorMessage(), "x is 3");
}

}  // namespace

// The system promises more memory than it has, and ends the process when the promise is kept: what was promised counts.
// Fresh memory of so many large pages, and which of them have their first bytes in memory.
struct Mapping {
  explicit Mapping(size_t pages)
      : bytes((pages + 1) * LargePages::kBytes),
        memory(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    EXPECT_NE(memory, MAP_FAILED);
    const uintptr_t at = reinterpret_cast<uintptr_t>(memory) + LargePages::kBytes - 1;
    begin = reinterpret_cast<char *>(at / LargePages::kBytes * LargePages::kBytes);
  }
  ~Mapping() { munmap(memory, bytes); }
  bool IsThere(size_t page) const {
    unsigned char there = 0;
    EXPECT_EQ(mincore(begin + page * LargePages::kBytes, 4096, &there), 0);
    return there & 1;
  }
  size_t bytes;
  void *memory;
  char *begin;
};

TEST(LargePages, AreTakenWhereTheyBeginWithinWhatIsWritten) {
  Mapping mapping(5);
  LargePages pages(int64_t{1} << 60);
  // From the middle of the first one to the begin of the fourth one: the second and the third one, and the fourth one.
  pages.Take(mapping.begin + 100, 3 * LargePages::kBytes, 5 * LargePages::kBytes - 100);
  EXPECT_FALSE(mapping.IsThere(0));
  for (size_t page : {1, 2, 3}) EXPECT_TRUE(mapping.IsThere(page)) << page;
  EXPECT_FALSE(mapping.IsThere(4));
  pages.Take(mapping.begin + 4 * LargePages::kBytes, LargePages::kBytes, LargePages::kBytes - 1);  // ends outside
  EXPECT_FALSE(mapping.IsThere(4));
  pages.Take(mapping.begin + 4 * LargePages::kBytes, 1, LargePages::kBytes);
  EXPECT_TRUE(mapping.IsThere(4));
  EXPECT_FALSE(pages.slow());
}

TEST(LargePages, NoMoreAreTakenAfterASlowOne) {
  Mapping mapping(4);
  LargePages pages(-1);  // whatever it takes is slow
  pages.Take(mapping.begin, 3 * LargePages::kBytes, 3 * LargePages::kBytes);
  EXPECT_TRUE(pages.slow());
  EXPECT_TRUE(mapping.IsThere(0));
  EXPECT_FALSE(mapping.IsThere(1));
  EXPECT_FALSE(mapping.IsThere(2));
  pages.Take(mapping.begin + 3 * LargePages::kBytes, LargePages::kBytes, LargePages::kBytes);
  EXPECT_FALSE(mapping.IsThere(3));
  mapping.begin[3 * LargePages::kBytes] = 1;  // the memory is as usable
  EXPECT_TRUE(mapping.IsThere(3));
}

TEST(LargePages, OfMemoryThatMayStayUnusedOnlyTheFirstIsTaken) {
  Mapping mapping(4);
  LargePages pages(int64_t{1} << 60);
  pages.Ask(mapping.begin, 4 * LargePages::kBytes);
  EXPECT_TRUE(mapping.IsThere(0));
  for (size_t page : {1, 2, 3}) EXPECT_FALSE(mapping.IsThere(page)) << page;
}

/// Writes a byte to each small page and counts those that were there before.
size_t PagesThere(const GrowingPages &pages, uint64_t bytes) {
  constexpr uint64_t kSmall = 4096;
  size_t there = 0;
  for (uint64_t at = 0; at < bytes; at += kSmall) {
    unsigned char resident = 0;
    EXPECT_EQ(mincore(pages.data() + at, kSmall, &resident), 0);
    there += resident & 1;
    pages.data()[at] = 1;
  }
  return there;
}

bool IsAligned(const GrowingPages &pages) {
  return reinterpret_cast<uintptr_t>(pages.data()) % LargePages::kBytes == 0;
}

TEST(GrowingPages, KeepWhatWasTouchedWhereTheyGrowAndWhereTheyMove) {
  constexpr uint64_t kFirst = 3 << 20, kAll = kFirst / 4096;
  for (const bool blocked : {false, true}) {
    GrowingPages pages;
    ASSERT_TRUE(pages.Grow(kFirst));
    EXPECT_TRUE(IsAligned(pages));
    EXPECT_LT(PagesThere(pages, kFirst), kAll);
    EXPECT_EQ(PagesThere(pages, kFirst), kAll);
    char *const before = pages.data();
    void *const behind = pages.data() + pages.bytes();  // where something is, growing has to move
    const bool made = blocked && mmap(behind, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
                                      0) != MAP_FAILED;
    ASSERT_TRUE(pages.Grow(uint64_t{40} << 20));
    EXPECT_GE(pages.bytes(), uint64_t{40} << 20);
    EXPECT_TRUE(!blocked || pages.data() != before);
    EXPECT_EQ(PagesThere(pages, kFirst), kAll);
    PagesThere(pages, pages.bytes());  // all of it can be written
    ASSERT_TRUE(pages.Grow(1));
    EXPECT_GE(pages.bytes(), uint64_t{40} << 20);
    if (made) munmap(behind, 4096);
  }
}

TEST(GrowingPages, ThatTheSystemDoesNotMoveAreMadeAnew) {
  GrowingPages pages;
  ASSERT_TRUE(pages.Grow(4 << 20));
  PagesThere(pages, pages.bytes());
  ASSERT_EQ(madvise(pages.data(), 4096, MADV_DONTFORK), 0);  // two mappings from here on
  ASSERT_TRUE(pages.Grow(40 << 20));
  EXPECT_TRUE(IsAligned(pages));
  PagesThere(pages, pages.bytes());
}

/// Address space of this process, in bytes.
uint64_t AddressSpace() {
  uint64_t pages = 0;
  std::FILE *file = std::fopen("/proc/self/statm", "r");
  if (!file || std::fscanf(file, "%lu", &pages) != 1) pages = 0;
  if (file) std::fclose(file);
  return pages * 4096;
}

TEST(GrowingPages, TakeNoMoreAddressSpaceThanTheyHave) {
  GrowingPages pages;
  const uint64_t before = AddressSpace();
  for (uint64_t mib = 4; mib <= 256; mib *= 2) {
    ASSERT_TRUE(pages.Grow(mib << 20));
    EXPECT_FALSE(pages.Grow(uint64_t{1} << 60));
  }
  EXPECT_LT(AddressSpace(), before + (uint64_t{264} << 20));
}

TEST(GrowingPages, AreAsBeforeWhereThereIsNoMemory) {
  GrowingPages pages;
  EXPECT_FALSE(pages.Grow(uint64_t{1} << 60));
  EXPECT_EQ(pages.data(), nullptr);
  ASSERT_TRUE(pages.Grow(4 << 20));
  char *const before = pages.data();
  const uint64_t bytes = pages.bytes();
  for (const uint64_t wanted : {uint64_t{1} << 60, UINT64_MAX}) {
    EXPECT_FALSE(pages.Grow(wanted));
    EXPECT_EQ(pages.data(), before);
    EXPECT_EQ(pages.bytes(), bytes);
  }
  PagesThere(pages, bytes);
  pages.Release();
  EXPECT_EQ(pages.data(), nullptr);
  ASSERT_TRUE(pages.Grow(1));
  pages.data()[0] = 1;
}

TEST(LoaderMemory, TellsWantOfMemoryFromFaultsOfTheLibrary) {
  const auto lacks = [](const std::string &file, const char *why, int error = 0) {
    errno = error;
    return LoaderLacksMemory(file, why);
  };
  const std::string there = "/proc/self/exe", gone = "/no/such.so";
  const auto missing = [](const std::string &file) {
    return file + ": cannot open shared object file: No such file or directory";
  };
  const auto unmapped = [](const std::string &file) { return file + ": failed to map segment from shared object"; };
  EXPECT_TRUE(lacks(gone, nullptr, ENOMEM));
  EXPECT_TRUE(lacks(gone, "x.so: cannot create search path array: Cannot allocate memory"));
  EXPECT_TRUE(lacks(there, missing(there).c_str()));  // it is there
  EXPECT_TRUE(lacks(there, unmapped(there).c_str()));
  EXPECT_TRUE(lacks(gone, unmapped(there).c_str()));  // a library that it needs
  EXPECT_FALSE(lacks(gone, nullptr));
  EXPECT_FALSE(lacks(gone, missing(gone).c_str()));
  const std::string here = "loader_memory_test.so";  // which the loader does not look for where we are
  std::fclose(std::fopen(here.c_str(), "w"));
  EXPECT_FALSE(lacks(here, missing(here).c_str()));
  std::remove(here.c_str());
  EXPECT_FALSE(lacks(there, unmapped("/proc/version").c_str()));  // never holds code
  EXPECT_FALSE(lacks(there, (there + ": undefined symbol: f").c_str(), ENOENT));
}

TEST(Memory, BlocksThatDoNotFitTogetherAreRefused) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer writes to memory of its own for every block";
#endif
  constexpr uint64_t kBlock = uint64_t{1} << 30;
  std::vector<std::shared_ptr<Buffer>> blocks;  // never written to
  std::string refusal;
  for (int i = 0; i < 4096 && refusal.empty(); ++i) {
    try {
      blocks.push_back(Buffer::AllocateUnset(kBlock));
    } catch (const Error &e) {
      EXPECT_EQ(e.code(), GE_OUT_OF_MEMORY);
      refusal = e.what();
    }
  }
  EXPECT_NE(refusal.find("bytes are taken by other tensors and runs"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find(std::to_string(kBlock)), std::string::npos) << refusal;
  blocks.clear();  // given back, it is there again
  EXPECT_NE(Buffer::AllocateUnset(kBlock), nullptr);
}

}  // namespace gec
