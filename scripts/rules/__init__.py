# SPDX-License-Identifier: Apache-2.0
"""The rules of scripts/lint, one function each. A rule is a generator over a tree that yields findings; its docstring is what `scripts/lint --list` prints."""
