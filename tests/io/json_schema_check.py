"""The JSON Schema for editors accepts every shipped configuration and rejects faulty ones.

Usage: json_schema_check.py SOURCE_FOLDER. Exit status 77: a module is missing.
"""
import copy
import json
import pathlib
import re
import sys
import unittest

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

ROOT = pathlib.Path(sys.argv.pop(1))


class Loader(yaml.SafeLoader):
    """PyYAML reads 1e-3 as a text, editors (YAML 1.2) and this program read it as a number."""


Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+$"), list("-+.0123456789"))


def shipped():
    return sorted((ROOT / "configs").glob("*.yaml"))


class Schema(unittest.TestCase):
    def setUp(self):
        schema = json.loads((ROOT / "docs" / "dgsolve.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        self.validator = jsonschema.Draft202012Validator(schema)

    def test_every_shipped_configuration_is_valid(self):
        self.assertTrue(shipped())
        for path in shipped():
            with self.subTest(path.name):
                faults = list(self.validator.iter_errors(yaml.load(path.read_text(), Loader)))
                self.assertEqual([f"{fault.json_path}: {fault.message[:200]}" for fault in faults], [])

    def test_values_of_a_boundary_have_two_names(self):
        good = yaml.load((ROOT / "configs" / "euler-vortex.yaml").read_text(), Loader)
        for name in ("dirichlet", "inflow"):
            with self.subTest(name):
                self.assertTrue(self.validator.is_valid({**good, "boundaries": {"left": {name: {"rho": 1, "v": [1, 0], "p": 1}}}}))

    def test_faults_are_found(self):
        good = yaml.load((ROOT / "configs" / "euler-vortex.yaml").read_text(), Loader)
        for change in ({"ordr": 3}, {"order": 11}, {"order": "high"}, {"nodes": "lobato"}, {"time": {"end": 1, "clf": 1}}, {"time": {}},
                       {"initial": [1]}, {"mesh": {"box": {"cells": [0]}}}, {"boundaries": {"left": {}}},
                       {"boundaries": {"left": {"inflow": {"u": 1}, "dirichlet": {"u": 1}}}}):
            with self.subTest(change):
                bad = copy.deepcopy(good)
                bad.update(change)
                self.assertFalse(self.validator.is_valid(bad))


if __name__ == "__main__":
    unittest.main(verbosity=2)
