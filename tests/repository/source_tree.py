"""The files of the source tree, and how the repository checks report what they find."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARIES = ("codegen", "mesh", "solver", "io", "cli")
SKIPPED_FOLDERS = {".git", ".cache", ".gpu", "out", "__pycache__"}


def files(root=ROOT):
    """Relative paths of all files that belong to the project, sorted; build folders and outputs are left out."""
    found = []
    for path in sorted(root.iterdir()):
        if path.name in SKIPPED_FOLDERS:  # .git is a file in a linked working tree
            continue
        if path.is_file():
            found.append(path.relative_to(root))
        elif path.is_dir() and not path.name.startswith("build"):
            found += [path.name / inner for inner in files(path)]
    return found


def is_cpp(path):
    return path.suffix in (".h", ".cpp")


def is_device_source(path):
    """Sources in the kernel dialect: not C++ of the host."""
    return path.name.endswith((".kernel.h", ".dialect.h"))


def text(path, root=ROOT):
    return (root / path).read_text(encoding="utf-8", errors="replace")


def report(faults, what):
    """Prints the faults, one a line, and ends the process: 1 if there are any."""
    for fault in faults:
        print(fault)
    print(f"{what}: {len(faults)} fault{'' if len(faults) == 1 else 's'}")
    sys.exit(1 if faults else 0)
