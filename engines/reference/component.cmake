# The reference loops rely on the compiler's vectoriser.
target_compile_options(${target}_objects PRIVATE -O3 -Werror)
