#!/bin/sh
# Builds the Lua module as docs/bindings.md says and runs a script with it:
# lua.sh FOLDER SWIG INTERFACE CC INCLUDE LIB LUA_INCLUDE LUA SCRIPT
set -eu
folder=$1 swig=$2 interface=$3 cc=$4 include=$5 lib=$6 lua_include=$7 lua=$8 script=$9
mkdir -p "$folder"
cd "$folder"
"$swig" -lua -DSWIGWORDSIZE64 -I"$interface" -o openge_lua.c "$interface/openge.i"
"$cc" -shared -fPIC -w -fno-strict-aliasing -I"$include" -I"$lua_include" openge_lua.c -o openge.so -L"$lib" -lge -Wl,-rpath,"$lib"
LUA_CPATH="$folder/?.so" "$lua" "$script"
