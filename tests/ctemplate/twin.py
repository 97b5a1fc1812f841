"""The Jinja2 side of the comparison: an environment that prints what the engine of gen/ctemplate should print.

Texts that the engine calls safe are of class Safe here. The syntax tree is changed before it is compiled so that literals,
captured blocks and what is joined of safe parts are Safe, and `for key, value in map` walks pairs; what macros return is
wrapped. `finalize` then applies the printing rule.
"""
import json
import re

import jinja2
import jinja2.filters
import jinja2.nodes as nodes
import jinja2.runtime
from jinja2.visitor import NodeTransformer


class Refused(Exception):
    """The twin of an error that only our engine has."""


class Safe(str):
    """A text that is printed as it is."""

    def __add__(self, other):
        made = str.__add__(self, other)
        return Safe(made) if is_printable(other) else made

    def __radd__(self, other):
        made = str.__add__(other, self)
        return Safe(made) if is_printable(other) else made

    def __mul__(self, times):
        return Safe(str.__mul__(self, times))

    __rmul__ = __mul__

    def __getitem__(self, key):
        return Safe(str.__getitem__(self, key))

    def __iter__(self):
        return map(Safe, str.__iter__(self))


IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def is_printable(value):
    if isinstance(value, str):
        return isinstance(value, Safe) or IDENTIFIER.match(value) is not None
    return is_integer(value)


def text_of(value):
    if isinstance(value, jinja2.Undefined):
        str(value)
    if is_integer(value) or isinstance(value, str):
        return str(value)
    raise Refused(f"{type(value)} is no text")


def safe_if(made, subject, *arguments):
    parts = [subject] + [argument for argument in arguments if isinstance(argument, str)]
    return Safe(made) if all(is_printable(part) for part in parts) else str(made)


def finalize(value):
    if isinstance(value, jinja2.Undefined):
        str(value)
    if not is_printable(value):
        raise Refused(f"{value!r} is not printable")
    return str(value)


# ---- The syntax tree.


class Marker(NodeTransformer):
    def visit_Const(self, node):
        if not isinstance(node.value, str):
            return node
        return nodes.Filter(node, "twin_safe", [], [], None, None, lineno=node.lineno)

    def visit_Concat(self, node):
        self.generic_visit(node)
        parts = nodes.List(node.nodes, lineno=node.lineno)
        return nodes.Filter(parts, "twin_concat", [], [], None, None, lineno=node.lineno)

    def visit_Pair(self, node):
        if not isinstance(node.key, nodes.Const):
            node.key = self.visit(node.key)
        node.value = self.visit(node.value)
        return node

    def visit_AssignBlock(self, node):
        self.generic_visit(node)
        innermost = nodes.Filter(None, "twin_safe", [], [], None, None, lineno=node.lineno)
        if node.filter is None:
            node.filter = innermost
        else:
            last = node.filter
            while last.node is not None:
                last = last.node
            last.node = innermost
        return node

    def visit_For(self, node):
        self.generic_visit(node)
        if isinstance(node.target, nodes.Tuple) and len(node.target.items) == 2:
            node.iter = nodes.Filter(node.iter, "twin_pairs", [], [], None, None, lineno=node.lineno)
        return node


class Environment(jinja2.Environment):
    def _generate(self, source, *arguments, **keywords):
        return super()._generate(Marker().visit(source), *arguments, **keywords)


def macro_invoke(self, arguments, autoescape, plain=jinja2.runtime.Macro._invoke):
    return Safe(plain(self, arguments, autoescape))


jinja2.runtime.Macro._invoke = macro_invoke


# ---- Filters of Jinja2, made to keep Safe and to see only texts and integers.


def twin_concat(parts):
    made = "".join([text_of(part) for part in parts])
    return Safe(made) if all(is_printable(part) for part in parts) else made


def twin_pairs(value):
    return list(value.items()) if isinstance(value, dict) else value


def change_case(plain):
    def changed(value):
        text = text_of(value)
        if not text.isascii():
            raise Refused("only ASCII has case")
        return safe_if(plain(text), value)

    return changed


def f_replace(value, old, new, count=-1):
    for argument in (old, new):
        if not isinstance(argument, str):
            raise Refused("texts are replaced")
    return safe_if(text_of(value).replace(str(old), str(new), count), value, old, new)


@jinja2.pass_eval_context
def f_join(context, value, d=Safe(""), attribute=None):
    parts = list(value)
    if attribute:
        get = jinja2.filters.make_attrgetter(context.environment, attribute)
        parts = [get(part) for part in parts]
    if not isinstance(d, str):
        raise Refused("a text joins")
    made = str(d).join([text_of(part) for part in parts])
    return Safe(made) if all(is_printable(part) for part in [d, *parts]) else made


def f_indent(value, width=4, first=False, blank=False):
    if isinstance(width, bool) or not isinstance(first, bool) or not isinstance(blank, bool):
        raise Refused("wrong arguments")
    return safe_if(jinja2.filters.do_indent(text_of(value), width, first, blank), value, width)


