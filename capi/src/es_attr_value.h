#pragma once

#include "core/ir/attr.h"

namespace gec::api {

/// The argument says what the prototype's default says, without making a copy of it. Generated C++ and Python write a
/// float default with six decimals, so a value that is the default rounded that way counts as the default too.
bool IsDefault(const GeAttrData &given, const AttrValue &fallback);

}  // namespace gec::api
