// Convolutions to at most four channels in planes.
#include "conv_case.h"

using namespace conv_case;

namespace {

std::vector<Case> ThinCases() {
  std::vector<Case> cases;
  // Every width that tiles may end with; one to four channels of y, channels of x that fill blocks and do not.
  for (int64_t w = 1; w <= 40; ++w) {
    const int64_t o = 1 + w % 4, c = 1 + w % 5 * 6;
    cases.push_back({1, c, 4, w, o, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1});
    cases.push_back({2, c, 3, w + 4, o, 2, 5, 1, 1, 0, 1, 0, 0, 1, 1, 1});  // uneven padding
    cases.push_back({1, c, 2, 3 * w, o, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1});
  }
  cases.push_back({1, 20, 9, 200, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1});  // tiles of all their sums
  cases.push_back({1, 8, 12, 11, 3, 9, 9, 1, 1, 4, 4, 4, 4, 1, 1, 1});   // filters as large as the image
  cases.push_back({1, 3, 2, 9000, 1, 1, 3, 1, 1, 0, 0, 1, 1, 1, 1, 1});  // rows in parts
  cases.push_back({1, 2, 9000, 1, 2, 3, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1});  // a standing line
  cases.push_back({2, 9, 90, 70, 4, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1});   // several bands
  cases.push_back({1, 17, 20, 19, 2, 3, 3, 1, 1, 4, 4, 4, 4, 4, 4, 1});  // dilated
  cases.push_back({1, 5, 3, 4, 3, 3, 3, 1, 1, 20, 21, 30, 9, 1, 1, 1});  // rows and columns that are padding alone
  cases.push_back({1, 70, 12, 33, 1, 3, 3, 1, 1, 0, 0, 0, 0, 1, 1, 1});  // x as it lies
  cases.push_back({1, 24, 5, 64, 3, 5, 3, 1, 1, 2, 2, 0, 1, 2, 3, 1});
  return cases;
}

TEST(Thin, EveryShape) {
  static const std::vector<Case> cases = ThinCases();
  for (const Case &k : cases)
    for (int variant = 0; variant < 6; ++variant) {
      Options o;
      o.x_block = variant % 2 ? Block() : 0;
      o.implementation = "direct:thin:";
      o.bias = variant != 2;
      o.residual = variant == 2 || variant == 3 || variant == 4, o.alias = variant == 3;
      o.act = variant == 0   ? "clip"
              : variant == 1 ? "sigmoid"
              : variant == 4 ? "tanh"
                             : "";  // 0.5 where there is no channel
      o.alpha = -0.2, o.beta = 0.4;
      o.threads = 1 + variant % 3;
      Check(k, o);
    }
}

// What a piece would read beside its own pixels is more than the kernel keeps.
TEST(Thin, FiltersThatReachFar) {
  static const Case cases[] = {{1, 2, 6, 9, 3, 2, 2, 1, 1, 0, 2000, 0, 3000, 2000, 3000, 1},
                               {1, 9, 6, 9, 2, 2, 1, 1, 1, 1500, 0, 0, 0, 1500, 1, 1}};
  for (const Case &k : cases) Check(k, Options{});
}

}  // namespace
