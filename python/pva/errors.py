# SPDX-License-Identifier: Apache-2.0
"""The exception of the module pva."""


class Error(RuntimeError):
    """What went wrong; `kind` is its name, such as "file_load_error"."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


Error.__module__ = "pva"
