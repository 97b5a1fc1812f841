"""Refuses C that is not laid out as .clang-format says. Skipped (exit 77) without clang-format 19, whose results other
versions do not give."""
import os
import shutil
import subprocess
import sys

import tree

HERE = os.path.dirname(os.path.abspath(__file__))
STYLE = os.path.join(HERE, "..", "..", ".clang-format")


def tool_find():
    for name in ("clang-format-19", "clang-format"):
        path = shutil.which(name)
        if path and b"version 19." in subprocess.run([path, "--version"], capture_output=True, check=True).stdout:
            return path
    return None


def check(root):
    files = tree.files_list(root, [".c", ".h"], ["gen", "runtime", "specs", "tests"])
    if not files:
        return ["no C file found"]
    command = [tool_find(), f"--style=file:{STYLE}", "--dry-run", "-Werror", "--ferror-limit=1"]
    result = subprocess.run(command + files, cwd=root, capture_output=True, text=True, check=False)
    lines = [line for line in result.stderr.splitlines() if ": error: " in line]
    if result.returncode != 0 and not lines:
        return [result.stderr]
    return [f"{line} (./dev format)" for line in lines]


GOOD = {"gen/base/a.c": "int a(void)\n{\n    return 1;\n}\n"}
FAULTS = [
    {"gen/base/a.c": "int a(void) {\n    return 1;\n}\n"},
    {"runtime/core/a.h": "int a(void);\nint  b(void);\n"},
]

if __name__ == "__main__":
    if tool_find() is None:
        print("no clang-format 19")
        sys.exit(77)
    tree.run(check, FAULTS, GOOD)
