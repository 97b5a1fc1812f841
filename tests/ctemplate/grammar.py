"""Random templates of the subset, from a seed: typed expressions, nested blocks, and above all white space and its control.

One in ten is mutated by a character more or less; such templates may leave the subset.
"""
import json

DATA = {
    "n": 3,
    "zero": 0,
    "minus": -7,
    "name": "alpha",
    "words": "two words",
    "empty": "",
    "yes": True,
    "no": False,
    "nil": None,
    "xs": [3, 1, 2],
    "nothing": [],
    "names": ["beta", "Alpha", "gamma", "beta"],
    "rows": [
        {"id": 1, "name": "one", "on": True},
        {"id": 2, "name": "two", "on": False},
        {"id": 3, "name": "three", "on": True, "more": [1, 2]},
    ],
    "pairs": {"b": 2, "a": 1},
    "tree": {"leaf": {"x": 5, "s": "deep"}},
}

LIBRARY = """\
{% macro wrap(a, b='-') -%}
  <{{ a }}{{ b }}>
{%- endmacro %}
{% set five = 5 %}
{% macro twice(x) %}{{ x }}{{ x }}{% endmacro %}
"""

PART = """\
  part {{ n }}
  {%- if v0 is defined %} v0{% endif %}
{% set v1 = 'set in part' %}
"""

SPACES = ["", "", " ", "\n", "  ", "\n\n", " \n", "\n  ", "\t", "\n\t ", "  \n  "]
WORDS = ["a", "x y", ";", "{;", "}", "}}", "%}", "#}", "{ {x", "/* c */", "int f(void);", "é"]
VARIABLES = ["v0", "v1", "v2"]


