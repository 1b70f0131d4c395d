// Instruments: a program's own, from tables of callbacks, and the library's by name.
#include <memory>

#include "capi/src/transform_handles.h"
#include "core/compile/find_instrument.h"

namespace gec::api {

std::vector<PassInstrumentPtr> InstrumentsOf(GeInstrument *const *list, size_t count, const char *function) {
  if (count != 0 && !list) NullArgument(function, "instruments");
  std::vector<PassInstrumentPtr> instruments;
  for (size_t i = 0; i < count; ++i) instruments.push_back(ValidOf(list[i], function, "instrument").instrument);
  return instruments;
}

namespace {

class TableInstrument : public PassInstrument {
 public:
  explicit TableInstrument(const GeInstrumentTable &table) : table_(table), name_(table.name ? table.name : "") {}
  ~TableInstrument() override {
    if (table_.destroy) table_.destroy(table_.user);
  }
  TableInstrument(const TableInstrument &) = delete;
  TableInstrument &operator=(const TableInstrument &) = delete;

  std::string name() const override { return name_; }
  void EnterScope() override { Call("enter", table_.enter); }
  void ExitScope() override { Call("exit", table_.exit); }
  bool ShouldRun(Graph &root, const PassInfo &info) override {
    int32_t run = 1;
    CallWithPass("should_run", root, info, table_.should_run, &run);
    return run != 0;
  }
  void RunBefore(Graph &root, const PassInfo &info) override { CallWithPass("before", root, info, table_.before); }
  void RunAfter(Graph &root, const PassInfo &info, const PassRun &) override {
    CallWithPass("after", root, info, table_.after);
  }

 private:
  template <class F>
  void Call(const char *what, F function) {
    if (!function) return;
    GeClearLastError();
    if (const GeStatus status = function(table_.user); status != GE_SUCCESS)
      FailAs(status, Str("pass instrument '", name_, "': ", what));
  }
  template <class F, class... More>
  void CallWithPass(const char *what, Graph &root, const PassInfo &info, F function, More... more) {
    if (!function) return;
    BorrowedGraph handle(root);
    std::vector<const char *> required;
    GePassInfo c_info = InfoOf(info, required);
    c_info.struct_size = sizeof c_info;
    GeClearLastError();
    if (const GeStatus status = function(table_.user, handle.get(), &c_info, more...); status != GE_SUCCESS)
      FailAs(status, Str("pass instrument '", name_, "': ", what, " of pass '", info.name, "'"));
  }

  GeInstrumentTable table_;
  const std::string name_;
};

}  // namespace
}  // namespace gec::api

using namespace gec;
using namespace gec::api;

extern "C" {

GeStatus GeInstrumentMake(const GeInstrumentTable *callers, GeInstrument **out) {
  return Guard([&] {
    if (out) *out = nullptr;
    if (!callers) NullArgument("GeInstrumentMake", "table");
    const GeInstrumentTable table = ReadStruct(*callers, "GeInstrumentMake");
    std::shared_ptr<TableInstrument> made;
    try {
      made = std::make_shared<TableInstrument>(table);
    } catch (...) {
      if (table.destroy) table.destroy(table.user);
      throw;
    }
    GE_CHECK_ARG(GeInstrumentMake, out);
    if (!table.name) NullArgument("GeInstrumentMake", "table->name");
    auto handle = std::make_unique<GeInstrument>();
    handle->instrument = std::move(made);
    *out = handle.release();
  });
}

GeStatus GeInstrumentFind(const char *name, const char *argument, GeInstrument **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeInstrumentFind, out);
    *out = nullptr;
    GE_CHECK_ARG(GeInstrumentFind, name);
    auto handle = std::make_unique<GeInstrument>();
    handle->instrument = FindInstrument(name, argument ? argument : "");
    *out = handle.release();
  });
}

GeStatus GeInstrumentRetain(const GeInstrument *instrument, GeInstrument **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeInstrumentRetain, out);
    *out = nullptr;
    auto handle = std::make_unique<GeInstrument>();
    handle->instrument = ValidOf(instrument, "GeInstrumentRetain", "instrument").instrument;
    *out = handle.release();
  });
}

void GeInstrumentDestroy(GeInstrument *instrument) {
  if (IsValid(instrument)) Invalidate(instrument);
}

GeStatus GeInstrumentRender(const GeInstrument *instrument, int32_t form, GeTextFn write, void *user) {
  return Guard([&] {
    const PassInstrument &self = *ValidOf(instrument, "GeInstrumentRender", "instrument").instrument;
    if (!write) NullArgument("GeInstrumentRender", "write");
    if (form != GE_INSTRUMENT_TEXT && form != GE_INSTRUMENT_JSON)
      Fail(GE_PARAM_INVALID, "GeInstrumentRender: form is ", form, ", allowed: 0 and 1");
    const std::string text = form == GE_INSTRUMENT_TEXT ? self.Text() : self.Json();
    write(user, text.c_str(), text.size());
  });
}

}  // extern "C"
