/* Tells if installed packages of Python have entry points of a group. Every process asks before its first compile, and
 * most find none, so this only looks for the group's name; who reads what the files say is Python. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int ends_with(const char *name, const char *end) {
  const size_t length = strlen(name), tail = strlen(end);
  return length >= tail && memcmp(name + length - tail, end, tail) == 0;
}

/* 1 when the file holds the text, which is short; a file that cannot be read holds nothing. */
static int32_t file_names(int folder, const char *file, const char *text) {
  char part[4096];
  const size_t length = strlen(text);
  size_t kept = 0; /* bytes of the part before, in which the text may begin */
  int32_t found = 0;
  ssize_t count = 0;
  const int fd = openat(folder, file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  while (!found && (count = read(fd, part + kept, sizeof part - kept)) > 0) {
    const size_t held = kept + (size_t)count;
    found = memmem(part, held, text, length) != NULL;
    kept = held < length ? held : length - 1;
    memmove(part, part + held - kept, kept);
  }
  close(fd);
  return found;
}

/* 1 when entry_points.txt of a package that is installed in the folder holds the text, else 0. */
int32_t ge_py_packages_name(const char *folder, const char *text) {
  int32_t found = 0;
  const struct dirent *entry;
  DIR *const opened = opendir(folder);
  if (!opened) return 0;
  while (!found && (entry = readdir(opened)) != NULL) {
    char file[sizeof entry->d_name + sizeof "/entry_points.txt"];
    if (!ends_with(entry->d_name, ".dist-info") && !ends_with(entry->d_name, ".egg-info")) continue;
    snprintf(file, sizeof file, "%s/entry_points.txt", entry->d_name);
    found = file_names(dirfd(opened), file, text);
  }
  closedir(opened);
  return found;
}
