/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reply_words.c -- a text as tokens, and what neighbours say of each other (reply_words.h). */
#include "helpers/story/reply_words.h"

#include <stdio.h>
#include <string.h>

static const struct reply_unit units[] = {
    {"octets", "octet octets byte bytes b", 1, false},
    {"octets", "kb kilobyte kilobytes", 1000, false},
    {"octets", "kib", 1024, false},
    {"bits", "bit bits", 1, false},
    {"percent", "percent %", 1, false},
    {"segments", "segment segments piece pieces part parts", 1, false},
    {"FPDUs", "fpdu fpdus", 1, false},
    {"messages", "message messages", 1, false},
    {"receives", "receive receives completion completions", 1, false},
    {"hosts", "host hosts", 1, false},
    {"time", "ps picosecond picoseconds", 1, false},
    {"time", "ns nanosecond nanoseconds", 1000, false},
    {"time", "us microsecond microseconds usec", 1000000, false},
    {"time", "ms millisecond milliseconds msec", 1000000000, false},
    {"time", "s second seconds sec", 1000000000000, false},
    {"MSN", "msn", 1, true},
    {"MO", "mo", 1, true},
    {"TO", "to", 1, true},
    {"STag", "stag", 1, true},
    {"PSN", "psn", 1, true},
    {"DDP-SSN", "ddp-ssn ssn", 1, true},
    {"frame", "frame frames", 1, true},
    {"layer", "layer", 1, true},
    {"type", "type", 1, true},
    {"code", "code", 1, true},
    {"connection", "connection stream", 1, true},
};

static const struct reply_unit *unit_of(const char *word)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (reply_is_among(units[i].words, word))
            return &units[i];
    return NULL;
}

bool reply_is_among(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *p = words; length && *p; p += strcspn(p, " "), p += strspn(p, " "))
        if (strcspn(p, " ") == length && memcmp(p, word, length) == 0)
            return true;
    return false;
}

/* ---- signs that are typed in several ways ---- */

