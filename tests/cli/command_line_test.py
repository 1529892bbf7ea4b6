"""The command line itself: help, version, and what is said of a line that means nothing."""

import unittest

from program import BAD_INPUT, ProgramTest

COMMANDS = {
    "run": ["--set", "--device", "--output", "--json", "--quiet"],
    "check": ["--set", "--device"],
    "converge": ["--refine", "--orders", "--json"],
    "bench": ["--steps", "--json"],
    "kernels": ["--to"],
    "devices": [],
    "explain": ["KEY"],
    "equations": ["NAME"],
    "pack": [],
}


class CommandLine(ProgramTest):
    def test_help_lists_every_command_and_the_exit_statuses(self):
        result = self.run_program("--help")
        self.assert_succeeds(result)
        for command in COMMANDS:
            self.assertIn(f"  {command} ", result.output)
        self.assertIn("3 the solution diverged", result.output)
        self.assertEqual(result.messages, "")

    def test_each_command_has_help_with_its_options(self):
        for command, options in COMMANDS.items():
            with self.subTest(command):
                result = self.run_program(command, "--help")
                self.assert_succeeds(result)
                for option in options:
                    self.assertIn(option, result.output)

    def test_version_is_that_of_the_project(self):
        result = self.run_program("--version")
        self.assert_succeeds(result)
        self.assertRegex(result.output, r"^dgsolve \d+\.\d+\.\d+\n$")

    def test_nothing_is_answered_with_the_help_text(self):
        result = self.run_program()
        self.assertEqual(result.status, BAD_INPUT)
        self.assertIn("converge", result.messages)

    def test_a_misspelt_command_is_recognised(self):
        self.assert_fails(self.run_program("chekc", "problem.yaml"), BAD_INPUT, "'chekc' is no command", "did you mean 'check'?")
        self.assert_fails(self.run_program("devcies"), BAD_INPUT, "did you mean 'devices'?")

    def test_an_unknown_option_names_itself_and_where_to_read_on(self):
        self.assert_fails(self.run_program("bench", "a.yaml", "--stpes", "3"), BAD_INPUT, "--stpes", "dgsolve bench --help")

    def test_values_of_options_are_checked(self):
        self.assert_fails(self.run_program("converge", "a.yaml", "--refine", "0"), BAD_INPUT, "--refine")
        self.assert_fails(self.run_program("bench", "a.yaml", "--steps", "-1"), BAD_INPUT, "--steps")
        self.assert_fails(self.run_program("converge", "a.yaml", "--orders", "1,x"), BAD_INPUT, "--orders")

    def test_a_command_without_its_configuration_says_so(self):
        self.assert_fails(self.run_program("check"), BAD_INPUT, "CONFIG is required")

    def test_quiet_and_verbose_exclude_each_other(self):
        self.assert_fails(self.run_program("a.yaml", "--quiet", "-v"), BAD_INPUT, "--quiet")


if __name__ == "__main__":
    unittest.main()
