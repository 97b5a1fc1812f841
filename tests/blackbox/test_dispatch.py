"""The generated dispatch against a slow one, written from the rules of Go's net/http.ServeMux.

The reference knows nothing of trees: a pattern is the set of requests that it matches, among all requests of a small
world; the more specific of two patterns is the smaller set, and two patterns conflict when neither is. Random sets of
patterns are generated, compiled and asked for every request of that world.
"""
# ctest: timeout 300
import functools
import itertools
import random
import shlex
import subprocess

import pytest

from conftest import CC, HARDWIRE, REPOSITORY, WARNINGS, run

METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE"]
HOSTS = ["", "h", "other"]
WORDS = ["a", "b", "cc"]
STRANGER = "zz"  # stands in no pattern
DEPTH = 4

PATHS = ["/" + "/".join(words) + slash for depth in range(1, DEPTH + 1)
         for words in itertools.product(WORDS + [STRANGER], repeat=depth) for slash in ("", "/")] + ["/"]


# ---- The reference.

class Pattern:
    """[METHOD ][HOST]/PATH, without escapes."""

    def __init__(self, text):
        self.text = text
        self.method, self.path = text.split(" ") if " " in text else (None, text)
        self.host, self.path = self.path[:self.path.index("/")], self.path[self.path.index("/"):]
        self.segments = self.path[1:].split("/")
        self.is_multi = self.segments[-1] == "" or self.segments[-1].endswith("...}")

    def methods(self):
        return {None: set(METHODS), "GET": {"GET", "HEAD"}}.get(self.method, {self.method})

    @functools.lru_cache(maxsize=None)
    def captures(self, path):
        """What the wildcards take of a path that this pattern matches, else None."""
        have, taken = path[1:].split("/"), []
        for index, segment in enumerate(self.segments):
            if segment == "{$}":
                return tuple(taken) if have[index:] == [""] else None
            if segment == "" or segment.endswith("...}"):
                if index >= len(have):
                    return None
                return tuple(taken + (["/".join(have[index:])] if segment else []))
            if index >= len(have) or have[index] == "" or (segment[0] != "{" and segment != have[index]):
                return None
            if segment[0] == "{":
                taken.append(have[index])
        return tuple(taken) if len(have) == len(self.segments) else None

    @functools.cached_property
    def requests(self):
        return frozenset((method, path) for path in PATHS if self.captures(path) is not None
                         for method in self.methods())

    def size(self):
        return len(self.requests)

    def conflicts(self, other):
        if self.host != other.host or not self.requests & other.requests:
            return False
        return self.requests == other.requests or not (self.requests < other.requests or other.requests < self.requests)


def specific(patterns, method, path):
    """The pattern of the smallest set among those that match; there is one, because none conflict."""
    matching = [p for p in patterns if method in p.methods() and p.captures(path) is not None]
    return min(matching, key=lambda p: p.size(), default=None)


def is_exact(pattern, path):
    """ServeMux's exactMatch: no wildcard takes more than one segment, and nothing but the last slash is left over."""
    if pattern is None:
        return False
    if not path.endswith("/"):
        return not pattern.is_multi
    return len(pattern.segments) == path.count("/")


def expected(patterns, method, host, path):
    """The answer as the driver prints it."""
    ours = [p for p in patterns if p.host == host and host] if host else []
    common = [p for p in patterns if not p.host]

    def match(path):
        return specific(ours, method, path) or specific(common, method, path)

    found = match(path)
    if not is_exact(found, path) and not path.endswith("/") and is_exact(match(path + "/"), path + "/"):
        return "slash"
    if found is not None:
        return " ".join([found.text.replace(" ", "_"), *(f"[{text}]" for text in found.captures(path))])
    allow = {m for p in ours + common for m in p.methods()
             if p.captures(path) is not None or (not path.endswith("/") and p.captures(path + "/") is not None)}
    return "allow " + ",".join(m for m in METHODS if m in allow)


# ---- Random sets of patterns.

def pattern_random(rng):
    segments = [rng.choice(WORDS + ["{%s}" % "xyzuvw"[at]] * 2) for at in range(rng.randint(0, 3))]
    ending = rng.choice(["", "", "", "/", "/{rest...}", "/{$}"])
    path = "".join("/" + segment for segment in segments) + ending
    if path == "":
        path = "/"
    method = rng.choice(["GET ", "GET ", "HEAD ", "POST ", "PUT ", ""])
    return Pattern(method + rng.choice(["", "", "", "h"]) + path)


def patterns_random(rng, count):
    patterns, refused = [], []
    for _ in range(count * 3):
        pattern = pattern_random(rng)
        if any(pattern.conflicts(other) for other in patterns):
            refused.append(pattern)
        elif len(patterns) < count:
            patterns.append(pattern)
    return patterns, refused


