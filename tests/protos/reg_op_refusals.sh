#!/usr/bin/env bash
# What the compiler has to say of prototypes: names that differ are refused with a message that says so, and
# DISABLE_COMPILE_V1 leaves the class without registering it.
#   reg_op_refusals.sh COMPILER SOURCE_DIR
set -euo pipefail
compile() {
  "$1" -std=c++17 -fsyntax-only "-I$2" "-I$2/capi/include" "${@:3}" -x c++ - 2>&1
}
differs='#include "graph/operator_reg.h"
namespace ge { REG_OP(One).OP_END_FACTORY_REG(Two) }'
for headers in cxx/include protos/table; do
  standard=-std=c++17
  [ "$headers" = protos/table ] && standard=-std=c++20
  if message=$(compile "$1" "$2" $standard "-I$2/$headers" <<<"$differs"); then
    echo "$headers: names that differ were accepted" >&2
    exit 1
  fi
  grep -q "REG_OP and OP_END_FACTORY_REG must" <<<"$message" || { echo "$headers: $message" >&2; exit 1; }
done

class_only='#include "graph/operator_reg.h"
namespace ge { REG_OP(One).INPUT(x, T).OP_END_FACTORY_REG(One) }
int main() { return ge::op::One("n").name_in_x() == "x" ? 0 : 1; }'
for define in -DDISABLE_COMPILE_V1 -DCOMPILE_V1; do
  # The registration is the one object of static storage that the class does not need.
  count=$("$1" -std=c++17 -E -P "-I$2" "-I$2/capi/include" "-I$2/cxx/include" $define -x c++ - <<<"$class_only" |
    grep -c "OperatorCreatorRegister g_register" || true)
  [ "$define:$count" = "-DDISABLE_COMPILE_V1:0" ] || [ "$define:$count" = "-DCOMPILE_V1:1" ] ||
    { echo "$define: $count registrations" >&2; exit 1; }
done
compile "$1" "$2" "-I$2/cxx/include" -DDISABLE_COMPILE_V1 <<<"$class_only"
