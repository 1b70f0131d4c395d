// Which key a number is, and how often n-grams of a vocabulary appear.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "registry.h"

namespace reference {
namespace {

template <class C>
struct Keys {
  std::unordered_map<C, int64_t> places;
  int64_t nan = -1;

  int64_t Find(C x) const {
    if (x != x) return nan;
    const auto found = places.find(x);
    return found == places.end() ? -1 : found->second;
  }
};

template <class C>
Keys<C> KeysOf(const void *data, int64_t count, LoadFn<C> load) {
  Keys<C> keys;
  std::vector<C> values(static_cast<size_t>(count));
  if (count > 0) load(data, 0, 1, count, values.data());
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] != values[i]) keys.nan = int64_t(i);
    else keys.places[values[i]] = int64_t(i);
  }
  return keys;
}

template <class C>
Kernel CreateFindFor(const Node &node) {
  const int64_t count = node.in_count(1), total = node.in_count(0);
  const LoadFn<C> load = Loader<C>(node.in_type(0));
  std::shared_ptr<const Keys<C>> known;  // keys are constant as a rule
  if (node.in(1).data) known = std::make_shared<const Keys<C>>(KeysOf<C>(node.in(1).data, count, load));
  Kernel kernel;
  kernel.run = [=](const Call &call) {
    const auto keys = known ? known : std::make_shared<const Keys<C>>(KeysOf<C>(call.in(1), count, load));
    call.Parallel(total, 1024, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        C x;
        load(call.in(0), i, 1, 1, &x);
        call.out<int64_t>(0)[i] = keys->Find(x);
      }
    });
  };
  return kernel;
}

Kernel CreateFind(const Node &node, const OpEntry &) {
  if (node.in_type(0) != node.in_type(1))
    Fail(GE_PARAM_INVALID, "%s: x is of %s, keys of %s", node.label().c_str(), DataTypeName(node.in_type(0)),
         DataTypeName(node.in_type(1)));
  return WithCompute(ComputeOf(node.in_type(0)), [&](auto c) { return CreateFindFor<decltype(c)>(node); });
}

// N-grams as a tree: from a token to those that may follow.
struct Grams {
  struct Part {
    std::map<int64_t, size_t> next;
    int64_t column = -1;  // where this n-gram is counted; -1: it is the start of others only
  };
  std::vector<Part> parts{1};
  int64_t least = 1, most = 1, skips = 0, columns = 0;
  bool weighs_presence = false;  // IDF: whether it appears, not how often
  std::vector<float> weights;

  void Add(const int64_t *tokens, int64_t count, int64_t column) {
    size_t at = 0;
    for (int64_t i = 0; i < count; ++i) {
      const auto [found, fresh] = parts[at].next.emplace(tokens[i], parts.size());
      const size_t next = found->second;
      if (fresh) parts.emplace_back();
      at = next;
    }
    parts[at].column = column;
  }

  // Adds 1 to y for every n-gram of `row` whose tokens lie `step` apart.
  void Count(const int64_t *row, int64_t length, int64_t step, int64_t from_size, float *y) const {
    for (int64_t start = 0; start < length; ++start) {
      size_t at = 0;
      for (int64_t size = 1, i = start; size <= most && i < length; ++size, i += step) {
        const auto found = parts[at].next.find(row[i]);
        if (found == parts[at].next.end()) break;
        at = found->second;
        if (size >= from_size && parts[at].column >= 0) y[parts[at].column] += 1;
        if (i > length - step) break;
      }
    }
  }

  void Row(const int64_t *row, int64_t length, float *y) const {
    std::fill(y, y + columns, 0.0f);
    // Single tokens are counted once: nothing lies between them.
    for (int64_t skip = 0, from = least; skip <= skips && skip < std::max<int64_t>(length, 1) && from <= most; ++skip) {
      Count(row, length, skip + 1, from, y);
      if (from == 1) ++from;
    }
    for (int64_t i = 0; i < columns; ++i) {
      const float weight = weights.empty() ? 1.0f : weights[size_t(i)];
      y[i] = weighs_presence ? (y[i] > 0 ? weight : 0.0f) : y[i] * weight;
    }
  }
};

