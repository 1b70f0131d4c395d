#include "npy.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "file.h"
#include "native.h"

namespace tool {
namespace {

struct TypeRow {
  const char *descr;  // NumPy's text without the byte order
  int32_t data_type;
};
constexpr TypeRow kTypes[] = {
    {"f4", C_DT_FLOAT},  {"f2", C_DT_FLOAT16}, {"f8", C_DT_DOUBLE},    {"i1", C_DT_INT8},        {"i2", C_DT_INT16},
    {"i4", C_DT_INT32},  {"i8", C_DT_INT64},   {"u1", C_DT_UINT8},     {"u2", C_DT_UINT16},      {"u4", C_DT_UINT32},
    {"u8", C_DT_UINT64}, {"b1", C_DT_BOOL},    {"c8", C_DT_COMPLEX64}, {"c16", C_DT_COMPLEX128}, {"u2", C_DT_BF16},
};
constexpr uint64_t kMaxBytes = uint64_t{1} << 36;

std::string Read(const std::string &path) {
  CheckReadable(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Usage("'" + path + "' cannot be read: " + std::strerror(errno));
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (text.empty()) throw Usage("'" + path + "' is empty");
  return text;
}

void SwapBytes(std::vector<char> *bytes, size_t element) {
  for (size_t at = 0; at + element <= bytes->size(); at += element)
    std::reverse(bytes->begin() + static_cast<std::ptrdiff_t>(at),
                 bytes->begin() + static_cast<std::ptrdiff_t>(at + element));
}

// Column by column to row by row.
std::vector<char> RowMajor(const std::vector<char> &columns, const std::vector<int64_t> &dims, size_t element) {
  std::vector<char> rows(columns.size());
  std::vector<int64_t> index(dims.size(), 0);
  std::vector<size_t> stride(dims.size());
  size_t step = element;
  for (size_t i = 0; i < dims.size(); ++i) {
    stride[i] = step;
    step *= static_cast<size_t>(dims[i]);
  }
  for (size_t at = 0; at < rows.size(); at += element) {
    size_t from = 0;
    for (size_t i = 0; i < dims.size(); ++i) from += static_cast<size_t>(index[i]) * stride[i];
    std::memcpy(rows.data() + at, columns.data() + from, element);
    for (size_t i = dims.size(); i-- > 0 && ++index[i] == dims[i];) index[i] = 0;
  }
  return rows;
}

// Value text of a key in the header's Python dictionary, up to the next key or the end.
std::string HeaderValue(const std::string &header, const std::string &key, const std::string &where) {
  size_t at = header.find("'" + key + "'");
  if (at == std::string::npos) throw Usage(where + ": the .npy header has no '" + key + "'");
  at = header.find(':', at);
  if (at == std::string::npos) throw Usage(where + ": malformed .npy header");
  return header.substr(at + 1);
}

Array Parse(const char *data, size_t size, const std::string &where) {
  if (size < 12 || std::memcmp(data, "\x93NUMPY", 6) != 0) throw Usage(where + " is not a .npy file");
  int major = static_cast<unsigned char>(data[6]);
  if (major < 1 || major > 3) throw Usage(where + ": unknown .npy version " + std::to_string(major));
  const unsigned char *u = reinterpret_cast<const unsigned char *>(data);
  size_t length = major == 1 ? u[8] | u[9] << 8 : u[8] | u[9] << 8 | u[10] << 16 | static_cast<size_t>(u[11]) << 24;
  size_t start = major == 1 ? 10 : 12;
  if (length > size - start) throw Usage(where + " is truncated");
  std::string header(data + start, length);

  Array array;
  std::string descr = HeaderValue(header, "descr", where);
  size_t open = descr.find('\''), close = open == std::string::npos ? open : descr.find('\'', open + 1);
  if (close == std::string::npos) throw Usage(where + ": structured .npy types are not supported");
  descr = descr.substr(open + 1, close - open - 1);
  bool found = false;
  for (const TypeRow &row : kTypes) {
    if (descr.size() > 1 && descr.substr(1) == row.descr) {
      array.data_type = row.data_type;
      found = true;
      break;
    }
  }
  uint64_t element = found ? GeDataTypeBits(array.data_type) / 8 : 0;
  if (!found) throw Usage(where + ": type '" + descr + "' is not supported");

  std::string order = HeaderValue(header, "fortran_order", where);
  bool columns = order.find("True") < order.find("False");
  std::string shape = HeaderValue(header, "shape", where);
  size_t from = shape.find('('), to = shape.find(')');
  if (from == std::string::npos || to == std::string::npos) throw Usage(where + ": malformed .npy shape");
  uint64_t bytes = element;
  for (size_t at = from + 1; at < to;) {
    if (shape[at] < '0' || shape[at] > '9') {
      ++at;
      continue;
    }
    uint64_t dim = 0;
    for (; at < to && shape[at] >= '0' && shape[at] <= '9'; ++at) {
      dim = dim * 10 + static_cast<uint64_t>(shape[at] - '0');
      if (dim > kMaxBytes) throw Usage(where + ": a dimension is too large");
    }
    array.dims.push_back(static_cast<int64_t>(dim));
    if (dim && bytes > kMaxBytes / dim) throw Usage(where + ": the array is too large");
    bytes *= dim;
  }
  if (bytes > size - start - length)
    throw Usage(where + " is truncated: it holds " + std::to_string(size - start - length) +
                " bytes of data, expected " + std::to_string(bytes));
  array.bytes.assign(data + start + length, data + start + length + bytes);
  bool complex = array.data_type == C_DT_COMPLEX64 || array.data_type == C_DT_COMPLEX128;
  if (descr[0] == '>') SwapBytes(&array.bytes, complex ? element / 2 : element);
  if (columns && array.dims.size() > 1) array.bytes = RowMajor(array.bytes, array.dims, element);
  return array;
}

std::string Header(const Array &array) {
  std::string descr;
  for (const TypeRow &row : kTypes)
    if (descr.empty() && row.data_type == array.data_type) descr = row.descr;
  if (descr.empty())
    throw Error(std::string("type ") + GeDataTypeName(array.data_type) + " cannot be stored in a .npz file");
  std::string order = GeDataTypeBits(array.data_type) == 8 ? "|" : "<", shape = "(";
  for (int64_t dim : array.dims) shape += std::to_string(dim) + ", ";
  if (array.dims.size() > 1) shape.resize(shape.size() - 2);
  else if (array.dims.size() == 1) shape.pop_back();
  std::string text = "{'descr': '" + order + descr + "', 'fortran_order': False, 'shape': " + shape + "), }";
  size_t total = 10 + text.size() + 1;
  text.append((64 - total % 64) % 64, ' ');
  text += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(text.size() & 255);
  out += static_cast<char>(text.size() >> 8);
  return out + text;
}

uint32_t U16(const std::string &s, size_t at) {
  return static_cast<unsigned char>(s[at]) | static_cast<unsigned char>(s[at + 1]) << 8;
}
uint32_t U32(const std::string &s, size_t at) { return U16(s, at) | U16(s, at + 2) << 16; }
uint64_t U64(const std::string &s, size_t at) { return U32(s, at) | static_cast<uint64_t>(U32(s, at + 4)) << 32; }

void Put(std::string *out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) *out += static_cast<char>(value >> (8 * i) & 255);
}

std::string Inflate(const char *data, size_t size, uint64_t expected, const std::string &where) {
  std::string out(expected, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw Error("out of memory");
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(data));
  size_t fed = 0, made = 0;
  int status = Z_OK;
  while (status == Z_OK) {  // zlib counts in 32 bits
    uInt in = static_cast<uInt>(std::min<size_t>(size - fed, 1u << 30));
    uInt room = static_cast<uInt>(std::min<uint64_t>(expected - made, 1u << 30));
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(data + fed));
    stream.avail_in = in;
    stream.next_out = reinterpret_cast<Bytef *>(&out[made]);
    stream.avail_out = room;
    status = inflate(&stream, Z_NO_FLUSH);
    fed += in - stream.avail_in;
    made += room - stream.avail_out;
    if (status == Z_OK && in == stream.avail_in && room == stream.avail_out) break;
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END || made != expected) throw Usage(where + " is damaged");
  return out;
}

}  // namespace

