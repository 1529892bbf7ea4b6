"""What each command does with a sound problem."""

import math
import re
import shutil
import unittest

from program import BAD_INPUT, GAS, SOURCE, TROUBLE, WAVE, ProgramTest


class Run(ProgramTest):
    def test_errors_go_to_standard_output_and_the_summary_has_every_figure(self):
        result = self.run_text(WAVE, "--json", "summary.json")
        self.assert_succeeds(result)
        self.assertRegex(result.output, r"u +\d\.\d+e-\d+ +\d\.\d+e-\d+ +\d\.\d+e-\d+")
        summary = self.read_json("summary.json")
        self.assertEqual(summary["status"], "done")
        self.assertEqual(summary["elements"], 16)
        self.assertEqual(summary["dofs"], 16 * 9)
        self.assertAlmostEqual(summary["time"], 0.1, places=14)
        self.assertGreater(summary["steps"], 0)
        self.assertLess(summary["errors"]["u"]["L2"], 0.05)
        self.assertGreater(summary["errors"]["u"]["L2"], 1e-6)
        self.assertRegex(summary["checksum"], r"^[0-9a-f]{64}$")
        for key in ("wall_s", "setup_s", "compile_s", "gdofs_per_s", "device"):
            self.assertIn(key, summary)

    def test_outputs_are_where_the_configuration_and_the_option_say(self):
        self.assert_succeeds(self.run_text(WAVE))
        self.assertTrue((self.folder / "out/problem.vtkhdf").is_file())
        self.assertTrue((self.folder / "out/summary.json").is_file())
        self.assert_succeeds(self.run_text(WAVE, "--output", "elsewhere"))
        self.assertTrue((self.folder / "elsewhere/problem.vtkhdf").is_file())

    def test_quiet_says_nothing_but_results(self):
        result = self.run_text(WAVE, "--quiet")
        self.assert_succeeds(result)
        self.assertEqual(result.messages, "")

    def test_progress_in_a_log_is_lines_and_names_the_device(self):
        result = self.run_text(WAVE)
        self.assertIn("device opencl:0", result.messages)
        self.assertNotIn("\r", result.messages)

    def test_set_overrides_the_configuration(self):
        result = self.run_text(WAVE, "--set", "order=1", "--set", "time.end=0.05", "--json", "summary.json")
        self.assert_succeeds(result)
        summary = self.read_json("summary.json")
        self.assertEqual(summary["dofs"], 16 * 4)
        self.assertAlmostEqual(summary["time"], 0.05, places=14)

    def test_the_same_run_gives_the_same_bits(self):
        checksums = set()
        for _ in range(2):
            self.assert_succeeds(self.run_text(GAS, "--json", "summary.json"))
            checksums.add(self.read_json("summary.json")["checksum"])
        self.assertEqual(len(checksums), 1)


class Tune(ProgramTest):
    def setUp(self):
        super().setUp()
        self.environment = {"DGSOLVE_CACHE_DIR": str(self.folder / "cache")}

    def test_a_tuned_problem_is_known_to_later_runs_and_to_no_other_problem(self):
        self.write("problem.yaml", WAVE)
        result = self.run_program("tune", "problem.yaml", environment=self.environment)
        self.assert_succeeds(result)
        self.assertRegex(result.output, r"default +[0-9.]+ us .*blocks=\d+")
        self.assertRegex(result.output, r"tuned +[0-9.]+ us .*blocks=\d+")
        self.assertRegex(result.output, r"\d+ candidates: \d+ pruned, 0 wrong")
        known = self.run_program("check", "problem.yaml", environment=self.environment)
        self.assertRegex(known.output, r"variants +blocks=\d+ stream=[01] \(by record\)")
        pinned = self.run_program("check", "problem.yaml", "--set", "variant.blocks=2", environment=self.environment)
        self.assertRegex(pinned.output, r"blocks=2 stream=[01] \(by record and pins\)")
        off = self.run_program("check", "problem.yaml", "--set", "tune=off", environment=self.environment)
        self.assertIn("(by rule)", off.output)
        other = self.run_program("check", "problem.yaml", "--set", "order=3", environment=self.environment)
        self.assertIn("(by rule)", other.output)

    def test_tune_on_measures_once(self):
        first = self.run_text(WAVE + "tune: on\n", environment=self.environment)
        self.assert_succeeds(first)
        self.assertIn("tuning: stage: advection", first.messages)
        again = self.run_text(WAVE + "tune: on\n", environment=self.environment)
        self.assert_succeeds(again)
        self.assertNotIn("tuning:", again.messages)
        forced = self.run_text(WAVE + "tune: force\n", environment=self.environment)
        self.assertIn("tuning: stage: advection", forced.messages)

    def test_an_unknown_choice_is_told_what_is_allowed(self):
        result = self.run_text(WAVE + "tune: onn\n")
        self.assertEqual(result.status, BAD_INPUT)
        self.assertIn("did you mean 'on'?", result.messages)


