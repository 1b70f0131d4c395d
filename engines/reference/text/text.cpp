// Joining, comparing, finding, cutting and changing texts.
#include "text/text.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "common/broadcast.h"
#include "text/unicode.h"

namespace reference {
namespace {

/// Two tensors of texts that are broadcast: which text of each belongs to an element of the result.
struct Pairing {
  TextInput a, b;
  Dims y;
  BroadcastPlan plan;

  explicit Pairing(const Node &node)
      : a(node, 0),
        b(node, 2),
        y(BroadcastDims(node.label(), a.dims(), b.dims())),
        plan(PlanBroadcast(node.label(), y, {a.dims(), b.dims()})) {}
  void Find(int64_t i, int64_t *in_a, int64_t *in_b) const {
    *in_a = *in_b = 0;
    for (int k = plan.dims.n - 1; k >= 0; --k) {
      const int64_t at = i % plan.dims[k];
      *in_a += at * plan.strides[0][k];
      *in_b += at * plan.strides[1][k];
      i /= plan.dims[k];
    }
  }
};

Kernel CreateTextConcat(const Node &node, const OpEntry &) {
  const Pairing p(node);
  const std::string label = node.label();
  Kernel kernel = TextKernel(node, p.y, 2);
  kernel.run = [=](const Call &call) {
    const auto first = [&](int64_t i, int64_t *b) {
      int64_t a;
      p.Find(i, &a, b);
      return p.a.Read(call, a);
    };
    const auto length = [&](int64_t i) {
      int64_t b;
      const size_t size = first(i, &b).size();
      return int64_t(size + p.b.Read(call, b).size());
    };
    WriteTexts(call, label, p.y, length, [&](int64_t i, char *to) {
      int64_t b;
      const std::string_view one = first(i, &b), two = p.b.Read(call, b);
      memcpy(to, one.data(), one.size());
      memcpy(to + one.size(), two.data(), two.size());
    });
  };
  return kernel;
}

Kernel CreateTextEqual(const Node &node, const OpEntry &) {
  const Pairing p(node);
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    for (int64_t i = 0, n = p.y.count(); i < n; ++i) {
      int64_t a, b;
      p.Find(i, &a, &b);
      call.out<uint8_t>(0)[i] = p.a.Read(call, a) == p.b.Read(call, b);
    }
  };
  return kernel;
}

Kernel CreateTextFind(const Node &node, const OpEntry &) {
  struct Keys {
    std::vector<std::string> texts;
    std::unordered_map<std::string_view, int64_t> places;
  };
  auto keys = std::make_shared<Keys>();
  keys->texts = node.Strings("keys");
  for (size_t i = 0; i < keys->texts.size(); ++i) keys->places[keys->texts[i]] = int64_t(i);
  const TextInput x(node, 0);
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    for (int64_t i = 0, n = x.count(); i < n; ++i) {
      const auto found = keys->places.find(x.Read(call, i));
      call.out<int64_t>(0)[i] = found == keys->places.end() ? -1 : found->second;
    }
  };
  return kernel;
}

// ---- StringNormalizer ----

using CaseFn = uint32_t (*)(uint32_t);
uint32_t SameCase(uint32_t c) { return c; }

/// The text in another case; `out` may be null. Returns its length.
int64_t InCase(std::string_view text, CaseFn change, char *out) {
  int64_t size = 0;
  for (size_t at = 0; at < text.size();)
    size += int64_t(PutCharacter(change(NextCharacter(text, &at)), out ? out + size : nullptr));
  return size;
}

/// A text's characters in lower case, unless case counts: equal and hashed without memory of their own.
struct CaseOf {
  using is_transparent = void;
  bool sensitive;

  uint32_t Next(std::string_view text, size_t *at) const {
    const uint32_t c = NextCharacter(text, at);
    return sensitive ? c : LowerCase(c);
  }
  size_t operator()(std::string_view text) const {  // FNV-1a
    uint64_t hash = 14695981039346656037u;
    for (size_t at = 0; at < text.size();) hash = (hash ^ Next(text, &at)) * 1099511628211u;
    return static_cast<size_t>(hash);
  }
  bool operator()(std::string_view a, std::string_view b) const {
    size_t i = 0, k = 0;
    while (i < a.size() && k < b.size())
      if (Next(a, &i) != Next(b, &k)) return false;
    return i == a.size() && k == b.size();
  }
};

/// Words that are left out, found in the time that it takes to read a text.
struct StopWords {
  std::unordered_set<std::string, CaseOf, CaseOf> words;

  StopWords(const std::vector<std::string> &given, bool case_counts)
      : words(given.begin(), given.end(), given.size(), CaseOf{case_counts}, CaseOf{case_counts}) {}
  bool Has(std::string_view text) const { return !words.empty() && words.find(text) != words.end(); }
};

