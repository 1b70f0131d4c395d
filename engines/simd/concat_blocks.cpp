// Concatenation of the channels of images in blocks where a part does not fill its last block: what follows it begins
// in the middle of a block, and lanes move from pixel to pixel.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "kernel.h"

namespace vec {
namespace {

constexpr int kMostLanes = 16;

using MoveLanes = void (*)(const char *from, char *to, int64_t pixels, int64_t pixel_bytes);

/// A number of bytes that is known when this is compiled: a move or two for a pixel.
template <size_t kBytes>
void Move(const char *from, char *to, int64_t pixels, int64_t pixel_bytes) {
  for (int64_t p = 0; p < pixels; ++p) std::memcpy(to + p * pixel_bytes, from + p * pixel_bytes, kBytes);
}

template <size_t kElement, size_t... kLanes>
constexpr std::array<MoveLanes, kMostLanes> MovesOf(std::index_sequence<kLanes...>) {
  return {&Move<kElement *(kLanes + 1)>...};
}
constexpr std::array<MoveLanes, kMostLanes> kMoves2 = MovesOf<2>(std::make_index_sequence<kMostLanes>());
constexpr std::array<MoveLanes, kMostLanes> kMoves4 = MovesOf<4>(std::make_index_sequence<kMostLanes>());

int64_t ChannelsOf(const GeTensorData &t) { return t.origin_rank == 4 ? t.origin_dims[1] : -1; }

class ConcatBlocks final : public Kernel {
 public:
  ConcatBlocks(const GeOpDesc &op, const Joined &joined, bool open)
      : open_(open),
        dims_(DimsOf(op.outputs[0])),
        c0_(dims_[4]),
        bytes_(ElementBytes(op.outputs[0].data_type)),
        moves_(bytes_ == 4 ? kMoves4 : kMoves2) {
    int64_t at = 0;
    for (size_t port = joined.first; port < joined.last; ++port) {
      const int64_t channels = ChannelsOf(op.inputs[port]);
      for (int64_t c = 0, lanes; c < channels; c += lanes, at += lanes) {
        lanes = std::min({c0_ - c % c0_, c0_ - at % c0_, channels - c});
        pieces_.push_back({port, (channels + c0_ - 1) / c0_, c / c0_, c % c0_, at / c0_, at % c0_, lanes});
      }
    }
    blocks_ = (at + c0_ - 1) / c0_;
    fills_last_ = at % c0_ == 0;
    implementation = "concat lanes";
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    const int64_t *dims = open_ ? args.output_dims[0] : dims_.data();
    const int64_t plane = dims[2] * dims[3];
    constexpr int64_t kTile = 128;  // pixels: all parts of a block are written while it is in the first-level cache
    const int64_t tiles = (plane + kTile - 1) / kTile;
    Parallel(dims[0] * tiles, std::max<int64_t>(1, 256 / blocks_), [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        const int64_t first = k % tiles * kTile;
        Tile(args, k / tiles, plane, first, std::min(kTile, plane - first));
      }
    });
    return GE_SUCCESS;
  }

 private:
  struct Piece {
    size_t port;
    int64_t blocks;  // of the part
    int64_t from_block, from_lane, to_block, to_lane, lanes;
  };

  void Tile(const GeKernelArgs &args, int64_t image, int64_t plane, int64_t first, int64_t pixels) const {
    const int64_t pixel = c0_ * bytes_;
    char *const y = static_cast<char *>(args.outputs[0]);
    const auto block = [&](int64_t blocks, int64_t b) { return ((image * blocks + b) * plane + first) * pixel; };
    if (!fills_last_) std::memset(y + block(blocks_, blocks_ - 1), 0, static_cast<size_t>(pixels * pixel));
    for (const Piece &piece : pieces_) {
      const char *from = static_cast<const char *>(args.inputs[piece.port]) + block(piece.blocks, piece.from_block);
      char *to = y + block(blocks_, piece.to_block);
      if (piece.lanes == c0_) std::memcpy(to, from, static_cast<size_t>(pixels * pixel));
      else
        moves_[static_cast<size_t>(piece.lanes - 1)](from + piece.from_lane * bytes_, to + piece.to_lane * bytes_,
                                                     pixels, pixel);
    }
  }

  const bool open_;  // the run tells all but the channels
  const Dims dims_;
  const int64_t c0_, bytes_;
  const std::array<MoveLanes, kMostLanes> &moves_;
  std::vector<Piece> pieces_;
  int64_t blocks_;
  bool fills_last_;
};

}  // namespace

bool JoinsChannels(const GeOpDesc &op, const Joined &joined) {
  return op.outputs[0].format == C_FORMAT_NC1HWC0 && op.outputs[0].rank == 5 && joined.axis == 1;
}

bool JoinsLanes(const GeOpDesc &op, const Joined &joined) {
  if (!JoinsChannels(op, joined)) return false;
  const int64_t c0 = std::max<int64_t>(1, op.outputs[0].dims[4]);
  for (size_t port = joined.first; port + 1 < joined.last; ++port)
    if (ChannelsOf(op.inputs[port]) % c0 != 0) return true;
  return false;
}

void CheckConcatBlocks(const GeOpDesc &op, const Joined &joined) {
  const GeTensorData &y = op.outputs[0];
  const int64_t bytes = ElementBytes(y.data_type), c0 = y.dims[4];
  if (bytes != 2 && bytes != 4) Refuse("blocks of elements of ", bytes, " bytes are not supported");
  if (c0 < 1 || c0 > kMostLanes) Refuse("blocks of ", c0, " channels are not supported, at most ", kMostLanes);
  int64_t channels = 0;
  for (size_t port = joined.first; port < joined.last; ++port) {
    const GeTensorData &x = op.inputs[port];
    if (x.data_type != y.data_type) Refuse("the data type changes");
    if (x.format != C_FORMAT_NC1HWC0 || x.rank != 5 || x.dims[4] != c0 || ChannelsOf(x) < 0)
      Refuse("input ", port, " is not in blocks of ", c0, " known channels");
    for (int k : {0, 2, 3})
      if (x.dims[k] >= 0 && y.dims[k] >= 0 && x.dims[k] != y.dims[k])
        Refuse("extent ", k, " of input ", port, " is ", x.dims[k], ", that of the output ", y.dims[k]);
    channels += ChannelsOf(x);
  }
  if (channels != ChannelsOf(y)) Refuse("the inputs have ", channels, " channels, the output ", ChannelsOf(y));
}

std::unique_ptr<Kernel> MakeConcatBlocks(const GeOpDesc &op, const Joined &joined, bool open) {
  return std::make_unique<ConcatBlocks>(op, joined, open);
}

}  // namespace vec
