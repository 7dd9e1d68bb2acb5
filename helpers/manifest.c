/* SPDX-License-Identifier: GPL-2.0-or-later */
/* manifest.c -- manifest.json (manifest.h). */
#include "helpers/manifest.h"

#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "helpers/run_point.h"

#ifndef IWARPSIM_COMMIT
#define IWARPSIM_COMMIT "unknown"
#endif

void json_text(FILE *out, const char *text)
{
    putc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(out, "\\u%04x", *c);
        else
            putc(*c, out);
    }
    putc('"', out);
}

static bool is_plain_word(const char *text)
{
    return *text &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/=:,+@%") ==
               strlen(text);
}

void shell_word(FILE *out, const char *text)
{
    if (is_plain_word(text)) {
        fputs(text, out);
        return;
    }
    putc('\'', out);
    for (; *text; text++)
        fputs(*text == '\'' ? "'\\''" : (char[]){*text, 0}, out);
    putc('\'', out);
}

void manifest_command(const struct run_options *o, FILE *out)
{
    fputs("iwarpsim run ", out);
    shell_word(out, o->file);
    for (size_t i = 0; i < o->sets_count; i++) {
        fputs(" --set ", out);
        shell_word(out, o->sets[i]);
    }
}

static void text_member(FILE *out, const char *name, const char *text)
{
    fputs("  ", out);
    json_text(out, name);
    fputs(": ", out);
    json_text(out, text);
    fputs(",\n", out);
}

static void write_command(FILE *out, const struct run_options *o)
{
    char line[8192];
    FILE *memory = fmemopen(line, sizeof line, "w");
    if (!memory)
        return;
    manifest_command(o, memory);
    fprintf(memory, "%s%s%s", o->messages ? " --messages" : "", o->trace ? " --trace" : "",
            o->pcap ? " --pcap" : "");
    fclose(memory);
    text_member(out, "command", line);
}

/* The first line of a file or program that starts with `prefix`, what follows it. */
static void line_after(FILE *in, const char *prefix, char *line, int size)
{
    char text[512] = "";
    while (in && fgets(text, sizeof text, in) && strncmp(text, prefix, strlen(prefix)))
        text[0] = 0;
    const char *rest = text[0] ? text + strlen(prefix) : "unknown";
    rest += strspn(rest, " \t:");
    snprintf(line, (size_t)size, "%.*s", (int)strcspn(rest, "\n"), rest);
}

static void write_machine(FILE *out)
{
    char line[256];
    struct utsname system;
    FILE *in = fopen("/proc/cpuinfo", "r");
    line_after(in, "model name", line, sizeof line);
    if (in)
        fclose(in);
    text_member(out, "cpu", line);
    if (uname(&system) == 0) {
        snprintf(line, sizeof line, "%s %s %s", system.sysname, system.release, system.machine);
        text_member(out, "system", line);
    }
}

/* What a world's program says about its simulator. */
static void write_simulator(FILE *out, enum point_world world)
{
    char program[4096], command[4200], line[256];
    if (world == WORLD_PAIR || !world_program(world, program) || strchr(program, '\''))
        return;
    snprintf(command, sizeof command, "'%s' --version 2>/dev/null", program);
    FILE *in = popen(command, "r");
    line_after(in, "", line, sizeof line);
    if (in)
        pclose(in);
    text_member(out, world_names[world], line);
}

static void write_axis(FILE *out, const struct scenario_axis *axis)
{
    putc('[', out);
    for (size_t i = 0; i < axis->count; i++) {
        char text[VALUE_TEXT_MAX];
        value_write(&axis->values[i], &axis->key->rules, text, sizeof text);
        fputs(i ? ", " : "", out);
        json_text(out, text);
    }
    putc(']', out);
}

static const struct scenario_axis *axis_of(const struct scenario *s, const struct key *key)
{
    for (size_t i = 0; i < s->axes_count; i++)
        if (s->axes[i].key == key)
            return &s->axes[i];
    return NULL;
}

static void write_key(FILE *out, const struct manifest *m, const struct key *key,
                      const struct scenario_point *point)
{
    const struct scenario_axis *axis = axis_of(m->s, key);
    if (axis) {
        write_axis(out, axis);
        return;
    }
    char text[VALUE_TEXT_MAX];
    struct value v;
    key_load(key, key->of == KEY_POINT ? (const void *)point : (const void *)&m->s->conf, &v);
    value_write(&v, &key->rules, text, sizeof text);
    json_text(out, text);
}

/* Every key with its value, defaults included; swept ones as lists. */
static void write_scenario(FILE *out, const struct manifest *m)
{
    size_t count;
    const struct key *keys = keys_all(&count);
    struct scenario_point point;
    char error[SCENARIO_ERROR_MAX];
    scenario_point(m->s, 0, 0, &point, error);
    fputs("  \"scenario\": {\n", out);
    for (size_t i = 0; i < count; i++) {
        fputs("    ", out);
        json_text(out, keys[i].name);
        fputs(": ", out);
        write_key(out, m, &keys[i], &point);
        fputs(i + 1 < count ? ",\n" : "\n", out);
    }
    fputs("  },\n", out);
}

void manifest_write(const struct manifest *m, FILE *out)
{
    char now[64];
    time_t seconds = time(NULL);
    struct tm utc;
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
    fputs("{\n", out);
    text_member(out, "iwarpsim", IWARPSIM_VERSION);
    text_member(out, "commit", IWARPSIM_COMMIT);
    text_member(out, "compiler", __VERSION__);
    write_simulator(out, WORLD_NS3);
    write_simulator(out, WORLD_SIMGRID);
    write_machine(out);
    text_member(out, "jobs_by", m->tool);
    text_member(out, "name", m->s->name);
    write_command(out, m->o);
    write_scenario(out, m);
    fprintf(out, "  \"runs\": %zu,\n  \"wall_seconds\": %.3f,\n", m->runs, m->wall);
    text_member(out, "finished", now);
    fputs("  \"results_sha256\": ", out);
    json_text(out, m->results_sha256);
    fputs("\n}\n", out);
}
