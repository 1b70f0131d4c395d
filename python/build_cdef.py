#!/usr/bin/env python3
"""Writes the C sources of the extension modules from the public C headers: ge._ge_cffi, and ge._es_cffi for the generated
operators, which a program that only loads and runs models never opens.

The declarations are the headers themselves: the C preprocessor expands them without system headers, function bodies are
dropped, and the result goes to cffi. Nothing is kept by hand, so a function that is added to a header is callable from
Python after the next build.

    python build_cdef.py --include capi/include [--include <dir>] --header ge/model.h … --output _ge_cffi.c
                         [--operators es_all_ops_c.h --operators-output _es_cffi.c]
"""

import argparse
import os
import re
import subprocess
import tempfile

# Types of the system headers that cffi knows by itself.
SYSTEM_HEADERS = ("stdint.h", "stddef.h", "stdbool.h", "string.h", "limits.h", "cstdint", "cstddef")

# Functions of Python that the library calls. Each has a C function of its name in front of it, which goes through the gate of
# callbacks.c and then calls the function of Python, named without "ge_".
CALLBACKS = """
void ge_py_text(void *user, const char *text, size_t length);
void ge_py_release(void *user);
void *ge_py_allocate(void *user, uint64_t size, void **block);
int32_t ge_py_interrupted(void *user);
void ge_py_give_back(void *user, void *block);
GeStatus ge_py_pass_create(void *user, void **instance);
GeStatus ge_py_pass_run(void *user, void *instance, GeGraph *graph, GePassContext *context);
void ge_py_pass_destroy(void *user, void *instance);
int32_t ge_py_match_meets(void *user, GeMatch *match, GePassContext *context);
GeStatus ge_py_match_replace(void *user, GeMatch *match, GePassContext *context, GeGraph **out);
int32_t ge_py_node_meets(void *user, GeNode *node, GePassContext *context);
GeStatus ge_py_node_replace(void *user, GeNode *node, GePassContext *context, GeGraph **out);
GeStatus ge_py_pass_apply(void *user, GeGraph *graph, GePassContext *context);
GeStatus ge_py_instrument_enter(void *user);
GeStatus ge_py_instrument_exit(void *user);
GeStatus ge_py_instrument_should_run(void *user, GeGraph *graph, const GePassInfo *info, int32_t *run);
GeStatus ge_py_instrument_before(void *user, GeGraph *graph, const GePassInfo *info);
GeStatus ge_py_instrument_after(void *user, GeGraph *graph, const GePassInfo *info);
"""
# Passes and instruments are of the main interpreter.
MAIN_INTERPRETER = re.compile("ge_py_(pass|match|node|instrument)_")

# Where the gate is closed the result is zero, or a status that says so.
CALLBACK = """
static {result} {function}({parameters});
static {result} ge_{function}({parameters}) {{
  int32_t lock;
  const char *const reason = ge_py_callback_begins({of_main}, &lock);
  if (reason) return {refused};
  {keep}{function}({arguments});
  ge_py_callback_ends(lock);
  {give}
}}
"""

# Of callbacks.c, wait_for_threads.c, dlpack.c, environment.c, packages.c and release.c, which are compiled into the module.
WRITTEN = """
void ge_py_close(void);
const char *ge_py_refusal(void);
void ge_py_watch_forks(void);
void ge_py_wait_for_threads(void);
void *ge_py_dlpack_make(GeTensor *tensor, uint8_t code, uint8_t bits, int32_t versioned, uint64_t flags);
int32_t ge_py_dlpack_take(GeTensor *tensor, void *held, int32_t versioned, void *data, uint64_t size);
const char *ge_py_dlpack_name(int32_t versioned);
void ge_py_dlpack_free(void *capsule);
const char *ge_py_environment(size_t index);
int32_t ge_py_packages_name(const char *folder, const char *text);
void ge_py_release_with(void (*function)(void *user));
void ge_py_release_held(void *user);
"""


def including(headers):
    return "".join(f'#include "{h}"\n' for h in headers)


