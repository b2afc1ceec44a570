"""The documentation holds together: its links lead somewhere, its indexes are complete, and what it
quotes of the programs is what they say."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README_BYTES = 8192


def pages():
    out = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    for folder in ("docs", "libs", "data", "plugins", "tests", "tools", "voices"):
        out += sorted((ROOT / folder).rglob("*.md"))
    return out


def name(path):
    return str(path.relative_to(ROOT))


def prose(text):
    """Without blocks of code."""
    return re.sub(r"^( *)```.*?^\1```", "", text, flags=re.M | re.S)


def links(text):
    """What [words](target) and ![words](target) point to."""
    text = re.sub(r"`[^`\n]*`", "code", prose(text))
    return re.findall(r"\]\(([^()\s]+)\)", text)


def anchors(text):
    """What GitHub makes of a page's headings."""
    out = {}
    for heading in re.findall(r"^#{1,6} (.+?) *$", prose(text), re.M):
        heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        out[slug] = out.get(slug, -1) + 1
    return {slug if i == 0 else f"{slug}-{i}" for slug, last in out.items()
            for i in range(last + 1)}


def faults(page, text):
    """The links of a page that lead nowhere."""
    for link in links(text):
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = link.partition("#")
        path = (page.parent / target).resolve() if target else page
        if not path.exists():
            yield f"{name(page)}: {link}: there is no {target}"
        elif anchor and anchor not in anchors(path.read_text() if target else text):
            yield f"{name(page)}: {link}: there is no such heading"


def section(text, heading):
    return re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", text, re.M | re.S)[1]


class DocsTest(unittest.TestCase):
    def check_none(self, found):
        if found:
            self.fail("\n" + "\n".join(found))

    def test_the_readme_is_one_that_is_read(self):
        self.assertLessEqual((ROOT / "README.md").stat().st_size, README_BYTES)

    def test_links_lead_to_files_and_headings(self):
        self.assertGreater(len(pages()), 40)
        self.assertGreater(sum(len(links(page.read_text())) for page in pages()), 400)
        self.check_none([fault for page in pages() for fault in faults(page, page.read_text())])

    def test_a_link_that_leads_nowhere_is_found(self):
        page = ROOT / "docs/README.md"
        text = ("# One\n## `a b`: c\n[x](#one) [x](#a-b-c) [x](configuration.md#limits) "
                "[x](http://x/)\n")
        self.assertEqual(list(faults(page, text)), [])
        for link in ("#two", "none.md", "configuration.md#none", "images/none.png"):
            self.assertEqual(len(list(faults(page, f"{text}[x]({link})"))), 1, link)
        self.assertEqual(list(faults(page, "```\n[x](none.md)\n```\n`[x](none.md)`")), [])

    def test_the_index_names_every_page_and_its_gallery_shows_pictures(self):
        text = (ROOT / "docs/README.md").read_text()
        named = set(links(section(text, "By reader")))
        self.check_none([f"docs/README.md does not name {name(page)}"
                         for folder in (".", "evidence")
                         for page in sorted((ROOT / "docs" / folder).glob("*.md"))
                         if page.name != "README.md"
                         and str(page.relative_to(ROOT / "docs")) not in named])
        self.assertGreater(len(re.findall(r"!\[", section(text, "Pictures"))), 6)

    def test_every_picture_is_shown(self):
        shown = {(page.parent / link.partition("#")[0]).resolve()
                 for page in pages() for link in links(page.read_text())}
        self.check_none([f"no page shows {name(path)}"
                         for path in sorted((ROOT / "docs").glob("**/images/*"))
                         if path not in shown])

    def test_the_decisions_are_listed(self):
        listed = set(links((ROOT / "docs/adr/README.md").read_text()))
        self.check_none([f"docs/adr/README.md does not list {path.name}"
                         for path in sorted((ROOT / "docs/adr").glob("0*.md"))
                         if path.name not in listed])

    def test_symptoms_are_what_the_programs_say(self):
        sources = [path for folder in ("libs", "services", "tools", "scripts")
                   for path in sorted((ROOT / folder).rglob("*"))
                   if path.suffix in (".cc", ".h", ".sh", ".cmake")]
        # Literals that stand one after the other are one.
        said = re.sub(r'"\s*\n\s*"', "", "\n".join(path.read_text() for path in sources))
        table = section((ROOT / "docs/README.md").read_text(), "Troubleshooting")
        symptoms = [line.split("|")[1] for line in table.splitlines() if line.startswith("| ")]
        # Sentences are quoted; names of commands and the like have no two blanks.
        quoted = [words for symptom in symptoms for words in re.findall(r"`([^`]+)`", symptom)
                  if words.count(" ") > 1 and not words.startswith("renderer_sink record")]
        self.assertGreater(len(quoted), 12)
        # What follows a number or an address comes from elsewhere.
        self.check_none([f"nothing says: {words}" for words in quoted
                         if re.split(r" [\w.]+:\d+: ", words)[0] not in said])

    def test_the_tests_that_pages_name_exist(self):
        # By the names of their files, and by those that CMake gives them.
        runs = {path.stem for path in (ROOT / "tests").rglob("*_test.*")}
        for path in (ROOT / "tests").rglob("CMakeLists.txt"):
            text = path.read_text()
            runs |= set(re.findall(r"\b\w+_test\b", text))
            runs |= {prefix + file.stem for prefix in re.findall(r"\bPREFIX (\w+)", text)
                     for file in path.parent.glob("*_test.cc")}
        named = [(name(page), word) for page in pages()
                 for word in re.findall(r"`\./test ([\w]+)`", page.read_text()) if word != "NAME"]
        self.assertGreater(len(named), 30)
        self.check_none([f"{page}: ./test {word} runs nothing" for page, word in named
                         if not any(word in run for run in runs)])


if __name__ == "__main__":
    unittest.main(verbosity=2)
