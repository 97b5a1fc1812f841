"""Refuses a C function of more than 70 lines, from its opening brace to the closing one."""
import re

import tree

LINES_MAX = 70

# What is blanked before braces are counted: comments, literals, and preprocessor lines with their continuations.
NOISE = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*',
    re.DOTALL | re.MULTILINE)
EXTERN_C = re.compile(r"\bextern\s+\{")


def noise_blank(text):
    return NOISE.sub(lambda match: "\n" * match[0].count("\n"), text)


def functions_list(text):
    """(name, line of the opening brace, lines) of every function."""
    text = noise_blank(text)
    linkage = {match.end() - 1 for match in EXTERN_C.finditer(text)}
    depth, opened, found = 0, None, []
    for match in re.finditer(r"[{}]", text):
        at = match.start()
        if at in linkage:
            continue
        if match[0] == "{":
            if depth == 0:
                head = text[:at].rstrip()
                opened = at if head.endswith(")") else None
            depth += 1
        elif depth > 0:
            depth -= 1
            if depth == 0 and opened is not None:
                names = re.findall(r"(\w+)\s*\(", re.split(r"[;}]", text[:opened])[-1])
                names = [name for name in names if name != "__attribute__"]
                first = text.count("\n", 0, opened) + 1
                found.append((names[0] if names else "?", first, text.count("\n", opened, at) + 1))
    return found


def check(root):
    problems = []
    for path in tree.files_list(root, [".c", ".h"], ["gen", "runtime", "specs", "tests"]):
        for name, line, lines in functions_list(tree.text_read(root, path)):
            if lines > LINES_MAX:
                problems.append(f"{path}:{line}: {name} has {lines} lines; {LINES_MAX} are allowed")
    return problems


def function_make(lines, middle="    x++;\n"):
    return "static int long_one(int x)\n{\n" + middle * (lines - 2) + "}\n"


GOOD = {
    "gen/base/a.c": function_make(70) + function_make(70, '    puts("{"); /* { */ // {\n'),
    "runtime/core/a.h": "struct a {\n" + "    int x;\n" * 100 + "};\nstatic const int a[] = {\n" + "    1,\n" * 100 + "};\n",
}
FAULTS = [
    {"gen/base/a.c": function_make(71)},
    {"gen/base/a.c": function_make(5) + "/* a } */\n" + function_make(71, '    x += \'}\';\n')},
    {"runtime/core/a.h": 'extern "C" {\n' + function_make(71) + "}\n"},
    {"tests/unit/a.c": "#define A {\n" + function_make(71)},
]

if __name__ == "__main__":
    tree.run(check, FAULTS, GOOD)
