"""scripts/checks/sizes.py finds functions where they begin and counts all their lines."""

import importlib.util
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sizes = load(ROOT / "scripts" / "checks" / "sizes.py")
slowest = load(ROOT / "scripts" / "checks" / "slowest.py")


def found(text):
    return [(name, line, lines) for name, line, lines in sizes.c_functions(text)]


def test_functions_of_namespaces_and_classes():
    text = """namespace a {
class B : public C<int> {
 public:
  explicit B(int x)
      : x_(x) {
    use(x);
  }
  int x_{0};
};
template <class T>
int Long(const T &t,
         int more) {
  auto lambda = [&](int v) { return v + more; };
  for (;;) {
  }
  return lambda(1);
}
}  // namespace a
"""
    assert found(text) == [("B", 4, 4), ("Long", 11, 7)]


def test_what_is_no_function():
    text = """struct A { int x = f(1); };
const int table[] = {f(1), f(2)};
enum class E { kOne = g(1) };
extern "C" {
int real(void) { return 1; }
}
"""
    assert found(text) == [("real", 5, 1)]


def test_braces_in_text_do_not_count():
    text = """#define OPEN {
int f() {
  // }
  char c = '}';
  const char *s = "}}";
  const char *r = R"x(})x";
  /* } */
  return 1'000;
}
"""
    assert found(text) == [("f", 2, 8)]


def test_a_macro_call_without_a_semicolon_is_not_the_beginning():
    text = """REG_OP(Save)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(Save)

        namespace {
  int f(int x) {
    return x;
  }
}
REGISTER(F)

int g() {
  return 1;
}
"""
    assert found(text) == [("f", 6, 3), ("g", 12, 3)]


def test_functions_of_python():
    assert sizes.python_functions("def f(\n    x,\n):\n    return x\n") == [("f", 1, 4)]


def test_the_slowest_tests(tmp_path, capsys, monkeypatch):
    (tmp_path / "python.xml").write_text(
        '<testsuites><testsuite><testcase classname="tests.python.test_es" name="test_a" time="2.5"/>'
        '<testcase classname="tests.python.test_es" name="test_b" time="0.1"/></testsuite></testsuites>'
    )
    (tmp_path / "release.xml").write_text('<testsuite><testcase name="plan" classname="plan" time="7"/></testsuite>')
    monkeypatch.setattr("sys.argv", ["slowest.py", str(tmp_path), "2"])
    slowest.main()
    assert capsys.readouterr().out.splitlines() == [
        "the slowest of 3 tests:",
        "      7.0 s  release: plan",
        "      2.5 s  python: test_es::test_a",
    ]
