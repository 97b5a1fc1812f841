"""What the lint scripts share: the files of the repository, and the command line with its self-test."""
import os
import sys
import tempfile

SKIPPED_FOLDERS = {".git", "build", "generated", "expected", "__pycache__", ".pytest_cache", ".cache"}


def files_list(root, suffixes=None, folders=None):
    """The files below root, or below these folders of it, with one of these suffixes; sorted, relative to root."""
    found = []
    for top in folders or [""]:
        for path, names, files in os.walk(os.path.join(root, top)):
            names[:] = [name for name in names if name not in SKIPPED_FOLDERS]
            for name in files:
                if suffixes is None or name.endswith(tuple(suffixes)):
                    found.append(os.path.relpath(os.path.join(path, name), root))
    return sorted(found)


def text_read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def run(check, faults, good):
    """The body of a lint script: `SCRIPT ROOT` prints what check(root) finds and exits 1 if there is anything;
    `SCRIPT --self-test` plants each of `faults` ({path: text}, one tree each) and the tree `good`."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} ROOT | --self-test")
    if sys.argv[1] == "--self-test":
        self_test(check, faults, good)
        return
    problems = check(sys.argv[1])
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


def self_test(check, faults, good):
    for number, tree in enumerate([good] + faults):
        with tempfile.TemporaryDirectory() as root:
            for path, text in tree.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            problems = check(root)
        if number == 0 and problems:
            sys.exit(f"a good tree is refused: {problems}")
        if number > 0 and len(problems) != 1:
            sys.exit(f"fault {number} gives {problems} instead of one problem")
    print(f"{len(faults)} planted faults found")