/* Blanks that group digits become _, dashes -, and what is not ASCII beside those a blank. */
static void make_ascii(const char *text, char out[REPLY_TEXT_MAX + 1])
{
    static const char *const signs[][2] = {
        {"\xc2\xb5", "u"},     {"\xce\xbc", "u"},      {"\xe2\x80\x93", "-"}, {"\xe2\x80\x94", "-"},
        {"\xe2\x88\x92", "-"}, {"\xe2\x80\xa6", ".."}, {"\xc2\xa0", "_"},     {"\xe2\x80\xaf", "_"},
        {"\xe2\x80\x89", "_"}, {"\xe2\x80\x99", "'"},  {"\xe2\x89\xa4", "<"}, {"\xe2\x89\xa5", ">"}};
    size_t used = 0;
    while (*text && used < REPLY_TEXT_MAX - 1) {
        const char *const *found = NULL;
        for (size_t i = 0; i < sizeof signs / sizeof *signs && !found; i++)
            if (strncmp(text, signs[i][0], strlen(signs[i][0])) == 0)
                found = signs[i];
        for (const char *p = found ? found[1] : ""; *p; p++)
            out[used++] = *p;
        if (!found)
            out[used++] = *text < ' ' || *text > '~' ? ' ' : *text;
        text += found ? strlen(found[0]) : 1;
    }
    out[used] = '\0';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* ---- one token ---- */

/* A word in small letters; what is too long is cut. */
static const char *read_word(const char *p, char word[REPLY_WORD_MAX])
{
    size_t used = 0;
    while (is_letter(*p) || is_digit(*p) || ((*p == '\'' || *p == '-') && is_letter(p[1]))) {
        if (used < REPLY_WORD_MAX - 1)
            word[used++] = is_letter(*p) ? (char)(*p | 32) : *p;
        p++;
    }
    word[used] = '\0';
    return p;
}

/* a9, b12; false: it is a word. */
static bool is_segment(const char *word, struct reply_token *t)
{
    unsigned number;
    int end = 0;
    char side;
    if (sscanf(word, "%c%9u%n", &side, &number, &end) != 2 || word[end] || (side != 'a' && side != 'b') ||
        !is_digit(word[1]))
        return false;
    t->said = REPLY_IS_SEGMENT;
    t->side = side;
    t->digits = number;
    return true;
}

static const char *lex_word(const char *p, struct reply_token *t)
{
    unsigned conn;
    int end = 0;
    p = read_word(p, t->word);
    if (sscanf(t->word, "c%9u%n", &conn, &end) == 1 && !t->word[end] && *p == '.' && is_letter(p[1])) {
        p = read_word(p + 1, t->word);
        t->conn = (int)conn;
    }
    is_segment(t->word, t);
    return p;
}

/* Three digits and no fourth behind a sign that groups them. */
static bool groups(const char *p)
{
    return is_digit(p[1]) && is_digit(p[2]) && is_digit(p[3]) && !is_digit(p[4]);
}

static bool is_group_sign(const char *p, struct reply_manner m)
{
    return ((*p == ',' && m.comma == COMMA_GROUPS) || *p == '\'' || *p == '_' ||
            (*p == ' ' && m.blank_groups)) &&
           groups(p);
}

static bool is_point(const char *p, struct reply_manner m)
{
    return (*p == '.' || (*p == ',' && m.comma == COMMA_IS_POINT)) && is_digit(p[1]);
}

/* More digits than any number here has: the token is a word. */
static void add_digit(struct reply_token *t, char c)
{
    if (t->digits > (UINT64_MAX - 9) / 10)
        t->said = REPLY_WORD;
    else
        t->digits = t->digits * 10 + (uint64_t)(c - '0');
}

static const char *lex_decimal(const char *p, struct reply_token *t, struct reply_manner m)
{
    bool fraction = false, may_group = *p != '0';
    for (; is_digit(*p) || (may_group && !fraction && is_group_sign(p, m)) || (!fraction && is_point(p, m));
         p++) {
        fraction |= !is_digit(*p) && !(may_group && is_group_sign(p, m));
        if (is_digit(*p))
            add_digit(t, *p);
        t->decimals += fraction && is_digit(*p);
    }
    while (t->decimals && t->digits % 10 == 0 && t->decimals > 3) {
        t->digits /= 10;
        t->decimals--;
    }
    return p;
}

static int hex_of(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = c ? strchr(digits, is_letter(c) ? c | 32 : c) : NULL;
    return found ? (int)(found - digits) : -1;
}

static const char *lex_hex(const char *p, struct reply_token *t)
{
    for (p += 2; hex_of(*p) >= 0; p++) {
        t->said = t->digits >> 60 ? REPLY_WORD : t->said;
        t->digits = t->digits << 4 | (uint64_t)hex_of(*p);
    }
    return p;
}

/* 1/1/00; p itself: it is none. */
static const char *lex_code(const char *p, struct reply_token *t)
{
    unsigned layer, type, code;
    int end = 0;
    if (sscanf(p, "%2u/%2u/%2x%n", &layer, &type, &code, &end) != 3 || p[end] == '/' || is_digit(p[end]))
        return p;
    t->said = REPLY_IS_CODE;
    t->digits = layer << 16 | type << 8 | code;
    return p + end;
}

static const char *lex_number(const char *p, struct reply_token *t, struct reply_manner m)
{
    const char *behind = lex_code(p, t);
    if (behind > p)
        return behind;
    t->said = REPLY_IS_NUMBER;
    p = *p == '0' && (p[1] | 32) == 'x' && hex_of(p[2]) >= 0 ? lex_hex(p, t) : lex_decimal(p, t, m);
    if (*p == '%')
        t->word[0] = *p++;
    else
        p = read_word(p, t->word);
    if (reply_is_among("st nd rd th", t->word))
        t->word[0] = '\0';
    t->unit = unit_of(t->word);
    if (*t->word && !t->unit)
        t->said = REPLY_WORD;
    return p;
}

/* What ends a clause; a point between digits does not come here. */
static bool is_break(const char *p)
{
    return strchr(",;()[]\n", *p) || (*p == '.' && p[1] != '.');
}

/* A word of its own for signs that say something. */
static const char *lex_sign(const char *p, struct reply_token *t)
{
    bool range = *p == '.' && p[1] == '.', negative = *p == '-' && is_digit(p[1]);
    if (range || negative)
        snprintf(t->word, sizeof t->word, "-");
    else if (*p == '-')
        snprintf(t->word, sizeof t->word, "--");
    else if (strchr("<>%", *p))
        snprintf(t->word, sizeof t->word, "%c", *p);
    else
        t->said = is_break(p) ? REPLY_BREAK : t->said;
    p++;
    while (range && *p == '.')
        p++;
    return p;
}

static bool is_said(const struct reply_token *t)
{
    return *t->word || t->said != REPLY_WORD;
}

static int lex(const char *p, struct reply_manner m, struct reply_token *token)
{
    int n = 0;
    while (*p && n < REPLY_TOKENS) {
        struct reply_token *t = &token[n];
        *t = (struct reply_token){.conn = REPLY_NOWHERE, .cue = REPLY_NOWHERE};
        p = is_letter(*p) ? lex_word(p, t) : is_digit(*p) ? lex_number(p, t, m) : lex_sign(p, t);
        n += is_said(t);
    }
    return n;
}

/* ---- numbers in words ---- */

static int number_word(const char *word)
{
    static const char names[] =
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen twenty";
    int n = 0;
    size_t length = strlen(word);
    for (const char *p = names; *p; p += strcspn(p, " "), p += strspn(p, " "), n++)
        if (strcspn(p, " ") == length && memcmp(p, word, length) == 0)
            return n;
    return REPLY_NOWHERE;
}

/* "one" and "no" are numbers before something that is counted, or alone. */
static bool counts(const struct reply_token *token, int i, int n)
{
    for (int k = i + 1; k < n && k <= i + 2 && token[k].said == REPLY_WORD; k++)
        if (unit_of(token[k].word) && !unit_of(token[k].word)->before)
            return true;
    return n == 1;
}

static void find_numbers(struct reply_token *token, int n)
{
    for (int i = 0; i < n; i++) {
        bool none = reply_is_among("no none nothing", token[i].word);
        int number = none ? 0 : number_word(token[i].word);
        if (token[i].said != REPLY_WORD || number == REPLY_NOWHERE ||
            ((none || number == 1) && !counts(token, i, n)))
            continue;
        token[i].said = REPLY_IS_NUMBER;
        token[i].digits = (uint64_t)number;
    }
}

/* ---- what neighbours make of each other ---- */

static bool is_plain_number(const struct reply_token *t)
{
    return t->said == REPLY_IS_NUMBER && !t->decimals;
}

static bool is_word(const struct reply_token *t, const char *words)
{
    return t->said == REPLY_WORD && reply_is_among(words, t->word);
}

static void drop(struct reply_token *t)
{
    t->said = REPLY_WORD;
    t->word[0] = '\0';
}

/* The first unit within so many words; it is not looked for behind a break or another value. */
static const struct reply_unit *unit_near(const struct reply_token *token, int n, int i, int step, int most,
                                          bool before)
{
    for (int k = i + step; k >= 0 && k < n && most-- && token[k].said == REPLY_WORD; k += step) {
        const struct reply_unit *u = unit_of(token[k].word);
        if (u && u->before == before)
            return u;
    }
    return NULL;
}

/* "0 - 1459", "from 0 to 1459"; a number with a sign before it is none. "STag 1 TO 0" is none, either. */
static void find_ranges(struct reply_token *token, int n)
{
    for (int i = 1; i + 1 < n; i++) {
        const struct reply_unit *u = unit_near(token, n, i - 1, -1, 2, true);
        if ((u && strcmp(u->name, "STag") == 0) || !is_plain_number(&token[i - 1]) ||
            !is_plain_number(&token[i + 1]) || !is_word(&token[i], "- -- to through until till"))
            continue;
        token[i - 1].said = REPLY_IS_RANGE;
        token[i - 1].to = token[i + 1].digits;
        token[i - 1].unit = token[i + 1].unit;
        drop(&token[i]);
        drop(&token[i + 1]);
    }
}

static void make_segment(struct reply_token *t, char side)
{
    t->said = REPLY_IS_SEGMENT;
    t->side = side;
}

/* "segment 9 of A", "A's segment 9", "A's 9th", "A 9". */
static void find_segments(struct reply_token *token, int n)
{
    for (int i = 0; i < n; i++) {
        struct reply_token *t = &token[i], *before = i ? t - 1 : NULL, *first = i > 1 ? t - 2 : NULL;
        bool plain = is_plain_number(t) && !t->unit;
        if (plain && before && is_word(before, "segment number") && i + 2 < n && is_word(t + 1, "of from") &&
            is_word(t + 2, "a b"))
            make_segment(t, t[2].word[0]);
        else if (plain && before && is_word(before, "a's b's"))
            make_segment(t, before->word[0]);
        else if (plain && first && is_word(before, "segment number") && is_word(first, "a's b's"))
            make_segment(t, first->word[0]);
        else if (plain && before && is_word(before, "a b") &&
                 (!first || first->said == REPLY_BREAK || is_word(first, "segment")))
            make_segment(t, before->word[0]);
    }
}

static void find_units(struct reply_token *token, int n)
{
    for (int i = 0; i < n; i++) {
        struct reply_token *t = &token[i];
        if ((t->said != REPLY_IS_NUMBER && t->said != REPLY_IS_RANGE) || t->unit)
            continue;
        t->unit = unit_near(token, n, i, -1, 2, true);
        t->unit = t->unit ? t->unit : unit_near(token, n, i, 1, 3, false);
        t->unit = t->unit ? t->unit : unit_near(token, n, i, -1, 2, false);
        t->unit = t->unit ? t->unit : unit_near(token, n, i, 1, 1, true);
    }
}

static struct reply_token *number_in(struct reply_token *token, int n, const char *unit)
{
    for (int i = 0; i < n; i++)
        if (is_plain_number(&token[i]) && token[i].unit && strcmp(token[i].unit->name, unit) == 0)
            return &token[i];
    return NULL;
}

/* "layer 1, type 1, code 0". */
static void find_code(struct reply_token *token, int n)
{
    struct reply_token *layer = number_in(token, n, "layer"), *type = number_in(token, n, "type"),
                       *code = number_in(token, n, "code");
    if (!layer || !type || !code || layer->digits > 15 || type->digits > 15 || code->digits > 255)
        return;
    layer->said = REPLY_IS_CODE;
    layer->digits = layer->digits << 16 | type->digits << 8 | code->digits;
    drop(type);
    drop(code);
}

/* Segments that are said to be of a connection in the same clause: "A9 on connection 0", "A9 of c0". */
static void find_connections(struct reply_token *token, int n)
{
    for (int i = 0; i < n; i++) {
        const struct reply_token *t = &token[i];
        unsigned conn = (unsigned)t->digits;
        bool named = t->said == REPLY_WORD && sscanf(t->word, "c%4u", &conn) == 1;
        if (!named && !(is_plain_number(t) && t->unit && strcmp(t->unit->name, "connection") == 0))
            continue;
        for (int step = -1; step <= 1; step += 2)
            for (int k = i; k >= 0 && k < n && token[k].said != REPLY_BREAK; k += step)
                if (token[k].said == REPLY_IS_SEGMENT && token[k].conn == REPLY_NOWHERE)
                    token[k].conn = (int)conn;
    }
}

/* What is denied, or stands beside a comparison, is no answer. */
static void find_void(struct reply_token *token, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = i - 1; k >= 0 && k >= i - 3 && token[k].said == REPLY_WORD; k--)
            token[i].is_void |= is_word(&token[k], "not isn't wasn't never nor neither than under above "
                                                   "below least most almost nearly except - < >") ||
                                (k == i - 1 && is_word(&token[k], "over"));
}

int reply_read(const char *text, struct reply_manner m, struct reply_token token[REPLY_TOKENS])
{
    char ascii[REPLY_TEXT_MAX + 1];
    make_ascii(text, ascii);
    int n = lex(ascii, m, token);
    find_numbers(token, n);
    find_ranges(token, n);
    find_segments(token, n);
    find_units(token, n);
    find_code(token, n);
    find_connections(token, n);
    find_void(token, n);
    return n;
}
