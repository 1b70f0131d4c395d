// Folders and sizes of files, by the system's own functions: these headers serve programs in C++11 as well.
#ifndef INC_GE_DETAIL_FILES_H_
#define INC_GE_DETAIL_FILES_H_

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

namespace ge {
namespace detail {

/// The folder that a path names a file of; "" where it names none.
inline std::string FolderOf(const std::string &path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, std::max<size_t>(slash, 1));
}
inline bool IsFolder(const std::string &path) {
  struct stat about;
  return stat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}
/// Of a regular file, or where a link leads; 0 and its size, else errno.
inline int SizeOfFile(const std::string &path, uint64_t &size) {
  struct stat about;
  if (stat(path.c_str(), &about) != 0) return errno;
  if (!S_ISREG(about.st_mode)) return S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
  size = static_cast<uint64_t>(about.st_size);
  return 0;
}
/// Makes a folder and those above it; 0, else errno.
inline int MakeFolders(const std::string &path) {
  for (size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    const std::string folder = path.substr(0, end);
    const int error = mkdir(folder.c_str(), 0777) == 0 ? 0 : errno;
    if (error != 0 && !IsFolder(folder)) return error == EEXIST ? ENOTDIR : error;
  }
  return 0;
}
/// Paths of the files in a folder whose names end so, sorted; none where it cannot be read.
inline std::vector<std::string> FilesOf(const std::string &folder, const std::string &suffix) {
  std::vector<std::string> paths;
  DIR *open = opendir(folder.c_str());
  if (open == nullptr) return paths;
  while (const dirent *entry = readdir(open)) {
    const std::string name = entry->d_name;
    if (name.size() > suffix.size() && name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0)
      paths.push_back(folder + "/" + name);
  }
  (void)closedir(open);
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace detail
}  // namespace ge

#endif
