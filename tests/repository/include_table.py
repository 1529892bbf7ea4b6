"""Reads the include table of docs/architecture.md and judges `#include` lines by it."""

import re
from collections import defaultdict
from dataclasses import dataclass, field

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')

# Headers of each third-party library, by the name that the table uses.
THIRD_PARTY = {
    "fmt": re.compile(r"fmt/"),
    "Eigen": re.compile(r"Eigen/"),
    "yaml-cpp": re.compile(r"yaml-cpp/"),
    "HDF5": re.compile(r"(hdf5|H5\w*)\.h$"),
    "nlohmann-json": re.compile(r"nlohmann/"),
    "OpenSSL": re.compile(r"openssl/"),
    "CLI11": re.compile(r"CLI/"),
    "MPI": re.compile(r"mpi(-ext)?\.h$"),
    "METIS": re.compile(r"(metis|parmetis|ptscotch|scotch)\.h$"),
    "CUDA": re.compile(r"cuda\w*\.h$"),
    "NVRTC": re.compile(r"nvrtc\.h$"),
    "OpenCL": re.compile(r"CL/"),
}
BACKEND_FOLDERS = {"CUDA": "codegen/backends/cuda/", "NVRTC": "codegen/backends/cuda/", "OpenCL": "codegen/backends/opencl/"}

STANDARD = set(
    """algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits clocale cmath
    compare complex concepts condition_variable coroutine csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime deque
    exception execution filesystem forward_list fstream functional future initializer_list iomanip ios iosfwd iostream istream iterator
    latch limits list locale map memory memory_resource mutex new numbers numeric optional ostream queue random ranges ratio regex
    scoped_allocator semaphore set shared_mutex source_location span sstream stack stdexcept stop_token streambuf string string_view
    syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant vector
    version""".split()
)
SYSTEM = set("dlfcn.h elf.h fcntl.h linux/futex.h signal.h unistd.h sys/ioctl.h sys/mman.h sys/stat.h sys/syscall.h sys/types.h sys/wait.h".split())


@dataclass
class Rule:
    """What one folder may include."""

    everything: bool = False
    folders: set = field(default_factory=set)
    libraries: set = field(default_factory=set)
    one_file: set = field(default_factory=set)  # libraries of which one file of the folder may see the headers
    backend_only: set = field(default_factory=set)


def read_table(document):
    """The rules by folder, from the table of docs/architecture.md whose last column is "may include"."""
    rules = {}
    in_table = False
    for line in document.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            in_table = False
        elif cells[-1] == "may include":
            in_table = True
        elif in_table and re.fullmatch(r"`\w+/`", cells[0]):
            rules[cells[0].strip("`/")] = _read_rule(cells[-1])
    return rules


def _read_rule(cell):
    rule = Rule()
    for part in cell.split(";"):
        names = {name for name in THIRD_PARTY if re.search(rf"\b{re.escape(name)}\b", part)}
        rule.everything |= "everything" in part
        rule.libraries |= names
        if "one file" in part:
            rule.one_file |= names
        elif "`backends/`" in part:
            rule.backend_only |= names
        else:
            rule.folders |= set(re.findall(r"`(\w+)/`", part))
    return rule


def includes(text):
    """(line number, "<" or '"', header) of every include line."""
    for number, line in enumerate(text.splitlines(), 1):
        if match := INCLUDE.match(line):
            yield number, match[1], match[2]


def library_of(header):
    return next((name for name, pattern in THIRD_PARTY.items() if pattern.match(header)), None)


def _judge(path, bracket, header, rules, existing):
    """One sentence on what is wrong with the include, or nothing."""
    folder = path.split("/")[0]
    rule = rules[folder]
    if bracket == '"' and library_of(header) is None:
        target = header.split("/")[0]
        if target not in rules:
            return f'"{header}" does not start with a folder of the project (allowed: {", ".join(rules)})'
        if target != folder and not rule.everything and target not in rule.folders:
            return f"{folder}/ may not include {target}/"
        return None if header in existing else f'"{header}" does not exist'
    library = library_of(header)
    if library is None:
        known = header in STANDARD or header in SYSTEM
        return None if known else f"<{header}> is neither a standard header nor of a library that the table names"
    if library in BACKEND_FOLDERS:
        allowed = BACKEND_FOLDERS[library]
        return None if path.startswith(allowed) else f"{library} headers belong in {allowed} alone"
    # Messages are formatted with fmt everywhere; CLI11 is the composition root's alone.
    if library == "fmt" or library in rule.libraries or (rule.everything and library != "CLI11"):
        return None
    return f"{folder}/ may not see {library}"


def find_faults(sources, rules, existing):
    """`sources`: {relative path: text}; `existing`: all headers of the tree. Returns one line per fault."""
    faults = []
    users = defaultdict(set)  # (folder, library) -> files
    for path, text in sources.items():
        folder = path.split("/")[0]
        for number, bracket, header in includes(text):
            if problem := _judge(path, bracket, header, rules, existing):
                faults.append(f"{path}:{number}: {problem}")
            library = library_of(header)
            if library in rules[folder].one_file:
                users[folder, library].add(path)
    for (folder, library), paths in users.items():
        if len(paths) > 1:
            faults.append(f"{folder}/: one file alone may see {library}, {len(paths)} do: {', '.join(sorted(paths))}")
    return faults
