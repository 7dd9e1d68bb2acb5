# SPDX-License-Identifier: GPL-2.0-or-later
"""Texts that somebody would run as a command, show as something else, or read as a file elsewhere: what a title, a file or a folder
may be called by one who means harm. `canary` is a program that leaves a mark, in a browser a variable and a request."""

COMMANDS = ["canary", 'system "canary"', 'system("canary")', "`canary`", "$(canary)"]

# What a gnuplot string, a shell word, a comment, Perl, GNU parallel, YAML or a table could be left with; %s: a command.
WRAPPERS = [
    "|%s; #", "< %s", "<%s #", "| %s", "%s |", "> %s", "; %s;", "& %s &", "&& %s", "!%s", "x\n%s\n#", "x\r%s\r#", "x\\n%s\\n#",
    "x' %s '", "x'; %s; '", "x' . %s . '", 'x" %s "', 'x"; %s; "', 'x" . %s . "', "x\\' %s \\'", 'x\\" %s \\"', "'\"'%s'\"'",
    "{= %s =}", "{=1 %s =}", "{=0 $_=%s =}x", "@{[%s]}", "${\\ %s}", "@%s", "$0;%s", "x #%s", "x\t%s", "=%s", "-%s", "+%s",
]

PLAIN = [
    # names that programs take for something else
    "-", "--", "-e", "--help", "-rf", "+", "++", "~", "~root", ".", "..", "...", ".hidden", "...x", "$data", "$data << EOD", "*", "?", "[a-z]*", "CON", "NUL",
    " lead", "trail ", "a b", "a, b", "a,b", "a'b", 'a"b', "it's", "a;b", "a&b", "a|b", "a<b>c", "a\\b", "a%sb%n%x", "%d", "100 %", "a=b", "a:b", "a@b", "a#b", "a!b", "a^b_c",
    "Büro", "Ελλάδα", "ネットワーク", "naïve café", "emoji 🦜", "{1}", "{}", "{#}", "{%}", "{//}", "{.}x", "{1}{2}", "a{b}c", "{/*2 big}",
    # formulas
    "=1+1", "+1+1", "-1+1", "@SUM(1)", "=cmd|' /C canary'!A0", '=HYPERLINK("http://canary.invalid","x")', "=IMPORTXML(1,2)",
    # markup
    "<script>canary=1</script>", "</script><script>globalThis.canary=1</script>", "<img src=x onerror=globalThis.canary=1>",
    "<svg onload=globalThis.canary=1>", "<!--<script>globalThis.canary=1//-->", "--><script>globalThis.canary=1</script>", "]]><script>globalThis.canary=1</script>",
    "</title><script>globalThis.canary=1</script>", "</style><script>globalThis.canary=1</script>", "<iframe srcdoc='<script>parent.canary=1</script>'>",
    "<link rel=stylesheet href=http://canary.invalid/x>", "<base href=http://canary.invalid/>", "<meta http-equiv=refresh content=0;url=http://canary.invalid/>",
    "<a href=javascript:globalThis.canary=1 autofocus>x</a>", "javascript:globalThis.canary=1", "';globalThis.canary=1;//", '";globalThis.canary=1;//', "${globalThis.canary=1}",
    "\\u003cscript>globalThis.canary=1</script>", "&lt;script&gt;globalThis.canary=1&lt;/script&gt;", "{{constructor.constructor('globalThis.canary=1')()}}",
    "/*STORIES*/", "step=1'><script>globalThis.canary=1</script>", "__proto__", "constructor", "<details open ontoggle=globalThis.canary=1>",
    # YAML and JSON
    "a: b", "- a", "? a", "!!python/object/apply:os.system [canary]", "*a", "&a b", "|", ">", "%TAG ! x:", "{a: b}", "[a, b]", "# a", "~", "null", "true", "1e3", '{"a": 1}', "\\", "\\\\", "'", '"', "''", '""',
    # paths
    "../x", "../../../../etc/passwd", "/etc/passwd", "x/../../y", "a/b", "\\..\\x", "file:///etc/passwd", "http://canary.invalid/x", "C:\\x",
    "x" * 199, "x" * 200, "x" * 201, "x" * 255, "ü" * 120, "%s" * 60,
]

