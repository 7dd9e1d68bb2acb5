# SPDX-License-Identifier: GPL-2.0-or-later
"""What Sphinx is told of the manual; manual.py gives the version. Its search reads a script, so that it works from file:, too."""

import re

project = "iwarpsim"
copyright = "the iwarpsim authors"
extensions = ["myst_parser"]
exclude_patterns = ["**/__pycache__"]
root_doc = "README"
source_suffix = {".md": "markdown"}
suppress_warnings = ["myst.header", "misc.highlighting_failure"]  # READMEs begin a list of results with ###; some transcripts are no shell
myst_heading_anchors = 6
smartquotes = False  # of commands
pygments_style = "none"  # one that is legible in the dark, too
highlight_language = "none"
html_theme = "basic"
templates_path = ["."]  # layout.html
html_static_path = ["manual.css"]
html_css_files = ["manual.css"]
html_copy_source = False
html_show_search_summary = False  # would ask for each page that is found
html_use_index = False
html_context = {"contents": (  # the list beside each page: page or file, below the manual
    ("Use", (("Tutorial", "scenarios/tutorial/README"), ("Gallery", "gallery"), ("Scenarios", "scenarios/README"), ("Campaigns", "scenarios/CAMPAIGNS"), ("Figures", "plots/README"),
             ("Security", "SECURITY"))),
    ("Reference", (("Scenario keys", "keys"), ("Result columns", "columns"), ("Command", "command"), ("Adapters", "adapters"))),
    ("Learn", (("Lessons", "lessons/index"), ("For a class", "scenarios/lessons/README"), ("Course", "scenarios/lessons/COURSE"), ("Answers", "scenarios/lessons/ANSWERS"))),
    ("The model", (("Rooms", "model/README"), ("Assumptions", "model/MODEL"), ("Decisions", "model/DECISIONS"), ("Validation", "validation/README"),
                   ("Conformance", "validation/conformance/conformance"))),
    ("Project", (("Support", "SUPPORT"), ("Roadmap", "ROADMAP"), ("Contributing", "CONTRIBUTING"), ("Changes", "CHANGELOG"))),
)}


def in_no_tree(app, _):
    """The contents beside each page are those above; what they lack is reached by links."""
    app.env.metadata[app.env.docname].setdefault("orphan", "")


def scrolled_by_keys(app, page, template, context, doctree):
    """What may be wider than the screen."""
    if "body" in context:
        context["body"] = re.sub(r"<(pre|table)(?=[ >])", r'<\1 tabindex="0"', context["body"])


def setup(app):
    app.add_object_type("key", "key", objname="key")
    app.connect("doctree-read", in_no_tree)
    app.connect("html-page-context", scrolled_by_keys)
