"""Documents: relative links exist, every example configuration is used by a test, the files that every project needs are there."""

import pathlib
import re
import tempfile

import source_tree

NEEDED = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "docs/README.md", "docs/architecture.md", "docs/getting-started.md")
LINK = re.compile(r"\]\(([^)\s]+)\)")


def links(text):
    """Targets of the links and pictures of a Markdown text, outside of code, without anchors."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"`[^`\n]*`", "", text)
    for target in LINK.findall(text):
        if not re.match(r"\w+:|#", target):
            yield target.split("#")[0]


def link_faults(root):
    faults = []
    for path in source_tree.files(root):
        if path.suffix == ".md":
            for target in links(source_tree.text(path, root)):
                if not (root / path.parent / target).exists():
                    faults.append(f"{path}: link to '{target}', which does not exist")
    return faults


def index_faults(root):
    """Documents that the index of the documents does not name."""
    index = root / "docs" / "README.md"
    named = {(index.parent / target).resolve() for target in links(index.read_text())} if index.exists() else set()
    return [f"{path}: docs/README.md does not link to it" for path in source_tree.files(root)
            if path.match("docs/*.md") and path.name != "README.md" and (root / path).resolve() not in named]


def configuration_faults(root):
    """Configurations whose name stands in no test."""
    tests = "\n".join(
        source_tree.text(path, root) for path in source_tree.files(root) if path.parts[0] == "tests" and path.suffix != ".md"
    )
    return [
        f"{path}: no test mentions '{path.stem}'"
        for path in source_tree.files(root)
        if path.parts[0] == "configs" and path.suffix == ".yaml" and not re.search(rf"\b{re.escape(path.stem)}\b", tests)
    ]


def rules_catch_what_they_should(folder):
    """An invented tree with one broken link and one forgotten configuration."""
    (folder / "configs").mkdir()
    (folder / "tests").mkdir()
    (folder / "docs").mkdir()
    (folder / "docs" / "README.md").write_text("[known](known.md)")
    (folder / "docs" / "known.md").write_text("")
    (folder / "docs" / "forgotten.md").write_text("")
    (folder / "configs" / "used.yaml").write_text("")
    (folder / "configs" / "forgotten.yaml").write_text("")
    (folder / "tests" / "runs.cpp").write_text('run("used.yaml");')
    (folder / "a.md").write_text("[a](tests/runs.cpp) ![b](absent.png) `[c](code)` [d](https://x.org/y) [e](#here)\n```\n[f](block)\n```\n")
    found = link_faults(folder) + index_faults(folder) + configuration_faults(folder)
    right = [
        "a.md: link to 'absent.png', which does not exist",
        "docs/forgotten.md: docs/README.md does not link to it",
        "configs/forgotten.yaml: no test mentions 'forgotten'",
    ]
    return [] if found == right else [f"self-test: should find {right}, found {found}"]


def main():
    with tempfile.TemporaryDirectory() as folder:
        faults = rules_catch_what_they_should(pathlib.Path(folder))
    faults += [f"{path}: is missing" for path in NEEDED if not (source_tree.ROOT / path).is_file()]
    faults += link_faults(source_tree.ROOT) + index_faults(source_tree.ROOT) + configuration_faults(source_tree.ROOT)
    source_tree.report(faults, "documents")


if __name__ == "__main__":
    main()
