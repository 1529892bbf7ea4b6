"""What can go wrong with checkpoints: full disks, two runs in one folder, lost ranks, signals at the wrong moment."""

import importlib.util
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import time

from program import DIVERGED, STOPPED, TROUBLE, WAVE, Result
from ranks_test import waves
from restart_test import LONG, RestartTest, checkpoints

# The checkpoint (4 x 8 bytes a node) is larger than what else is written after the start (8 bytes a node).
LARGE = waves("quad").replace("cells: [7, 5]", "cells: [64, 64]").replace("fields: [rho, v, p, temperature: p/rho]", "fields: [rho]").replace("order: 2", "order: 4")
LARGE = LARGE[: LARGE.index("monitors:")].replace("end: 0.03", "end: 0.003") + "device: opencl\n"
# Three blocks of a checkpoint, 20 MB.
HUGE = LARGE.replace("cells: [64, 64]", "cells: [160, 160]").replace("end: 0.003", "end: 0.0004")


class FaultsTest(RestartTest):
    def start(self, *arguments, ranks=1):
        if ranks > 1:
            return self.launch(ranks, *arguments)
        return subprocess.Popen([os.environ["DGSOLVE_PROGRAM"], *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def wait_for(self, condition):
        end = time.time() + 120
        while not condition() and time.time() < end:
            time.sleep(0.02)
        self.assertTrue(condition())

    def ranks_of(self, process):
        return [int(word) for word in pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]

    def leftovers(self, folder):
        return [path.name for path in (self.folder / folder).rglob("*.tmp")]


class FullDisk(FaultsTest):
    def prepare(self, text=LARGE, every="2 steps"):
        self.write("problem.yaml", text)
        self.assert_succeeds(self.run_program("problem.yaml", "--set", f"checkpoint={{every: {every}, keep: 50}}"))
        self.expected = self.read_json("out/summary.json")["checksum"]
        for file in checkpoints(self.folder / "out")[1:]:
            file.unlink()

    def assert_fails_and_goes_on_later(self, run, reason):
        [file] = checkpoints(self.folder / "out")
        content = file.read_bytes()
        self.assert_fails(run(), TROUBLE, "problem.checkpoints/000001.h5", reason)
        self.assertEqual(checkpoints(self.folder / "out"), [file])
        self.assertEqual(file.read_bytes(), content)
        self.assertEqual(self.leftovers("out"), [])
        self.assertEqual(self.read_json("out/summary.json")["status"], "failed")
        self.assert_succeeds(self.run_program("problem.yaml", "--resume"))
        self.assertEqual(self.read_json("out/summary.json")["checksum"], self.expected)

    def test_a_limit_of_the_file_size(self):
        self.prepare()

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))

        self.assert_fails_and_goes_on_later(
            lambda: self.run_program("problem.yaml", "--resume", "--set", "checkpoint={every: 2 steps}", prepare=limit), "File too large")

    def test_a_limit_of_the_file_size_of_another_rank_than_the_first(self):
        self.prepare(HUGE, "1 step")
        # In blocks of 1024 bytes: more than MPI's shared memory, less than the state, of which rank 1 writes the last block.
        limited = ("bash", "-c", 'if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then ulimit -f 18000; fi; exec "$0" "$@"')

        def run():
            result = self.run_ranks(2, "problem.yaml", "--resume", "--set", "checkpoint={every: 1 step}", prepare=limited)
            self.assertEqual(result.messages.count("dgsolve: error: "), 1, result.messages)
            return result

        self.assert_fails_and_goes_on_later(run, "File too large")

    def test_a_file_system_without_room(self):
        self.prepare()
        self.check_without_room(1, "9m", 2_500_000, "2 steps")

    def test_a_file_system_without_room_on_two_ranks(self):
        self.prepare(HUGE, "1 step")
        self.check_without_room(2, "90m", 12_000_000, "1 step")

    def check_without_room(self, ranks, size, left, every):
        small = self.folder / "small"
        small.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", small], capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest("no file system can be mounted here")
        self.addCleanup(subprocess.run, ["umount", small], check=False)
        shutil.copytree(self.folder / "out", small / "out")
        shutil.rmtree(self.folder / "out")
        (self.folder / "out").symlink_to(small / "out")
        filling = small / "filling"

        def run():
            filling.write_bytes(bytes(max(0, shutil.disk_usage(small).free - left)))
            result = self.run_on(ranks, "problem.yaml", "--resume", "--set", f"checkpoint={{every: {every}}}")
            filling.unlink()
            return result

        self.assert_fails_and_goes_on_later(run, "No space left on device")


