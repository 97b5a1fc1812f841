"""What happens to files that are there already, what goes into a vendored folder, and the commands around generate."""
# ctest: timeout 300
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from conftest import HARDWIRE, REPOSITORY, SANITIZERS, SCALE, make, run
from support import wait_until

# These builds take no flags from the tests, but would link the llhttp that was built with a sanitizer's.
everyday = pytest.mark.skipif(bool(SANITIZERS), reason="compiled with the flags of everyday")

HELLO = 'hardwire: 1\nname: demo\nlisten: 127.0.0.1:0\nroutes:\n  GET /hello: {text: "Hello"}\n'
HANDLERS = "hardwire: 1\nname: demo\nlisten: 127.0.0.1:0\nroutes:\n  GET /a: first\n  GET /b/{x}: second\n"


def hardwire(*arguments, **options):
    return run([HARDWIRE, *arguments], **options)


def lines(result, status=0):
    assert result.returncode == status, result.stdout + result.stderr
    return result.stdout.splitlines()


def refused(result, *words):
    """One line on standard error, exit status 2."""
    assert result.returncode == 2, result.stdout + result.stderr
    assert result.stderr.count("\n") == 1 and all(word in result.stderr for word in words), result.stderr


@pytest.fixture
def spec(tmp_path):
    path = tmp_path / "demo.yaml"
    path.write_text(HELLO)
    return path


def tree(folder):
    return {str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else path.read_bytes()
            for path in folder.rglob("*") if path.is_symlink() or path.is_file()}


# ---- Files that are there already.

def test_stale_files_are_removed(spec, tmp_path):
    out = tmp_path / "generated"
    lines(hardwire("generate", spec, "--vendor"))
    (out / "mine.c").write_text("mine\n")
    spec.write_text(HELLO + "main: false\n")
    result = lines(hardwire("check", spec), 3)
    assert f"stale: {out}/demo_main.c" in result
    assert f"removed {out}/demo_main.c" in lines(hardwire("generate", spec))
    assert not (out / "demo_main.c").exists() and not (out / "runtime").exists() and not (out / "llhttp").exists()
    assert (out / "mine.c").read_text() == "mine\n"
    assert lines(hardwire("check", spec)) == [f"{out} is what {spec} gives"]


def test_stale_files_that_were_edited_are_kept(spec, tmp_path):
    out = tmp_path / "generated"
    lines(hardwire("generate", spec))
    (out / "demo_main.c").write_text("/* mine now */\n")
    spec.write_text(HELLO + "main: false\n")
    assert any(line.startswith(f"kept {out}/demo_main.c") for line in lines(hardwire("generate", spec)))
    assert (out / "demo_main.c").read_text() == "/* mine now */\n"


def test_edited_files_are_replaced_by_force_alone(spec, tmp_path):
    out = tmp_path / "generated"
    lines(hardwire("generate", spec))
    right = tree(out)
    (out / "demo.h").write_text("/* edited */\n")
    spec.write_text(HELLO.replace("Hello", "Goodbye"))
    before = tree(out)
    refused(hardwire("generate", spec), f"{out}/demo.h was edited by hand", "--force")
    assert tree(out) == before
    assert "wrote" in hardwire("generate", spec, "--force").stdout
    assert tree(out)["demo.h"] == right["demo.h"]


def test_files_of_others_are_not_replaced(spec, tmp_path):
    out = tmp_path / "generated"
    out.mkdir()
    (out / "Makefile").write_text("all:\n")
    refused(hardwire("generate", spec), f"{out}/Makefile", "--force")
    assert tree(out) == {"Makefile": b"all:\n"}


@pytest.mark.parametrize("what", ["folder", "link", "fifo"])
def test_something_else_is_in_the_way(what, spec, tmp_path):
    out = tmp_path / "generated"
    out.mkdir()
    if what == "folder":
        (out / "demo.h").mkdir()
    elif what == "link":
        (tmp_path / "victim").write_text("precious\n")
        (out / "demo.h").symlink_to(tmp_path / "victim")
    else:
        os.mkfifo(out / "demo.h")
    before = sorted(path.name for path in out.iterdir())
    refused(hardwire("generate", spec, "--force", timeout=20), f"{out}/demo.h")
    assert sorted(path.name for path in out.iterdir()) == before
    if what == "link":
        assert (tmp_path / "victim").read_text() == "precious\n"


