#!/usr/bin/env python3
"""Collects the training data: English prose from Rust's documentation and from our dependencies' doc comments.

    rustup component add rust-docs --toolchain 1.95.0
    cargo fetch; (cd candle && cargo fetch)      # the crates of crates.txt
    python3 corpus.py corpus.txt

Uses only Python's standard library and downloads nothing. CORPUS.md lists the sources and their licenses. Documents are separated by a
line with a form feed, paragraphs by an empty line. `--record` updates crates.txt from this repository's lock files.
"""
import hashlib, html, os, re, subprocess, sys
from pathlib import Path

TOOLCHAIN = "1.95.0"
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CRATES = HERE / "crates.txt"
SOURCES = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo")) / "registry/src"
# Without the embedded book, whose text is CC-BY-SA, and the pages on vendor intrinsics, which are not English.
BOOKS = ["book", "cargo", "clippy", "edition-guide", "error_codes", "nomicon", "reference", "rust-by-example", "rustc", "rustdoc",
         "style-guide", "unstable-book"]
API = ["std", "alloc", "core"]
LICENSES = {"MIT", "Apache-2.0", "Zlib", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Unlicense", "0BSD", "MIT-0", "CC0-1.0", "BSL-1.0"}
# Excluded because their doc comments quote MDN, NVIDIA's headers or Intel's manuals.
EXCLUDED = {"js-sys", "web-sys", "wasm-bindgen", "cudarc", "raw-cpuid"}

PUNCTUATION = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": " - ", "\u2026": "...",
                             "\u00a0": " ", "\u2192": "->", "\u2190": "<-", "\u00d7": "x", "\u2212": "-", "\u2265": ">=", "\u2264": "<="})
seen = set()


def keep(text):
    """The paragraph as one line, or None if it is not English, boilerplate, or a duplicate up to the names of integer types."""
    text = re.sub(r"\s+", " ", text.translate(PUNCTUATION)).strip()
    if len(text) < 24 or not text.isascii() or re.search(r"https?:|licen[sc]e|copyright|\bUB\b.*\bUB\b", text, re.I):
        return None
    prose = re.sub(r"`[^`]*`", "", text)
    letters = sum(c.isalpha() or c in " ,.'" for c in prose)
    if letters < 0.9 * len(prose) or len(prose) < 0.5 * len(text) or not re.match(r"[A-Z`\"(]", text) or len(prose.split()) < 4:
        return None
    key = re.sub(r"\d+", "0", re.sub(r"\b([iuf](8|16|32|64|128)|[iu]size)\b", "T", text)).lower()
    if key in seen:
        return None
    seen.add(key)
    return text


def page(source):
    """Paragraphs and list items of a piece of HTML."""
    source = re.sub(r"(?s)<(pre|script|style|table|nav)\b.*?</\1>", " ", source)
    for tag, body in re.findall(r"(?s)<(p|li)\b[^>]*>(.*?)(?=</?(?:p|li|ul|ol|div|h[1-6])\b)", source):
        body = re.sub(r"</?code[^>]*>", "`", body)
        text = keep(html.unescape(re.sub(r"<[^>]+>", "", body)))
        if text:
            yield ("- " if tag == "li" else "") + text


def markdown(lines):
    """Paragraphs and list items of Markdown."""
    paragraphs, fenced = [""], False
    for line in lines:
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            fenced = not fenced
            paragraphs.append("")
        elif fenced or not bare or line.startswith("    ") or bare.startswith(("#", "|", "<", "[!", "![", "---", "===")) or re.match(r"\[[^\]]*\]:", bare):
            paragraphs.append("")
        elif re.match(r"([*+-]|\d+[.)])\s", bare):
            paragraphs.append("- " + bare.split(None, 1)[1] if " " in bare else "")
        else:
            paragraphs[-1] += " " + bare
    for raw in paragraphs:
        item = raw.startswith("- ")
        text = re.sub(r"!?\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])?", r"\1", raw[2:] if item else raw)
        text = keep(re.sub(r"\*\*?|(?<!\w)_|_(?!\w)|<[^>]{1,60}>", "", text).replace("``", "`"))
        if text:
            yield ("- " if item else "") + text


def rust_docs(out):
    docs = Path(subprocess.check_output(["rustc", f"+{TOOLCHAIN}", "--print", "sysroot"], text=True).strip()) / "share/doc/rust/html"
    for book in BOOKS:
        text = (docs / book / "print.html").read_text()
        for chapter in re.split(r"(?=<h1\b)", text[text.index("<main>"):]):
            out(list(page(chapter)))
    for crate in API:
        for file in sorted((docs / crate).rglob("*.html")):
            relative = file.relative_to(docs / crate).parts
            if relative[0] not in ("arch", "simd", "core_arch", "all.html", "intrinsics"):
                blocks = file.read_text().split('<div class="docblock')[1:]
                out([paragraph for block in blocks for paragraph in page(block)])


def locked():
    """The crates in both lock files that are in cargo's cache, with their licenses."""
    found = set()
    for lock in (ROOT / "Cargo.lock", ROOT / "candle/Cargo.lock"):
        found |= set(re.findall(r'name = "([^"]+)"\nversion = "([^"]+)"\nsource', lock.read_text()))
    for name, version in sorted(found):
        folder = next(iter(SOURCES.glob(f"*/{name}-{version}")), None)
        license = folder and re.search(r'(?m)^license = "(.*)"', (folder / "Cargo.toml").read_text())
        # One alternative of an OR suffices. Crates that require several licenses or an unlisted one are excluded.
        if license and name not in EXCLUDED and LICENSES & {x.strip() for x in re.split(r" OR |/", license[1])}:
            yield f"{name} {version} {license[1]}"


def crates(out):
    for line in CRATES.read_text().splitlines():
        name, version, _ = line.split(" ", 2)
        folder = next(iter(SOURCES.glob(f"*/{name}-{version}")), None)
        if folder is None:
            sys.exit(f"{name} {version} is not in {SOURCES}: run `cargo fetch` in this repository and in candle/, at the commit "
                     "that has this crates.txt")
        for file in sorted(folder.rglob("*")):
            if file.suffix == ".md" and not re.search(r"(?i)licen|copying|change|security|code_of", file.name):
                out(list(markdown(file.read_text(errors="replace").splitlines())))
            elif file.suffix == ".rs":
                paragraphs, block = [], []
                for line in file.read_text(errors="replace").splitlines() + [""]:
                    comment = re.match(r"\s*//[/!] ?(?!/)(.*)", line)
                    if comment:
                        block.append(comment[1])
                    elif block:
                        paragraphs += markdown(block)
                        block = []
                out(paragraphs)


def main():
    if sys.argv[1:] == ["--record"]:
        CRATES.write_text("".join(line + "\n" for line in locked()))
        return
    documents = []
    out = lambda paragraphs: documents.append("\n\n".join(paragraphs) + "\n") if paragraphs else None
    rust_docs(out)
    size = sum(map(len, documents))
    crates(out)
    corpus = "\f\n".join(documents)
    Path(sys.argv[1]).write_text(corpus)
    print(f"{len(corpus)} bytes ({size} of them from Rust's documentation), {len(documents)} documents")
    print("SHA-256", hashlib.sha256(corpus.encode()).hexdigest())


main()