class OneWriter(FaultsTest):
    def check_second_run(self, first_ranks, second_ranks):
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        self.write("problem.yaml", LONG)
        with self.start("problem.yaml", ranks=first_ranks) as first:
            self.addCleanup(first.kill)
            self.wait_for(lambda: (self.folder / "out/problem.vtkhdf").exists())
            before = (self.folder / "out/monitors.csv").read_text()
            second = self.run_on(second_ranks, "problem.yaml")
            self.assert_fails(second, TROUBLE, "out: another run writes here", "process", "--output")
            self.assertTrue((self.folder / "out/monitors.csv").read_text().startswith(before))
            self.assertIsNone(first.poll())
            # Whoever is killed blocks nobody, though its lock file stays.
            for pid in self.ranks_of(first) if first_ranks > 1 else [first.pid]:
                os.kill(pid, signal.SIGKILL)
            first.communicate(timeout=60)
        self.assertTrue((self.folder / "out/.dgsolve.lock").exists())
        self.assert_succeeds(self.run_on(second_ranks, "problem.yaml", "--set", "time.end=0.03"))
        self.assertFalse((self.folder / "out/.dgsolve.lock").exists())

    def test_a_second_run_is_refused(self):
        self.check_second_run(1, 1)

    def test_a_second_run_of_several_ranks_is_refused(self):
        self.check_second_run(1, 2)
        self.check_second_run(2, 1)


class LostRank(FaultsTest):
    def test_the_others_end_and_the_checkpoint_is_intact(self):
        text = WAVE.replace("end: 0.1", "end: 30").replace("fields: [u]", "fields: [u], every: 7")
        self.write("problem.yaml", text)
        self.assert_succeeds(self.run_program("problem.yaml", "--output", "straight"))
        with self.start("problem.yaml", "--set", "checkpoint.every=10 steps", ranks=3) as process:
            self.addCleanup(process.kill)
            self.wait_for(lambda: len(checkpoints(self.folder / "out")) == 2)
            os.kill(self.ranks_of(process)[-1], signal.SIGKILL)
            _, messages = process.communicate(timeout=30)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("signal 9", messages)
        resumed = self.run_ranks(2, "problem.yaml", "--resume")
        self.assert_succeeds(resumed)
        self.assertIn("goes on from step", resumed.messages)
        self.assertNotIn("warning", resumed.messages)
        self.assertEqual(self.leftovers("out"), [])
        self.assertEqual(self.results("out"), self.results("straight"))


    def test_in_the_middle_of_a_checkpoint(self):
        self.write("problem.yaml", HUGE)
        with self.start("problem.yaml", "--set", "checkpoint={every: 1 step}", "--set", "time.end=10", ranks=3) as process:
            self.addCleanup(process.kill)
            self.wait_for(lambda: checkpoints(self.folder / "out") and self.leftovers("out/problem.checkpoints"))
            os.kill(self.ranks_of(process)[-1], signal.SIGKILL)
            _, messages = process.communicate(timeout=30)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("signal 9", messages)
        resumed = self.run_ranks(2, "problem.yaml", "--resume", "--set", "time.end=10", "--set", "time.wall=1e-9 s")
        self.assertEqual(resumed.status, STOPPED, resumed.messages)
        self.assertIn("goes on from step", resumed.messages)
        self.assertNotIn("warning", resumed.messages)
        self.assertEqual(self.leftovers("out"), [])


