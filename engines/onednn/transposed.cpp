#include "transposed.h"

#include <algorithm>
#include <vector>

#include "conv_kernels.h"
#include "taps.h"
#include "taps_spec.h"
#include "trial.h"
#include "winograd.h"

namespace onednn {

namespace {

// Winograd's algorithm reads constants, and blocks of the own kernels' channels.
bool MayBeWinograd(const Node &node, const TapsSpec &s, int64_t c) {
  const Tensor x = node.in(size_t(s.x_port)), y = node.out(0);
  if (!node.in(size_t(s.filter_port)).constant()) return false;
  if (s.bias_port >= 0 && !node.in(size_t(s.bias_port)).constant()) return false;
  // Channels that pad the last block stay zero.
  return y.blocked() && y.c0() == c && (!x.blocked() || x.c0() == c) && (s.out_c % c == 0 || s.activation.keeps_zero());
}

TapsSpec Read(const Node &node) {
  TapsSpec s = ReadTapsSpec(node);
  ReadTapsChannels(node, &s);
  return s;
}

}  // namespace

std::unique_ptr<Kernel> CreateTransposed(const Context &context) {
  const Node &node = context.node;
  TapsSpec s = Read(node);
  const int64_t c = ConvKernelsFor(context.features).channels;
  if (!MayBeWinograd(node, s, c)) return CreateTaps(context);
  const Dims x = node.in(size_t(s.x_port)).dims(), y = node.out(0).dims();
  s.SetExtents(x.data(), y.data());
  if (Tunes(context) && FitsWinograd(s, c)) {
    std::vector<MakeKernel> ways = {&CreateTaps};
    for (int tile = 2; tile <= 4; tile += 2)
      ways.push_back([&s, tile](const Context &to) { return CreateWinograd(to, s, tile); });
    return ways[Fastest(context, ways)](context);
  }
  const int tile = WinogradTile(s, c);
  return tile ? CreateWinograd(context, s, tile) : CreateTaps(context);
}

std::unique_ptr<Kernel> CreateOpenTransposed(const Context &context) {
  const TapsSpec s = Read(context.node);
  const int64_t c = ConvKernelsFor(context.features).channels;
  if (!MayBeWinograd(context.node, s, c)) return CreateOpenTaps(context);
  TapsSpec middle = s;  // chosen as for an image of middle size
  constexpr int64_t kMiddle = 28;
  for (int a = 1; a < 3; ++a) middle.axis[a].in = kMiddle, middle.axis[a].out = kMiddle * s.axis[a].stride;
  const int tile = WinogradTile(middle, c);
  return tile ? CreateWinograd(context, s, tile, true) : CreateOpenTaps(context);
}

}  // namespace onednn