# Escapes that become a command only when somebody decodes them once more, and words of formats that came later.
LATER = [
    "\\140canary\\140", "\\x60canary\\x60", "\\u0060canary\\u0060", "\\44(canary)", "%60canary%60", "&#96;canary&#96;", "=\\140canary\\140", "x\\012system 'canary'\\012", "x\\nsystem\\x20'canary'",
    "$'canary'", "$\"canary\"", "${IFS}canary", "$IFS$9canary", "<(canary)", ">(canary)", "$((canary))", "$[canary]", "{canary,x}", "~+/canary", "!!", "!-1", "^x^canary", "a\\", "'\\''canary'\\''",
    "x';system('canary');y='", "@canary", "x = system('canary')", "set output '|canary'", "load '<canary'", "plot '<canary'", "eval(\"canary\")", "print `canary`", "{/:Bold x}", "x_{canary}^{2}", "&{canary}", "~a{.8-}", "@^{x}",
    "{=uq; canary=}", "{= qx(canary) =}", "{+/}", "{3..}", "::: canary", ":::: canary", "--sshlogin canary", "--rpl {1} system('canary')",
    "<!DOCTYPE x [<!ENTITY y SYSTEM 'file:///etc/passwd'>]>&y;", "<?xml-stylesheet href='http://canary.invalid/'?>", "]]>", "<x xmlns:xi='http://www.w3.org/2001/XInclude'><xi:include href='/etc/passwd'/></x>",
    "\"/><failure message='canary'/>", "{\"__proto__\": {\"canary\": 1}}", "\",\"canary\":1,\"", "${jndi:ldap://canary.invalid/x}", "{{7*7}}", "#{canary}", "%{canary}", "<%= canary %>", "\\input{canary}", "\\write18{canary}",
    "=DDE(\"canary\";\"x\";\"y\")", "|@canary", "+cmd|'/C canary'!A0", "a\u00a0b", "\u3000a", "a\u00adb", "\u0301a", "ﬁ", "ＣＡＮＡＲＹ", "a" + "\u0301" * 60,
]

# Texts that no terminal shows as they are: refused everywhere.
DARK = [
    "a\nb", "\n", "a\r\nb", "a\tb", "\x1b]0;canary\x07", "\x1b[31mred", "\x1b[2J", "\x1bP$q\x1b\\", "\x9b31m".encode("latin1").decode("latin1"), "a\x7fb", "a\x08\x08\x08b",
    "\u202egpj.exe", "a\u2066b\u2069", "a\u200fb", "a\u061cb", "\ufeffa", "a\u2028b", "a\u2029canary()//", "a\ufff9b", "a\ufffeb", "\U000e0041\U000e0042", "a\x01b", "a\x1fb", "\x85",
    "x\nworld: ns3\n", "x\n  - --set\n", "x\nsystem \"canary\"\n#", "x\r\nsystem 'canary'\r\n#", "x\x0bsystem 'canary'", "x\x0csystem 'canary'",
]

WRAPPED = [w % c for w in WRAPPERS for c in COMMANDS[:1 + WRAPPERS.index(w) % 3]]
TEXTS = list(dict.fromkeys(WRAPPED + PLAIN + LATER + DARK))


def is_plain(text):
    """What quote.h says of text_is_plain(), written apart from it."""
    import unicodedata
    wrong = {"\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\ufeff", "\ufff9", "\ufffa", "\ufffb", *map(chr, range(0x202a, 0x202f)), *map(chr, range(0x2066, 0x206a))}
    return not any(unicodedata.category(c) == "Cc" or c in wrong or ord(c) & 0xfffe == 0xfffe or 0xe0000 <= ord(c) < 0xe0080 for c in text)


def is_name(text):
    """The same of name_is_safe()."""
    first = text[:1]
    return bool(first) and (first.isascii() and (first.isalnum() or first == "_") or not first.isascii()) and "/" not in text and len(text.encode()) <= 200 and is_plain(text)
