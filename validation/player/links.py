# SPDX-License-Identifier: GPL-2.0-or-later
"""Links of a folder of pages: what leads nowhere, and what comes from elsewhere."""

import re
from html.parser import HTMLParser
from urllib.parse import unquote


class Page(HTMLParser):
    """What a page links to or shows, and the anchors it has."""

    def __init__(self, path):
        super().__init__()
        self.to, self.shown, self.anchors = [], [], set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if "id" in values:
            self.anchors.add(values["id"])
        if tag == "a" and values.get("href"):
            self.to.append(values["href"])
        if tag in ("img", "script", "link"):
            self.shown.append(values.get("src") or values.get("href") or "")


def pages_of(folder):
    return {path.resolve(): Page(path) for path in folder.rglob("*.html")}


def leads(page, target, pages, folder):
    name, _, anchor = unquote(target).partition("#")
    path = (page.parent / name.partition("?")[0]).resolve() if name else page
    return path.exists() and path.is_relative_to(folder) and (not anchor or "=" in anchor or path not in pages or anchor in pages[path].anchors)


def broken(folder):
    """`PAGE: LINK` of each that leads nowhere in folder; a fragment with = is a page's own setting."""
    folder, pages = folder.resolve(), pages_of(folder)
    return [f"{page.relative_to(folder)}: {target}" for page, links in pages.items() for target in links.to + links.shown
            if not re.match(r"[a-z]+:", target) and not leads(page, target, pages, folder)]


def fetched(folder):
    """What pages show that is not theirs."""
    return sorted({shown for page in pages_of(folder).values() for shown in page.shown if re.match(r"(https?:)?//", shown)})