Array ReadNpy(const std::string &path) {
  std::string data = Read(path);
  return Parse(data.data(), data.size(), "'" + path + "'");
}

std::map<std::string, Array> ReadNpz(const std::string &path) {
  std::string file = Read(path), where = "'" + path + "'";
  size_t end = file.size() < 22 ? std::string::npos : file.rfind(std::string("PK\5\6", 4));
  if (end == std::string::npos || end + 22 > file.size()) throw Usage(where + " is not a .npz file");
  uint64_t count = U16(file, end + 10), at = U32(file, end + 16);
  size_t locator = file.rfind(std::string("PK\6\7", 4), end);
  if (locator != std::string::npos && locator + 20 <= file.size()) {  // zip64
    uint64_t record = U64(file, locator + 8);
    if (record > file.size() || file.size() - record < 56 || file.compare(record, 4, "PK\6\6", 4) != 0)
      throw Usage(where + " is damaged");
    count = U64(file, record + 32);
    at = U64(file, record + 48);
  }
  std::map<std::string, Array> arrays;
  constexpr uint64_t kMostRatio = 1032;      // of deflate
  uint64_t left = kMostRatio * file.size();  // entries may lie at one place
  for (uint64_t i = 0; i < count; ++i) {
    if (at > file.size() || file.size() - at < 46 || file.compare(at, 4, "PK\1\2", 4) != 0)
      throw Usage(where + " is damaged");
    uint32_t method = U16(file, at + 10), name_size = U16(file, at + 28), extra = U16(file, at + 30);
    uint64_t packed = U32(file, at + 20), plain = U32(file, at + 24), local = U32(file, at + 42);
    uint64_t next = at + 46 + name_size + extra + U16(file, at + 32);
    if (next > file.size()) throw Usage(where + " is damaged");
    std::string name = file.substr(at + 46, name_size);
    for (uint64_t x = at + 46 + name_size; x + 4 <= at + 46 + name_size + extra;) {
      uint32_t id = U16(file, x), length = U16(file, x + 2);
      uint64_t p = x + 4, last = std::min<uint64_t>(p + length, at + 46 + name_size + extra);
      if (id == 1)  // the 64-bit values of those fields that overflowed
        for (uint64_t *field : {&plain, &packed, &local})
          if (*field == 0xffffffffu && p + 8 <= last) {
            *field = U64(file, p);
            p += 8;
          }
      x += 4 + length;
    }
    at = next;
    if (local > file.size() || file.size() - local < 30) throw Usage(where + " is damaged");
    uint64_t start = local + 30 + U16(file, local + 26) + U16(file, local + 28);
    if (start > file.size() || packed > file.size() - start || plain > kMaxBytes) throw Usage(where + " is damaged");
    std::string entry = where + ", entry '" + name + "'";
    if (name.size() > 4 && name.compare(name.size() - 4, 4, ".npy") == 0) name.resize(name.size() - 4);
    if (method == 0) {
      arrays[name] = Parse(file.data() + start, packed, entry);
    } else if (method == 8) {
      if (plain > kMostRatio * (packed + 1))
        throw Usage(entry + " claims " + std::to_string(plain) + " bytes, its " + std::to_string(packed) +
                    " packed ones hold " + std::to_string(kMostRatio * (packed + 1)) + " at most");
      if (plain > left) throw Usage(where + " claims more than its " + std::to_string(file.size()) + " bytes can hold");
      left -= plain;
      std::string data = Inflate(file.data() + start, packed, plain, entry);
      arrays[name] = Parse(data.data(), data.size(), entry);
    } else {
      throw Usage(entry + ": compression method " + std::to_string(method) + " is not supported");
    }
  }
  return arrays;
}