# ---- The generated dispatch, asked by a small program.

DRIVER = r"""
#include "@_config.h"

#include <hardwire/generated.h>
#include <stdio.h>
#include <string.h>

static enum hw_method method_read(const char *text)
{
    static const char *const names[] = {
#define NAME(name) #name,
        HW_METHODS(NAME)
#undef NAME
    };
    enum hw_method method = 0;
    while (strcmp(names[method], text) != 0)
        method++;
    return method;
}

int main(void)
{
    char method[16], host[64], path[4096];
    while (scanf("%15s %63s %4095s", method, host, path) == 3) {
        size_t size = strlen(path);
        for (size_t i = 0; i < size; i++)
            path[i] = path[i] == '|' ? '\0' : path[i];
        struct hw_match match = {.method = method_read(method), .host = host + 1, .host_size = strlen(host) - 1,
                                 .path = path, .path_end = path + size};
        const struct hw_route *route = HW_NAME(route_find)(&match);
        if (route == NULL && match.slash) {
            puts("slash");
            continue;
        }
        printf("%s", route == NULL ? "allow " : "");
        for (const char *p = route == NULL ? "" : route->pattern; *p != '\0'; p++)
            putchar(*p == ' ' ? '_' : *p);
        for (uint32_t i = 0; route != NULL && i < match.capture_count; i++) {
            printf(" [");
            for (size_t k = 0; k < match.captures[i].size; k++)
                putchar(match.captures[i].bytes[k] == '\0' ? '|' : match.captures[i].bytes[k]);
            printf("]");
        }
        const enum hw_method known[] = {HW_METHOD_GET, HW_METHOD_HEAD, HW_METHOD_POST, HW_METHOD_PUT,
                                        HW_METHOD_DELETE};
        const char *const names[] = {"GET", "HEAD", "POST", "PUT", "DELETE"};
        int count = 0;
        for (int i = 0; route == NULL && i < 5; i++)
            if ((match.allow >> known[i] & 1u) != 0)
                printf("%s%s", count++ != 0 ? "," : "", names[i]);
        puts("");
    }
    return 0;
}
"""


def spec_text(patterns, name="demo"):
    routes = "".join(f'  "{text}": {{text: "x"}}\n' for text in patterns)
    return f"hardwire: 1\nname: {name}\nroutes:\n{routes}"


class Dispatch:
    def __init__(self, folder, patterns):
        (folder / "demo.yaml").write_text(spec_text(patterns))
        result = run([HARDWIRE, "generate", folder / "demo.yaml", "-o", folder / "out"])
        assert result.returncode == 0, result.stderr + "\n" + "\n".join(patterns)
        (folder / "driver.c").write_text(DRIVER.replace("@", "demo"))
        result = run([CC, *shlex.split(WARNINGS), "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
                      "-I", folder / "out", "-I", REPOSITORY / "runtime/include", "-o", folder / "driver",
                      folder / "driver.c", folder / "out/demo_routes.c", folder / "out/demo_responses.c"])
        assert result.returncode == 0, result.stdout + result.stderr
        self.program = folder / "driver"
        self.folder = folder

    def ask(self, questions):
        """One answer for each (method, host, path)."""
        (self.folder / "questions").write_text("".join(f"{m} .{h} {p}\n" for m, h, p in questions))
        with open(self.folder / "questions", encoding="ascii") as questions_file:
            result = subprocess.run([self.program], stdin=questions_file, capture_output=True, text=True, check=True)
        return result.stdout.splitlines()


@pytest.mark.parametrize("seed, count", [(seed, count) for seed in range(4) for count in (3, 8, 25)])
def test_random_patterns(tmp_path, seed, count):
    rng = random.Random(f"{seed} {count}")
    patterns, _ = patterns_random(rng, count)
    dispatch = Dispatch(tmp_path, [p.text for p in patterns])
    questions = list(itertools.product(METHODS, HOSTS, PATHS))
    answers = dispatch.ask(questions)
    assert len(answers) == len(questions)
    wrong = [f"{question}: {answer!r} instead of {right!r}" for question, answer in zip(questions, answers)
             if answer != (right := expected(patterns, *question))]
    assert not wrong, "\n".join([p.text for p in patterns] + wrong[:20])


def test_the_reference_finds_every_kind_of_answer():
    """The random sets would prove nothing if they only ever gave one."""
    kinds = set()
    for seed, count in itertools.product(range(4), (3, 25)):
        patterns, _ = patterns_random(random.Random(f"{seed} {count}"), count)
        for question in itertools.product(METHODS, HOSTS, PATHS):
            answer = expected(patterns, *question)
            kinds.add(answer if answer in ("slash", "allow ") else "allow" if answer.startswith("allow") else "route")
    assert kinds == {"slash", "allow ", "allow", "route"}


