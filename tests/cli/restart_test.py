"""Runs that are interrupted and go on: the bits, rows and files of the whole run, on any number of ranks."""

import hashlib
import importlib.util
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

from program import BAD_INPUT, GAS, SOURCE, STOPPED, WAVE, Result
from ranks_test import RanksTest, waves

def numpy_text(text):
    """A text of fixed length, as the program writes attributes."""
    import numpy

    return numpy.bytes_(text)


EVERY_STEP = ("checkpoint: {every: 1 step, keep: 1000}",)


def checkpoints(folder):
    return sorted(pathlib.Path(folder).glob("*.checkpoints/*.h5"))


class RestartTest(RanksTest):
    """Runs on one rank need no launcher."""

    def run_on(self, ranks, *arguments):
        return self.run_program(*arguments) if ranks == 1 else self.run_ranks(ranks, *arguments)

    def assert_equal_results(self, folder, expected):
        found = self.results(folder)
        self.assertEqual(sorted(found), sorted(expected))
        for key, value in expected.items():
            self.assertEqual(found[key], value, key)


class RestartMatrixTest(RestartTest):
    """1, 2, 3, 4 and 7 ranks, every shape, straight and from a checkpoint that another number of ranks wrote."""

    COUNTS = (1, 2, 3, 4, 7)

    def digests(self, files):
        if not importlib.util.find_spec("h5py"):
            return []
        import h5py

        return [h5py.File(file).attrs["sha256"] for file in files]

    def check_shape(self, shape, *more):
        self.check_text(waves(shape, *EVERY_STEP, *more).replace("end: 0.03", "end: 0.03, cfl: 0.2"))

    def check_text(self, text):
        self.write("problem.yaml", text)
        expected = digests = None
        for count, other in zip(self.COUNTS, self.COUNTS[1:] + self.COUNTS[:1]):
            with self.subTest(ranks=count, restarted_on=other):
                self.assert_succeeds(self.run_on(count, "problem.yaml", "--output", f"on{count}", "--quiet"))
                expected = expected or self.results(f"on{count}")
                self.assert_equal_results(f"on{count}", expected)
                files = checkpoints(self.folder / f"on{count}")
                self.assertGreater(len(files), 4)
                digests = digests or self.digests(files)
                self.assertEqual(self.digests(files), digests)
                middle = files[len(files) // 2]
                self.assert_succeeds(self.run_on(other, "problem.yaml", "--output", f"on{count}", "--restart", middle, "--quiet"))
                self.assert_equal_results(f"on{count}", expected)


class RestartOnLines(RestartMatrixTest):
    def test_every_number_of_ranks(self):
        self.check_shape("line")


class RestartOnTriangles(RestartMatrixTest):
    def test_every_number_of_ranks(self):
        self.check_shape("tri")


class RestartOnQuadrilaterals(RestartMatrixTest):
    def test_every_number_of_ranks_with_gauss_nodes(self):
        self.check_shape("quad", "nodes: gauss")


class RestartOnTetrahedra(RestartMatrixTest):
    def test_every_number_of_ranks(self):
        self.check_shape("tet")


class RestartOnHexahedra(RestartMatrixTest):
    def test_every_number_of_ranks(self):
        self.check_shape("hex")


class RestartOnFewCells(RestartMatrixTest):
    COUNTS = (1, 4)

    def test_with_more_ranks_than_cells(self):
        self.check_text(waves("line").replace("cells: [13]", "cells: [2]").replace("end: 0.03", "end: 0.3") + EVERY_STEP[0] + "\n")


class RestartOnManyBlocks(RestartTest):
    """States of several blocks of 8 MiB, of which every rank writes and reads some."""

    TEXT = waves("quad").replace("cells: [7, 5]", "cells: [210, 210]").replace("order: 2", "order: 4").replace("end: 0.03", "end: 1e-5")
    TEXT = TEXT[: TEXT.index("exact:")] + TEXT[TEXT.index("boundaries:") : TEXT.index("monitors:")].replace("left: exact", "left: outflow") + "device: opencl\n"

    def test_files_have_the_same_bytes(self):
        self.write("problem.yaml", self.TEXT)
        contents = set()
        for ranks in (1, 2, 3, 4):
            self.assert_succeeds(self.run_on(ranks, "problem.yaml", "--set", "checkpoint.every=1 h", "--output", f"on{ranks}", "--quiet"))
            [file] = checkpoints(self.folder / f"on{ranks}")
            self.assertGreater(file.stat().st_size, 4 * 2**23)
            contents.add(hashlib.sha256(file.read_bytes()).hexdigest())
        self.assertEqual(len(contents), 1)
        checksum = self.read_json("on1/summary.json")["checksum"]
        for ranks in (1, 3):
            self.assert_succeeds(self.run_on(ranks, "problem.yaml", "--restart", file, "--output", f"again{ranks}", "--quiet"))
            self.assertEqual(self.read_json(f"again{ranks}/summary.json")["checksum"], checksum)


class Resumed(RestartTest):
    """On one rank, where small problems are advanced in batches of steps."""

    MONITORED = waves("quad").replace("{integral: rho}", "{integral: rho, every: 0.004}").replace("end: 0.03", "end: 0.3").replace("every: 0.02", "every: 0.07")

    def straight(self, text, *arguments):
        self.write("problem.yaml", text)
        self.assert_succeeds(self.run_program("problem.yaml", "--output", "straight", "--quiet", *arguments))
        return self.results("straight")

    def assert_resumes(self, text, every, *more):
        """A run with checkpoints has the straight run's results, and so has one that goes on from each of them, with what was written
        later still there."""
        for folder in ("straight", "out"):
            shutil.rmtree(self.folder / folder, ignore_errors=True)
        expected = self.straight(text)
        self.assert_succeeds(self.run_program("problem.yaml", "--output", "out", "--quiet", "--set", f"checkpoint.every={every}", "--set", "checkpoint.keep=100"))
        self.assert_equal_results("out", expected)
        files = checkpoints(self.folder / "out")
        self.assertGreater(len(files), 2)
        for file in (files[0], files[len(files) // 2], files[-1]):
            with self.subTest(file.name):
                self.assert_succeeds(self.run_program("problem.yaml", "--output", "out", "--quiet", "--restart", file, *more))
                self.assert_equal_results("out", expected)

    def test_after_steps(self):
        self.assert_resumes(self.MONITORED, "5 steps")

    def test_after_simulated_time(self):
        self.assert_resumes(self.MONITORED, "0.05 time")

    def test_after_every_moment_of_the_wall_clock(self):
        self.assert_resumes(self.MONITORED, "0.001 s")

    def test_in_single_precision_with_fixed_steps(self):
        self.assert_resumes(self.MONITORED.replace("{end: 0.3}", "{end: 0.3, step: 0.002}") + "precision: single\n", "20 steps")

    def test_other_integrators_and_over_integration(self):
        text = waves("tri", "overintegration: 1").replace("end: 0.03", "end: 0.05, integrator: rk4")
        self.assert_resumes(text, "2 steps")
        self.assert_resumes(waves("line").replace("end: 0.03", "end: 0.1, integrator: ssprk33"), "3 steps")

    def test_checkpoints_fall_on_the_first_step_after_their_time(self):
        if not importlib.util.find_spec("h5py"):
            self.skipTest("there is no h5py")
        import h5py

        self.write("problem.yaml", self.MONITORED)
        for every, due in (("6 steps", lambda step, time: step % 6 == 0), ("0.1 time", None)):
            self.assert_succeeds(self.run_program("problem.yaml", "--output", "out", "--set", f"checkpoint.every={every}", "--set", "checkpoint.keep=100"))
            files = checkpoints(self.folder / "out")
            headers = [dict(h5py.File(file).attrs) for file in files]
            for header in headers[:-1]:
                if due:
                    self.assertTrue(due(int(header["step"]), None), header["step"])
            if not due:
                times = [float(header["time"]) for header in headers]
                for time_, dt, multiple in zip(times, [float(header["dt"]) for header in headers], (0.1, 0.2, 0.3)):
                    self.assertGreaterEqual(time_, multiple - 1e-12)
                    self.assertLess(time_ - dt, multiple)
            self.assertEqual(float(headers[-1]["time"]), 0.3)
            shutil.rmtree(self.folder / "out")

    def test_only_so_many_are_kept_and_the_newest_is_used(self):
        expected = self.straight(self.MONITORED)
        self.assert_succeeds(self.run_program("problem.yaml", "--set", "checkpoint={every: 4 steps, keep: 3}"))
        files = checkpoints(self.folder / "out")
        self.assertEqual(len(files), 3)
        files[-1].unlink()
        resumed = self.run_program("problem.yaml", "--resume")
        self.assert_succeeds(resumed)
        self.assertIn("goes on from step", resumed.messages)
        self.assert_equal_results("out", expected)

    def flip_a_bit_of_the_state(self, file):
        if not importlib.util.find_spec("h5py"):
            self.skipTest("there is no h5py")
        import h5py

        with h5py.File(file) as data:
            place = data["state"].id.get_offset() + data["state"].size * 4
        content = bytearray(file.read_bytes())
        content[place] ^= 1
        file.write_bytes(content)

    def test_a_damaged_checkpoint_is_passed_over(self):
        expected = self.straight(self.MONITORED)
        self.assert_succeeds(self.run_program("problem.yaml", "--set", "checkpoint={every: 4 steps, keep: 3}"))
        oldest, middle, newest = checkpoints(self.folder / "out")
        self.flip_a_bit_of_the_state(newest)
        middle.write_bytes(middle.read_bytes()[:1000])
        resumed = self.run_program("problem.yaml", "--resume")
        self.assert_succeeds(resumed)
        self.assertIn(f"{newest.name}: damaged", resumed.messages)
        self.assertIn(middle.name, resumed.messages)
        self.assert_equal_results("out", expected)
        self.assert_fails(self.run_program("problem.yaml", "--restart", newest), BAD_INPUT, "damaged", "SHA-256")
        self.assertTrue(oldest.exists())

    def test_another_device_is_said_and_another_version_is_refused(self):
        if not importlib.util.find_spec("h5py"):
            self.skipTest("there is no h5py")
        import h5py

        expected = self.straight(self.MONITORED, "--set", "checkpoint={every: 6 steps, keep: 9}")
        file = checkpoints(self.folder / "straight")[0]
        names = "step time dt equations formulas parameters components shape order overintegration nodes precision cells mesh mesh_digest device".split()
        names += "variant output_times output_steps monitor_times results_step program configuration".split()
        with h5py.File(file, "r+") as data:
            text = lambda name: data.attrs[name].decode() if isinstance(data.attrs[name], bytes) else str(data.attrs[name])
            blocks = hashlib.sha256(data["state"][()].tobytes()).hexdigest()  # less than 8 MiB: one block

            def digest():
                header = "".join(f"{name}\0{text(name)}\0" for name in names)
                return hashlib.sha256((header + blocks).encode()).hexdigest()

            self.assertEqual(text("sha256"), digest())
            data.attrs["device"] = numpy_text("cuda NVIDIA Abacus sm_10")
            data.attrs["sha256"] = numpy_text(digest())
        result = self.run_program("problem.yaml", "--restart", file, "--output", "straight")
        self.assert_succeeds(result)
        self.assertIn("device was cuda NVIDIA Abacus sm_10 and is opencl", result.messages)
        self.assertIn("same bits", result.messages)
        self.assertEqual(self.results("straight")["steps"], expected["steps"])
        with h5py.File(file, "r+") as data:
            data.attrs["format"] = numpy_text("dgsolve checkpoint 9")
        self.assert_fails(self.run_program("problem.yaml", "--restart", file), BAD_INPUT, "dgsolve checkpoint 9", "readable is 'dgsolve checkpoint 1'")

    def test_without_a_checkpoint_resume_starts_afresh(self):
        expected = self.straight(self.MONITORED)
        self.assert_succeeds(self.run_program("problem.yaml", "--resume"))
        self.assert_equal_results("out", expected)

    def test_a_finished_run_can_be_made_longer(self):
        self.write("problem.yaml", GAS + "checkpoint: {every: 1 h}\n")
        self.assert_succeeds(self.run_program("problem.yaml"))
        again = self.run_program("problem.yaml", "--resume")
        self.assert_succeeds(again)
        self.assert_succeeds(self.run_program("problem.yaml", "--resume", "--set", "time.end=0.08"))
        self.assertEqual(self.read_json("out/summary.json")["time"], 0.08)
        self.assert_fails(self.run_program("problem.yaml", "--resume"), BAD_INPUT, "time.end", "0.05", "0.08")

    def test_results_in_another_folder_begin_with_the_checkpoint(self):
        expected = self.straight(self.MONITORED, "--set", "checkpoint={every: 6 steps, keep: 100}")
        file = checkpoints(self.folder / "straight")[2]
        self.assert_succeeds(self.run_program("problem.yaml", "--restart", file, "--output", "elsewhere"))
        found = self.results("elsewhere")
        self.assertEqual(found["checksum"], expected["checksum"])
        rows = found["monitors"].splitlines()
        self.assertIn(rows[-1], expected["monitors"])
        self.assertLess(len(rows), len(expected["monitors"].splitlines()))

    def test_pinned_variants_are_those_of_the_checkpoint(self):
        self.write("problem.yaml", self.MONITORED)
        self.assert_succeeds(self.run_program("problem.yaml", "--set", "checkpoint={every: 6 steps, keep: 9}", "--set", "variant.width=1", "--set", "variant.lines=0"))
        first = self.read_json("out/summary.json")["checksum"]
        resumed = self.run_program("problem.yaml", "--restart", checkpoints(self.folder / "out")[0], "--set", "variant.width=1")
        self.assert_succeeds(resumed)
        self.assertNotIn("not as in", resumed.messages)
        self.assertEqual(self.read_json("out/summary.json")["checksum"], first)


class Converted(RestartTest):
    """A state goes over to other elements and meshes, and says so; what makes no sense is refused."""

    SMOOTH = waves("quad").replace("sin(2*pi*x)", "sin(x)").replace("sin(2*pi*(x - 0.7*t))", "sin(x - 0.7*t)").replace("end: 0.03", "end: 0.02")

    def setUp(self):
        super().setUp()
        self.write("problem.yaml", self.SMOOTH)
        self.assert_succeeds(self.run_program("problem.yaml", "--set", "checkpoint={every: 1 h}", "--set", "order=3", "--output", "before"))
        self.file = checkpoints(self.folder / "before")[-1]

    def convert(self, *changes, ranks=1):
        arguments = [word for change in changes for word in ("--set", change)]
        return self.run_on(ranks, "problem.yaml", "--restart", self.file, "--output", "after", "--set", "time.end=0.03", *arguments)

    def assert_converts(self, bound, *changes, said, ranks=1):
        result = self.convert(*changes, ranks=ranks)
        self.assert_succeeds(result)
        for words in said:
            self.assertIn(words, result.messages)
        self.assertLess(self.read_json("after/summary.json")["errors"]["rho"]["Linf"], bound)

    def test_to_another_order(self):
        self.assert_converts(1e-6, "order=5", said=["order was 3 and is 5", "projected"])
        shutil.rmtree(self.folder / "after")
        self.assert_converts(2e-4, "order=2", said=["order was 3 and is 2", "projected"])

    def test_to_gauss_nodes_and_single_precision(self):
        self.assert_converts(1e-5, "order=3", "nodes=gauss", "precision=single", said=["nodes was lobatto and is gauss", "precision was double and is single"])

    def test_to_another_box_on_two_ranks(self):
        self.assert_converts(2e-5, "order=3", "mesh.box.cells=[9, 4]", ranks=2, said=["mesh was", "interpolated"])

    def test_to_another_shape_and_curved_cells(self):
        self.assert_converts(2e-4, "order=3", "mesh.box.shape=tri", "mesh.box.warp=0.05", said=["mesh was", "interpolated"])

    def test_between_curved_mesh_files(self):
        triangles, quadrilaterals = SOURCE / "configs/cylinder2d-tri.yaml", SOURCE / "configs/cylinder2d-quad.yaml"
        text = triangles.read_text().replace("meshes/", "")
        mesh = self.folder / text.split("file: ")[1].split()[0]
        shutil.copy(SOURCE / "configs/meshes" / mesh.name, mesh)
        self.write("triangles.yaml", text)
        self.assert_succeeds(self.run_program("triangles.yaml", "--set", "order=2", "--set", "time.end=0.05", "--set", "checkpoint.every=1 h", "--output", "on_triangles"))
        file = checkpoints(self.folder / "on_triangles")[-1]
        more = ("--restart", file, "--set", "order=3", "--set", "time.end=0.06", "--output", "on_quadrilaterals")
        result = self.run_ranks(2, quadrilaterals, *more)
        self.assert_succeeds(result)
        self.assertIn("interpolated", result.messages)
        last = float((self.folder / "on_triangles/monitors.csv").read_text().splitlines()[-1].split(",")[2])
        first = float((self.folder / "on_quadrilaterals/monitors.csv").read_text().splitlines()[1].split(",")[2])
        self.assertAlmostEqual(first / last, 1, delta=0.01)
        # Without the old mesh nobody knows where the values belong.
        shutil.copy(SOURCE / "configs/meshes/cylinder2d-quad-order3-v41bin.msh", mesh)
        self.assert_fails(self.run_program(quadrilaterals, *more), BAD_INPUT, mesh.name, "no longer what it was")

    def test_a_lower_order_keeps_the_integrals(self):
        self.write("problem.yaml", self.SMOOTH.replace("right: outflow", "right: exact"))
        mass = [line.split(",")[2] for line in (self.folder / "before/monitors.csv").read_text().splitlines()][-1]
        self.assert_succeeds(self.convert("order=1"))
        after = [line.split(",")[2] for line in (self.folder / "after/monitors.csv").read_text().splitlines()][1]
        self.assertAlmostEqual(float(mass), float(after), delta=1e-12)

    def test_outputs_of_other_elements_are_not_mixed(self):
        result = self.run_program("problem.yaml", "--restart", self.file, "--output", "before", "--set", "order=2", "--set", "time.end=0.03")
        self.assert_fails(result, BAD_INPUT, "problem.vtkhdf", "other cells or fields", "--output")
        result = self.run_program("problem.yaml", "--restart", self.file, "--output", "before", "--set", "order=3", "--set", "time.end=0.03", "--set", "monitors={mass: {integral: rho}}")
        self.assert_fails(result, BAD_INPUT, "monitors.csv", "other columns", "--output")
        self.assertGreater(len((self.folder / "before/monitors.csv").read_text().splitlines()), 2)

    def test_other_equations_and_parameters_are_refused(self):
        self.assert_fails(self.convert("parameters.gamma=1.6"), BAD_INPUT, "gamma = 1.4", "gamma = 1.6", "--convert")
        self.assert_fails(self.run_text(WAVE, "--restart", self.file), BAD_INPUT, "euler there, advection here")
        self.assert_fails(self.run_text(WAVE, "--restart", self.file, "--convert"), BAD_INPUT, "components", "rho m_x m_y E")
        self.write("problem.yaml", self.SMOOTH)
        self.assert_succeeds(self.run_program("problem.yaml", "--restart", self.file, "--output", "after", "--set", "order=3", "--set", "time.end=0.03", "--set", "parameters.gamma=1.6", "--convert"))

    def test_a_file_that_is_no_checkpoint_is_refused(self):
        self.assert_fails(self.run_program("problem.yaml", "--restart", "absent.h5"), BAD_INPUT, "absent.h5", "no such file")
        self.assert_fails(self.run_program("problem.yaml", "--restart", "problem.yaml"), BAD_INPUT, "problem.yaml", "of no use")
        self.assert_fails(self.run_program("problem.yaml", "--restart", "before/problem.d/000000.h5"), BAD_INPUT, "000000.h5", "no checkpoint")
        self.assert_fails(self.run_program("problem.yaml", "--restart", self.file, "--resume"), BAD_INPUT, "--resume")

    def test_a_mesh_that_does_not_reach_is_refused(self):
        self.assert_fails(self.convert("order=3", "mesh.box.upper=[2, 1]"), BAD_INPUT, "does not reach")


# Long enough to be interrupted, with everything that a run writes.
LONG = WAVE.replace("end: 0.1", "end: 1e6").replace("fields: [u]", "fields: [u], every: 1e5") + """\
monitors:
  mass: {integral: u, every: 500}
  probe: {at: [0.3, 0.3], every: 300}
"""


class Stopped(RestartTest):
    """Signals and the wall clock end a run with a checkpoint; the same command with --resume goes on."""

    def start(self, *arguments):
        return subprocess.Popen([os.environ["DGSOLVE_PROGRAM"], *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def wait_for(self, condition, seconds=120):
        end = time.time() + seconds
        while not condition() and time.time() < end:
            time.sleep(0.02)
        self.assertTrue(condition())

    def stop_by(self, number, *arguments):
        self.write("problem.yaml", LONG)
        with self.start("problem.yaml", *arguments) as process:
            self.addCleanup(process.kill)
            self.wait_for(lambda: (self.folder / "out/problem.vtkhdf").exists() or process.poll() is not None)
            process.send_signal(number)
            output, messages = process.communicate(timeout=60)
        return Result(subprocess.CompletedProcess(process.args, process.returncode, output, messages))

    def test_by_each_signal(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
            with self.subTest(number.name):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                result = self.stop_by(number)
                self.assertEqual(result.status, STOPPED, result.messages)
                self.assertIn(f"stopped by {number.name}", result.messages)
                self.assertIn("--resume", result.messages)
                self.assertEqual(self.read_json("out/summary.json")["status"], "stopped")
                self.assertEqual(len(checkpoints(self.folder / "out")), 1)

    def test_by_the_wall_clock_and_goes_on_to_the_same_end(self):
        text = waves("quad").replace("end: 0.03", "end: 4").replace("every: 0.02", "every: 1")
        self.write("problem.yaml", text)
        self.assert_succeeds(self.run_program("problem.yaml", "--output", "straight", "--quiet"))
        statuses = []
        for _ in range(3):
            result = self.run_program("problem.yaml", "--resume", "--set", "time.wall=0.01 s")
            statuses.append(result.status)
            self.assertIn("time.wall", result.messages)
        self.assertEqual(statuses, [STOPPED] * 3)
        self.assert_succeeds(self.run_program("problem.yaml", "--resume"))
        self.assert_equal_results("out", self.results("straight"))

    def test_all_ranks_stop_together(self):
        self.write("problem.yaml", LONG)
        with self.launch(3, "problem.yaml") as process:
            self.addCleanup(process.kill)
            self.wait_for(lambda: (self.folder / "out/problem.vtkhdf").exists())
            os.kill(self.children(process.pid)[-1], signal.SIGTERM)  # one rank alone
            _, messages = process.communicate(timeout=60)
        self.assertEqual(process.returncode, STOPPED, messages)
        self.assertIn("stopped by a signal to another rank", messages)
        self.assertEqual(self.read_json("out/summary.json")["status"], "stopped")
        self.assertEqual(len(checkpoints(self.folder / "out")), 1)

    def children(self, pid):
        return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def test_before_the_first_step(self):
        self.write("problem.yaml", WAVE)
        result = self.run_program("problem.yaml", "--set", "time.wall=1e-9 s")
        self.assertEqual(result.status, STOPPED, result.messages)
        self.assertEqual(self.read_json("out/summary.json")["steps"], 0)
        self.assert_succeeds(self.run_program("problem.yaml", "--resume"))

    def test_lengths_of_time_that_are_none_are_refused(self):
        for text in ("soon", "-1 s", "0 min", "10 steps", "1:2", "00:61:00", "10"):
            with self.subTest(text):
                self.assert_fails(self.run_text(WAVE, "--set", f"time.wall='{text}'"), BAD_INPUT, "time.wall", "HH:MM:SS")
        for text in ("often", "0 steps", "1.5 steps", "10", "10 m"):
            with self.subTest(text):
                self.assert_fails(self.run_text(WAVE, "--set", f"checkpoint.every='{text}'"), BAD_INPUT, "checkpoint.every", "100 steps")


if __name__ == "__main__":
    unittest.main()
