"""Refuses an #include that points up: data flows one way, and so do the includes. The generator sees nothing of the
runtime but the contract, <hardwire/...>."""
import os
import re

import tree

# Folder: the folders whose headers it may include, besides its own.
RUNTIME = {
    "core": [],
    "io": ["core"],
    "http": ["core", "io"],
    "http1": ["core", "io", "http"],
    "http2": ["core", "io", "http"],
    "websocket": ["core", "io", "http"],
    "serve": ["core", "io", "http", "http1", "http2", "websocket"],
    "include": [],
}
GEN = {
    "base": [],
    "embed": ["base"],
    "ctemplate": ["base"],
    "spec": ["base"],
    "bind": ["base", "spec"],
    "import": ["base"],
    "plan": ["base", "spec", "bind"],
    "emit": ["base", "spec", "bind", "plan", "ctemplate", "embed"],
    "cli": ["base", "spec", "bind", "import", "plan", "emit"],
}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)


def problem_find(side, folder, quote, name):
    allowed = (GEN if side == "gen" else RUNTIME).get(folder)
    if allowed is None:
        return f"{side}/{folder} has no place in the order of the layers (tests/lint/check_includes.py)"
    if quote == "<":  # the system's, and the contract of <hardwire/...>, whose numbers and names both sides share
        return None
    if ".." in name.split("/"):
        return f'"{name}" is not a path from {side}/'
    target = name.split("/")[0] if "/" in name else folder
    if target != folder and target not in allowed:
        return f'{side}/{folder} may not include "{name}"'
    return None


def check(root):
    problems = []
    for path in tree.files_list(root, [".c", ".h", ".def"], ["gen", "runtime"]):
        side, folder = path.split(os.sep)[:2]
        text = tree.text_read(root, path)
        for match in INCLUDE.finditer(text):
            problem = problem_find(side, folder, match[1], match[2])
            if problem:
                problems.append(f"{path}:{text.count(chr(10), 0, match.start(2)) + 1}: {problem}")
    return problems


GOOD = {
    "gen/spec/a.c": '#include "base/text.h"\n#include "spec/a.h"\n#include <stdio.h>\n#include <hardwire/memory.h>\n',
    "runtime/http1/a.c": '#include "core/pool.h"\n#include "a.h"\n#include <hardwire/generated.h>\n',
}
FAULTS = [
    {"gen/base/a.c": '#include "spec/model.h"\n'},
    {"gen/ctemplate/a.h": '#include <stdio.h>\n#  include "spec/model.h"\n'},
    {"gen/plan/a.c": '#include "core/pool.h"\n'},
    {"gen/plan/a.c": '#include "../base/text.h"\n'},
    {"gen/elsewhere/a.c": '#include "base/text.h"\n'},
    {"runtime/core/a.c": '#include "io/loop.h"\n'},
    {"runtime/http1/a.c": '#include "http2/frame.h"\n'},
    {"runtime/io/a.c": '#include "base/text.h"\n'},
]

if __name__ == "__main__":
    tree.run(check, FAULTS, GOOD)
