// Graphs as files (AIR, air.proto).
#pragma once

#include <string>

#include "core/ir/graph.h"

namespace gec {

/// Writes the graph, the graphs its nodes call, their weights and prototypes. The file appears complete or not at all.
/// Throws GE_PATH_INVALID. The same graph always gives the same bytes.
void SaveAir(const Graph &graph, const std::string &path);
std::string AirBytes(const Graph &graph);

/// Replaces content and name of a root graph; when loading fails it is as before. Throws GE_PATH_INVALID,
/// GE_MODEL_INVALID, GE_BAD_STATE (the graph is a subgraph).
void LoadAir(Graph &graph, const std::string &path);
void LoadAirBytes(Graph &graph, const void *data, size_t size);

/// Puts bytes into a file by writing beside it and renaming, so that a file is there whole or as it was before. What is
/// no regular file (/dev/stdout, a pipe) is written as it is. Throws GE_PATH_INVALID.
class FileWriter {
 public:
  explicit FileWriter(std::string path);
  ~FileWriter();  // without Commit nothing stays
  FileWriter(const FileWriter &) = delete;
  FileWriter &operator=(const FileWriter &) = delete;
  void Write(const void *data, size_t size);
  void Commit();

 private:
  [[noreturn]] void Refuse(const char *what);
  std::string path_, target_, temporary_;  // temporary_ empty: there is nothing to rename
  int fd_ = -1;
};

}  // namespace gec