def test_a_linked_folder_inside_is_not_followed(spec, tmp_path):
    out, elsewhere = tmp_path / "generated", tmp_path / "elsewhere"
    out.mkdir()
    elsewhere.mkdir()
    (out / "runtime").symlink_to(elsewhere)
    refused(hardwire("generate", spec, "--vendor"), f"{out}/runtime")
    assert not list(elsewhere.iterdir()) and tree(out) == {"runtime": str(elsewhere)}


def test_the_folder_itself_may_be_a_link(spec, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "generated").symlink_to(tmp_path / "real")
    lines(hardwire("generate", spec))
    assert (tmp_path / "real/demo.h").exists()


def test_an_unwritable_folder(spec, tmp_path):
    """As another user when root runs the tests, for whom modes do not hold."""
    out = tmp_path / "generated"
    out.mkdir()
    out.chmod(0o555)
    command = [HARDWIRE, "generate", spec]
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("setpriv is not installed")
        for folder in [tmp_path, *tmp_path.parents][:4]:
            if folder.stat().st_mode & 0o005 != 0o005:
                folder.chmod(folder.stat().st_mode | 0o055)
        program = tmp_path / "hardwire"
        shutil.copy(HARDWIRE, program)
        program.chmod(0o755)
        command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", program, "generate", spec]
    refused(run(command), str(out), "ermission denied")
    assert not list(out.iterdir())


