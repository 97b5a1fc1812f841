"""Two generated servers in one program with a main of its own, under AddressSanitizer; and what their libraries export."""
import re
import shlex

import pytest

from conftest import CC, CFLAGS, SANITIZERS, SANITIZER_REPORT, WARNINGS, make, run
from support import FOLDER

SPEC = """
hardwire: 1
name: NAME
main: false
sources: [NAME_answers.c]
listen: LISTEN
threads: {io: 2, workers: 2}
buffers: {size: SIZE, count: 16}
limits: {header_size: 2KiB, target_size: 1KiB, body_size: BODY, memory_size: 32MiB}
timeouts: {drain: 1s}
routes:
  GET /name: {text: NAME}
  GET /most: in_NAME_most
  POST /echo: {handler: in_NAME_echo, body: {mode: memory}, run: worker}
"""
PRODUCTS = {
    "small": {"LISTEN": '{address: 127.0.0.1, port: {env: SMALL_PORT, default: 0}}', "SIZE": "4KiB", "BODY": "1KiB"},
    "large": {"LISTEN": '["127.0.0.1:0", "127.0.0.1:0"]', "SIZE": "64KiB", "BODY": "64KiB"},
}

FLAGS = CFLAGS if SANITIZERS else f"{CFLAGS} -fsanitize=address,undefined -fno-sanitize-recover=all"


@pytest.fixture(scope="module")
def libraries(generate):
    """The output of both, built as static libraries."""
    outputs = {}
    answers = (FOLDER / "handlers/answers.c").read_text()
    for name, values in PRODUCTS.items():
        spec = SPEC.replace("NAME", name)
        for key, value in values.items():
            spec = spec.replace(key, value)
        outputs[name] = generate(spec, sources={f"{name}_answers.c": f"#define {name.upper()}\n{answers}"})
        result = make(outputs[name].folder, cflags=f"{WARNINGS} {FLAGS}")
        assert result.returncode == 0, result.stdout + result.stderr
    return outputs


def test_two_in_one_program(libraries, tmp_path):
    program = tmp_path / "two"
    folders = [output.folder for output in libraries.values()]
    flags = run(["pkg-config", "--cflags", "--libs", "hardwire"])
    assert flags.returncode == 0, flags.stderr
    result = run([CC, "-std=c17", "-Wall", "-Wextra", "-Werror", *shlex.split(FLAGS), "-o", program,
                  FOLDER / "handlers/two.c", *[f"-I{folder}" for folder in folders], "-pthread",
                  *[folder / f"lib{name}.a" for name, folder in zip(libraries, folders)], *shlex.split(flags.stdout)])
    assert result.returncode == 0, result.stderr
    result = run([program])
    output = result.stdout + result.stderr
    assert not SANITIZER_REPORT.search(output), output
    assert (result.returncode, result.stdout.strip().splitlines()[-1:]) == (0, ["all is well"]), output


@pytest.mark.parametrize("name", PRODUCTS)
def test_exports(libraries, name):
    """No external symbol but NAME_ and the author's handlers."""
    result = run(["nm", "-g", "--defined-only", "-P", libraries[name].folder / f"lib{name}.a"])
    assert result.returncode == 0, result.stderr
    symbols = [line.split()[0] for line in result.stdout.splitlines() if not line.endswith(":")]
    assert f"{name}_start" in symbols and f"{name}_stop" in symbols and f"{name}_port" in symbols
    assert f"in_{name}_most" in symbols
    # Compilers and sanitizers add symbols of their own with two underscores.
    others = [symbol for symbol in symbols if not re.match(rf"{name}_|in_{name}_(most|echo)$|__", symbol)]
    assert others == []


def test_no_main(libraries):
    for name, output in libraries.items():
        assert not (output.folder / f"{name}_main.c").exists()
