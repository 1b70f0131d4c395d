#!/bin/sh
# Compiler launcher: ccache.sh CCACHE COMPILER ARGUMENTS…. A precompiled header that is there already counts as something the
# compiler reads, so one that is made anew over an old one would be remembered as another than the same one in a new folder,
# and with it all that is compiled with it. So the old one goes first.
set -e
export CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_INODECACHE=1
# include_file_*: the precompiled header is compiled right after CMake wrote its source, which is no reason not to remember it.
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
for word; do
  [ "$last" != -o ] || case $word in *.gch) rm -f "$word" ;; esac
  last=$word
done
exec "$@"
