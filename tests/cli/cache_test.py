"""The kernel cache as a user meets it: dgsolve cache, precompile, the counters of a run, faults of the folder."""

import os
import re
import unittest

from program import BAD_INPUT, GAS, TROUBLE, WAVE, ProgramTest

WAVE_WITH_ALL = WAVE.replace("output: {fields: [u]}", "output:\n  fields:\n    - u\n    - squared: u*u") + (
    "monitors:\n  total: {integral: u}\n  peak: {max: u}\n  probe:\n    at: [0.3, 0.3]\n    fields: [u]\n"
)


class CacheTest(ProgramTest):
    """Each test has a cache folder of its own."""

    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache"

    def run_program(self, *arguments, environment=None, **more):
        return super().run_program(*arguments, environment={"DGSOLVE_CACHE_DIR": str(self.cache), **(environment or {})}, **more)

    def entries(self, cache=None):
        return sorted((cache or self.cache).glob("*.kernel"))

    def names(self, environment=None):
        """Kernel names that `cache ls` prints."""
        result = self.run_program("cache", "ls", environment=environment)
        self.assert_succeeds(result)
        return {line.split()[-1] for line in result.output.splitlines()[1:]}

    def counters(self, text=WAVE, **more):
        result = self.run_text(text, "--json", "summary.json", **more)
        self.assert_succeeds(result)
        return self.read_json("summary.json")["cache"]


