// NumPy's .npy and .npz files, as far as plain arrays need them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tool {

// A dense, row-major, little-endian array.
struct Array {
  int32_t data_type = 0;  // C_DataType
  std::vector<int64_t> dims;
  std::vector<char> bytes;
};

// Fortran order and big-endian arrays are refused by name. Throws Error with the file and the reason.
Array ReadNpy(const std::string &path);
std::map<std::string, Array> ReadNpz(const std::string &path);
// Entries are stored, not compressed, in the order given.
void WriteNpz(const std::string &path, const std::vector<std::pair<std::string, const Array *>> &arrays);

}  // namespace tool
