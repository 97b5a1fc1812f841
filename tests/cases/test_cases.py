"""The cases of this folder against what is built here: the fixture server specs/cases.yaml, and the generator.

A network case is run when the fixture server has all routes that it needs; the others wait for those features.
"""
# ctest: timeout 300
import base64
import json
import re
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "blackbox"))
from conftest import *  # noqa: E402,F401,F403: the fixtures
from conftest import BUILD, CC, HARDWIRE, REPOSITORY, SANITIZERS, SCALE, SPECS, run  # noqa: E402

# What the fixture server does not have yet.
MISSING = re.compile(r"/files|/auth|access log|/upload|/ws|/proxy")


def case(path):
    return json.loads(path.read_text())


CASES = [case(path) for path in sorted((FOLDER / "cases").glob("*.json"))]
AREAS = ("h1", "cookie", "h2", "tls")
NETWORK = [c for c in CASES if c["area"] in AREAS and not any(MISSING.search(n) for n in c["spec_needs"])]
LITERALS = [c for c in CASES if re.search(r"-> body \(base64\) ", c.get("runtime", ""))]


def run_cases(*arguments):
    result = run([sys.executable, FOLDER / "run_cases.py", "-q", *arguments], timeout=280 * SCALE)
    assert result.returncode == 0, result.stdout + result.stderr
    passed = int(re.search(r"^(\d+) passed, 0 failed", result.stdout, re.M)[1])
    return passed


def test_network_cases(server):
    with server(SPECS / "cases.yaml") as running:
        numbers = ",".join(c["id"].split("-")[0] for c in NETWORK)
        passed = run_cases(f"127.0.0.1:{running.port}", "--tls-port", str(running.ports[1]), "--only", numbers,
                           "--time-scale", str(SCALE))
    assert passed == len(NETWORK) > 120


def test_generator_cases():
    includes = f"-I{REPOSITORY}/runtime/include -I{REPOSITORY}/runtime -I{BUILD}/llhttp/include"
    llhttp = run(["pkg-config", "--cflags", "hardwire"]).stdout.strip()
    arguments = ["--gen", f"{HARDWIRE} generate {{spec}} -o {{out}}",
                 "--cc", f"{CC} -std=c17 -Wall -fsyntax-only -I{{out}} {includes} {llhttp}"]
    passed = run_cases(*arguments, *(["--no-rlimit"] if SANITIZERS else []))
    assert passed == sum(c["area"] in ("generator", "yaml") for c in CASES)


@pytest.mark.parametrize("literal", LITERALS, ids=lambda c: c["id"])
def test_literal_is_answered_byte_for_byte(literal, server):
    path, body = re.match(r"GET (\S+) -> body \(base64\) (\S+)", literal["runtime"]).groups()
    spec = literal["spec"].replace("listen: 127.0.0.1:8080", "listen: 127.0.0.1:0")
    with server(spec) as running:
        response = running.request("GET", path)
    assert response.status == 200
    assert response.body == base64.b64decode(body)