Kernel CreateTextNormalize(const Node &node, const OpEntry &) {
  const std::string label = node.label(), change = node.String("case_change", "NONE");
  if (change != "NONE" && change != "LOWER" && change != "UPPER")
    Fail(GE_PARAM_INVALID, "%s: case_change is '%s', expected NONE, LOWER or UPPER", label.c_str(), change.c_str());
  const CaseFn in_case = change == "LOWER" ? &LowerCase : change == "UPPER" ? &UpperCase : &SameCase;
  auto stop_words = std::make_shared<const StopWords>(node.Strings("stop_words"), node.Bool("case_sensitive", false));
  const TextInput x(node, 0);
  if (x.dims().n != 1 && !(x.dims().n == 2 && x.dims()[0] == 1))
    Fail(GE_PARAM_INVALID, "%s: texts of shape %s, expected [n] or [1, n]", label.c_str(), ToText(x.dims()).c_str());
  const int64_t n = x.count();
  Kernel kernel = TextKernel(node, x.dims(), 2);
  kernel.workspace += uint64_t(n) * sizeof(int64_t);
  kernel.run = [=](const Call &call) {
    int64_t *kept = call.workspace<int64_t>(2 * kShapeBytes), count = 0;
    for (int64_t i = 0; i < n; ++i)
      if (!stop_words->Has(x.Read(call, i))) kept[count++] = i;
    const bool none = count == 0;  // one empty text stands for it
    const Dims dims = x.dims().n == 1 ? Dims{none ? 1 : count} : Dims{1, none ? 1 : count};
    WriteTexts(
        call, label, dims, [&](int64_t i) { return none ? 0 : InCase(x.Read(call, kept[i]), in_case, nullptr); },
        [&](int64_t i, char *to) {
          if (!none) InCase(x.Read(call, kept[i]), in_case, to);
        });
  };
  return kernel;
}

// ---- StringSplit ----

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// The parts of a text, told one by one. Without a delimiter white space around parts is dropped.
template <class Visit>
int64_t ForEachPart(std::string_view text, std::string_view delimiter, int64_t most, const Visit &visit) {
  int64_t count = 0;
  const auto part = [&](std::string_view p) { visit(count++, p); };
  if (!delimiter.empty()) {
    size_t from = 0;
    for (size_t at; count != most && (at = text.find(delimiter, from)) != text.npos; from = at + delimiter.size())
      part(text.substr(from, at - from));
    part(text.substr(from));
    return count;
  }
  size_t at = 0;
  while (true) {
    while (at < text.size() && IsSpace(text[at])) ++at;
    if (at == text.size()) return count;
    size_t end = count == most ? text.size() : at;
    while (end < text.size() && !IsSpace(text[end])) ++end;
    part(text.substr(at, end - at));
    at = end;
  }
}

Kernel CreateTextSplit(const Node &node, const OpEntry &) {
  const std::string label = node.label(), delimiter = node.String("delimiter", "");
  const int64_t most = node.Int("max_split", -1);
  const TextInput x(node, 0);
  Dims rows = x.dims();
  rows.push(0);
  Kernel kernel = TextKernel(node, rows, 3);
  kernel.run = [=](const Call &call) {
    const int64_t n = x.count();
    auto *counts = static_cast<int64_t *>(Allocate(call, label, 2, uint64_t(n) * sizeof(int64_t)));
    int64_t width = 0, total = 0;
    for (int64_t i = 0; i < n; ++i) {
      counts[i] = ForEachPart(x.Read(call, i), delimiter, most,
                              [&](int64_t, std::string_view p) { total += kLengthBytes + int64_t(p.size()); });
      width = std::max(width, counts[i]);
    }
    // Every row that is shorter shares one empty text, which lies first.
    total += kLengthBytes;
    auto *places = static_cast<int64_t *>(Allocate(call, label, 0, uint64_t(n * width) * sizeof(int64_t)));
    auto *bytes = static_cast<char *>(Allocate(call, label, 1, uint64_t(total)));
    std::fill(places, places + n * width, 0);
    memset(bytes, 0, size_t(kLengthBytes));
    int64_t at = kLengthBytes;
    for (int64_t i = 0; i < n; ++i)
      ForEachPart(x.Read(call, i), delimiter, most, [&](int64_t k, std::string_view p) {
        const int64_t size = int64_t(p.size());
        places[i * width + k] = at;
        memcpy(bytes + at, &size, sizeof size);
        memcpy(bytes + at + kLengthBytes, p.data(), p.size());
        at += kLengthBytes + size;
      });
    Dims dims = x.dims();
    ReportShape(call, 2, dims);
    dims.push(width);
    ReportShape(call, 0, dims);
    ReportShape(call, 1, {total});
  };
  return kernel;
}

// ---- Cast ----

// Numbers are written and read as in C's own locale, whatever the program's is.

constexpr int kNumberRoom = 32;  // characters of a number

