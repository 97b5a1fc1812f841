"""Refuses references to what is outside the repository: folders of one machine, and hosts of package registries."""
import re

import tree

# Put together from pieces, so that this file passes its own check.
FOLDERS = ["../" + "shared", "/" + "work/"]
HOSTS = [
    "pypi" + ".org", "pythonhosted" + ".org", "deb.debian" + ".org", "security.debian" + ".org",
    "snapshot.debian" + ".org", "npmjs" + ".org", "crates" + ".io", "proxy.golang" + ".org",
    "repo.maven" + ".apache.org", "repo1.maven" + ".org",
]
REFERENCE = re.compile("|".join(rf"(?<![\w.]){re.escape(folder)}" for folder in FOLDERS) + "|"
                       + "|".join(rf"(?<![\w-]){re.escape(host)}\b" for host in HOSTS))


def check(root):
    problems = []
    for path in tree.files_list(root):
        for number, line in enumerate(tree.text_read(root, path).split("\n"), 1):
            match = REFERENCE.search(line)
            if match:
                problems.append(f"{path}:{number}: refers to {match[0]}")
    return problems


GOOD = {"README.md": "See docs/ and `../index.html`; network/ and /framework/ are fine.\n"}
FAULTS = [
    {"docs/a.md": f"as {FOLDERS[0]}/DESIGN.md says\n"},
    {"gen/a.c": f"/* {FOLDERS[1]}main */\n"},
    {"dev": f"pip download --index-url https://{HOSTS[0]}/simple\n"},
    {"dev": f"debootstrap bookworm . http://{HOSTS[2]}/debian\n"},
]

if __name__ == "__main__":
    tree.run(check, FAULTS, GOOD)
