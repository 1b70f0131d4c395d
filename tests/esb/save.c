/* Builds the graph of fifty.c and writes it: save PATH. Linked with libesb.a, and with libge.so. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fifty.h"

int main(int argc, char **argv) {
  EsCGraph *graph = argc == 2 ? Fifty() : NULL;
  void *bytes = NULL, *file_bytes;
  size_t size = 0, file_size;
  FILE *file;
  if (graph == NULL || esb_graph_save(graph, argv[1]) != 0 || esb_graph_to_bytes(graph, &bytes, &size) != 0) {
    fprintf(stderr, "save: %s\n", esb_last_error());
    return 1;
  }
  esb_graph_destroy(graph);
  /* What goes to a file and what goes to memory is the same. */
  file = fopen(argv[1], "rb");
  if (file == NULL) return 2;
  file_bytes = malloc(size + 1);
  if (file_bytes == NULL) return 2;
  file_size = fread(file_bytes, 1, size + 1, file);
  fclose(file);
  if (file_size != size || memcmp(bytes, file_bytes, size) != 0) {
    fprintf(stderr, "save: the file has %lu bytes, memory %lu, or they differ\n", (unsigned long)file_size,
            (unsigned long)size);
    return 3;
  }
  free(file_bytes);
  esb_bytes_destroy(bytes);
  printf("%s\n", esb_version());
  return 0;
}
