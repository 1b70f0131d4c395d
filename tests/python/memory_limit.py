"""A limit for what a forked process may map, beside what it has from its parent."""

import resource


def limit_memory(more):
    """The address space may grow by so many bytes. A test run that has been through thousands of tests has gigabytes mapped."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        mapped = int(statm.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (mapped + more, mapped + more))
