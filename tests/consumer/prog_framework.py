# SPDX-License-Identifier: Apache-2.0
import unittest


class Test(unittest.TestCase):
    def test_that_runs(self):
        self.assertEqual(1 + 1, 2)


if __name__ == "__main__":
    unittest.main()
