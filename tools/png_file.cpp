#include "png_file.h"

#include <png.h>

#include <cstring>

#include "file.h"

namespace tool {
namespace {

struct Picture {
  int64_t width = 0, height = 0, channels = 0;
  std::vector<unsigned char> pixels;  // H, W, C
};

Picture Decode(const std::string &path, bool grey) {
  CheckReadable(path);
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&image, path.c_str()))
    throw Usage("'" + path + "' is not a readable PNG file: " + image.message);
  image.format = grey ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  Picture picture;
  picture.width = image.width;
  picture.height = image.height;
  picture.channels = grey ? 1 : 3;
  if (picture.width * picture.height > int64_t{1} << 28) {
    png_image_free(&image);
    throw Usage("'" + path + "' is too large");
  }
  picture.pixels.resize(PNG_IMAGE_SIZE(image));
  png_color white = {255, 255, 255};  // what shows through transparent pixels
  if (!png_image_finish_read(&image, &white, picture.pixels.data(), 0, nullptr))
    throw Usage("'" + path + "' is damaged: " + image.message);
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
