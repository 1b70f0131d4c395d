// Tables that each library keeps for itself: what is in them is of C++, which separately compiled libraries do not
// share.
#ifndef INC_GRAPH_DETAIL_LIBRARY_TABLE_H_
#define INC_GRAPH_DETAIL_LIBRARY_TABLE_H_

/// On a class: its functions, and the tables in them, are those of the library that they are compiled into.
#define GE_OF_THIS_LIBRARY __attribute__((visibility("hidden")))

namespace ge {
namespace detail {

/// Made on first use and never destroyed. `Tag` keeps tables of one type apart.
template <class Table, class Tag>
GE_OF_THIS_LIBRARY Table &LibraryTable() {
  static auto *table = new Table;
  return *table;
}

}  // namespace detail
}  // namespace ge

#endif