class Check(ProgramTest):
    def test_prints_what_would_run_and_writes_nothing(self):
        result = self.run_text(WAVE, command=["check"])
        self.assert_succeeds(result)
        for part in ("advection", "16 quadrilateral", "144 DOF", "lsrk54", "MiB", "kernel "):
            self.assertIn(part, result.output)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["problem.yaml"])

    def test_the_example_of_the_readme_is_sound(self):
        readme = (SOURCE / "README.md").read_text()
        example = re.search(r"```yaml\n(.*?)```", readme, re.DOTALL)[1]
        self.assert_succeeds(self.run_text(example, "--device", "opencl", command=["check"]))


class Converge(ProgramTest):
    def test_observed_orders_are_those_of_the_errors(self):
        text = WAVE.replace("cells: [4, 4]", "cells: [8, 8]")
        result = self.run_text(text, "--refine", 3, "--orders", "1,2", "--json", "table.json", command=["converge"])
        self.assert_succeeds(result)
        rows = self.read_json("table.json")["rows"]
        self.assertEqual([(row["order"], row["cells"]) for row in rows], [(p, n) for p in (1, 2) for n in (64, 256, 1024)])
        for coarse, fine in zip(rows, rows[1:]):
            if coarse["order"] == fine["order"]:
                self.assertAlmostEqual(coarse["h"] / fine["h"], 2, places=12)
                by_hand = math.log2(coarse["errors"]["u"]["L2"] / fine["errors"]["u"]["L2"])
                self.assertAlmostEqual(fine["observed"]["u"]["L2"], by_hand, places=10)
            else:
                self.assertIsNone(fine["observed"]["u"]["L2"])
        for row in (rows[2], rows[5]):
            self.assertGreater(row["observed"]["u"]["L2"], row["order"] + 1 - 0.2)
        self.assertIn("order 2", result.output)

    def test_gmsh_meshes_are_refined_uniformly(self):
        mesh = SOURCE / "configs/meshes/periodic3d-tet-v41bin.msh"
        text = re.sub(r"  box: .*", f"  file: {mesh}", WAVE).replace("a: [1, 0]", "a: [1, 0, 0]").replace("order: 2", "order: 1")
        result = self.run_text(text, "--refine", 2, "--set", "time.end=0.001", "--json", "table.json", command=["converge"])
        self.assert_succeeds(result)
        coarse, fine = self.read_json("table.json")["rows"]
        self.assertEqual(fine["cells"], 8 * coarse["cells"])
        self.assertLess(fine["errors"]["u"]["L2"], coarse["errors"]["u"]["L2"])


class Bench(ProgramTest):
    def test_figures_agree_with_one_another(self):
        result = self.run_text(GAS, "--steps", 3, "--json", "bench.json", command=["bench"])
        self.assert_succeeds(result)
        figures = self.read_json("bench.json")
        self.assertEqual(figures["dofs"], 8 * 3 * 3)
        self.assertEqual(figures["steps"], 3)
        self.assertEqual(len(figures["samples_s"]), 5)
        median = sorted(figures["samples_s"])[2]
        self.assertAlmostEqual(figures["seconds_per_stage"], median / (3 * figures["stages_per_step"]))
        rate = figures["dofs"] / figures["seconds_per_stage"] * 1e-9
        self.assertAlmostEqual(figures["gdofs_per_s"] / rate, 1)
        share = figures["bytes_per_dof"] * rate * 1e9 / figures["copy_bytes_per_s"]
        self.assertAlmostEqual(figures["share_of_copy"] / share, 1)
        self.assertGreater(figures["copy_bytes_per_s"], 1e8)
        self.assertIn("GDOF/s", result.output)

    def test_two_register_schemes_move_four_values_and_the_first_stage_one_less(self):
        self.assert_succeeds(self.run_text(GAS, "--steps", 1, "--json", "bench.json", command=["bench"]))
        self.assertAlmostEqual(self.read_json("bench.json")["state_bytes_per_dof"], 8 * (4 - 1 / 5))


