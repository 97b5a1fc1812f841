#!/usr/bin/python3
"""Compares our template engine with Jinja2.

    compare.py RENDER [--random COUNT] [--seed SEED]

Renders corpus/NAME.j2 with corpus/NAME.json, and COUNT random templates (grammar.py), by the program RENDER (render.c)
and by Jinja2 (twin.py). Both must print the same bytes, or both must fail, a syntax error at the same line; or ours refuses
what Jinja2 prints with a message of refused.txt. In the corpus only the cases refused_* may do that, and they must.
"""
import argparse
import functools
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import jinja2

import grammar
import twin

HERE = pathlib.Path(__file__).resolve().parent
PAIRS_A_RUN = 100


def read_refused():
    rows = [line.split("\t") for line in (HERE / "refused.txt").read_text().splitlines() if not line.startswith("#")]
    return [re.compile(row[0]) for row in rows]


def render_ours(program, cases):
    """Yields ("ok" or "error", bytes) for each (template, data)."""
    for begin in range(0, len(cases), PAIRS_A_RUN):
        paths = [str(path) for case in cases[begin : begin + PAIRS_A_RUN] for path in case]
        # The program frames results only when there is more than one.
        is_alone = len(paths) == 2
        run = subprocess.run([program, *paths, *(paths if is_alone else [])], stdout=subprocess.PIPE, check=False)
        if run.returncode != 0:
            raise SystemExit(f"{program} ended with {run.returncode} on {' '.join(paths)}")
        yield from list(parse_frames(run.stdout))[: len(paths) // 2]


def parse_frames(output):
    at = 0
    while at < len(output):
        end = output.index(b"\n", at)
        kind, size = output[at:end].decode().split()
        yield kind, output[end + 1 : end + 1 + int(size)]
        at = end + 2 + int(size)


@functools.lru_cache
def environment_of(folder):
    return twin.make_environment(jinja2.FileSystemLoader(folder))


def render_jinja(template, data):
    """("ok", bytes), ("syntax", (file, line)) or ("error", what)."""
    environment = environment_of(template.parent)
    try:
        made = environment.get_template(template.name).render(json.loads(data.read_text()))
        return "ok", made.encode()
    except jinja2.TemplateSyntaxError as error:
        return "syntax", (error.name, error.lineno)
    except Exception as error:  # whatever a template may raise counts as its failure
        return "error", repr(error)


def judge(ours, jinja, refused, may_refuse):
    """None when the two agree, else what is wrong."""
    kind, text = ours
    if kind == "ok":
        if jinja[0] != "ok":
            return f"ours prints {text!r}, Jinja2 fails: {jinja[1]}"
        return None if text == jinja[1] else f"ours prints {text!r}\nJinja2 prints {jinja[1]!r}"
    message = text.decode()
    is_refused = any(pattern.search(message) for pattern in refused)
    if jinja[0] == "ok":
        return None if may_refuse and is_refused else f"ours fails: {message}\nJinja2 prints {jinja[1]!r}"
    if jinja[0] == "syntax" and not is_refused:
        file, line = jinja[1]
        if not message.startswith(f"{file}:{line}:"):
            return f"ours fails: {message}\nJinja2 fails at {file}:{line}"
    return None


def compare(program, cases, refused, may_refuse):
    """The cases that differ, printed; and how many were refused, failed and printed."""
    wrong = 0
    counts = {"ok": 0, "error": 0}
    for (template, data), ours in zip(cases, render_ours(program, cases)):
        problem = judge(ours, render_jinja(template, data), refused, may_refuse(template))
        counts[ours[0]] += 1
        if problem is not None:
            wrong += 1
            print(f"---- {template.name}\n{template.read_text()}\n---- {problem}")
    return wrong, counts


def check_refused(program, cases, refused):
    """The cases refused_* must be refused, and printed by Jinja2."""
    wrong = 0
    cases = [case for case in cases if case[0].name.startswith("refused_")]
    for (template, data), (kind, text) in zip(cases, render_ours(program, cases)):
        is_refused = kind == "error" and any(pattern.search(text.decode()) for pattern in refused)
        if not is_refused or render_jinja(template, data)[0] != "ok":
            wrong += 1
            print(f"---- {template.name}: ours {kind} {text!r}, Jinja2 {render_jinja(template, data)}")
    return wrong


C_TEMPLATE = """\
#include <string.h>
{% for text in texts %}
/* {{ text|c_comment }} */
/*{{ text|c_comment }}*/
// {{ text|c_comment }}
static const char string_{{ loop.index }}[] = {{ text|c_string(loop.index) }};
static const char bytes_{{ loop.index }}[] = { {{- text|c_bytes(loop.index) -}} };
static const char first_{{ loop.index }} = {{ text|first|c_char }};
{% endfor %}

int main(void)
{
{% for text in texts %}
    if (sizeof string_{{ loop.index }} - 1 != sizeof bytes_{{ loop.index }} ||
        memcmp(string_{{ loop.index }}, bytes_{{ loop.index }}, sizeof bytes_{{ loop.index }}) != 0 ||
        first_{{ loop.index }} != string_{{ loop.index }}[0])
        return {{ loop.index }};
{% endfor %}
    return 0;
}
"""


def check_c(program, folder, seed):
    """What the C filters make of hostile texts must compile without a warning, and the literals must be the text."""
    source = random.Random(seed)
    hostile = ["??", "/", "*", "*/", "/*", "\\", "\n", "\r", "\t", '"', "'", "0", "7", "\0", "\x01", "\x7f", "é", "\u202e", "x"]
    texts = ["a" + "".join(source.choices(hostile, k=source.randrange(300))) for _ in range(100)]
    (folder / "c.j2").write_text(C_TEMPLATE)
    (folder / "c.json").write_text(json.dumps({"texts": texts}))
    made = subprocess.run([program, folder / "c.j2", folder / "c.json"], stdout=subprocess.PIPE, check=True).stdout
    (folder / "c.c").write_bytes(made)
    flags = ["-std=c17", "-trigraphs", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
    compiler = [os.environ.get("HW_TEST_CC", "cc"), *flags, folder / "c.c", "-o", folder / "c"]
    compiled = subprocess.run(compiler, stderr=subprocess.PIPE, text=True, check=False)
    if compiled.returncode != 0:
        raise SystemExit(f"what the C filters made does not compile:\n{compiled.stderr[:2000]}")
    return subprocess.run([folder / "c"], check=False).returncode


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("render")
    parser.add_argument("--random", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    refused = read_refused()

    corpus = [(path, path.with_suffix(".json")) for path in sorted((HERE / "corpus").glob("*.j2"))]
    wrong, counts = compare(options.render, corpus, refused, lambda path: path.name.startswith("refused_"))
    wrong += check_refused(options.render, corpus, refused)
    print(f"corpus: {len(corpus)} cases, {counts['ok']} printed, {counts['error']} failed, {wrong} wrong")

    with tempfile.TemporaryDirectory() as folder:
        cases = grammar.write_cases(pathlib.Path(folder), random.Random(options.seed), options.random)
        wrong_c = check_c(options.render, pathlib.Path(folder), options.seed)
        print(f"C filters: {'text ' + str(wrong_c) + ' is wrong' if wrong_c else '100 texts compiled'}")
        wrong_random, counts = compare(options.render, cases, refused, lambda path: path.name.startswith("mutated_"))
    print(f"random: {len(cases)} templates of seed {options.seed}, {counts['ok']} printed, {counts['error']} failed,"
          f" {wrong_random} wrong")
    return 1 if wrong + wrong_c + wrong_random else 0


if __name__ == "__main__":
    sys.exit(main())
