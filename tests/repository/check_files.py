"""House rules of single files: length, first sentence, no traces of the machine a file was written on."""

import re

import source_tree

LONGEST = 500
# Paths and words of a developer's machine; split so that this file does not contain them.
TRACES = [re.compile(pattern) for pattern in ("/wo" "rk/", "/ro" "ot/", "\\bissue\\s+#?" "\\d")]
TEXT_SUFFIXES = {".h", ".cpp", ".py", ".md", ".yaml", ".yml", ".txt", ".cmake", ".json", ".sh", ""}


def length_faults(path, text):
    lines = text.count("\n")
    return [f"{path}: {lines} lines, at most {LONGEST} are allowed: split it by idea"] if lines > LONGEST else []


def first_sentence_faults(path, text):
    comment = re.match(r"((//[^\n]*\n)+|/\*.*?\*/)", text, flags=re.DOTALL)
    if comment and re.match(r"[\"']?\w.*[.:]", re.sub(r"[/*\s]+", " ", comment[0]).strip()):
        return []
    return [f"{path}:1: does not start with a comment sentence that says what the file is"]


def trace_faults(path, text):
    return [
        f"{path}:{number}: '{match[0]}' is a trace of a developer's machine"
        for number, line in enumerate(text.splitlines(), 1)
        for pattern in TRACES
        if (match := pattern.search(line))
    ]


def rules_catch_what_they_should():
    """Each rule finds its fault in a text that has it, and none in one that has not."""
    cases = [
        (length_faults, "x\n" * 500, 0),
        (length_faults, "x\n" * 501, 1),
        (first_sentence_faults, "// What it is.\n#pragma once\n", 0),
        (first_sentence_faults, "// A sentence over\n// two lines.\n", 0),
        (first_sentence_faults, "/* A sentence in a\n * block. */\n", 0),
        (first_sentence_faults, "#pragma once\n// What it is.\n", 1),
        (first_sentence_faults, "//\n", 1),
        (trace_faults, "see docs/work and root/ or issues\n", 0),
        (trace_faults, "see /wo" "rk/notes\n", 1),
        (trace_faults, "fixes iss" "ue #3\n", 1),
    ]
    return [
        f"self-test: {rule.__name__} should find {expected} in {text[:40]!r}"
        for rule, text, expected in cases
        if len(rule("file", text)) != expected
    ]


def main():
    faults = rules_catch_what_they_should()
    checked = 0
    for path in source_tree.files():
        if path.suffix not in TEXT_SUFFIXES or path.name == "check_files.py":
            continue
        text = source_tree.text(path)
        checked += 1
        faults += trace_faults(path, text)
        if source_tree.is_cpp(path):
            faults += length_faults(path, text) + first_sentence_faults(path, text)
    source_tree.report(faults, f"{checked} files")


if __name__ == "__main__":
    main()