int64_t Put(std::string_view text, char *out) {
  memcpy(out, text.data(), text.size());
  return int64_t(text.size());
}
int64_t Write(double x, int digits, char *out) {
  if (x != x) return Put("NaN", out);
  if (x - x != 0) return Put(x < 0 ? "-INF" : "INF", out);
  return std::to_chars(out, out + kNumberRoom, x, std::chars_format::general, digits).ptr - out;
}
template <class C>
int64_t Write(C x, int, char *out) {
  return std::to_chars(out, out + kNumberRoom, x).ptr - out;
}

template <class C>
Kernel CreateWriteFor(const Node &node) {
  const std::string label = node.label();
  const Dims dims = node.in_dims(0);
  const LoadFn<C> load = Loader<C>(node.in_type(0));
  const int digits = node.in_type(0) == C_DT_DOUBLE ? 17 : node.in_type(0) == C_DT_FLOAT ? 8 : 5;
  Kernel kernel = TextKernel(node, dims, 2);
  kernel.run = [=](const Call &call) {
    char text[kNumberRoom];
    const auto size = [&](int64_t i) {
      C x;
      load(call.in(0), i, 1, 1, &x);
      return Write(x, digits, text);
    };
    WriteTexts(call, label, dims, size, [&](int64_t i, char *to) { memcpy(to, text, size_t(size(i))); });
  };
  return kernel;
}

Kernel CreateWrite(const Node &node, const OpEntry &) {
  switch (ComputeOf(node.in_type(0))) {
    case Compute::kFloat:
    case Compute::kDouble:
      return CreateWriteFor<double>(node);
    case Compute::kUInt:
      return CreateWriteFor<uint64_t>(node);
    default:
      return CreateWriteFor<int64_t>(node);
  }
}

/// A number that no type of reals reaches: its decimal exponent tells whether it is too large or too small.
bool IsLarge(std::string_view text) {
  const size_t e = std::min(text.find_first_of("eE"), text.size()), point = std::min(text.find('.'), e);
  const size_t first = text.find_first_of("123456789");
  long long power = 0;
  if (e < text.size()) {
    const char *begin = text.data() + e + 1 + (text[e + 1] == '+');
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), power);
    if (error == std::errc::result_out_of_range) return *begin != '-';
  }
  return power > (long long)first - (long long)point;
}

template <class C>
bool Read(std::string_view text, C *out) {
  constexpr bool kReal = C(0.5) != C(0);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const char *begin = text.data(), *end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, *out);
  if (text.empty() || stop != end || error == std::errc::invalid_argument) return false;
  if constexpr (kReal) {
    if (end[-1] == ')') return false;  // what C puts behind "nan"
    if (error == std::errc::result_out_of_range) {
      const bool large = IsLarge(text);
      *out = large ? std::numeric_limits<C>::infinity() : C(0);
      if (text[0] == '-') *out = -*out;
    }
    return true;
  }
  return error == std::errc();
}

template <class C>
Kernel CreateReadFor(const Node &node) {
  const std::string label = node.label();
  const TextInput x(node, 0);
  const int32_t type = node.out_type(0);
  const StoreFn<C> store = Storer<C>(type);
  const IntRange range = RangeOf(type);
  const bool integer = C(0.5) == C(0);
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    for (int64_t i = 0, n = x.count(); i < n; ++i) {
      const std::string_view text = x.Read(call, i);
      C value{};
      bool good = Read(text, &value);
      if (good && integer && type != C_DT_BOOL)
        good = value < C(0) ? int64_t(value) >= range.lowest : uint64_t(value) <= range.highest;
      if (!good)
        Fail(GE_PARAM_INVALID, "%s: text %lld, '%.40s', is no %s", label.c_str(), (long long)i,
             std::string(text.substr(0, 40)).c_str(), DataTypeName(type));
      store(&value, 1, call.out(0), i, 1);
    }
  };
  return kernel;
}

Kernel CreateRead(const Node &node, const OpEntry &) {
  switch (ComputeOf(node.out_type(0))) {
    case Compute::kFloat:
      return CreateReadFor<float>(node);
    case Compute::kDouble:
      return CreateReadFor<double>(node);
    case Compute::kUInt:
      return CreateReadFor<uint64_t>(node);
    default:
      return CreateReadFor<int64_t>(node);
  }
}

constexpr TypeSet kPlaces = TypeBit(C_DT_INT64);
const OpEntry kText[] = {
    {"TextConcat", kPlaces, &CreateTextConcat}, {"TextEqual", kPlaces, &CreateTextEqual},
    {"TextFind", kPlaces, &CreateTextFind},     {"TextNormalize", kPlaces, &CreateTextNormalize},
    {"TextSplit", kPlaces, &CreateTextSplit},   {"TextOfNumbers", kReal, &CreateWrite},
    {"NumbersOfText", kPlaces, &CreateRead},
};

}  // namespace

OpTable TextOps() { return TableOf(kText); }

}  // namespace reference
