"""Runs on several ranks: the bits of one rank, whatever is cut where, and faults that end all ranks with one message."""

import importlib.util
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest

from program import BAD_INPUT, DIVERGED, SOURCE, TROUBLE, WAVE, ProgramTest, Result, mpi_environment

# A density wave between open ends. Everything that is summed, searched or written over all cells is in it.
WAVES = """\
equations: euler
mesh:
  box: {lower: LOWER, upper: UPPER, cells: CELLS, shape: SHAPE, periodic: PERIODIC}
initial:
  rho: 1 + 0.3*sin(2*pi*x)
  v: VELOCITY
  p: 1
exact:
  rho: 1 + 0.3*sin(2*pi*(x - 0.7*t))
  v: VELOCITY
  p: 1
boundaries: {left: exact, right: outflow}
order: 2
time: {end: 0.03}
output: {every: 0.02, fields: [rho, v, p, temperature: p/rho]}
monitors:
  mass: {integral: rho}
  fastest: {max: v}
  probe: {at: PROBE, fields: [rho, p]}
device: opencl
"""
SHAPES = {"line": (1, [13]), "tri": (2, [4, 3]), "quad": (2, [7, 5]), "tet": (3, [2, 3, 2]), "hex": (3, [5, 3, 3])}


def waves(shape, *more):
    dimension, cells = SHAPES[shape]
    values = {
        "LOWER": [0] * dimension,
        "UPPER": [1] * dimension,
        "CELLS": cells,
        "SHAPE": shape,
        "PERIODIC": "[" + ", ".join("yz"[: dimension - 1]) + "]",
        "VELOCITY": [0.7] + [0] * (dimension - 1),
        "PROBE": [0.31] * dimension,
    }
    text = WAVES
    for name, value in values.items():
        text = text.replace(name, str(value))
    return text + "".join(line + "\n" for line in more)


