"""What `hardwire generate` and `check` promise about files: the same bytes everywhere, nothing written that need not be,
nothing half-written, drift found."""
# ctest: timeout 300
import os
import re
import shutil
import subprocess

import pytest

from conftest import HARDWIRE, REPOSITORY, SANITIZERS, SPECS, make, run

NAMES = sorted(path.stem for path in SPECS.glob("*.yaml"))


def files(folder):
    """{path: bytes} of everything below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def times(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


def hardwire(*arguments, **options):
    return run([HARDWIRE, *arguments], **options)


def ok(result):
    assert result.returncode == 0, result.stdout + result.stderr
    return result


@pytest.fixture
def spec(tmp_path):
    """A copy of specs/api.yaml with its sources, to be changed."""
    folder = tmp_path / "spec"
    folder.mkdir()
    for name in ("api.yaml", "api.c"):
        shutil.copy(SPECS / name, folder)
    return folder / "api.yaml"


# ---- The same bytes.

@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("vendor", [[], ["--vendor"]], ids=["plain", "vendor"])
def test_same_bytes_elsewhere(name, vendor, tmp_path):
    """Another folder, another working directory, locale, time zone, umask and user."""
    ok(hardwire("generate", SPECS / f"{name}.yaml", "-o", tmp_path / "a", *vendor))
    # The sources are named relative to the output folder: the other place is as far from them.
    other = tmp_path / "b"
    environment = dict(os.environ, LC_ALL="tr_TR.UTF-8", LANG="de_DE", TZ="Pacific/Auckland", HOME="/nonexistent",
                       USER="somebody", SOURCE_DATE_EPOCH="1")
    if os.geteuid() == 0:
        other.mkdir()
        other.chmod(0o777)
        tmp_path.chmod(0o755)
        command = ["setpriv", "--reuid=65534", "--clear-groups"] if reachable(tmp_path) else []
    else:
        command = []
    ok(run([*command, HARDWIRE, "generate", SPECS / f"{name}.yaml", "-o", other, *vendor], cwd="/",
           env=environment, umask=0o077))
    assert files(other) == files(tmp_path / "a")


def reachable(folder):
    """True when any user may look at what is below this folder and the repository."""
    places = [folder, *folder.parents, REPOSITORY, *REPOSITORY.parents]
    return shutil.which("setpriv") is not None and all(place.stat().st_mode & 0o005 == 0o005 for place in places)


def test_comments_blank_lines_and_order_change_no_byte(spec, tmp_path):
    out = tmp_path / "out"
    ok(hardwire("generate", spec, "-o", out))
    before, written = files(out), times(out)
    text = spec.read_text()
    spec.write_text("# a comment on top\n\n" + text + "\n# and one below\n")
    ok(hardwire("generate", spec, "-o", out))
    assert files(out) == before
    assert times(out) == written
    # The top keys in the opposite order.
    parts = re.split(r"(?m)^(?=[a-z])", text)
    spec.write_text("".join(part if part.endswith("\n") else part + "\n" for part in reversed(parts)))
    ok(hardwire("generate", spec, "-o", out))
    assert files(out) == before


def test_second_run_writes_nothing(tmp_path):
    ok(hardwire("generate", SPECS / "cases.yaml", "-o", tmp_path / "out"))
    before = times(tmp_path / "out")
    ok(hardwire("generate", SPECS / "cases.yaml", "-o", tmp_path / "out"))
    assert times(tmp_path / "out") == before


def test_a_number_changes_one_line_of_the_config(spec, tmp_path):
    out = tmp_path / "out"
    ok(hardwire("generate", spec, "-o", out))
    before = files(out)
    text = spec.read_text()
    assert "timeouts:" not in text
    spec.write_text(text + "timeouts: {idle: 7s}\n")
    ok(hardwire("generate", spec, "-o", out))
    after = files(out)
    assert {name for name in after if after[name] != before.get(name)} == {"api_config.h", "hardwire.lock"}
    old, new = before["api_config.h"].splitlines(), after["api_config.h"].splitlines()
    assert len(old) == len(new)
    assert sum(a != b for a, b in zip(old, new)) == 1


# ---- check.

@pytest.mark.parametrize("vendor", [[], ["--vendor"]], ids=["plain", "vendor"])
def test_check_finds_any_one_byte_edit(vendor, tmp_path):
    out = tmp_path / "out"
    ok(hardwire("generate", SPECS / "api.yaml", "-o", out, *vendor))
    ok(hardwire("check", SPECS / "api.yaml", "-o", out))
    owned = [path for path in sorted(out.rglob("*")) if path.is_file()]
    assert len(owned) >= 9
    for path in owned:
        good = path.read_bytes()
        at = len(good) // 2
        path.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1:])
        result = hardwire("check", SPECS / "api.yaml", "-o", out)
        assert result.returncode == 3, f"{path}: {result.stdout}{result.stderr}"
        assert path.name in result.stdout + result.stderr
        if path.name != "hardwire.lock":
            assert re.search(r"(?m)^-.*\n", result.stdout) and re.search(r"(?m)^\+.*\n", result.stdout)
        path.write_bytes(good)
    ok(hardwire("check", SPECS / "api.yaml", "-o", out))


def test_check_finds_what_is_missing_and_writes_nothing(tmp_path):
    out = tmp_path / "out"
    ok(hardwire("generate", SPECS / "hello.yaml", "-o", out))
    (out / "hello_routes.c").unlink()
    before = times(out)
    result = hardwire("check", SPECS / "hello.yaml", "-o", out)
    assert result.returncode == 3
    assert "hello_routes.c" in result.stdout + result.stderr
    assert times(out) == before


# ---- What goes wrong.

def test_wrong_spec_leaves_the_output_alone(spec, tmp_path):
    out = tmp_path / "out"
    ok(hardwire("generate", spec, "-o", out))
    before = times(out)
    spec.write_text(spec.read_text() + "tiemouts: {idle: 1s}\n")
    result = hardwire("generate", spec, "-o", out)
    assert result.returncode == 1
    assert re.search(r"api\.yaml:\d+:1: error: .*tiemouts", result.stderr)
    assert times(out) == before


def test_missing_spec(tmp_path):
    result = hardwire("generate", tmp_path / "nowhere.yaml")
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1 and "nowhere.yaml" in result.stderr


def test_a_file_where_the_folder_should_be(tmp_path):
    (tmp_path / "out").write_text("mine")
    result = hardwire("generate", SPECS / "hello.yaml", "-o", tmp_path / "out")
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert (tmp_path / "out").read_text() == "mine"


@pytest.mark.skipif(bool(SANITIZERS), reason="a sanitizer writes files and memory of its own")
@pytest.mark.parametrize("size", [0, 100, 3000, 20000])
def test_a_full_disk_leaves_nothing_half_written(size, tmp_path):
    """RLIMIT_FSIZE stands in for a full disk: the file that does not fit fails to be written."""
    out = tmp_path / "out"
    ok(hardwire("generate", SPECS / "hello.yaml", "-o", out))
    before = files(out)
    shutil.copy(SPECS / "hello.yaml", tmp_path / "hello.yaml")
    text = (tmp_path / "hello.yaml").read_text()
    (tmp_path / "hello.yaml").write_text(text + "  GET /big: {text: '" + "x" * 30000 + "'}\n")
    result = run(["prlimit", f"--fsize={size}", HARDWIRE, "generate", tmp_path / "hello.yaml", "-o", out])
    assert result.returncode == 2, result.stdout + result.stderr
    assert result.stderr.count("\n") == 1
    assert files(out) == before


def test_hand_edited_files_are_kept(tmp_path):
    out = tmp_path / "out"
    ok(hardwire("generate", SPECS / "hello.yaml", "-o", out))
    with open(out / "hello_routes.c", "a", encoding="utf-8") as file:
        file.write("/* mine */\n")
    result = hardwire("generate", SPECS / "hello.yaml", "-o", out)
    assert result.returncode == 2
    assert "hello_routes.c" in result.stderr and "--force" in result.stderr
    assert (out / "hello_routes.c").read_text().endswith("/* mine */\n")
    ok(hardwire("generate", SPECS / "hello.yaml", "-o", out, "--force"))
    ok(hardwire("check", SPECS / "hello.yaml", "-o", out))


def test_runs_at_once(tmp_path):
    ok(hardwire("generate", SPECS / "api.yaml", "-o", tmp_path / "one"))
    command = [HARDWIRE, "generate", SPECS / "api.yaml", "-o", tmp_path / "many"]
    runs = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(8)]
    assert all(process.wait(60) in (0, 2) for process in runs)
    ok(hardwire("generate", SPECS / "api.yaml", "-o", tmp_path / "many"))
    assert files(tmp_path / "many") == files(tmp_path / "one")


def test_undefined_handler_names_its_route(spec, tmp_path):
    spec.write_text(spec.read_text().replace("GET /slow:", "GET /lost: no_such_function\n  GET /slow:"))
    ok(hardwire("generate", spec, "-o", tmp_path / "out"))
    result = make(tmp_path / "out", cflags="-O2")
    assert result.returncode != 0
    assert re.search(r"route_GET_lost.*\n?.*undefined reference to .no_such_function", result.stdout + result.stderr)
