// OpenCL programs: options, cache entries (binaries; manifests of PoCL's files) and compilation.
#include "codegen/backends/opencl/opencl_program.h"

#include <fmt/format.h>

#include <chrono>

#include "codegen/backends/opencl/pocl_files.h"
#include "codegen/build_log.h"
#include "codegen/cache.h"
#include "codegen/errors.h"

namespace dgsolve::codegen::backends {
namespace {

using ProgramHandle = OpenClHandle<cl_program>;

std::string build_options(const OpenClDevice& device, const RenderedKernel& rendered) {
  std::string options = "-cl-std=CL1.2";
  if (rendered.spec.precision == Precision::single_precision) options += " -cl-single-precision-constant";
  // Kernels of double precision may divide floats, too.
  if (device.correctly_rounded_division()) options += " -cl-fp32-correctly-rounded-divide-sqrt";
  return options;
}

std::string build_log(OpenClDevice& device, cl_program program) {
  const OpenClApi& api = device.api();
  std::size_t bytes = 0;
  if (api.get_program_build_info(program, device.id(), CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes) != CL_SUCCESS) return {};
  std::string log(bytes, '\0');
  if (api.get_program_build_info(program, device.id(), CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr) != CL_SUCCESS) return {};
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  return log;
}

ProgramHandle compile(OpenClDevice& device, const RenderedKernel& rendered, const std::string& options, const Cache* cache) {
  const OpenClApi& api = device.api();
  const char* text = rendered.text.data();
  const std::size_t length = rendered.text.size();
  cl_int status = CL_SUCCESS;
  ProgramHandle program(api.create_program_with_source(device.context(), 1, &text, &length, &status), api.release_program);
  check_opencl(status, "clCreateProgramWithSource", rendered.spec.name);
  const cl_device_id id = device.id();
  status = api.build_program(program.get(), 1, &id, options.c_str(), nullptr, nullptr);
  if (status != CL_SUCCESS) {
    throw compile_error(rendered, fmt::format("{} ({})", device.facts().name, device.facts().selector),
                        fmt::format("clBuildProgram: {}", opencl_error_name(status)), build_log(device, program.get()), cache);
  }
  return program;
}

ProgramHandle counted_compile(OpenClDevice& device, const RenderedKernel& rendered, const std::string& options, Cache* cache) {
  const auto start = std::chrono::steady_clock::now();
  ProgramHandle program = compile(device, rendered, options, cache);
  if (cache != nullptr) cache->count_compile(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  return program;
}

/// Empty if the driver gives none.
std::string binary_of(const OpenClDevice& device, cl_program program) {
  const OpenClApi& api = device.api();
  std::size_t bytes = 0;
  if (api.get_program_info(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr) != CL_SUCCESS || bytes == 0) return {};
  std::string binary(bytes, '\0');
  char* pointer = binary.data();
  return api.get_program_info(program, CL_PROGRAM_BINARIES, sizeof pointer, &pointer, nullptr) == CL_SUCCESS ? binary : std::string();
}

/// Null if the driver refuses the binary.
ProgramHandle load_binary(OpenClDevice& device, const std::string& binary, const std::string& options) {
  const OpenClApi& api = device.api();
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t length = binary.size();
  const cl_device_id id = device.id();
  cl_int binary_status = CL_SUCCESS, status = CL_SUCCESS;
  ProgramHandle program(api.create_program_with_binary(device.context(), 1, &id, &length, &bytes, &binary_status, &status),
                        api.release_program);
  if (status != CL_SUCCESS || binary_status != CL_SUCCESS) return {};
  if (api.build_program(program.get(), 1, &id, options.c_str(), nullptr, nullptr) != CL_SUCCESS) return {};
  return program;
}

EntryFacts entry_facts(const OpenClDevice& device, const RenderedKernel& rendered) {
  return {rendered.spec.name, device.is_pocl() ? "pocl" : "opencl", device.facts().name};
}

BuiltProgram build_through_binaries(OpenClDevice& device, const RenderedKernel& rendered, const std::string& options, Cache& cache) {
  const std::string key = program_key(device, rendered);
  if (auto binary = cache.find(key)) {
    if (ProgramHandle program = load_binary(device, *binary, options); program.get() != nullptr)
      return {std::move(program), std::move(*binary)};
    cache.reject(key);
  }
  ProgramHandle program = counted_compile(device, rendered, options, &cache);
  std::string binary = binary_of(device, program.get());
  if (!binary.empty()) cache.store(key, binary, entry_facts(device, rendered));
  return {std::move(program), std::move(binary)};
}

ProgramHandle build_through_pocl(OpenClDevice& device, const RenderedKernel& rendered, const std::string& options, Cache& cache) {
  const std::string key = program_key(device, rendered);
  // PoCL compiles under one lock of its own; ours lets us see which of its files belong to this program.
  const std::scoped_lock lock(device.pocl_mutex());
  const PoclFiles files(device.pocl_folder());
  if (const auto manifest = cache.find(key, CacheLayers::without_shared)) {  // it names files of this user's folder
    if (const auto renewed = files.verified(*manifest)) {
      ProgramHandle program = compile(device, rendered, options, &cache);
      if (*renewed != *manifest) cache.store(key, *renewed, entry_facts(device, rendered));
      return program;
    }
    files.remove(*manifest);
    cache.reject(key);
  }
  const PoclFiles::Listing before = files.list();
  ProgramHandle program = counted_compile(device, rendered, options, &cache);
  std::call_once(device.pocl_collected(), [&] { files.collect(cache.most_bytes()); });
  const std::string manifest = files.manifest_since(before, rendered.spec.name);
  if (!manifest.empty()) cache.store(key, manifest, entry_facts(device, rendered));
  return program;
}

}  // namespace

std::string program_key(const OpenClDevice& device, const RenderedKernel& rendered) {
  return Cache::key({{"backend", "opencl"},
                     {"source", rendered.text},
                     {"entry", rendered.spec.name},
                     {"options", build_options(device, rendered)},
                     {"device", device.facts().name},
                     {"versions", device.version_text()},
                     {"features", device.facts().architecture}});
}

BuiltProgram build_program(OpenClDevice& device, const RenderedKernel& rendered, Cache* cache) {
  const std::string options = build_options(device, rendered);
  if (device.is_pocl()) {
    return {cache == nullptr ? compile(device, rendered, options, nullptr) : build_through_pocl(device, rendered, options, *cache), {}};
  }
  if (cache != nullptr) return build_through_binaries(device, rendered, options, *cache);
  ProgramHandle program = compile(device, rendered, options, nullptr);
  std::string binary = binary_of(device, program.get());
  return {std::move(program), std::move(binary)};
}

ProgramHandle load_program(OpenClDevice& device, const RenderedKernel& rendered, const std::string& image) {
  const std::string options = build_options(device, rendered);
  if (image.empty()) return compile(device, rendered, options, nullptr);
  ProgramHandle program = load_binary(device, image, options);
  if (program.get() == nullptr)
    throw DeviceError(fmt::format("kernel '{}': {} refuses its binary", rendered.spec.name, device.facts().selector));
  return program;
}

}  // namespace dgsolve::codegen::backends