def test_a_rename_that_fails_undoes_the_others(spec, tmp_path):
    """In a folder with the sticky bit, files of other users can be linked but not replaced."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("needs root and setpriv")
    out = tmp_path / "generated"
    lines(hardwire("generate", spec))
    before = tree(out)
    for path in out.rglob("*"):
        os.chown(path, 65534, 65534)
        path.chmod(0o666)
    os.chown(out / "demo_routes.c", 0, 0)
    out.chmod(0o1777)
    for folder in [tmp_path, *tmp_path.parents][:4]:
        folder.chmod(folder.stat().st_mode | 0o055)
    spec.write_text("hardwire: 1\nname: demo\nroutes:\n  GET /other: {text: x}\n")
    program = tmp_path / "hardwire"
    shutil.copy(HARDWIRE, program)
    program.chmod(0o755)
    refused(run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", program, "generate", spec]),
            f"{out}/demo_routes.c")
    assert tree(out) == before


def test_an_interrupt_leaves_nothing_behind(spec, tmp_path):
    """Wherever in a run it comes: the folder holds what one of the two runs gives, and no temporary file."""
    out = tmp_path / "generated"
    routes = "".join(f"  GET /r{i}: {{text: a}}\n" for i in range(3000))
    texts = [HELLO + routes, HELLO + routes.replace("text: a", "text: b")]
    good = []
    for number, text in enumerate(texts):
        spec.write_text(text)
        lines(hardwire("generate", spec, "-o", tmp_path / f"good{number}"))
        good.append(tree(tmp_path / f"good{number}"))
    for attempt in range(30):
        spec.write_text(texts[attempt % 2])
        with subprocess.Popen([HARDWIRE, "generate", spec], stdout=subprocess.DEVNULL) as process:
            time.sleep(0.004 * attempt * SCALE)
            process.send_signal(signal.SIGTERM)
        assert not out.exists() or tree(out) in good or tree(out) == {}, attempt


# ---- The author's files.

def test_handlers_are_written_once(spec, tmp_path):
    spec.write_text(HANDLERS)
    out = tmp_path / "generated"
    said = lines(hardwire("generate", spec))
    assert any("first" in line and "501" in line for line in said)
    assert any("second" in line and "501" in line for line in said)
    (out / "handlers.c").write_text("/* mine */\n")
    spec.write_text(HANDLERS + "  GET /c: third\n")
    assert not any("handlers.c" in line for line in lines(hardwire("generate", spec)))
    assert (out / "handlers.c").read_text() == "/* mine */\n"
    assert "handlers.c" not in (out / "hardwire.lock").read_text()
    lines(hardwire("check", spec))


def test_no_handlers_file_without_need(spec, tmp_path):
    lines(hardwire("generate", spec))
    assert not (tmp_path / "generated/handlers.c").exists()
    spec.write_text(HANDLERS + "sources: []\n")
    lines(hardwire("generate", spec))
    assert not (tmp_path / "generated/handlers.c").exists()


def test_missing_sources_are_told_at_their_places(spec, tmp_path):
    spec.write_text(HANDLERS + "sources: [none.c, demo.c, folder.c]\n")
    (tmp_path / "demo.c").write_text("")
    (tmp_path / "folder.c").mkdir()
    for command in ("generate", "check"):
        result = hardwire(command, spec, *(["-o", tmp_path / "out"] if command == "check" else []))
        assert result.returncode == 1
        assert "demo.yaml:7:11: error:" in result.stderr and "demo.yaml:7:27: error:" in result.stderr
    assert not (tmp_path / "generated").exists()


def test_vendor_takes_the_headers_along(spec, tmp_path):
    """The folder builds alone: headers that the sources include with quotes come too, wherever they stand."""
    spec.write_text(HANDLERS + "sources: [src/one.c, src/two.c]\n")
    for name, text in {
        "src/one.c": '#include "demo.h"\n#include "../inc/own.h"\n#  include "deep/er.h"\n/* #include "none.h" */\n'
                     "void first(const struct hw_request *request, struct hw_response *response)\n"
                     "{\n    (void)request;\n    hw_text_send(response, OWN ER);\n}\n",
        "src/two.c": '#include "demo.h"\nvoid second(const struct hw_request *request, struct hw_response *response,\n'
                     "            const struct demo_second_params *params)\n"
                     "{\n    (void)request;\n    hw_text_send(response, params->x.bytes);\n}\n",
        "inc/own.h": '#define OWN "own"\n', "src/deep/er.h": '#include "est.h"\n', "src/deep/est.h": '#define ER "er"\n',
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    lines(hardwire("generate", spec, "--vendor"))
    alone = tmp_path / "another place" / "alone"
    alone.parent.mkdir()
    shutil.move(tmp_path / "generated", alone)
    for folder in ("src", "inc"):
        shutil.rmtree(tmp_path / folder)
    result = make(alone, env={"PATH": os.environ["PATH"], "PKG_CONFIG_PATH": "/nonexistent"})
    assert result.returncode == 0, result.stdout + result.stderr
    assert os.access(alone / "demo", os.X_OK)


def test_run_time_functions_are_refused_as_handlers(build_server, tmp_path):
    """A handler with the name of a function that the runtime calls would be called in its place."""
    if shutil.which("nm") is None:
        pytest.skip("nm is not installed")
    output = build_server(HANDLERS)
    symbols = run(["nm", "-u", output.folder / "obj/demo_runtime.o"]).stdout.split()
    wanted = [name.split("@")[0] for name in symbols if name != "U"]
    called = [name for name in wanted
              if not name.startswith(("_", "demo_", "llhttp_")) and name not in ("first", "second")]
    assert {"read", "socket", "memcpy"} & set(called)
    taken = []
    for name in called:
        (tmp_path / "demo.yaml").write_text(f"hardwire: 1\nname: demo\nroutes:\n  GET /a: {name}\n")
        if hardwire("check", tmp_path / "demo.yaml").returncode == 0:
            taken.append(name)
    assert not taken


# ---- Builds.

def test_folders_with_blanks(tmp_path):
    folder = tmp_path / "a folder with $blanks"
    folder.mkdir()
    spec = folder / "demo.yaml"
    spec.write_text(HANDLERS + "sources: [demo.c]\n")
    (folder / "demo.c").write_text('#include "demo.h"\n' + "".join(
        f"void {name}(const struct hw_request *request, struct hw_response *response{more})\n"
        f'{{\n    (void)request;\n{use}    hw_text_send(response, "x");\n}}\n'
        for name, more, use in (("first", "", ""), ("second", ", const struct demo_second_params *params",
                                                    "    (void)params;\n"))))
    out = tmp_path / "else where" / "out"
    lines(hardwire("generate", spec, "-o", out))
    result = make(out)
    assert result.returncode == 0, result.stdout + result.stderr
    # Nothing to do the second time; a changed header builds what includes it.
    assert "up to date" in make(out).stdout or "Nothing to be done" in make(out).stdout
    time.sleep(0.02)
    os.utime(out / "demo.h")
    assert "demo.c" in make(out).stdout
    assert run(["make", "-C", out, "clean"]).returncode == 0
    assert not (out / "obj").exists() and not (out / "demo").exists()


@everyday
@pytest.mark.parametrize("main", ["true", "false"])
@pytest.mark.parametrize("vendor", [[], ["--vendor"]], ids=["plain", "vendor"])
@pytest.mark.parametrize("generator", ["Ninja", "Unix Makefiles"])
def test_cmake(generator, vendor, main, tmp_path):
    if shutil.which("cmake") is None or (generator == "Ninja" and shutil.which("ninja") is None):
        pytest.skip("cmake or ninja is not installed")
    spec = tmp_path / "demo.yaml"
    spec.write_text(HANDLERS + f"main: {main}\n")
    lines(hardwire("generate", spec, *vendor))
    result = run(["cmake", "-G", generator, "-S", tmp_path / "generated", "-B", tmp_path / "build"])
    assert result.returncode == 0, result.stderr
    result = run(["cmake", "--build", tmp_path / "build"])
    assert result.returncode == 0, result.stdout + result.stderr
    assert (tmp_path / "build" / ("demo" if main == "true" else "libdemo.a")).exists()


def test_a_runtime_that_is_not_found(spec, tmp_path):
    lines(hardwire("generate", spec))
    result = make(tmp_path / "generated", env=dict(os.environ, PKG_CONFIG_PATH="", PKG_CONFIG_LIBDIR="/nonexistent"))
    assert result.returncode == 2
    errors = [line for line in result.stderr.splitlines() if "***" in line]
    assert len(errors) == 1 and "PKG_CONFIG_PATH" in errors[0] and "--vendor" in errors[0]


# ---- The other commands.

def test_check_without_a_folder(spec, tmp_path):
    assert "nothing" not in "".join(lines(hardwire("check", spec)))
    assert "missing: " in hardwire("check", spec, "-o", tmp_path / "none").stdout
    assert hardwire("check", spec, "-o", tmp_path / "none").returncode == 3
    assert not (tmp_path / "generated").exists() and not (tmp_path / "none").exists()


def test_check_knows_the_options_of_the_folder(spec):
    lines(hardwire("generate", spec, "--vendor"))
    lines(hardwire("check", spec))


def test_explain(tmp_path):
    spec = tmp_path / "demo.yaml"
    spec.write_text(HANDLERS + "limits: {headers: 7}\n")
    said = lines(hardwire("explain", spec))
    assert any(line.split() == ["limits.headers", "7", f"{spec}:7"] for line in said)
    assert any(line.split() == ["limits.cookies", "50", "default"] for line in said)
    budget = said[said.index("Memory, all of it reserved at start") + 1:]
    numbers = [int(line.split()[0]) for line in budget[:budget.index("")]]
    assert sum(numbers[:-2]) == numbers[-2] <= numbers[-1]
    assert any(line.startswith("  GET /b/{x} ") and "handler second" in line for line in said)


def test_init_gives_a_server_that_works(tmp_path):
    folder = tmp_path / "shop"
    said = lines(hardwire("init", folder))
    assert said[-1] == f"now: hardwire run {folder}/shop.yaml"
    assert sorted(tree(folder)) == ["shop.c", "shop.yaml"]
    refused(hardwire("init", folder), "exists already")
    lines(hardwire("generate", folder / "shop.yaml"))
    result = make(folder / "generated")
    assert result.returncode == 0, result.stdout + result.stderr


def test_init_names_what_can_be_named(tmp_path):
    folder = tmp_path / "my-shop.org"
    folder.mkdir()
    lines(hardwire("init", cwd=folder))
    assert sorted(tree(folder)) == ["server.c", "server.yaml"]


@everyday
def test_run_is_the_server(tmp_path):
    spec = tmp_path / "demo.yaml"
    spec.write_text(HELLO)
    log = tmp_path / "log"
    environment = {name: value for name, value in os.environ.items() if name != "PKG_CONFIG_PATH"}
    with open(log, "wb") as out, subprocess.Popen([HARDWIRE, "run", spec], stdout=out, stderr=out,
                                                  env=environment) as process:
        try:
            assert wait_until(lambda: "127.0.0.1:" in log.read_text() or process.poll() is not None, 60)
            assert process.poll() is None, log.read_text()
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=30 * SCALE) == 0, log.read_text()
        finally:
            process.kill()


def test_run_needs_tools_and_a_main(spec, tmp_path):
    (tmp_path / "bin").mkdir()
    refused(hardwire("run", spec, env={"PATH": str(tmp_path / "bin")}), "make")
    (tmp_path / "bin/make").symlink_to(shutil.which("make") or sys.executable)
    refused(hardwire("run", spec, env={"PATH": str(tmp_path / "bin")}), "compiler", "cc")
    refused(hardwire("run", spec, env={"PATH": str(tmp_path / "bin"), "CC": "none-such -O2"}), "none-such")
    assert not (tmp_path / "generated").exists()
    spec.write_text(HELLO + "main: false\n")
    refused(hardwire("run", spec), "main: false")


@pytest.mark.parametrize("arguments", [[], ["none"], ["generate"], ["generate", "a", "b"], ["generate", "a", "-o"],
                                       ["check", "a", "--vendor"], ["--none"], ["generate", ""]])
def test_wrong_calls(arguments):
    result = hardwire(*arguments)
    assert result.returncode == 2 and result.stdout == "" and "--help" in result.stderr


def test_help_and_version():
    version = hardwire("--version")
    assert version.returncode == 0 and version.stdout.startswith("hardwire ")
    said = hardwire("--help").stdout
    for command in ("generate", "check", "explain", "init", "run"):
        assert command in said
        assert hardwire(command, "--help").stdout.startswith(f"Usage: hardwire {command} ")


def test_a_spec_that_is_too_large(tmp_path):
    spec = tmp_path / "demo.yaml"
    spec.write_bytes(b"#" * (16 << 20) + b"\n")
    result = hardwire("check", spec)
    assert result.returncode == 1 and "16" in result.stderr


def test_ten_thousand_routes(tmp_path):
    """Generated in a second, and the compiler's time and memory stay within bounds."""
    spec = tmp_path / "demo.yaml"
    spec.write_text("hardwire: 1\nname: demo\nroutes:\n" + "".join(
        f"  GET /r{i}: {{text: a}}\n  POST /r{i}: list\n  GET /r{i}/{{id}}: item\n  DELETE /r{i}/{{id}}: item\n"
        for i in range(2500)))
    began = time.monotonic()
    lines(hardwire("generate", spec))
    assert time.monotonic() - began < 5 * SCALE
    began = time.monotonic()
    result = run(["sh", "-c", 'ulimit -v 1048576; exec "$@"', "sh", "gcc", "-std=c17", "-O2", "-c", "-o", "/dev/null",
                  f"-I{REPOSITORY}/runtime/include", tmp_path / "generated/demo_routes.c"])
    assert result.returncode == 0, result.stderr
    assert time.monotonic() - began < 20 * SCALE
