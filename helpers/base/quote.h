/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quote.h -- the trust boundary (SECURITY.md). Text that comes from a file, a file's name or the command line reaches
 * gnuplot, a shell and a terminal only through the three functions below, and a path only if name_is_safe().
 *
 * Law: none of the three writes a control character, whatever it is given, so what it writes ends neither a line nor the
 * string or comment that it stands in.
 */
#ifndef HELPERS_BASE_QUOTE_H
#define HELPERS_BASE_QUOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- what a text may hold ---- */

/* The code point at `*p`, which moves behind it; -1, and it stays, when no UTF-8 stands there (RFC 3629). */
int32_t utf8_next(const char **p);

/* Of the first `most` octets those that are whole characters; `most` where it is less than one character. */
size_t utf8_within(const char *text, size_t most);

/* UTF-8 without control characters (C0, DEL, C1), line and paragraph separators, byte order marks, and characters that
 * turn the direction of writing: what shows on a terminal as it is. */
bool text_is_plain(const char *text);
#define TEXT_PLAIN_RULE \
    "text is UTF-8 without control characters (line feeds, escapes, marks of writing direction)"
/* Write '?' over each octet that keeps it from being so; with `lines` line feeds stay. */
void text_make_plain(char *text, bool lines);

/* May a file that is written be called NAME.csv, NAME.gp? Plain text of at most NAME_SAFE_MAX octets without '/', whose
 * first character is a letter, a digit, '_' or not ASCII: gnuplot takes names that begin with < | $ - for commands,
 * programs for options, spreadsheets those with = + - @ for formulas. */
enum { NAME_SAFE_MAX = 200 };
#define NAME_SAFE_RULE \
    "a name is at most 200 octets of text without '/' and begins with a letter, a digit or '_'"
bool name_is_safe(const char *name);

/* ---- the three ---- */

/* `len` octets as a double-quoted string of gnuplot: a blank for a control character, octal numbers for what gnuplot would
 * take for its own (quotes, escapes, commands, macros). QUOTE_FORMAT: percent signs doubled, for tick labels; QUOTE_TEX: for a
 * terminal that hands its texts to TeX, which typesets them and takes nothing of them for its own. */
enum { QUOTE_FORMAT = 1, QUOTE_TEX = 2 };
void quote_gnuplot(FILE *out, const char *text, size_t len, unsigned how);
/* One word of a POSIX shell, or, with control characters or octets that are no UTF-8, of bash: $'a\012b'. */
void quote_shell(FILE *out, const char *text);
/* As it is; what is not plain as \012 or \342\200\256, its octets. */
void quote_terminal(FILE *out, const char *text);
/* A string of JSON; `page`: in which nothing can end the script element, or the comment, that it stands in. */
void quote_json(FILE *out, const char *text, bool page);
/* Text or an attribute of XML and HTML. */
void quote_markup(FILE *out, const char *text);
/* The same between markup of our own, written as it is. */
void quote_between(FILE *out, const char *before, const char *text, const char *after);

#endif
