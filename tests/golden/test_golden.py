"""What is generated from a few specs, byte for byte, as it stands in the folders beside: a change of a template shows in
the diff of a commit. hardwire.lock is left out, because it changes with the version.

HW_UPDATE=1 writes what comes out now into the folders instead.
"""
import os
import shutil
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "blackbox"))
from conftest import HARDWIRE, REPOSITORY, WARNINGS, run  # noqa: E402

CASES = sorted(path.name for path in FOLDER.iterdir() if (path / f"{path.name}.yaml").is_file())


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*")
            if path.is_file() and path.name != "hardwire.lock"}


@pytest.mark.parametrize("case", CASES)
def test_golden(case, tmp_path):
    # A copy, so that `generated` is beside the spec but not in the repository.
    shutil.copytree(FOLDER / case, tmp_path / case, ignore=shutil.ignore_patterns("expected"))
    result = run([HARDWIRE, "generate", tmp_path / case / f"{case}.yaml"])
    assert result.returncode == 0, result.stderr
    made, expected = files(tmp_path / case / "generated"), FOLDER / case / "expected"
    if os.environ.get("HW_UPDATE") == "1":
        shutil.rmtree(expected, ignore_errors=True)
        shutil.copytree(tmp_path / case / "generated", expected, ignore=shutil.ignore_patterns("hardwire.lock"))
    right = files(expected)
    assert sorted(made) == sorted(right)
    for name in right:
        assert made[name].decode() == right[name].decode(), f"{case}/{name}; HW_UPDATE=1 takes it over"


@pytest.mark.parametrize("case", CASES)
def test_golden_is_tidy(case):
    """No tab, no blank at the end of a line, no long line, one newline at the end."""
    for name, content in files(FOLDER / case / "expected").items():
        lines = content.decode("ascii").split("\n")
        assert lines[-1] == "" and lines[-2] != "", name
        for number, line in enumerate(lines, 1):
            place = f"{case}/expected/{name}:{number}"
            assert line == line.rstrip(), place
            assert name == "Makefile" or "\t" not in line, place
            assert len(line) <= 120 or name == "Makefile" or line.startswith("#error"), place


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("compiler", ["gcc", "clang-19", "c++"])
def test_golden_compiles(case, compiler):
    """With warnings as errors; the header in C++ too. The runtime's unit is compiled by the tests of whole servers."""
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    folder = FOLDER / case / "expected"
    if compiler == "c++":
        command = [compiler, "-x", "c++", "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
        sources = [folder / f"{case}.h"]
    else:
        command = [compiler, *WARNINGS.split(), "-Wstrict-prototypes", "-Wmissing-prototypes", "-O1", "-fsyntax-only"]
        sources = [path for path in folder.glob("*.c") if not path.name.endswith("_runtime.c")]
        assert len(sources) >= 2
    result = run([*command, "-I", folder, "-I", REPOSITORY / "runtime/include", *sources])
    assert result.returncode == 0, result.stderr


def test_there_are_cases():
    assert CASES == ["everything", "hello", "library"]
