// The forms of prototypes as the library's own macros read them.
#include <gtest/gtest.h>

// protos/table comes first on the include path of this file.
#include "tests/protos/reg_op_dump.h"
#include "tests/protos/reg_op_expected.h"
#include "tests/protos/reg_op_forms.h"

namespace gec {
namespace {

TEST(RegOpForms, TheLibrarysMacrosRecordThem) {
  void (*const declare[])(PrototypeBuilder &) = {
      ge::Declare_FormComments, ge::Declare_FormMacros,   ge::Declare_FormSets,  ge::Declare_FormSymbols,
      ge::Declare_FormDefaults, ge::Declare_FormRequired, ge::Declare_FormOrder, ge::Declare_FormNothing,
      ge::Declare_FormGraphs,   ge::Declare_FormNames};
  for (size_t i = 0; i < std::size(declare); ++i) {
    PrototypeBuilder builder;
    declare[i](builder);
    EXPECT_STREQ(builder.type(), kExpectedForms[i].type);
    EXPECT_EQ(Dump(builder.Schema()), kExpectedForms[i].text) << kExpectedForms[i].type;
  }
}

}  // namespace
}  // namespace gec