@unittest.skipUnless(shutil.which("mpirun"), "there is no mpirun")
class RanksTest(ProgramTest):
    def launch(self, ranks, *arguments, prepare=(), environment=None):
        """The program under mpirun; `prepare`: a command that starts it."""
        environment = {**os.environ, **mpi_environment(self.sessions), **(environment or {})}
        command = ["mpirun", "-np", str(ranks), *prepare, os.environ["DGSOLVE_PROGRAM"], *map(str, arguments)]
        return subprocess.Popen(
            command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def run_ranks(self, ranks, *arguments, **more):
        with self.launch(ranks, *arguments, **more) as process:
            output, messages = process.communicate(timeout=240)
        return Result(subprocess.CompletedProcess(process.args, process.returncode, output, messages))

    def results(self, folder):
        """What must be the same: summary without times, monitors, fields."""
        summary = self.read_json(f"{folder}/summary.json")
        kept = {key: summary[key] for key in ("status", "steps", "time", "dofs", "elements", "errors", "checksum")}
        monitors = self.folder / folder / "monitors.csv"
        kept["monitors"] = monitors.read_text() if monitors.exists() else ""
        if importlib.util.find_spec("h5py"):
            import h5py

            for file in sorted((self.folder / folder / "problem.d").glob("*.h5")) + [self.folder / folder / "problem.vtkhdf"]:
                with h5py.File(file) as data:
                    data.visititems(lambda name, item, file=file: kept.update({f"{file.name}/{name}": item[()].tobytes()}) if hasattr(item, "dtype") else None)
        return kept

    def assert_same_bits(self, text, counts):
        self.write("problem.yaml", text)
        alone = self.run_program("problem.yaml", "--output", "alone", "--quiet")
        self.assert_succeeds(alone)
        expected = self.results("alone")
        self.assertRegex(expected["checksum"], "^[0-9a-f]{64}$")
        for count in counts:
            with self.subTest(ranks=count):
                result = self.run_ranks(count, "problem.yaml", "--output", f"on{count}", "--quiet")
                self.assert_succeeds(result)
                found = self.results(f"on{count}")
                for key, value in expected.items():
                    self.assertEqual(found[key], value, key)
                self.assertEqual(result.output, alone.output)


class SameBits(RanksTest):
    def test_on_lines(self):
        self.assert_same_bits(waves("line"), (2, 4, 7))

    def test_on_triangles(self):
        self.assert_same_bits(waves("tri"), (2, 3))

    def test_on_quadrilaterals_with_gauss_nodes(self):
        self.assert_same_bits(waves("quad", "nodes: gauss"), (2, 3, 7))

    def test_on_tetrahedra(self):
        self.assert_same_bits(waves("tet"), (3, 7))

    def test_on_warped_hexahedra(self):
        self.assert_same_bits(waves("hex").replace("shape: hex", "shape: hex, warp: 0.05"), (2, 3))

    def test_on_warped_periodic_tetrahedra(self):
        periodic = waves("tet").replace("periodic: [y, z]", "periodic: [x, y, z], warp: 0.03").replace("boundaries: {left: exact, right: outflow}\n", "")
        self.assert_same_bits(periodic, (2, 5))

    def test_on_a_curved_mesh_from_a_file(self):
        shutil.copy(SOURCE / "configs/meshes/cylinder2d-tri-order2-v22.msh", self.folder)
        text = (SOURCE / "configs/cylinder2d-tri.yaml").read_text().replace("meshes/", "")
        end = text[text.index("end:") :].split()[1].rstrip("}")
        self.assert_same_bits(text.replace(f"end: {end}", "end: 0.02").replace("every:", "every: 1e9 #"), (3, 6))

    def test_with_the_exchange_beside_the_computation_as_on_gpus(self):
        on_one_lane = "variant: {width: 1}"
        self.assert_same_bits(waves("quad", on_one_lane), (2, 4))
        self.assert_same_bits(waves("quad", "nodes: gauss\n" + on_one_lane), (3,))
        self.assert_same_bits(waves("tet", on_one_lane), (2,))
        self.assert_same_bits(waves("line", on_one_lane).replace("cells: [13]", "cells: [3]"), (2, 5))

    def test_with_more_ranks_than_cells(self):
        self.assert_same_bits(waves("line").replace("cells: [13]", "cells: [2]"), (5,))

    def test_with_one_cell(self):
        self.assert_same_bits(WAVE.replace("cells: [4, 4]", "cells: [1, 1]"), (3,))

    def test_in_single_precision(self):
        self.assert_same_bits(waves("hex", "precision: single"), (4,))

    def test_with_gradients(self):
        viscous = lambda *arguments: waves(*arguments).replace("equations: euler", "equations: navier_stokes\nparameters: {mu: 0.01}")
        self.assertIn("navier_stokes", viscous("quad"))
        self.assert_same_bits(viscous("quad").replace("shape: quad", "shape: quad, warp: 0.05"), (2, 3))
        self.assert_same_bits(viscous("hex", "nodes: gauss"), (3,))
        self.assert_same_bits(viscous("tet", "variant: {width: 1}"), (2,))


class RankTuning(RanksTest):
    VARIANTS = r"dgsolve: variants (.*) \(by (\w+)\)\n"

    def setUp(self):
        super().setUp()
        self.environment = {"DGSOLVE_CACHE_DIR": str(self.folder / "cache")}
        self.write("problem.yaml", WAVE)

    def on(self, ranks, *arguments):
        if ranks == 1:
            result = self.run_program(*arguments, environment=self.environment)
        else:
            result = self.run_ranks(ranks, *arguments, environment=self.environment)
        self.assert_succeeds(result)
        return result

    def records(self):
        """The lines of all files of records."""
        return [line for file in sorted((self.folder / "cache/tuning").glob("*")) for line in file.read_text().splitlines()]

    def checksum(self):
        return self.read_json("out/summary.json")["checksum"]

    def test_one_rank_measures_and_every_number_of_ranks_finds_its_record(self):
        self.on(1, "problem.yaml", "--set", "tune=off")
        expected = self.checksum()
        for ranks in (2, 3):
            with self.subTest(ranks=ranks):
                shutil.rmtree(self.folder / "cache")
                first = self.on(ranks, "problem.yaml", "--set", "tune=on", "-v")
                self.assertEqual(first.messages.count("tuning: stage: advection quadrilateral p=2 lobatto double lsrk54, 1.4e+02 DOF: measuring"), 1)
                choice, origin = re.search(self.VARIANTS, first.messages).groups()
                self.assertEqual((origin, self.checksum()), ("record", expected))
                records = self.records()
                self.assertEqual(len(records), 1)
                self.assertEqual(" ".join(f"{name}={value}" for name, value in json.loads(records[0])["record"]["point"].items()), choice)
                for later in (1, 2, 3):
                    again = self.on(later, "problem.yaml", "--set", "tune=on", "-v")
                    self.assertNotIn("tuning:", again.messages)
                    self.assertEqual(re.search(self.VARIANTS, again.messages).groups(), (choice, "record"))
                    self.assertEqual(self.checksum(), expected)
                self.assertEqual(self.records(), records)

    def test_force_measures_anew_and_bench_tunes_too(self):
        self.on(2, "bench", "problem.yaml", "--steps", 1, "--set", "tune=on")
        self.assertEqual(len(self.records()), 1)
        forced = self.on(2, "problem.yaml", "--set", "tune=force")
        self.assertIn("tuning: stage: advection", forced.messages)
        self.assertEqual(len(self.records()), 2)

    def test_the_command_prints_one_table_and_ranks_without_cells_wait(self):
        self.write("problem.yaml", WAVE.replace("cells: [4, 4]", "cells: [2, 1]"))
        result = self.on(3, "tune", "problem.yaml")
        self.assertEqual(len(re.findall(r"(?m)^tuned +[0-9.]+ us .*blocks=\d+", result.output)), 1, result.output)
        self.assertRegex(result.output, r"\d+ candidates: \d+ pruned, 0 wrong")
        self.assertEqual(len(self.records()), 1)
        found = self.on(1, "check", "problem.yaml")
        self.assertRegex(found.output, r"variants .* \(by record\)")

    def test_a_folder_for_records_that_cannot_be_written_costs_the_record_alone(self):
        (self.folder / "cache").mkdir()
        (self.folder / "cache/tuning").write_text("a file")
        result = self.on(2, "problem.yaml", "--set", "tune=on", "-v")
        self.assertEqual(re.search(self.VARIANTS, result.messages).group(2), "record")


@unittest.skipUnless(importlib.util.find_spec("vtk") and importlib.util.find_spec("h5py"), "Python has no vtk or no h5py")
class RankFiles(RanksTest):
    def test_vtk_reads_what_several_ranks_wrote_as_what_one_wrote(self):
        import vtk
        from vtk.util.numpy_support import vtk_to_numpy

        def contents(folder):
            reader = vtk.vtkHDFReader()
            reader.SetFileName(str(self.folder / folder / "problem.vtkhdf"))
            reader.UpdateTimeStep(0.03)
            grid = reader.GetOutputDataObject(0)
            data = grid.GetPointData()
            arrays = {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)).tobytes() for i in range(data.GetNumberOfArrays())}
            return grid.GetNumberOfCells(), vtk_to_numpy(grid.GetPoints().GetData()).tobytes(), arrays

        self.write("problem.yaml", waves("hex"))
        self.assert_succeeds(self.run_program("problem.yaml", "--output", "alone", "--quiet"))
        self.assert_succeeds(self.run_ranks(4, "problem.yaml", "--output", "on4", "--quiet"))
        alone = contents("alone")
        self.assertEqual((alone[0], set(alone[2])), (45, {"rho", "v", "p", "temperature"}))
        self.assertEqual(contents("on4"), alone)
        left_over = [path.name for path in (self.folder / "on4").rglob("*") if path.suffix not in (".vtkhdf", ".h5", ".d", ".csv", ".json")]
        self.assertEqual(left_over, [])


