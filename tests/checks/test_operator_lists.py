"""scripts/checks/operator_lists.py finds a list of operator types in whatever form it is written, and leaves tables of
kernels, single rewrites and messages alone."""

import importlib.util
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


check = load(ROOT / "scripts" / "checks" / "operator_lists.py")
TYPES = {"Relu", "Tanh", "Sigmoid", "Abs", "RandomUniform", "RandomNormal", "RandomPoisson"}
TYPES |= {"HcomAllReduce", "HcomSend", "HcomReceive", "Conv3D", "AvgPool3D", "MaxPool3D"}

FAR = "\n".join(f"  x += {i};" for i in range(40))
LISTS = {
    "array": 'static const Symbol kTypes[] = {"Relu", "Tanh", "Sigmoid"};',
    "set": 'void F() { static const std::set<Symbol> types = {"Relu",  // one\n "Tanh", "Sigmoid"}; G(types); }',
    "one statement of symbols": 'static const Symbol a("Relu"), b("Tanh"), c("Sigmoid");',
    "chain": 'bool F(Symbol t) { return t == "Relu" || t == "Tanh" || t == "Sigmoid"; }',
    "strcmp": 'void F() { if (strcmp(t, "Relu") == 0) A(); else if (strcmp(t, "Tanh") == 0) B();\n'
    ' else if (strcmp(t, "Abs") == 0) C(); }',
    "a symbol a statement": 'static const Symbol a("Relu");\nstatic const Symbol b("Tanh");\nstatic const Symbol c("Abs");',
    "two statements of two symbols": 'bool F(Symbol t) {\n  static const Symbol a("Relu"), b("Tanh");\n'
    '  static const Symbol c("Abs"), d("Sigmoid");\n  return t == a || t == b || t == c || t == d;\n}',
    "emplace": 'void F() {\n  m.emplace("Relu");\n  m.emplace("Tanh");\n  m.emplace("Abs");\n  m.emplace("Sigmoid");\n}',
    "index": 'void F() {\n  m["Relu"] = 1;\n  m["Tanh"] = 2;\n  m["Abs"] = 3;\n}',
    "insert": 'void F() {\n  m.insert("Relu");\n  m.insert("Tanh");\n  m.insert("Abs");\n}',
    "macro": "#define PURE_TYPES(X) X(Relu) X(Tanh) \\\n  X(Abs)\n",
    "joined": 'const char *kPure = "Relu,Tanh,Abs";',
    "part of a name": 'bool F(const std::string &t) { return t.find("Random") != t.npos; }',
    "start of a name": 'bool F(std::string_view t) { return t.starts_with("Hcom"); }',
    "strstr": 'int F(const Node &n) { return strstr(n.type(), "3D") ? 5 : 4; }',
    "opcodes": "bool F(int o) {\n  switch (o) {\n    case GE_FUSED_EXP:\n    case GE_FUSED_LOG:\n    case GE_FUSED_POW:\n"
    "      return true;\n  }\n  return false;\n}",
    "compared opcodes": "bool F(int o) { return o != GE_FUSED_DIV && o != GE_FUSED_POW && o != GE_FUSED_LOG; }",
    "far apart": f'int F(Symbol t) {{\n  if (t == "Relu") return 1;\n{FAR}\n  if (t == "Tanh") return 2;\n{FAR}\n'
    '  return t == "Abs" ? 3 : 4;\n}',
    "calls": 'bool F(const Node &n) { return Is(n, "Relu") || Is(n, "Tanh") || Is(n, "Abs"); }',
    "entries of nothing": 'const Entry kPure[] = {{"Relu"}, {"Tanh"}, {"Sigmoid"}};',
    "entries of numbers": 'const Entry kPure[] = {{"Relu", kSame}, {"Tanh", kSame}, {"Sigmoid", Kind::kView}};',
    "types of one handler": 'const Entry kPure[] = {{{"Relu", "Tanh", "Abs"}, Make}};\nNode *Make(int) { return nullptr; }',
    "in a namespace": 'namespace a {\nnamespace {\nbool F(Symbol t) { return t == "Relu" || t == "Tanh" || t == "Abs"; }\n}\n}',
    "in a class": 'struct A {\n  bool f(Symbol t) const { return t == "Relu" || t == "Tanh" || t == "Abs"; }\n};',
}
HARMLESS = {
    "two": 'bool F(Symbol t) { return t == "Relu" || t == "Tanh"; }',
    "two functions of two": 'bool F(Symbol t) { return t == "Relu" || t == "Tanh"; }\n'
    'bool G(Symbol t) { return t == "Abs" || t == "Sigmoid"; }',
    "comment": '// "Relu", "Tanh", "Sigmoid"\nint x;',
    "no operators": 'static const char *const kModes[] = {"nearest", "linear", "cubic"};',
    "kernels": "Kernel Create(const Node &node) { return {}; }\n"
    'const OpEntry kOps[] = {{"Relu", kFloats, &Create}, {"Tanh", kFloats, &Create}, {"Sigmoid", kFloats, &Create}};',
    "rules": 'Endpoint Same(const Site &s) { return s; }\nconst Entry kRules[] = {\n    {"Relu", "Same", Same},\n'
    '    {"Tanh", "Same", Same},\n    {"Abs", "Same", Same},\n};',
    "nodes": 'void F() { Make("Relu", x); Make("Tanh", x); Make("Abs", x); }',
    "message": 'void F() { Fail(GE_FAILED, "neither Relu nor Tanh nor Abs: ", type); }',
    "words": 'bool F(const std::string &t) { return t.find("in") != t.npos; }',
    "built opcodes": "void F() { Append(GE_FUSED_ADD); Append(GE_FUSED_SQRT); Append(GE_FUSED_DIV); }",
}


@pytest.mark.parametrize("form", LISTS)
def test_every_form_of_a_list_is_found(form):
    assert check.lists(LISTS[form], TYPES), LISTS[form]


@pytest.mark.parametrize("form", HARMLESS)
def test_what_is_no_list(form):
    assert check.lists(HARMLESS[form], TYPES) == []


def test_every_list_of_a_file_is_found():
    text = "\n".join([LISTS["chain"], LISTS["array"], LISTS["chain"].replace("F(", "G(")])
    assert [name for name, _, _ in check.lists(text, TYPES)] == ["F", "kTypes", "G"]


def tree(folder, text):
    (folder / "core").mkdir()
    (folder / "core" / "a.cpp").write_text(text, encoding="utf-8")
    return folder


def test_allowed_names_the_definition_and_its_types(tmp_path):
    root = tree(tmp_path, LISTS["chain"])
    assert check.check(root, TYPES, {"core/a.cpp:F": ("Relu Tanh Sigmoid", "why")}) == []
    assert "Sigmoid" in check.check(root, TYPES, {"core/a.cpp:F": ("Relu Tanh", "why")})[0]
    assert "no longer names Abs" in check.check(root, TYPES, {"core/a.cpp:F": ("Relu Tanh Sigmoid Abs", "why")})[0]
    assert "F lists" in check.check(root, TYPES, {})[0]
    assert "core/b.cpp:F" in check.check(root, TYPES, {"core/a.cpp:F": ("Relu Tanh Sigmoid", ""), "core/b.cpp:F": ("", "")})[0]


def test_the_tree_has_no_other_lists():
    assert check.check(ROOT, check.operator_types(), check.ALLOWED) == []
    assert all(reason for _, reason in check.ALLOWED.values())