class Maker:
    def __init__(self, random):
        self.random = random
        self.depth = 0
        self.in_loop = 0
        self.scopes = [{}]

    def pick(self, *choices):
        return self.random.choice(choices)()

    def chance(self, share):
        return self.random.random() < share

    def space(self):
        return self.random.choice(SPACES)

    # ---- Expressions.

    def variable(self, kind, otherwise):
        known = [name for scope in self.scopes for name, its_kind in scope.items() if its_kind == kind]
        if self.chance(0.02):
            return self.random.choice(["missing", *VARIABLES])
        return self.random.choice(known) if known and self.chance(0.6) else otherwise

    def deeper(self, make):
        self.depth += 1
        made = make()
        self.depth -= 1
        return made

    def integer(self):
        if self.depth > 2:
            return self.variable("integer", self.random.choice(["n", "zero", "minus", "7", "0x1f", "xs[0]"]))
        return self.deeper(lambda: self.pick(
            lambda: self.variable("integer", self.random.choice(["n", "1", "12", "tree.leaf.x", "rows[1].id", "1_000"])),
            lambda: f"{self.integer()} {self.random.choice('+-*')} {self.integer()}",
            lambda: f"({self.integer()} {self.random.choice(['//', '%'])} {self.random.choice(['2', '3', 'minus', 'n'])})",
            lambda: f"-{self.random.choice(['n', '3', '(n)', 'minus'])}",
            lambda: f"{self.sequence()}|length",
            lambda: f"({self.integer()} if {self.condition()} else {self.integer()})",
            lambda: f"(nope|default({self.integer()}))",
            lambda: self.random.choice(["loop.index", "loop.index0", "loop.revindex", "loop.length"])
            if self.in_loop else "n",
            lambda: f"{{'k': {self.integer()}}}['k']",
            lambda: f"({self.integer()} or {self.integer()})",
        ))

    def string(self):
        quote = self.random.choice("'\"")
        return quote + self.random.choice(["", "a", "b c", "\\n", "x\\\\y", "é", "%}", "{{", " ", "\\x41", "#"]) + quote

    def text(self):
        if self.depth > 2:
            return self.variable("text", self.random.choice(["name", "words", "'q'", "empty"]))
        return self.deeper(lambda: self.pick(
            self.string,
            lambda: self.variable("text", self.random.choice(["name", "words", "empty", "rows[0].name"])),
            lambda: f"{self.text()} ~ {self.random.choice([self.text, self.integer])()}",
            lambda: f"({self.text()} + {self.text()})",
            lambda: f"({self.text()})|{self.random.choice(['upper', 'lower', 'trim', 'string', 'raw'])}"
            if not self.chance(0.1) else f"{self.string()}*{self.random.choice(['0', '2'])}",
            lambda: f"({self.text()})|replace({self.string()}, {self.string()})",
            lambda: f"({self.text()})|indent({self.random.choice(['', '2', '2, true', 'first=true', '1, blank=true'])})",
            lambda: f"({self.text()})|{self.random.choice(['c_string', 'c_comment', 'c_ident', 'c_bytes', 'json'])}",
            lambda: f"({self.integer()})|{self.random.choice(['hex', 'u', 'ull', 'string', 'align(6)', 'json'])}",
            lambda: f"{self.sequence()}|join({self.string()})",
            lambda: f"({self.text()} if {self.condition()} else {self.text()})",
            lambda: f"wrap({self.integer()}, b={self.text()})" if self.chance(0.3) else self.string(),
            lambda: f"rows|map(attribute='name')|join({self.string()})",
            lambda: f"names|sort|first",
        ))

    def sequence(self):
        return self.pick(
            lambda: self.variable("list", self.random.choice(["xs", "names", "nothing"])),
            lambda: f"[{self.integer()}, {self.integer()}]",
            lambda: f"range({self.random.choice(['0', '2', '1, 4'])})",
            lambda: self.random.choice(["names|sort", "names|unique|list", "xs|sort(reverse=true)", "xs|select('odd')|list",
                                        "rows|selectattr('on')|map(attribute='id')|list", "pairs|list",
                                        "rows|rejectattr('on')|map(attribute='name')|list", "xs + [9]",
                                        "names|map('upper')|list"]),
        )

    def condition(self):
        if self.depth > 2:
            return self.random.choice(["yes", "no", "n", "nothing", "nil"])
        return self.deeper(lambda: self.pick(
            lambda: self.variable("bool", self.random.choice(["yes", "no", "n", "zero", "empty", "name", "nil", "xs", "true"])),
            lambda: f"{self.integer()} {self.random.choice(['<', '<=', '==', '!=', '>', '>='])} {self.integer()}",
            lambda: f"{self.text()} {self.random.choice(['==', '!=', '<', 'in', 'not in'])} {self.text()}",
            lambda: f"{self.integer()} {self.random.choice(['in', 'not in'])} {self.sequence()}",
            lambda: f"not {self.condition()}",
            lambda: f"({self.condition()} {self.random.choice(['and', 'or'])} {self.condition()})",
            lambda: f"{self.random.choice(['n', 'v0', 'missing', 'tree.no', 'rows[2].more', 'nil'])} is "
            f"{self.random.choice(['', 'not '])}{self.random.choice(['defined', 'none', 'number', 'mapping', 'string'])}",
            lambda: f"({self.integer()}) is {self.random.choice(['odd', 'even', 'divisibleby 3', 'divisibleby(2)', 'eq 3'])}",
            lambda: f"0 {self.random.choice(['<', '<='])} {self.integer()} < 9",
            lambda: self.random.choice(["loop.first", "loop.last", "not loop.last"]) if self.in_loop else "yes",
        ))

    def printed(self):
        return self.pick(self.integer, self.integer, self.text)

    # ---- Text and tags.

    def begin(self):
        return "{%" + self.random.choice(["", "", "", "-", "+"]) + self.random.choice([" ", " ", "", "\n", "  "])

    def end(self):
        return self.random.choice([" ", " ", "", "\n"]) + self.random.choice(["", "", "", "-", "+"]) + "%}"

    def tag(self, content):
        return self.begin() + content + self.end()

    def data(self):
        count = self.random.randrange(4)
        return "".join(self.random.choice([self.space, lambda: self.random.choice(WORDS)])() for _ in range(count))

    def variable_tag(self):
        begin = "{{" + self.random.choice(["", "", "", "-", "+"])
        return begin + " " + self.printed() + " " + self.random.choice(["", "", "", "-"]) + "}}"

    def comment(self):
        begin = "{#" + self.random.choice(["", "", "-", "+"])
        return begin + self.random.choice([" c ", "", "\n", " {{ x }} ", " {% if %} "]) + self.random.choice(["", "-", "+"]) + "#}"

    def raw(self):
        begin = "{%" + self.random.choice(["", "-", "+"]) + " raw " + self.random.choice(["", "-"]) + "%}"
        inside = self.space() + self.random.choice(["{{ x }}", "{% if %}", "", "{#", "plain"]) + self.space()
        return begin + inside + self.tag("endraw")

    def body(self):
        self.scopes.append({})
        made = "".join(self.piece() for _ in range(self.random.choice([1, 1, 1, 2, 2, 3])))
        self.scopes.pop()
        return made

    def if_block(self):
        made = self.tag("if " + self.condition()) + self.body()
        while self.chance(0.25):
            made += self.tag("elif " + self.condition()) + self.body()
        if self.chance(0.4):
            made += self.tag("else") + self.body()
        return made + self.tag("endif")

    def for_block(self):
        name = self.random.choice(["i", "v0", "v1"])
        kind = self.random.choice(["plain", "plain", "pairs", "rows"])
        if kind == "pairs":
            target, over, scope = "k, v", self.random.choice(["pairs", "pairs|items", "pairs|dictsort"]), {"k": "text", "v": "integer"}
        elif kind == "rows":
            target, over, scope = "row", "rows", {"row.id": "integer", "row.name": "text", "row.on": "bool"}
        else:
            target, over, scope = name, f"range({self.random.choice(['3', '0', '2'])})", {name: "integer"}
        head = f"for {target} in {over}"
        if self.chance(0.25):
            head += " if " + self.random.choice([f"{next(iter(scope))} != 1", "no", "yes"])
        self.scopes.append(scope)
        self.in_loop += 1
        made = self.tag(head) + self.body()
        self.in_loop -= 1
        self.scopes.pop()
        if self.chance(0.2):
            made += self.tag("else") + self.body()
        return made + self.tag("endfor")

    def set_tag(self):
        name = self.random.choice(VARIABLES)
        kind, make = self.random.choice([("integer", self.integer), ("text", self.text), ("list", self.sequence)])
        made = self.tag(f"set {name} = {make()}")
        self.scopes[-1][name] = kind
        return made

    def capture(self):
        name = self.random.choice(VARIABLES)
        made = self.tag(f"set {name}{self.random.choice(['', '', '|upper', '|trim', '|indent(2)'])}") + self.body()
        self.scopes[-1][name] = "text"
        return made + self.tag("endset")

    def macro(self):
        name = self.random.choice(["m0", "m1"])
        outer, self.scopes = self.scopes, [self.scopes[0], {"a": "integer", "b": "text"}]
        in_loop, self.in_loop = self.in_loop, 0
        made = self.tag(f"macro {name}(a, b={self.string()}, c=a)") + self.body() + self.tag("endmacro")
        self.scopes, self.in_loop = outer, in_loop
        call = self.random.choice(["1", "n, 'z'", "b='k', a=2", "1, 'y', 4", "3, c=name"])
        return made + self.space() + "{{ " + name + "(" + call + ") }}"

    def other_template(self):
        return self.random.choice([
            self.tag("include 'part.j2'"),
            self.tag("include 'nowhere.j2' ignore missing"),
            self.tag("import 'library.j2' as lib") + "{{ lib.twice(lib.five) }}",
            self.tag("from 'library.j2' import twice, five as v2") + "{{ twice(v2) }}",
        ])

    def piece(self):
        if len(self.scopes) > 4:
            return self.data() + self.variable_tag()
        makers = [self.variable_tag] * 4 + [self.if_block] * 3 + [self.for_block] * 3 + [self.set_tag] * 2
        makers += [self.comment] * 2 + [self.raw, self.capture, self.macro, self.other_template]
        return self.data() + self.random.choice(makers)() + self.data()

    def template(self):
        made = "{% from 'library.j2' import wrap %}" if self.chance(0.9) else ""
        return made + "".join(self.piece() for _ in range(self.random.randrange(1, 5)))


def mutate(random, text):
    at = random.randrange(len(text) + 1)
    if random.random() < 0.5:
        return text[:at] + text[at + 1 :]
    return text[:at] + random.choice("{}%#-+ \n'\"()[]|.,=aif0") + text[at:]


def write_cases(folder, random, count):
    """Writes the templates and their data; gives their paths in pairs."""
    data = folder / "data.json"
    data.write_text(json.dumps(DATA))
    (folder / "library.j2").write_text(LIBRARY)
    (folder / "part.j2").write_text(PART)
    cases = []
    for number in range(count):
        text = Maker(random).template()
        is_mutated = random.random() < 0.1
        path = folder / f"{'mutated' if is_mutated else 'random'}_{number}.j2"
        path.write_text(mutate(random, text) if is_mutated else text)
        cases.append((path, data))
    return cases