class Launchers(RanksTest):
    """A launcher tells another number of processes than the MPI library sees: played by its variables, or by one of another library."""

    def setUp(self):
        super().setUp()
        self.write("problem.yaml", WAVE)

    def run_with(self, *command, **variables):
        return self.run_program(*(command or ["problem.yaml"]), environment={**mpi_environment(self.sessions), **variables})

    def assert_refused(self, result, *parts):
        self.assert_fails(result, BAD_INPUT, "mismatched MPI", "MPI v" if shutil.which("ompi_info") else "MPI", *parts)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["problem.yaml"])

    def test_processes_that_do_not_see_each_other_are_refused_and_write_nothing(self):
        cases = (
            ({"PMI_SIZE": "4", "PMI_RANK": "0", "MPI_LOCALNRANKS": "4"}, "started 4 processes (PMI_SIZE=4", "MPICH"),
            ({"SLURM_STEP_NUM_TASKS": "8", "SLURM_STEP_ID": "0", "SLURM_PROCID": "0"}, "started 8 processes (SLURM_STEP_NUM_TASKS=8, set by srun)", "sees 1:"),
            # A launcher's daemons are a job step of their own.
            ({"PMI_SIZE": "2", "PMI_RANK": "0", "SLURM_STEP_NUM_TASKS": "1", "SLURM_STEP_ID": "3"}, "started 2 processes", "PMI_SIZE"),
        )
        for variables, *parts in cases:
            with self.subTest(**variables):
                self.assert_refused(self.run_with(**variables), *parts)
        self.assert_refused(self.run_with("bench", "problem.yaml", PMI_SIZE="4", PMI_RANK="0"), "env -u PMI_SIZE")

    def test_other_processes_than_the_first_refer_to_it(self):
        result = self.run_with(SLURM_STEP_NUM_TASKS="8", SLURM_STEP_ID="0", SLURM_PROCID="3")
        self.assert_fails(result, BAD_INPUT, "error: process 3: mismatched MPI, as process 0 says")

    def test_allocations_and_launchers_of_one_process_are_no_reason(self):
        batch_shell, interactive_shell = "4294967291", "4294967290"
        cases = (
            {"SLURM_JOB_ID": "7", "SLURM_NTASKS": "16", "SLURM_PROCID": "0", "SLURM_NNODES": "2"},
            {"SLURM_NTASKS": "16", "SLURM_STEP_NUM_TASKS": "16", "SLURM_STEP_ID": batch_shell},
            {"SLURM_NTASKS": "16", "SLURM_STEP_NUM_TASKS": "16", "SLURM_STEP_ID": interactive_shell},
            {"SLURM_NTASKS": "16", "SLURM_STEP_NUM_TASKS": "1", "SLURM_STEP_ID": "2"},
            {"PMI_SIZE": "1", "PMI_RANK": "0"},
        )
        for variables in cases:
            with self.subTest(**variables):
                self.assert_succeeds(self.run_with(**variables))

    def test_a_launcher_that_the_library_knows_counts_more_than_the_job_step_around_it(self):
        step = {"SLURM_STEP_NUM_TASKS": "4", "SLURM_STEP_ID": "1", "SLURM_NTASKS": "4"}
        self.assert_succeeds(self.run_ranks(2, "problem.yaml", environment=step))
        self.assert_succeeds(self.run_ranks(1, "problem.yaml", environment=step))

    def test_words_about_the_program_are_never_refused(self):
        self.assertIn("dgsolve", self.run_with("--version", PMI_SIZE="4", PMI_RANK="1").output)

    @unittest.skipUnless(shutil.which("ompi_info") and shutil.which("mpirun.mpich"), "there is no MPICH beside Open MPI")
    def test_the_launcher_of_another_library_is_refused_once(self):
        command = ["mpirun.mpich", "-n", "3", os.environ["DGSOLVE_PROGRAM"], "problem.yaml"]
        process = subprocess.run(
            command, cwd=self.folder, env={**os.environ, **mpi_environment(self.sessions)}, capture_output=True, text=True, timeout=120, check=False
        )
        self.assert_refused(Result(process), "started 3 processes")
        self.assertEqual(process.stderr.count("mismatched MPI: the launcher"), 1, process.stderr)