class Profile(ProgramTest):
    ROW = re.compile(r"(?m)^(\w+) +(\d+) +([\d.]+) +([\d.]+)% +([\d.]+) +([\d.]+) +([\d.e-]+) +([\d.e-]+)  (.*)$")

    def rows(self, output):
        return {row[0]: row[1:] for row in self.ROW.findall(output)}

    def test_a_run_ends_with_a_table_of_its_kernels(self):
        result = self.run_text(WAVE, "--profile", "--json", "summary.json")
        self.assert_succeeds(result)
        steps = self.read_json("summary.json")["steps"]
        rows = self.rows(result.output)
        stages = [row for name, row in rows.items() if name.startswith("stage")]
        self.assertEqual(sum(int(row[0]) for row in stages), 5 * steps)
        self.assertEqual(int(rows["rate"][0]), steps + 1)
        self.assertAlmostEqual(sum(float(row[2]) for row in rows.values()), 100, delta=0.1 * len(rows))
        total = float(re.search(r"(?m)^all +([\d.]+)$", result.output)[1])
        self.assertAlmostEqual(sum(float(row[1]) for row in rows.values()), total, delta=0.001 * (len(rows) + 1))
        for row in stages:
            self.assertGreater(float(row[5]), 0)
            self.assertRegex(row[7], r"^[\d.]+% of copy$")

    def test_bench_profiles_the_steps_it_timed(self):
        result = self.run_text(GAS, "--steps", 3, "--profile", command=["bench"])
        self.assert_succeeds(result)
        stages = [int(row[0]) for name, row in self.rows(result.output).items() if name.startswith("stage")]
        self.assertEqual(sum(stages), 3 * 5)

    def test_without_the_option_there_is_no_table(self):
        result = self.run_text(WAVE)
        self.assertEqual(self.rows(result.output), {})

    def test_devices_tells_limits_that_it_measures_once(self):
        first = self.run_program("devices", "--measure")
        self.assert_succeeds(first)
        self.assertRegex(first.output, r"copy [\d.]+ GB/s, [\d.]+ GFLOP/s single, [\d.]+ GFLOP/s double, [\d.]+ us from launch to launch")
        self.assertEqual(self.run_program("devices", "--measure").output, first.output)


class Kernels(ProgramTest):
    def test_each_kernel_is_a_readable_file_with_its_spec_on_top(self):
        result = self.run_text(WAVE, "--to", "sources", command=["kernels"])
        self.assert_succeeds(result)
        files = sorted((self.folder / "sources").iterdir())
        self.assertGreater(len(files), 2)
        self.assertEqual(sorted(result.output.split()), [f"sources/{path.name}" for path in files])
        for path in files:
            text = path.read_text()
            self.assertTrue(text.startswith("// kernel "), path)
            self.assertNotIn("${", text)

    def test_without_a_folder_they_go_to_standard_output(self):
        result = self.run_text(WAVE, command=["kernels"])
        self.assert_succeeds(result)
        self.assertIn("// kernel ", result.output)


class Lists(ProgramTest):
    def test_devices_names_what_is_there_and_what_is_not(self):
        result = self.run_program("devices")
        self.assert_succeeds(result)
        self.assertRegex(result.output, r"(?m)^(cuda|opencl)")

    def test_equations_lists_all_and_describes_one(self):
        files = [path.stem for path in (SOURCE / "solver/equations").glob("*.yaml")]
        result = self.run_program("equations")
        self.assert_succeeds(result)
        for name in files:
            self.assertRegex(result.output, rf"(?m)^{name} ")
        result = self.run_program("equations", "euler")
        self.assert_succeeds(result)
        for part in ("rho, m[i], E", "rho, v[i], p", "gamma", "slip_wall", "rusanov", "mach"):
            self.assertIn(part, result.output)

    def test_explain_lists_all_keys_and_documents_one(self):
        result = self.run_program("explain")
        self.assert_succeeds(result)
        self.assertIn("mesh.box.cells", result.output)
        result = self.run_program("explain", "time.cfl")
        self.assert_succeeds(result)
        self.assertIn("0.9", result.output)

    def test_the_shipped_documentation_is_what_explain_writes(self):
        for option, path in (("--markdown", "docs/configuration.md"), ("--json-schema", "docs/dgsolve.schema.json")):
            result = self.run_program("explain", option)
            self.assert_succeeds(result)
            self.assertEqual(result.output, (SOURCE / path).read_text(), f"renew it: dgsolve explain {option} > {path}")


class Pack(ProgramTest):
    def test_one_file_holds_what_the_series_holds(self):
        self.assert_succeeds(self.run_text(WAVE))
        series = self.folder / "out/problem.vtkhdf"
        result = self.run_program("pack", series)
        self.assert_succeeds(result)
        packed = self.folder / "out/problem-packed.vtkhdf"
        self.assertEqual(result.output, f"{packed}\n")
        shutil.rmtree(self.folder / "out/problem.d")
        self.assertGreater(packed.stat().st_size, 16 * 9 * 8)
        self.assert_fails(self.run_program("pack", series, "--to", "again.vtkhdf"), TROUBLE, "problem.d")

    def test_a_missing_series_is_named(self):
        self.assert_fails(self.run_program("pack", "absent.vtkhdf"), BAD_INPUT, "absent.vtkhdf")


if __name__ == "__main__":
    unittest.main()
