#!/usr/bin/env python3
"""A preprocessor of mdBook: makes links between pages lead to chapters.

Pages are written to be read in the repository, so a link is relative to the page's folder there. In
the book it is relative to the chapter's folder. A link to a file that is no chapter becomes its text,
because the book does not have that file.
"""

import json
import os
import re
import sys

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
INCLUDE = re.compile(r"\{\{#include (\S+)\}\}\s*")


def sources(book, source):
    """Maps each file that is a chapter, by its path, to the chapter's path in the book."""
    found = {}
    for chapter in book:
        # The path of a README.md is index.md by now.
        own = os.path.join(source, chapter.get("source_path") or chapter["path"])
        with open(own, encoding="utf-8") as page:
            included = INCLUDE.fullmatch(page.read())
        path = os.path.join(os.path.dirname(own), included.group(1)) if included else own
        found[os.path.normpath(path)] = chapter["path"]
    return found


def rewritten(chapter, folder, source, chapters):
    """Returns the text of a chapter, whose links are relative to `folder`."""
    own = os.path.dirname(chapter["path"]) or "."

    def link(match):
        picture, words, target = match.groups()
        if re.match(r"[a-z]+:|#", target):
            return match.group(0)
        path, _, anchor = target.partition("#")
        place = os.path.normpath(os.path.join(folder, path))
        anchor = "#" + anchor if anchor else ""
        if place in chapters:
            return f"{picture}[{words}]({os.path.relpath(chapters[place], own)}{anchor})"
        inside = os.path.relpath(place, source)
        # A page that is no chapter is not made.
        is_file = os.path.isfile(place) and not place.endswith(".md")
        if is_file and not inside.startswith(".."):
            return f"{picture}[{words}]({os.path.relpath(inside, own)})"
        return words

    parts = re.split(r"(^```.*?^```$)", chapter["content"], flags=re.M | re.S)
    return "".join(p if p.startswith("```") else LINK.sub(link, p) for p in parts)


def all_chapters(items):
    for item in items:
        chapter = item.get("Chapter") if isinstance(item, dict) else None
        if chapter:
            if chapter.get("path"):
                yield chapter
            yield from all_chapters(chapter["sub_items"])


def main():
    if sys.argv[1:2] == ["supports"]:
        sys.exit(0 if sys.argv[2] == "html" else 1)
    context, book = json.load(sys.stdin)
    source = os.path.normpath(os.path.join(context["root"], context["config"]["book"]["src"]))
    # mdBook 0.5 calls them items.
    items = book.get("items") or book["sections"]
    chapters = list(all_chapters(items))
    found = sources(chapters, source)
    folders = {name: os.path.dirname(path) for path, name in found.items()}
    for chapter in chapters:
        folder = folders[chapter["path"]]
        chapter["content"] = rewritten(chapter, folder, source, found)
    json.dump(book, sys.stdout)


main()
