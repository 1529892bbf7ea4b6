"""Every kind of failure: its exit status, its message, and that nothing half-written is left."""

import resource
import unittest

from program import BAD_INPUT, DIVERGED, GAS, SOURCE, TROUBLE, WAVE, ProgramTest


class BadInput(ProgramTest):
    def test_a_missing_configuration_is_named(self):
        self.assert_fails(self.run_program("absent.yaml"), BAD_INPUT, "absent.yaml: there is no such file")

    def test_all_faults_of_a_configuration_come_at_once_with_their_places(self):
        text = WAVE.replace("order: 2", "ordr: 2").replace("flux: upwind", "flux: upwnd").replace("end: 0.1", "end: never")
        result = self.run_text(text)
        self.assert_fails(result, BAD_INPUT, "problem.yaml:9:1", "ordr", "'order'", "problem.yaml:11:", "never")
        self.assertFalse((self.folder / "out").exists())

    def test_an_override_of_an_unknown_key_is_a_fault(self):
        self.assert_fails(self.run_text(WAVE, "--set", "time.ned=1"), BAD_INPUT, "time.ned", "'end'")

    def test_a_boundary_without_condition_is_named(self):
        text = WAVE.replace(", periodic: [x, y]", ", periodic: [y]")
        self.assert_fails(self.run_text(text), BAD_INPUT, "left", "right")

    def test_a_condition_for_a_group_that_the_mesh_has_not_is_named(self):
        text = WAVE + "boundaries:\n  lid: outflow\n"
        self.assert_fails(self.run_text(text), BAD_INPUT, "lid")

    def test_a_truncated_mesh_file_is_refused(self):
        whole = (SOURCE / "configs/meshes/cylinder2d-tri-order2-v22.msh").read_bytes()
        (self.folder / "short.msh").write_bytes(whole[: len(whole) // 2])
        text = WAVE.replace("box: {lower: [0, 0], upper: [1, 1], cells: [4, 4], shape: quad, periodic: [x, y]}", "file: short.msh")
        self.assert_fails(self.run_text(text), BAD_INPUT, "short.msh")

    def test_an_order_that_the_cells_of_a_mesh_file_do_not_have_is_refused(self):
        cylinder = SOURCE / "configs/cylinder2d-tri.yaml"
        self.assert_fails(self.run_program(cylinder, "--set", "order=9", "--set", "overintegration=0"), BAD_INPUT, "order", "9", "triangle", "1 to 8")
        self.assert_fails(self.run_program(cylinder, "--set", "order=8"), BAD_INPUT, "8 + 1 (overintegration)", "triangle", "1 to 8")

    def test_overintegration_of_gauss_nodes_names_the_others(self):
        self.assert_fails(self.run_text(WAVE + "overintegration: 1\nnodes: gauss\n"), BAD_INPUT, "overintegration", "quadrilateral", "nodes: lobatto")

    def test_overintegration_beyond_the_largest_hexahedron_is_refused(self):
        text = WAVE.replace("lower: [0, 0], upper: [1, 1], cells: [4, 4], shape: quad, periodic: [x, y]",
                            "lower: [0, 0, 0], upper: [1, 1, 1], cells: [2, 2, 2], shape: hex, periodic: [x, y, z]")
        result = self.run_text(text.replace("order: 2", "order: 6").replace("a: [1, 0]", "a: [1, 0, 0]") + "overintegration: 2\n")
        self.assert_fails(result, BAD_INPUT, "6 + 2 (overintegration)", "hexahedron", "1 to 7")

    def test_a_formula_with_a_typo_is_shown_with_a_caret(self):
        self.assert_fails(self.run_text(WAVE.replace("u: sin(2*pi*x)", "u: sni(2*pi*x)")), BAD_INPUT, "sni", "^", "'sin'")

    def test_negative_density_at_the_start_is_bad_input_and_says_where(self):
        result = self.run_text(GAS.replace("1 + 0.5*sin", "1 + 1.5*sin"))
        self.assert_fails(result, BAD_INPUT, "initial", "density", "not positive", "element")
        self.assertFalse(list(self.folder.glob("out/*.vtkhdf")))

    def test_an_initial_state_that_is_not_finite_is_bad_input(self):
        self.assert_fails(self.run_text(WAVE.replace("u: sin(2*pi*x)\nexact", "u: sqrt(x - 0.5)\nexact")), BAD_INPUT, "initial", "non-finite")

    def test_pinned_choices_that_do_not_exist_are_refused_with_those_that_do(self):
        self.assert_fails(self.run_text(WAVE + "variant: {blocs: 2}\n"), BAD_INPUT, "variant.blocs", "'blocks'")
        self.assert_fails(self.run_text(WAVE + "variant: {blocks: 1000}\n"), BAD_INPUT, "variant.blocks", "found 1000", "1 to 64")
        self.assert_fails(self.run_text(WAVE + "variant: {width: 0}\n"), BAD_INPUT, "variant.width", "found 0", "1 or ")
        self.assert_fails(self.run_text(WAVE + "variant: {blocks: many}\n"), BAD_INPUT, "problem.yaml:", "variant.blocks", "many")

    def test_converge_without_an_exact_solution_says_what_is_missing(self):
        self.assert_fails(self.run_text(GAS, command=["converge"]), BAD_INPUT, "exact:")

    def test_names_that_do_not_exist_are_answered_with_the_nearest(self):
        self.assert_fails(self.run_program("equations", "eulr"), BAD_INPUT, "eulr", "'euler'")
        self.assert_fails(self.run_program("explain", "tiem"), BAD_INPUT, "tiem", "'time'")


class Diverged(ProgramTest):
    def test_a_step_far_too_large_is_reported_with_step_time_element_and_place(self):
        result = self.run_text(WAVE.replace("{end: 0.1}", "{end: 1000, step: 1}").replace("4, 4", "8, 8"))
        self.assert_fails(result, DIVERGED, "step", "element", "u", "non-finite")

    def test_the_summary_of_a_diverged_run_says_so(self):
        result = self.run_text(WAVE.replace("{end: 0.1}", "{end: 1000, step: 1}").replace("4, 4", "8, 8"), "--json", "summary.json")
        self.assertEqual(result.status, DIVERGED)
        self.assertEqual(self.read_json("summary.json")["status"], "diverged")


class Trouble(ProgramTest):
    def test_an_unknown_device_is_answered_with_those_that_exist(self):
        self.assert_fails(self.run_text(WAVE, "--device", "abacus"), TROUBLE, "abacus", "opencl:0")

    def test_without_opencl_platforms_the_reason_is_given(self):
        (self.folder / "no-vendors").mkdir()
        environment = {"OCL_ICD_VENDORS": str(self.folder / "no-vendors"), "OCL_ICD_FILENAMES": ""}
        self.assert_fails(self.run_text(WAVE, environment=environment), TROUBLE, "OpenCL", "platform")
        result = self.run_program("devices", environment=environment)
        self.assert_succeeds(result)
        self.assertIn("opencl", result.output)
        self.assertIn("platform", result.output)

    def test_an_output_directory_that_is_a_file_is_refused(self):
        self.write("occupied", "")
        self.assert_fails(self.run_text(WAVE, "--output", "occupied"), TROUBLE, "occupied")

    def test_a_summary_that_can_not_be_written_is_refused(self):
        self.assert_fails(self.run_text(WAVE, "--json", "absent/summary.json"), TROUBLE, "absent/summary.json")

    def test_a_limit_of_the_file_size_ends_the_run_like_a_full_disk_and_leaves_no_half_written_file(self):
        text = WAVE.replace("cells: [4, 4]", "cells: [128, 128]").replace("{end: 0.1}", "{end: 1e-4}")
        self.assert_succeeds(self.run_text(text, "--output", "whole"))  # the kernels are in the cache now

        def limit_file_size():  # as `ulimit -f` does: far more than a compiler writes, less than the mesh takes
            resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))

        result = self.run_text(text, "--output", "cut", prepare=limit_file_size)
        self.assert_fails(result, TROUBLE, "cut", "File too large")
        self.assertEqual([path.name for path in self.folder.glob("cut/**/*") if path.suffix in (".vtkhdf", ".h5", ".tmp")], [])


if __name__ == "__main__":
    unittest.main()
