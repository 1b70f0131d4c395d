#include "png_file.h"

#include <png.h>

#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <new>

#include "file.h"

namespace tool {
namespace {

struct Picture {
  int64_t width = 0, height = 0, channels = 0;
  std::vector<unsigned char> pixels;  // H, W, C
};

struct Reader {
  FILE *file = nullptr;
  png_structp png = nullptr;
  png_infop info = nullptr;
  char message[128] = "";
  ~Reader() {
    png_destroy_read_struct(&png, &info, nullptr);
    if (file) std::fclose(file);
  }
};

[[noreturn]] void Report(png_structp png, png_const_charp text) {
  auto *reader = static_cast<Reader *>(png_get_error_ptr(png));
  std::snprintf(reader->message, sizeof reader->message, "%s", text);
  png_longjmp(png, 1);
}
void Ignore(png_structp, png_const_charp) {}

// libpng leaves a failing call by longjmp, so nothing below it may own anything: false with reader->message set.
bool ReadHeader(Reader *reader, png_uint_32 *width, png_uint_32 *height) {
  if (setjmp(png_jmpbuf(reader->png))) return false;
  png_init_io(reader->png, reader->file);
  png_read_info(reader->png, reader->info);
  // Samples as they are stored, without gamma: the high byte of 16 bits, no transparency, palettes and bits expanded.
  png_set_strip_16(reader->png);
  png_set_expand(reader->png);
  png_set_gray_to_rgb(reader->png);
  png_set_strip_alpha(reader->png);
  png_set_interlace_handling(reader->png);
  png_read_update_info(reader->png, reader->info);
  *width = png_get_image_width(reader->png, reader->info);
  *height = png_get_image_height(reader->png, reader->info);
  return true;
}
bool ReadRows(Reader *reader, png_bytepp rows) {
  if (setjmp(png_jmpbuf(reader->png))) return false;
  png_read_image(reader->png, rows);
  png_read_end(reader->png, nullptr);
  return true;
}

Picture Decode(const std::string &path, bool grey) {
  CheckReadable(path);
  Reader reader;
  reader.file = std::fopen(path.c_str(), "rb");
  if (!reader.file) throw Usage("'" + path + "' cannot be read: " + std::strerror(errno));
  reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, Report, Ignore);
  if (reader.png) reader.info = png_create_info_struct(reader.png);
  if (!reader.info) throw std::bad_alloc();
  png_uint_32 width = 0, height = 0;
  if (!ReadHeader(&reader, &width, &height))
    throw Usage("'" + path + "' is not a readable PNG file: " + reader.message);
  if (uint64_t{width} * height > uint64_t{1} << 28)
    throw Usage("'" + path + "' has " + std::to_string(width) + " x " + std::to_string(height) +
                " pixels, at most 268435456 are allowed");
  Picture picture;
  picture.width = width;
  picture.height = height;
  picture.channels = grey ? 1 : 3;
  picture.pixels.resize(size_t{3} * width * height);
  std::vector<png_bytep> rows(height);
  for (size_t y = 0; y < height; ++y) rows[y] = picture.pixels.data() + 3 * y * width;
  if (!ReadRows(&reader, rows.data())) throw Usage("'" + path + "' is damaged: " + reader.message);
  if (grey) {  // luma of ITU-R BT.601, as other readers of pictures have it
    for (size_t i = 0; i < size_t{width} * height; ++i) {
      const unsigned char *p = picture.pixels.data() + 3 * i;
      picture.pixels[i] = static_cast<unsigned char>((19595u * p[0] + 38470u * p[1] + 7471u * p[2] + 32768u) >> 16);
    }
    picture.pixels.resize(size_t{width} * height);
  }
  return picture;
}

template <typename T>
void Store(std::vector<char> *bytes, size_t index, T value) {
  std::memcpy(bytes->data() + index * sizeof(T), &value, sizeof value);
}

}  // namespace

Array ReadPng(const std::string &path, const Port &input) {
  size_t rank = input.dims.size();
  if (!input.ranked || rank < 3 || rank > 4)
    throw Usage("input '" + input.name + "' of shape " + ShapeText(input) +
                " does not take a picture: expected 3 or 4 dimensions");
  const int64_t *d = input.dims.data() + (rank - 3);
  auto channels = [](int64_t c) { return c == 1 || c == 3; };
  bool first = channels(d[0]), last = !first && channels(d[2]);
  if (!first && !last) first = d[0] < 0;
  if (!first && !last)
    throw Usage("input '" + input.name + "' of shape " + ShapeText(input) +
                " does not take a picture: no dimension of 1 or 3 channels");
  if (rank == 4 && input.dims[0] > 1)
    throw Usage("input '" + input.name + "' takes a batch of " + std::to_string(input.dims[0]) +
                ", a PNG file is one picture");
  int64_t want = first ? d[0] : d[2];
  Picture picture = Decode(path, want == 1);
  int64_t height = first ? d[1] : d[0], width = first ? d[2] : d[1];
  if (height < 0) height = picture.height;
  if (width < 0) width = picture.width;

  Array array;
  array.data_type = input.data_type;
  if (rank == 4) array.dims.push_back(1);
  if (first) array.dims.insert(array.dims.end(), {picture.channels, height, width});
  else array.dims.insert(array.dims.end(), {height, width, picture.channels});
  size_t count = static_cast<size_t>(height * width * picture.channels);
  array.bytes.resize(count * GeDataTypeBits(input.data_type) / 8);
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      int64_t sy = y * picture.height / height, sx = x * picture.width / width;
      for (int64_t c = 0; c < picture.channels; ++c) {
        unsigned char v = picture.pixels[static_cast<size_t>((sy * picture.width + sx) * picture.channels + c)];
        size_t at = static_cast<size_t>(first ? (c * height + y) * width + x : (y * width + x) * picture.channels + c);
        switch (input.data_type) {
          case C_DT_FLOAT:
            Store(&array.bytes, at, static_cast<float>(v) / 255.0f);
            break;
          case C_DT_DOUBLE:
            Store(&array.bytes, at, static_cast<double>(v) / 255.0);
            break;
          case C_DT_UINT8:
            Store(&array.bytes, at, v);
            break;
          case C_DT_INT32:
            Store(&array.bytes, at, static_cast<int32_t>(v));
            break;
          case C_DT_INT64:
            Store(&array.bytes, at, static_cast<int64_t>(v));
            break;
          default:
            throw Usage("input '" + input.name + "' of type " + TypeText(input.data_type) +
                        " does not take a PNG file");
        }
      }
    }
  }
  return array;
}

}  // namespace tool