class RankFaults(RanksTest):
    def test_a_limit_of_the_file_size_is_said_once_and_leaves_no_half_written_file(self):
        text = WAVE.replace("cells: [4, 4]", "cells: [480, 480]").replace("{end: 0.1}", "{end: 1e-5}")
        self.write("problem.yaml", text)
        # In blocks of 1024 bytes: more than MPI's shared memory, less than the points of the mesh take.
        limited = ("bash", "-c", 'ulimit -f 40000; exec "$0" "$@"')
        for ranks in (1, 3):
            with self.subTest(ranks=ranks):
                result = self.run_ranks(ranks, "problem.yaml", "--quiet", prepare=limited)
                self.assert_fails(result, TROUBLE, "mesh.h5", "File too large")
                self.assertEqual(result.messages.count("dgsolve: error: "), 1, result.messages)
                self.assertNotIn("signal", result.messages)
                self.assertEqual([path.name for path in self.folder.glob("out/**/*") if path.suffix in (".vtkhdf", ".h5", ".tmp")], [])

    def test_bad_input_is_said_once(self):
        self.write("problem.yaml", WAVE.replace("order: 2", "ordr: 2"))
        result = self.run_ranks(3, "problem.yaml")
        self.assert_fails(result, BAD_INPUT, "ordr", "'order'")
        self.assertEqual(result.messages.count("dgsolve: error: "), 1, result.messages)

    def test_a_mesh_file_that_cannot_be_read_is_said_once(self):
        for name, content, words in (("absent.msh", None, "no such mesh file"), ("cut.msh", "$MeshFormat\n2.2 0 8\n", "truncated")):
            with self.subTest(name):
                if content:
                    self.write(name, content)
                self.write("problem.yaml", WAVE[: WAVE.index("  box:")] + f"  file: {name}\n" + WAVE[WAVE.index("initial:") :])
                result = self.run_ranks(3, "problem.yaml")
                self.assert_fails(result, BAD_INPUT, name, words)
                self.assertEqual(result.messages.count("dgsolve: error: "), 1, result.messages)

    def test_a_fault_on_any_rank_is_that_of_one_rank(self):
        unstable = waves("line").replace("end: 0.03", "end: 3").replace("p: 1\nexact", "p: 0.001*(1 + 0.9*cos(20*x))\nexact").replace("0.3*sin", "0.9*sin")
        self.write("problem.yaml", unstable)
        alone = self.run_program("problem.yaml", "--quiet")
        together = self.run_ranks(3, "problem.yaml", "--quiet")
        self.assert_fails(alone, DIVERGED, "element")
        message = next(line for line in alone.messages.splitlines() if line.startswith("dgsolve: error: "))
        self.assert_fails(together, DIVERGED, message)
        self.assertEqual(self.read_json("out/summary.json")["status"], "diverged")

    def test_a_folder_that_cannot_be_written_ends_all_ranks(self):
        self.write("problem.yaml", WAVE)
        (self.folder / "out").write_text("a file")
        self.assert_fails(self.run_ranks(2, "problem.yaml"), TROUBLE, "out")

    def test_commands_for_one_rank_say_so(self):
        self.write("problem.yaml", WAVE)
        self.assert_fails(self.run_ranks(2, "check", "problem.yaml"), BAD_INPUT, "check works on one rank", "run, bench, tune")

    def test_a_rank_that_is_killed_ends_the_others(self):
        self.write("problem.yaml", waves("line").replace("end: 0.03", "end: 1e6").replace("every: 0.02", "every: 1e5"))
        with self.launch(3, "problem.yaml") as process:
            self.addCleanup(process.kill)
            deadline = time.time() + 120
            children = []
            while len(children) < 3 and time.time() < deadline:
                children = [int(word) for word in pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
                time.sleep(0.2)
            self.assertEqual(len(children), 3)
            while not (self.folder / "out/problem.vtkhdf").exists() and time.time() < deadline:
                time.sleep(0.2)
            os.kill(children[-1], signal.SIGKILL)
            process.communicate(timeout=30)
        self.assertNotEqual(process.returncode, 0)

    def test_an_exchange_that_is_not_there_is_said_by_the_first_rank_and_one_rank_needs_none(self):
        self.write("problem.yaml", WAVE)
        result = self.run_ranks(2, "problem.yaml", "--set", "exchange=device")
        self.assert_fails(result, TROUBLE, "exchange: found 'device'", "is not a CUDA device", "allowed here: auto, ipc, staged")
        self.assertEqual(result.messages.count("dgsolve: error: exchange"), 1, result.messages)
        self.assert_succeeds(self.run_program("problem.yaml", "--set", "exchange=device"))
        self.assertEqual(self.read_json("out/summary.json")["exchange"], "none")

    def test_the_exchange_is_named(self):
        self.write("problem.yaml", WAVE + "exchange: staged\n")
        result = self.run_ranks(2, "problem.yaml", "-v")
        self.assert_succeeds(result)
        self.assertEqual(result.messages.count("dgsolve: exchange between ranks: staged\n"), 1, result.messages)
        self.assertEqual(self.read_json("out/summary.json")["exchange"], "staged")

    def test_every_exchange_gives_the_same_bits(self):
        self.write("problem.yaml", WAVE)
        self.assert_succeeds(self.run_program("problem.yaml"))
        expected = self.read_json("out/summary.json")["checksum"]
        for wanted, exchange in (("staged", "staged"), ("ipc", "ipc"), ("auto", "ipc")):
            for count in (2, 3):
                with self.subTest(exchange=wanted, ranks=count):
                    self.assert_succeeds(self.run_ranks(count, "problem.yaml", "--set", f"exchange={wanted}"))
                    summary = self.read_json("out/summary.json")
                    self.assertEqual((summary["exchange"], summary["checksum"]), (exchange, expected))

    def test_bench_reports_once(self):
        self.write("problem.yaml", WAVE)
        result = self.run_ranks(2, "bench", "problem.yaml", "--steps", 2, "--json", "bench.json")
        self.assert_succeeds(result)
        self.assertEqual(result.output.count("GDOF/s"), 1, result.output)
        self.assertRegex(result.output, r"exchange +ipc, 2 ranks\n")
        figures = self.read_json("bench.json")
        self.assertEqual((figures["dofs"], figures["exchange"]), (144, "ipc"))

    def test_bench_tells_what_every_rank_has_and_what_its_exchange_costs(self):
        self.write("problem.yaml", WAVE.replace("cells: [4, 4]", "cells: [5, 4]"))
        for count in (2, 3):
            with self.subTest(ranks=count):
                result = self.run_ranks(count, "bench", "problem.yaml", "--steps", 2, "--json", "bench.json")
                self.assert_succeeds(result)
                figures = self.read_json("bench.json")
                ranks = figures["ranks"]
                self.assertEqual(len(ranks), count)
                elements = [rank["elements"] for rank in ranks]
                self.assertEqual((sum(elements), max(elements) - min(elements)), (20, 20 % count > 0))
                self.assertAlmostEqual(figures["balance"], 20 / count / max(elements))
                self.assertRegex(result.output, rf"balance +{figures['balance']:.3f} ")
                for number, rank in enumerate(ranks):
                    self.assertIn(rank["neighbours"], range(1, count))
                    faces, rest = divmod(rank["bytes_per_stage"], 3 * 8)  # nodes on a face, one variable
                    self.assertEqual(rest, 0)
                    self.assertLessEqual(faces, 4 * rank["elements"])
                    self.assertGreaterEqual(faces, 4)
                    self.assertGreater(rank["exchange_alone_s"], 0)
                    self.assertGreater(rank["exchange_exposed_s"], 0)
                    self.assertAlmostEqual(rank["exchange_hidden_s"], max(0, rank["exchange_alone_s"] - rank["exchange_exposed_s"]))
                    self.assertRegex(result.output, rf"(?m)^ +{number} +{rank['elements']} +{rank['neighbours']} +{rank['bytes_per_stage']} ")
                if count == 2:
                    self.assertEqual(ranks[0]["bytes_per_stage"], ranks[1]["bytes_per_stage"])
        self.assert_succeeds(self.run_program("bench", "problem.yaml", "--steps", 2, "--json", "alone.json"))
        self.assertNotIn("ranks", self.read_json("alone.json"))