def preprocess(compiler, includes, headers, *options, without=()):
    """The headers expanded, except for what the headers `without` bring."""
    with tempfile.TemporaryDirectory() as folder:
        for name in SYSTEM_HEADERS:
            open(os.path.join(folder, name), "w").close()
        source, known = os.path.join(folder, "all.c"), os.path.join(folder, "known.h")
        for path, content in ((source, headers), (known, without)):
            with open(path, "w") as f:
                f.write(including(content))
        command = [compiler, "-E", "-P", "-undef", "-nostdinc", "-x", "c", *options, "-I", folder, "-imacros", known]
        for i in includes:
            command += ["-I", i]
        return subprocess.run([*command, source], check=True, capture_output=True, text=True).stdout


def drop_bodies(text):
    """Removes `static inline` functions with their bodies."""
    out, at = [], 0
    for m in re.finditer(r"\bstatic\s+inline\b", text):
        if m.start() < at:
            continue
        out.append(text[at : m.start()])
        i = text.index("{", m.end())
        depth = 1
        while depth:
            i += 1
            depth += {"{": 1, "}": -1}.get(text[i], 0)
        at = i + 1
    return "".join(out) + text[at:]


def repeated(text):
    """Drops repeated forward declarations (`typedef struct X X;`), which every header may state for itself."""
    seen, lines = set(), []
    for line in text.splitlines():
        if re.fullmatch(r"\s*(typedef )?struct \w+( \w+)?;\s*", line):
            key = " ".join(line.split())
            if key in seen:
                continue
            seen.add(key)
        lines.append(line)
    return "\n".join(lines)


def constants(text):
    """Integer macros of the headers, as `#define NAME ...` (cffi asks the compiler for the value)."""
    number = r"-?(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*"
    names = re.findall(rf"^#define (GE_[A-Z0-9_]+) \(*{number}(?: ?- ?\d+)?\)*\s*$", text, re.M)
    return "".join(f"#define {n} ...\n" for n in sorted(set(names)))


def declarations(compiler, includes, headers):
    plain = preprocess(compiler, includes, headers)
    macros = preprocess(compiler, includes, headers, "-dM")
    return constants(macros) + repeated(drop_bodies(plain)) + CALLBACKS + called_in_python() + WRITTEN


def module(name, declared, source, output, base=None):
    """Writes the source of an extension module; it knows the types of `base`, a module that was made before."""
    import cffi

    ffi = cffi.FFI()
    if base is not None:
        ffi.include(base)
    ffi.cdef(declared)
    ffi.set_source(name, source)
    ffi.emit_c_code(output)
    os.utime(output)  # also when the content stays: the build compares times
    return ffi


def callbacks():
    """Result, name and parameters of each callback."""
    return re.findall(r"^(.*?)(ge_py_\w+)\((.*)\);$", CALLBACKS, re.M)


def called_in_python():
    """The functions of Python, for cffi."""
    return "".join(f'extern "Python" {result}{name[3:]}({parameters});\n' for result, name, parameters in callbacks())


def gates():
    """The C functions in front of them."""
    source = [
        "const char *ge_py_callback_begins(int32_t of_main_interpreter, int32_t *lock);\n",
        "void ge_py_callback_ends(int32_t lock);\n",
    ]
    for result, name, parameters in callbacks():
        result, of_main = result.strip(), int(MAIN_INTERPRETER.match(name) is not None)
        nothing = result == "void"
        told = of_main and result == "GeStatus"
        source.append(
            CALLBACK.format(
                result=result,
                function=name[3:],
                parameters=parameters,
                arguments=", ".join(re.findall(r"(\w+)(?:,|$)", parameters)),
                of_main=of_main,
                refused="GeSetLastError(GE_FAILED, reason)" if told else "" if nothing else "0",
                keep="" if nothing else f"{result} result = ",
                give="" if nothing else "return result;",
            )
        )
    return "".join(source)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cc", default=os.environ.get("CC", "cc"))
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--header", action="append", default=[])
    parser.add_argument("--output", required=True)
    parser.add_argument("--operators")
    parser.add_argument("--operators-output")
    args = parser.parse_args()

    declared = declarations(args.cc, args.include, args.header)
    core = module("ge._ge_cffi", declared, including(args.header) + WRITTEN + gates(), args.output)
    if args.operators:
        declared = drop_bodies(preprocess(args.cc, args.include, [args.operators], without=args.header))
        module("ge._es_cffi", declared, including([*args.header, args.operators]), args.operators_output, core)


if __name__ == "__main__":
    main()