void WriteNpz(const std::string &path, const std::vector<std::pair<std::string, const Array *>> &arrays) {
  OutputFile file(path);
  std::string directory;
  uint64_t offset = 0;
  for (const auto &[key, array] : arrays) {
    std::string name = key + ".npy", header = Header(*array);
    uint64_t size = header.size() + array->bytes.size();
    uLong crc = crc32_z(0, reinterpret_cast<const Bytef *>(header.data()), header.size());
    // Of no bytes at no address zlib gives the start value, not what was there.
    if (!array->bytes.empty())
      crc = crc32_z(crc, reinterpret_cast<const Bytef *>(array->bytes.data()), array->bytes.size());
    bool large = size >= 0xffffffffu || offset >= 0xffffffffu;
    std::string extra;
    if (large) {
      Put(&extra, 1, 2);
      Put(&extra, 24, 2);
      Put(&extra, size, 8);
      Put(&extra, size, 8);
      Put(&extra, offset, 8);
    }
    // Version, flags, method, time and date (1980-01-01: the same content gives the same file), checksum, sizes.
    std::string common;
    Put(&common, large ? 45 : 20, 2);
    Put(&common, 0x800, 2);
    Put(&common, 0, 2);
    Put(&common, 0x00210000, 4);
    Put(&common, crc, 4);
    Put(&common, large ? 0xffffffffu : size, 4);
    Put(&common, large ? 0xffffffffu : size, 4);
    Put(&common, name.size(), 2);
    Put(&common, extra.size(), 2);
    std::string local("PK\3\4", 4);
    local += common + name + extra;
    file.Write(local);
    file.Write(header);
    file.Write({array->bytes.data(), array->bytes.size()});
    directory.append("PK\1\2", 4);
    Put(&directory, large ? 45 : 20, 2);
    directory += common;
    Put(&directory, 0, 2 + 2 + 2 + 4);
    Put(&directory, large ? 0xffffffffu : offset, 4);
    directory += name + extra;
    offset += local.size() + size;
  }
  std::string end;
  bool large = offset >= 0xffffffffu || arrays.size() >= 0xffffu;
  if (large) {
    end.append("PK\6\6", 4);
    Put(&end, 44, 8);
    Put(&end, 45, 2);
    Put(&end, 45, 2);
    Put(&end, 0, 8);
    Put(&end, arrays.size(), 8);
    Put(&end, arrays.size(), 8);
    Put(&end, directory.size(), 8);
    Put(&end, offset, 8);
    end.append("PK\6\7", 4);
    Put(&end, 0, 4);
    Put(&end, offset + directory.size(), 8);
    Put(&end, 1, 4);
  }
  end.append("PK\5\6", 4);
  Put(&end, 0, 4);
  Put(&end, std::min<uint64_t>(arrays.size(), 0xffff), 2);
  Put(&end, std::min<uint64_t>(arrays.size(), 0xffff), 2);
  Put(&end, directory.size(), 4);
  Put(&end, large ? 0xffffffffu : offset, 4);
  Put(&end, 0, 2);
  file.Write(directory);
  file.Write(end);
  file.Close();
}

}  // namespace tool
