#!/usr/bin/env python3
"""Runs every command that a document shows and compares what it prints with what the document says it prints.

  test_documents.py README.md --update   writes what the commands print into the document

A block ```console holds commands behind "$ " and their output. The commands of one document run in one shell, in a folder
of their own that begins empty; a block ```FILE=name is put there as that file. A line "..." of the output stands for any
lines, and such an output is left as it is by --update; a block ```console whole is one command, whose output may itself
show commands. What differs from run to run (dates,
milliseconds, process ids, the folder's name) is compared as equal. HARDWIRE names the generator; it is on PATH as
`hardwire`, and the repository is $REPO for `./dev`.
"""
# ctest: serial
# ctest: timeout 300
import difflib
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MARK = "\x01"

VOLATILE = [
    (re.compile(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT"), "DATE"),
    (re.compile(r"\b\d+(\.\d+)? (ms|s|sec|seconds)\b"), "TIME"),
    (re.compile(r"^\[\d+\] \d+$", re.M), "[JOB] PID"),
]


def blocks(text):
    """(kind, begin, end) of the fenced blocks, as offsets of their contents."""
    for match in re.finditer(r"^```([^\n]*)\n(.*?)^```$", text, re.M | re.S):
        yield match.group(1), match.start(2), match.end(2)


def commands(kind, text):
    """(command, output) of a console block; a command line that ends with a backslash goes on."""
    found, lines = [], text.split("\n")
    i = 0
    while i < len(lines):
        if lines[i].startswith("$ ") and not (kind == "console whole" and found):
            command = lines[i][2:]
            while command.endswith("\\"):
                i += 1
                command += "\n" + lines[i]
            found.append([command, []])
        elif found and (lines[i] or i + 1 < len(lines)):
            found[-1][1].append(lines[i])
        i += 1
    return [(command, "".join(line + "\n" for line in output)) for command, output in found]


def script(text):
    """One shell script for the whole document; a mark line before each command's output."""
    parts = ["set +e +m", f"mark() {{ printf '{MARK}\\n'; }}", 'dev() { (cd "$REPO" && ./dev "$@"); }']
    for kind, begin, end in blocks(text):
        if kind.startswith("FILE="):
            parts.append(f"cat > '{kind[5:]}' <<'END_OF_FILE'\n{text[begin:end]}END_OF_FILE")
        if kind.startswith("console"):
            for command, _ in commands(kind, text[begin:end]):
                run = command.replace("./dev ", "dev ")
                parts.append(f"mark\n{run}")
                if run.rstrip().endswith("&"):
                    parts.append("sleep 0.5")
    parts.append("mark\nkill $(jobs -p) 2>/dev/null; wait")
    return "\n".join(parts) + "\n"


def run(text):
    generator = os.environ.get("HARDWIRE", os.path.join(ROOT, "build", "hardwire"))
    environment = dict(os.environ, REPO=ROOT, PATH=os.path.dirname(generator) + ":" + os.environ["PATH"])
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["bash", "-c", script(text)], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)
        printed = done.stdout.decode().replace(os.path.realpath(folder), "/home/you")
    return printed.split(MARK + "\n")[1:-1]


def settled(text):
    for pattern, name in VOLATILE:
        text = pattern.sub(name, text)
    return re.sub(r"[ \t\r]+$", "", text, flags=re.M).rstrip("\n")


def fits(shown, printed):
    """True when the output shown, in which "..." stands for any lines, is what was printed."""
    parts = ("\n" + settled(shown)).split("\n...")
    pattern = r"(\n.*)?".join(re.escape(part) for part in parts)
    return re.fullmatch(pattern, "\n" + settled(printed), re.S) is not None


def with_outputs(text, outputs):
    """The text with the commands' real output, where that is not what it shows."""
    result, at = "", 0
    outputs = iter(outputs)
    for kind, begin, end in blocks(text):
        if not kind.startswith("console"):
            continue
        result += text[at:begin]
        for command, shown in commands(kind, text[begin:end]):
            printed = re.sub(r"\r$", "", next(outputs), flags=re.M).rstrip("\n")
            output = shown if fits(shown, printed) else printed + "\n" * (printed != "")
            result += f"$ {command}\n{output}"
        at = end
    return result + text[at:]


def test_readme():
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        text = file.read()
    fresh = with_outputs(text, run(text))
    differences = difflib.unified_diff(text.splitlines(True), fresh.splitlines(True), "README.md", "what is printed")
    assert fresh == text, "".join(differences)


def main():
    path = sys.argv[1]
    if sys.argv[2:] != ["--update"]:
        return __doc__
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(with_outputs(text, run(text)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