class Counters(CacheTest):
    def test_a_second_run_compiles_nothing_and_says_so(self):
        first = self.counters()
        self.assertGreater(first["compiles"], 3)
        self.assertEqual(first["compiles"], first["misses"])
        self.assertEqual(len(self.entries()), first["compiles"])
        second = self.counters()
        self.assertEqual((second["compiles"], second["misses"], second["corrupt"]), (0, 0, 0))
        self.assertEqual(second["user_hits"], first["compiles"])
        result = self.run_text(WAVE, "-v", command=["check"])
        self.assertRegex(result.output, r"kernel cache .*: \d+ found \(0 in memory, \d+ in the folder, 0 shared\), 0 compiled")

    def test_the_configuration_names_the_folders(self):
        text = WAVE + "cache: {directory: mine, size: 100}\n"
        self.assertGreater(self.counters(text)["compiles"], 0)
        self.assertTrue(self.entries(self.folder / "mine"))
        self.assertFalse(self.cache.exists())
        self.assert_fails(self.run_text(WAVE + "cache: {size: 0}\n"), BAD_INPUT, "cache.size")

    def test_faults_of_the_folder_are_one_warning_and_the_run_goes_on(self):
        self.cache.mkdir()
        self.cache.chmod(0o777)
        result = self.run_text(WAVE)
        self.assert_succeeds(result)
        self.assertEqual(result.messages.count("warning"), 1)
        self.assertIn("can be written by other users", result.messages)
        nowhere = {name: "" for name in ("DGSOLVE_CACHE_DIR", "XDG_CACHE_HOME", "HOME")}
        result = self.run_text(WAVE, environment=nowhere)
        self.assert_succeeds(result)
        self.assertNotIn("warning", result.messages)

    def test_every_damaged_entry_is_rebuilt(self):
        built = self.counters()["compiles"]
        for number, entry in enumerate(self.entries()):
            data = bytearray(entry.read_bytes())
            if number % 3 == 0:
                data = data[: len(data) // 2]
            elif number % 3 == 1:
                data[-1] ^= 4
            else:
                data = b""
            entry.write_bytes(data)
        again = self.counters()
        self.assertEqual((again["corrupt"], again["compiles"]), (built, built))
        self.assertEqual(self.counters()["user_hits"], built)


class Commands(CacheTest):
    def setUp(self):
        super().setUp()
        self.run_text(WAVE, command=["check"])

    def test_ls_and_stat_describe_every_entry(self):
        result = self.run_program("cache", "ls")
        self.assert_succeeds(result)
        lines = result.output.splitlines()
        self.assertEqual(lines[0].split(), ["key", "backend", "architecture", "size", "last", "use", "kernel"])
        self.assertEqual([line.split()[0] for line in lines[1:]], [path.name[:16] for path in self.entries()])
        self.assertTrue(any("stage0" in line for line in lines))
        result = self.run_program("cache", "stat")
        self.assert_succeeds(result)
        self.assertIn(str(self.cache), result.output)
        self.assertRegex(result.output, rf"entries  {len(self.entries())}, ")

    def test_verify_finds_damage_and_fix_removes_it(self):
        result = self.run_program("cache", "verify")
        self.assert_succeeds(result)
        self.assertIn(f"{len(self.entries())} whole, 0 damaged", result.output)
        damaged = self.entries()[1]
        data = bytearray(damaged.read_bytes())
        data[-3] ^= 16
        damaged.write_bytes(data)
        result = self.run_program("cache", "verify")
        self.assert_fails(result, TROUBLE, "1 entries", "--fix")
        self.assertIn(damaged.stem, result.output)
        self.assert_succeeds(self.run_program("cache", "verify", "--fix"))
        self.assertFalse(damaged.exists())
        self.assert_succeeds(self.run_program("cache", "verify"))

    def test_gc_leaves_what_was_used_last(self):
        entries = self.entries()
        for age, entry in enumerate(entries):
            os.utime(entry, (1e9 - age, 1e9 - age))
        size = sum(entry.stat().st_size for entry in entries)
        self.assert_succeeds(self.run_program("cache", "gc", "--size", f"{size}"))
        self.assertEqual(self.entries(), entries)
        self.assert_succeeds(self.run_program("cache", "gc", "--size", f"{size // 2}"))
        left = self.entries()
        self.assertTrue(left)
        self.assertEqual(left, entries[: len(left)])
        self.assert_succeeds(self.run_program("cache", "gc", "--size", "0"))
        self.assertEqual(self.entries(), [])

    def test_another_folder_can_be_named_and_faults_are_one_message(self):
        self.assert_succeeds(self.run_program("cache", "stat", "--folder", "other"))
        if os.geteuid() == 0:  # another user's folder can be read, not changed
            os.chown(self.cache, 65534, 65534)
            self.assert_succeeds(self.run_program("cache", "verify"))
            self.assert_fails(self.run_program("cache", "gc"), TROUBLE, "belongs to another user")
        self.cache.chmod(0o777)
        self.assert_fails(self.run_program("cache", "ls"), TROUBLE, "can be written by other users")
        self.assert_fails(self.run_program("cache"), BAD_INPUT, "cache --help")
        self.assert_fails(self.run_program("cache", "gc", "--size", "much"), BAD_INPUT, "--size")
        self.assert_fails(self.run_program("cache", "import", "absent", "--folder", "other"), TROUBLE, "absent")


class Precompile(CacheTest):
    def precompile(self, text, *arguments):
        result = self.run_text(text, *arguments, command=["precompile"])
        if "no NVRTC" in result.messages:
            self.skipTest(result.messages)
        return result

    def test_compiles_once_for_every_architecture_without_a_gpu(self):
        result = self.precompile(WAVE_WITH_ALL, "--arch", "sm_80,sm_90")
        self.assert_succeeds(result)
        counts = re.findall(r"(?m)^(sm_\d+): (\d+) kernels, (\d+) compiled in [\d.]+ s, 0 found$", result.output)
        self.assertEqual([name for name, *_ in counts], ["sm_80", "sm_90"])
        self.assertEqual(len(self.entries()), sum(int(compiled) for *_, compiled in counts))
        again = self.precompile(WAVE_WITH_ALL, "--arch", "sm_90")
        self.assertRegex(again.output, r"sm_90: \d+ kernels, 0 compiled")
        listed = self.run_program("cache", "ls").output
        self.assertRegex(listed, r"cuda +sm_80 .*stage0")
        self.assertRegex(listed, r"cuda +sm_90 .*stage0")

    def test_builds_every_kernel_that_a_run_builds(self):
        for text in (WAVE_WITH_ALL, GAS):
            with self.subTest(text.splitlines()[0]):
                self.assert_succeeds(self.run_text(text, environment={"DGSOLVE_CACHE_DIR": str(self.folder / "run")}))
                of_run = self.names({"DGSOLVE_CACHE_DIR": str(self.folder / "run")})
                self.assert_succeeds(self.precompile(text, "--arch", "sm_90"))
                # On a CPU all stages share one kernel, so their names differ; of all others none may be missing.
                missing = {name for name in of_run - self.names() if not name.startswith("stage")}
                self.assertEqual(missing, set())
                self.assertTrue(any(name.startswith("stage") for name in self.names()))

    def test_a_run_on_a_gpu_of_the_architecture_compiles_nothing(self):
        stub = os.environ.get("DGSOLVE_STUB_CUDA")
        if stub is None:
            self.skipTest("the build has no stub of the CUDA driver")
        for text in (WAVE_WITH_ALL, GAS):
            with self.subTest(text.splitlines()[0]):
                # With a fixed step: what the stub's memory holds gives none.
                text = re.sub(r"end: ([\d.]+)", r"end: \1, step: 0.05", text).replace("opencl", "cuda")
                self.assert_succeeds(self.precompile(text, "--arch", "sm_90"))
                counters = self.counters(text, environment={"LD_LIBRARY_PATH": stub})
                self.assertGreater(counters["user_hits"], 4)
                self.assertEqual((counters["compiles"], counters["misses"], counters["corrupt"]), (0, 0, 0))

    def test_an_archive_carries_the_kernels(self):
        self.assert_succeeds(self.precompile(WAVE, "--arch", "sm_90"))
        count = len(self.entries())
        self.assert_succeeds(self.run_program("cache", "export", "kernels.archive"))
        there = {"DGSOLVE_CACHE_DIR": str(self.folder / "there")}
        result = self.run_program("cache", "import", "kernels.archive", environment=there)
        self.assert_succeeds(result)
        self.assertIn(f"{count} entries", result.output)
        result = self.run_text(WAVE, "--arch", "sm_90", command=["precompile"], environment=there)
        self.assertRegex(result.output, rf"0 compiled in [\d.]+ s, {count} found")
        archive = self.folder / "kernels.archive"
        archive.write_bytes(archive.read_bytes()[:-1000])
        self.assert_fails(self.run_program("cache", "import", "kernels.archive"), TROUBLE, "is damaged", "nothing was imported")

    def test_a_shared_folder_is_read_and_not_written(self):
        self.assert_succeeds(self.precompile(WAVE, "--arch", "sm_90"))
        count = len(self.entries())
        environment = {"DGSOLVE_CACHE_DIR": str(self.folder / "user"), "DGSOLVE_CACHE_SHARED": str(self.cache)}
        result = self.run_text(WAVE, "--arch", "sm_90", command=["precompile"], environment=environment)
        self.assertRegex(result.output, rf"0 compiled in [\d.]+ s, {count} found")
        self.assertEqual(self.entries(self.folder / "user"), [])

    def test_a_wrong_architecture_is_named_with_the_right_ones(self):
        self.assert_fails(self.precompile(WAVE, "--arch", "sm_9"), BAD_INPUT, "--arch: found 'sm_9'", "sm_90")
        self.assert_fails(self.run_text(WAVE, command=["precompile"]), BAD_INPUT, "--arch")


if __name__ == "__main__":
    unittest.main()
