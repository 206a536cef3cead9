# SPDX-License-Identifier: Apache-2.0
"""The wheel that python/backend.py writes: its commands can be run."""

import os
import stat
import sys
import tempfile
import unittest
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
import backend  # noqa: E402


class Wheel(unittest.TestCase):
    def test_pip_makes_executables_of_regular_files_alone(self):
        """pip gives the permission to run a file only if the entry says that it is a regular file."""
        with tempfile.TemporaryDirectory() as work:
            prefix = os.path.join(work, "prefix")
            os.makedirs(os.path.join(prefix, "bin"))
            for name, mode in (("popc", 0o755), ("notes", 0o644)):
                with open(os.path.join(prefix, "bin", name), "w") as file:
                    file.write("#!/bin/sh\n")
                os.chmod(file.name, mode)
            with zipfile.ZipFile(os.path.join(work, backend.write_wheel(prefix, work))) as wheel:
                modes = {name: wheel.getinfo("tremula/prefix/bin/" + name).external_attr >> 16 for name in ("popc", "notes")}
        self.assertTrue(all(stat.S_ISREG(mode) for mode in modes.values()), modes)
        self.assertEqual({name: stat.S_IMODE(mode) for name, mode in modes.items()}, {"popc": 0o755, "notes": 0o644})


if __name__ == "__main__":
    unittest.main()