class SignalsWhileWriting(FaultsTest):
    def test_the_write_is_finished(self):
        self.write("problem.yaml", LARGE.replace("end: 0.003", "end: 0.02"))
        self.assert_succeeds(self.run_program("problem.yaml", "--output", "straight"))
        expected = self.read_json("straight/summary.json")["checksum"]
        for attempt in range(5):  # nearly all of the time is that of writes
            with self.start("problem.yaml", "--resume", "--set", "checkpoint={every: 1 step}") as process:
                self.addCleanup(process.kill)
                begun = len(checkpoints(self.folder / "out")) + (attempt == 0)
                self.wait_for(lambda: len(checkpoints(self.folder / "out")) >= begun or process.poll() is not None)
                time.sleep(0.6 + 0.037 * attempt)
                process.send_signal(signal.SIGTERM)
                _, messages = process.communicate(timeout=60)
            if process.returncode == 0:
                break
            self.assertEqual(process.returncode, STOPPED, messages)
            self.assertNotIn("damaged", messages)
            self.assertEqual(self.leftovers("out"), [])
        self.assert_succeeds(self.run_program("problem.yaml", "--resume"))
        self.assertEqual(self.read_json("out/summary.json")["checksum"], expected)

    def test_a_checkpoint_of_several_ranks_is_finished(self):
        self.check_ranks(HUGE.replace("end: 0.0004", "end: 0.0015"), "out/problem.checkpoints", "--set", "checkpoint={every: 1 step}")

    def test_an_output_of_several_ranks_is_finished(self):
        often = HUGE.replace("end: 0.0004", "end: 0.001").replace("every: 0.02", "every: 0.0001").replace("fields: [rho]", "fields: [rho, m, E]")
        self.check_ranks(often, "out/problem.d")

    def check_ranks(self, text, folder, *more):
        """SIGTERM to one rank while files of all of them are under way: status 75, whole files, then the bits of the straight run."""
        self.write("problem.yaml", text)
        self.assert_succeeds(self.run_program("problem.yaml", "--output", "straight"))
        expected = self.results("straight")
        for ranks in (2, 3):
            with self.subTest(ranks=ranks):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                self.stop_while_writing(ranks, self.folder / folder, more)
                self.assert_whole_files()
                self.assert_succeeds(self.run_ranks(ranks, "problem.yaml", "--resume", *more))
                self.assert_equal_results("out", expected)

    def stop_while_writing(self, ranks, folder, more):
        """Sends the signal while a file of the folder, not the first, has its temporary name."""
        with self.start("problem.yaml", *more, ranks=ranks) as process:
            self.addCleanup(process.kill)
            self.wait_for(lambda: list(folder.glob("0*.h5")) and self.leftovers(folder) or process.poll() is not None)
            self.assertIsNone(process.poll(), "it ended before the signal")
            os.kill(self.ranks_of(process)[-1], signal.SIGTERM)
            _, messages = process.communicate(timeout=120)
        self.assertEqual(process.returncode, STOPPED, messages)
        self.assertIn("stopped by", messages)

    def assert_whole_files(self):
        self.assertEqual(self.leftovers("out"), [])
        self.assertEqual(self.read_json("out/summary.json")["status"], "stopped")
        newest = checkpoints(self.folder / "out")[-1]
        read = self.run_program("problem.yaml", "--restart", newest, "--output", "read", "--set", "time.wall=1e-9 s")
        self.assertEqual(read.status, STOPPED, read.messages)
        if not importlib.util.find_spec("h5py"):
            return
        import h5py

        for file in sorted((self.folder / "out").rglob("*.h5")) + [self.folder / "out/problem.vtkhdf"]:
            with h5py.File(file) as data:
                data.visititems(lambda name, item: item[()] if hasattr(item, "dtype") else None)

    def test_a_second_signal_ends_the_program_at_once(self):
        self.write("problem.yaml", LONG)
        with self.start("problem.yaml") as process:
            self.addCleanup(process.kill)
            process.stderr.readline()  # the device is known, the kernels are not
            process.send_signal(signal.SIGSTOP)
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGCONT)
            process.communicate(timeout=60)
        self.assertIn(process.returncode, (-signal.SIGTERM, -signal.SIGINT))
        self.assertEqual(checkpoints(self.folder / "out"), [])


class BadStates(FaultsTest):
    UNSTABLE = WAVE.replace("{end: 0.1}", "{end: 1000, step: 0.3}").replace("4, 4", "8, 8")

    def test_a_state_that_diverged_is_not_kept(self):
        self.write("problem.yaml", self.UNSTABLE)
        result = self.run_program("problem.yaml", "--set", "checkpoint={every: 1 step, keep: 1000}")
        self.assert_fails(result, DIVERGED, "step", "non-finite")
        kept = checkpoints(self.folder / "out")
        self.assertGreater(len(kept), 1)
        self.assertIn(f"the last checkpoint before it: out/problem.checkpoints/{kept[-1].name}", result.messages)
        # The state of the last one is finite: what it goes on with diverges in the next step, not at once.
        again = self.run_program("problem.yaml", "--restart", kept[-1], "--output", "again")
        self.assert_fails(again, DIVERGED, "diverged at step")

    def test_the_elements_around_the_fault_are_written(self):
        self.write("problem.yaml", self.UNSTABLE)
        for ranks in (1, 3):
            with self.subTest(ranks=ranks):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                result = self.run_on(ranks, "problem.yaml")
                self.assert_fails(result, DIVERGED, "element", "out/problem.fault.vtkhdf", *([" on rank "] if ranks > 1 else []))
                self.assertEqual(result.messages.count("fault.vtkhdf"), 1)
                if not importlib.util.find_spec("h5py"):
                    self.skipTest("there is no h5py")
                import h5py
                import numpy

                with h5py.File(self.folder / "out/problem.fault.vtkhdf") as data:
                    self.assertEqual(data["VTKHDF/NumberOfCells"][0], 1 + 4 + 8)
                    self.assertFalse(numpy.isfinite(data["VTKHDF/PointData/u"][()]).all())
                    self.assertIn("non-finite", str(data.attrs["fault"]))