def f_trim(value, chars=None):
    return safe_if(text_of(value).strip(chars), value)


def f_align(value, column):
    if column > 1000:
        raise Refused("too wide")
    return safe_if(text_of(value).ljust(column), value)


def f_default(value, default_value=Safe(""), boolean=False):
    return jinja2.filters.do_default(value, default_value, boolean)


def f_string(value):
    return safe_if(text_of(value), value)


def f_raw(value):
    return Safe(text_of(value))


def f_json(value):
    return Safe(json.dumps(value, ensure_ascii=True, separators=(",", ":")))


# ---- Filters of ours.


def integer_of(value, most):
    if not is_integer(value) or not 0 <= value <= most:
        raise Refused(f"{value!r} is out of range")
    return value


def bytes_of(value):
    return text_of(value).encode()


def escape(byte, before, quote):
    plain = {10: "\\n", 13: "\\r", 9: "\\t", 92: "\\\\"}
    if byte in plain:
        return plain[byte]
    if chr(byte) == quote or (byte == 63 and before == 63):
        return "\\" + chr(byte)
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"


def columns_of(indent):
    if not is_integer(indent) or not 0 <= indent <= 200:
        raise Refused("indent")
    return max(100 - indent, 32)


def f_c_string(value, indent=4):
    columns = columns_of(indent)
    pieces, piece, before = [], "", 0
    for byte in bytes_of(value):
        escaped = escape(byte, before, '"')
        if len(piece) + 2 + len(escaped) > columns or before == 10:
            pieces.append(piece)
            piece = ""
        piece += escaped
        before = byte
    pieces.append(piece)
    return Safe(("\n" + " " * indent).join(f'"{piece}"' for piece in pieces))


def f_c_bytes(value, indent=4):
    columns, rows, used = columns_of(indent), [[]], 0
    for byte in bytes_of(value):
        element = "'" + escape(byte, 0, "'") + "'"
        if used + len(element) + 2 > columns:
            rows.append([])
            used = 0
        rows[-1].append(element)
        used += len(element) + 2
    return Safe((",\n" + " " * indent).join(", ".join(row) for row in rows))


def f_c_char(value):
    if is_integer(value) and 0 <= value <= 255:
        byte = value
    elif isinstance(value, str) and len(value.encode()) == 1:
        byte = value.encode()[0]
    else:
        raise Refused("no char")
    return Safe("'" + escape(byte, 0, "'") + "'")


KEYWORDS = set(
    "alignas alignof asm auto bool break case char const constexpr continue default do double else enum extern false"
    " float for goto if inline int long nullptr register restrict return short signed sizeof static static_assert"
    " struct switch thread_local true typedef typeof typeof_unqual union unsigned void volatile while".split()
)


def f_c_ident(value):
    made = "".join(chr(byte) if chr(byte).isascii() and chr(byte).isalnum() else "_" for byte in bytes_of(value))
    if not made or made[0].isdigit():
        made = "_" + made
    return Safe(made + "_" if made in KEYWORDS else made)


def comment_allows(point):
    if point < 0x20 or 0x7F <= point < 0xA0 or point in (0x200E, 0x200F, 0x061C, 0xFEFF):
        return False
    return not (0x2028 <= point <= 0x202E or 0x2066 <= point <= 0x2069)


def f_c_comment(value):
    text = text_of(value)
    made = " " if text[:1] in ("/", "*") and text else ""
    for character in text:
        if made[-1:] + character in ("*/", "/*", "??"):
            made += " "
        if character in "\n\r\t":
            made += " "
        elif comment_allows(ord(character)):
            made += character
        else:
            made += "".join(f"<{byte:02x}>" for byte in character.encode())
    if made.rstrip().endswith("\\"):
        made += "."
    elif made.endswith(("*", "/", "?")):
        made += " "
    return Safe(made)


def f_hex(value, digits=1):
    integer_of(value, 2**63 - 1)
    if not 1 <= digits <= 16:
        raise Refused("digits")
    return Safe(f"0x{value:0{digits}x}")


def f_u(value):
    return Safe(f"{integer_of(value, 2**32 - 1)}u")


def f_ull(value):
    return Safe(f"{integer_of(value, 2**63 - 1)}ull")


def make_environment(loader):
    environment = Environment(
        loader=loader,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        finalize=finalize,
    )
    environment.filters.update(
        twin_safe=Safe,
        twin_concat=twin_concat,
        twin_pairs=twin_pairs,
        upper=change_case(str.upper),
        lower=change_case(str.lower),
        replace=f_replace,
        indent=f_indent,
        trim=f_trim,
        join=f_join,
        align=f_align,
        default=f_default,
        d=f_default,
        string=f_string,
        raw=f_raw,
        json=f_json,
        c_string=f_c_string,
        c_bytes=f_c_bytes,
        c_char=f_c_char,
        c_ident=f_c_ident,
        c_comment=f_c_comment,
        hex=f_hex,
        u=f_u,
        ull=f_ull,
    )
    return environment