Grams GramsOf(const Node &node) {
  const std::string label = node.label(), mode = node.String("mode", "");
  const std::vector<int64_t> counts = node.LongInts("ngram_counts"), indexes = node.LongInts("ngram_indexes"),
                             pool = node.LongInts("pool_int64s");
  Grams g;
  g.least = node.Int("min_gram_length", 1);
  g.most = node.Int("max_gram_length", 1);
  g.skips = node.Int("max_skip_count", 0);
  if (g.least < 1 || g.most < g.least || g.skips < 0)
    Fail(GE_PARAM_INVALID, "%s: n-grams of %lld to %lld tokens with %lld skips", label.c_str(), (long long)g.least,
         (long long)g.most, (long long)g.skips);
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF")
    Fail(GE_PARAM_INVALID, "%s: mode is '%s', expected TF, IDF or TFIDF", label.c_str(), mode.c_str());
  g.weighs_presence = mode == "IDF";
  const std::vector<float> weights = node.Floats("weights");
  for (int64_t index : indexes) {
    if (index < 0 || index >= INT32_MAX)
      Fail(GE_PARAM_INVALID, "%s: ngram_indexes holds %lld", label.c_str(), (long long)index);
    g.columns = std::max(g.columns, index + 1);
  }
  if (mode != "TF" && !weights.empty()) {
    if (weights.size() != indexes.size())
      Fail(GE_PARAM_INVALID, "%s: weights has %zu values, expected %zu", label.c_str(), weights.size(), indexes.size());
    g.weights.assign(size_t(g.columns), 1.0f);
    for (size_t i = 0; i < indexes.size(); ++i) g.weights[size_t(indexes[i])] = weights[i];
  }
  size_t gram = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    const int64_t size = int64_t(i) + 1, begin = counts[i],
                  end = i + 1 < counts.size() ? counts[i + 1] : int64_t(pool.size());
    if (begin < 0 || end < begin || end > int64_t(pool.size()) || (end - begin) % size != 0)
      Fail(GE_PARAM_INVALID, "%s: n-grams of %lld tokens lie from %lld to %lld of a pool of %zu", label.c_str(),
           (long long)size, (long long)begin, (long long)end, pool.size());
    for (int64_t at = begin; at < end; at += size, ++gram) {
      if (gram >= indexes.size())
        Fail(GE_PARAM_INVALID, "%s: the pool has more n-grams than the %zu of ngram_indexes", label.c_str(),
             indexes.size());
      if (size >= g.least && size <= g.most) g.Add(&pool[size_t(at)], size, indexes[gram]);
    }
  }
  return g;
}

Kernel CreateTfIdf(const Node &node, const OpEntry &) {
  const Dims x = node.in_dims(0);
  if (x.n != 1 && x.n != 2)
    Fail(GE_PARAM_INVALID, "%s: input has shape %s, expected rank 1 or 2", node.label().c_str(), ToText(x).c_str());
  auto grams = std::make_shared<const Grams>(GramsOf(node));
  const int64_t length = x[x.n - 1], rows = x.n == 2 ? x[0] : 1;
  if (node.out_count(0) != rows * grams->columns)
    Fail(GE_PARAM_INVALID, "%s: the output has shape %s", node.label().c_str(), ToText(node.out_dims(0)).c_str());
  const LoadFn<int64_t> load = Loader<int64_t>(node.in_type(0));
  Kernel kernel;
  kernel.workspace = uint64_t(rows * length) * sizeof(int64_t);
  kernel.run = [=](const Call &call) {
    load(call.in(0), 0, 1, rows * length, call.workspace<int64_t>());
    call.Parallel(rows, 1, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r)
        grams->Row(call.workspace<int64_t>() + r * length, length, call.out<float>(0) + r * grams->columns);
    });
  };
  return kernel;
}

const OpEntry kLookup[] = {
    {"FindKeys", kReal, &CreateFind},
    {"TfIdfVectorizer", kIndex, &CreateTfIdf},
};

}  // namespace

OpTable LookupOps() { return TableOf(kLookup); }

}  // namespace reference