@pytest.mark.parametrize("seed", range(12))
def test_conflicts_are_refused(tmp_path, seed):
    """What the reference calls a conflict the generator refuses, at the line of the second pattern."""
    rng = random.Random(seed)
    patterns, refused = patterns_random(rng, 6)
    for pattern in refused[:5]:
        (tmp_path / "demo.yaml").write_text(spec_text([p.text for p in patterns + [pattern]]))
        result = run([HARDWIRE, "check", tmp_path / "demo.yaml"])
        assert result.returncode == 1, "\n".join(p.text for p in patterns + [pattern])
        assert f"demo.yaml:{len(patterns) + 4}:" in result.stderr


class LongPattern(Pattern):
    """For a world that is not small: of the patterns below, the one with more segments is the more specific one, and
    among equally many the one that ends."""

    def size(self):
        return 4 * (50 - len(self.segments)) + 2 * self.is_multi + ("{" in self.path)


def test_many_children(tmp_path):
    """Tables instead of switches: of literals that are leaves, of literals that are nodes, and of hosts."""
    rng = random.Random(1)
    patterns = [f"GET /word{i}" for i in range(40)] + [f"GET /word{i}/{{x}}" for i in range(20)]
    patterns += [f"POST /word{i}/deep/{{x}}/end{i}" for i in range(60)] + ["GET /{any}", "GET /word3/{x}/{rest...}"]
    patterns += [f"host{i}/x" for i in range(30)] + ["host5/{y}/"]
    dispatch = Dispatch(tmp_path, patterns)
    parsed = [LongPattern(text) for text in patterns]
    paths = [p.path.replace("{x}", "7").replace("{any}", "q").replace("{y}", "k").replace("{rest...}", "r/s")
             for p in parsed]
    paths += ["/", "//", "/word", "/word4000", "/word1x", "/" + "w" * 3000, "/word3/5/", "/word7/deep/1/end8", "/k"]
    paths += ["/word%d%s" % (rng.randrange(80), rng.choice(["", "/", "/a", "/deep/q/end3", "/a/b/c"])) for _ in range(200)]
    questions = list(itertools.product(METHODS, ["", "host5", "host29", "host30"], paths))

    answers = dispatch.ask(questions)
    wrong = [f"{question}: {answer!r} instead of {right!r}" for question, answer in zip(questions, answers)
             if answer != (right := expected(parsed, *question))]
    assert not wrong, "\n".join(wrong[:20])


def test_so_many_nodes_that_they_are_tables(tmp_path):
    """Beyond some hundred nodes the dispatch is data that one function walks (PLAN_FUNCTIONS_MAX)."""
    rng = random.Random(2)
    patterns = ["GET /{$}", "GET /{any}", "DELETE /", "host1/{y}", "host2/"] + [f"POST host3/h{i}/{{x}}" for i in range(40)]
    for i in range(150):
        patterns += [f"GET /r{i}", f"PUT /r{i}", f"GET /r{i}/", f"GET /r{i}/{{x}}", f"POST /r{i}/{{x}}",
                     f"GET /r{i}/{{x}}/sub/{{$}}", f"POST /r{i}/{{x}}/sub/{{rest...}}", f"PUT /r{i}/all/{{rest...}}"]
    dispatch = Dispatch(tmp_path, patterns)
    assert "hw_node_find" in (tmp_path / "out/demo_routes.c").read_text()
    parsed = [LongPattern(text) for text in patterns]
    endings = ["", "/", "/q", "/q/", "/q/sub", "/q/sub/", "/q/sub/a/b", "/all", "/all/", "/all/a/b", "/q/other", "//"]
    paths = ["/", "/x", "/h3/5", "/h39/", "/h40/2"] + [f"/r{rng.randrange(160)}{end}" for end in endings for _ in range(8)]
    questions = list(itertools.product(METHODS, ["", "host1", "host2", "host3"], paths))
    answers = dispatch.ask(questions)
    wrong = [f"{question}: {answer!r} instead of {right!r}" for question, answer in zip(questions, answers)
             if answer != (right := expected(parsed, *question))]
    assert not wrong, "\n".join(wrong[:20])


def test_decoded_slash_is_no_separator(tmp_path):
    """A %2F of the request is a NUL in the path that is matched ('|' in the questions)."""
    dispatch = Dispatch(tmp_path, ["GET /a/b", "GET /x/{one}", "GET /y/{rest...}"])
    answers = dispatch.ask([("GET", "", "/a|b"), ("GET", "", "/x/1|2"), ("GET", "", "/x/1/2"), ("GET", "", "/y/1|2/3")])
    assert answers == ["allow ", "GET_/x/{one} [1|2]", "allow ", "GET_/y/{rest...} [1|2/3]"]
