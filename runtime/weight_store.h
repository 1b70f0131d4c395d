// Packed weights in a file: what one process packed the next one maps.
//
// The file holds a header, an index and the packed forms. The index says of each form which constant it was made of, by
// a hash of the constant's content and, where the constant lay in a file, by that file's identity; the engine's key;
// and place and size. A file that is cut, garbled, of another version, library or processor counts as not there, and is
// written anew. It is written beside its place and renamed, so readers see all of it or nothing; of several writers the
// last one's file stays, and each maps what it found.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/tensor.h"
#include "core/support/content_hash.h"

namespace gec {

class WeightStore {
 public:
  /// Looks at the file, if there is one. `made_by`: everything beside content and key that packed forms follow from; a
  /// file with another text is made anew.
  WeightStore(std::string path, std::string made_by);

  struct Form {
    ContentHash content, identity;  // of the constant; no identity: zeros
    std::string key;                // the engine's
    std::shared_ptr<Buffer> buffer;
  };
  /// The form of a constant with this identity, or this content; null where the file has none. Any thread.
  std::shared_ptr<Buffer> FindByIdentity(const ContentHash &identity, const std::string &key, uint64_t bytes);
  std::shared_ptr<Buffer> FindByContent(const ContentHash &content, const ContentHash &identity, const std::string &key,
                                        uint64_t bytes);
  /// A form that was packed here.
  void Add(Form form);
  /// Writes the file, where forms were added or the index knows other identities than those that were asked for. What
  /// keeps it from that is logged, and told by Note.
  void Save() noexcept;

  struct State {
    std::string path, note;  // note: why there is no file, or why it was made anew
    uint64_t found = 0, packed = 0;
    bool written = false;
  };
  State state() const;

 private:
  struct Mapping;
  struct Entry {
    ContentHash content, identity;
    uint64_t offset = 0, bytes = 0;
  };
  void Read();
  std::shared_ptr<Buffer> Use(const Entry &entry, const ContentHash &identity, const std::string &key);
  void Write(const std::vector<Form> &forms);

  const std::string path_, made_by_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Mapping> mapping_;
  std::multimap<std::string, Entry> entries_;  // by key
  std::vector<Form> used_;                     // found and added, in this order
  bool changed_ = false;
  State state_;
  int writes_ = 0;
};

}  // namespace gec
