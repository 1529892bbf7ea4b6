"""Every #include of the libraries obeys the table of docs/architecture.md; the check itself catches wrong ones first."""

import include_table
import source_tree


def wrong_includes_are_caught(rules):
    """Small invented trees, each with the one fault that must be found (or none)."""
    existing = {"mesh/mesh.h", "solver/dg_operator.h", "io/config.h", "codegen/device.h"}
    cases = [
        ({"mesh/a.cpp": "#include <vector>\n#include <fmt/format.h>\n#include <Eigen/Dense>\n"}, None),
        ({"cli/a.cpp": '#include <CLI/CLI.hpp>\n#include "io/config.h"\n'}, None),
        ({"solver/a.cpp": '#include "mesh/mesh.h"\n#include "codegen/device.h"\n'}, None),
        ({"codegen/backends/cuda/a.cpp": "#include <cuda.h>\n#include <nvrtc.h>\n"}, None),
        ({"mesh/a.cpp": '#include "solver/dg_operator.h"\n'}, "mesh/ may not include solver/"),
        ({"codegen/a.cpp": '#  include "mesh/mesh.h"\n'}, "codegen/ may not include mesh/"),
        ({"solver/a.h": '#include "io/config.h"\n'}, "solver/ may not include io/"),
        ({"mesh/a.cpp": '#include "mesh/absent.h"\n'}, "does not exist"),
        ({"mesh/a.cpp": '#include "mesh.h"\n'}, "does not start with a folder"),
        ({"solver/a.cpp": "#include <yaml-cpp/yaml.h>\n"}, "solver/ may not see yaml-cpp"),
        ({"solver/a.cpp": '#include "yaml-cpp/yaml.h"\n'}, "solver/ may not see yaml-cpp"),
        ({"codegen/a.cpp": "#include <Eigen/Dense>\n"}, "codegen/ may not see Eigen"),
        ({"io/a.cpp": "#include <CLI/CLI.hpp>\n"}, "io/ may not see CLI11"),
        ({"codegen/a.cpp": "#include <CL/cl.h>\n"}, "OpenCL headers belong in"),
        ({"codegen/backends/opencl/a.cpp": "#include <cuda.h>\n"}, "CUDA headers belong in"),
        ({"solver/a.cpp": "#include <boost/any.hpp>\n"}, "neither a standard header"),
        ({"io/a.cpp": "#include <hdf5.h>\n", "io/b.cpp": "#include <hdf5.h>\n"}, "one file alone may see HDF5"),
        ({"codegen/a.cpp": "#include <openssl/evp.h>\n", "codegen/b.h": "#include <openssl/sha.h>\n"}, "one file alone may see OpenSSL"),
    ]
    faults = []
    for sources, expected in cases:
        found = include_table.find_faults(sources, rules, existing)
        right = not found if expected is None else len(found) == 1 and expected in found[0]
        if not right:
            faults.append(f"self-test: {sources} should give {expected or 'no fault'}, gave {found}")
    return faults


def main():
    rules = include_table.read_table(source_tree.text("docs/architecture.md"))
    absent = [name for name in source_tree.LIBRARIES if name not in rules]
    if absent:
        source_tree.report([f"docs/architecture.md: the include table has no row for {name}/" for name in absent], "include table")
    sources = [path for path in source_tree.files() if source_tree.is_cpp(path) and not source_tree.is_device_source(path)]
    existing = {path.as_posix() for path in sources}
    checked = {path.as_posix(): source_tree.text(path) for path in sources if path.parts[0] in source_tree.LIBRARIES}
    faults = wrong_includes_are_caught(rules) + include_table.find_faults(checked, rules, existing)
    if not checked:
        faults.append("no sources found")
    source_tree.report(faults, f"includes of {len(checked)} files")


if __name__ == "__main__":
    main()
