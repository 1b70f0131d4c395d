// A set of prototypes as the command line names it.
#pragma once

#include <string>

#include "codegen/proto_diff.h"

namespace tool {

constexpr const char kSetHelp[] =
    "a history package (its last release), PACKAGE@VERSION, an operators.json, a prototype library or a folder of "
    "them, or "
    "'builtin': the prototypes of this installation";

/// Reads a set; throws tool::Error with the exit code of wrong usage when it cannot be read.
codegen::ProtoSet ReadSet(const std::string &name);

/// The history package of this installation: <prefix>/opp/history_registry/all beside this program.
std::string InstalledHistory();

}  // namespace tool
