// The sections of a configuration, each read from the validated tree; what the schema cannot say is checked here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "io/config.h"
#include "io/reader.h"

namespace dgsolve::io {

/// Built-in system, file (relative to `folder`) or inline map. Nothing if it has faults, which are then reported.
[[nodiscard]] std::optional<solver::EquationDefinition> read_equation_section(const Reader& reader, const std::filesystem::path& folder);
[[nodiscard]] std::variant<mesh::BoxOptions, MeshFile> read_mesh_section(const Reader& reader, const std::filesystem::path& folder);
/// `box`: null for a mesh file, whose groups are not known yet.
[[nodiscard]] std::vector<solver::BoundarySpec> read_boundary_section(const Reader& reader, const solver::EquationDefinition& equations,
                                                                      const mesh::BoxOptions* box);
[[nodiscard]] codegen::CacheOptions read_cache_section(const Reader& reader);
/// The pinned choices of `variant`.
[[nodiscard]] std::map<std::string, std::int64_t> read_variant_section(const Reader& reader);
[[nodiscard]] solver::TimeOptions read_time_section(const Reader& reader);
/// `time.wall` in seconds.
[[nodiscard]] std::optional<double> read_wall_time(const Reader& reader);
[[nodiscard]] CheckpointOptions read_checkpoint_section(const Reader& reader);
[[nodiscard]] std::vector<solver::FieldSpec> read_output_fields(const Reader& reader, const solver::EquationDefinition& equations);
/// `dimension`: 0 if not known yet.
[[nodiscard]] std::vector<MonitorSpec> read_monitor_section(const Reader& reader, const solver::EquationDefinition& equations,
                                                            int dimension);
[[nodiscard]] std::vector<ErrorBound> read_error_bounds(const Reader& reader);

}  // namespace dgsolve::io
