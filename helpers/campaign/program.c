/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/campaign/program.h"

#include <gnu/libc-version.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "helpers/base/built.h"
#include "helpers/base/process.h"
#include "helpers/scenario/world.h"

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* The command, under any name: whatever is not the program of another world. */
static bool is_command(const char *name)
{
    for (int w = WORLD_FIRST; w < WORLDS; w++)
        if (strcmp(worlds[w].program, name) == 0)
            return worlds[w].inside;
    return true;
}

bool world_program(enum point_world world, char path[PATH_LONG])
{
    char self[PATH_LONG];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    if (len <= 0)
        return false;
    self[len] = 0;
    char *name = strrchr(self, '/') + 1;
    bool itself = is_command(worlds[world].program) && is_command(name);
    int folder = (int)(name - self);
    int used = itself ? snprintf(path, PATH_LONG, "%s", self)
                      : snprintf(path, PATH_LONG, "%.*s%s", folder, self, worlds[world].program);
    return used < PATH_LONG && access(path, X_OK) == 0;
}

/* The first line of a file or program that starts with `prefix`, what follows it. */
static void line_after(FILE *in, const char *prefix, char *line, int size)
{
    char text[FACT_MAX] = "";
    while (in && fgets(text, sizeof text, in) && strncmp(text, prefix, strlen(prefix)))
        text[0] = 0;
    const char *rest = text[0] ? text + strlen(prefix) : "unknown";
    rest += strspn(rest, " \t:");
    snprintf(line, (size_t)size, "%.*s", (int)strcspn(rest, "\n"), rest);
}

/* What a program says of its version: the first line. */
static void version_of(const char *program, char line[FACT_MAX])
{
    pid_t child;
    const char *const words[] = {program, "--version", NULL};
    FILE *in = process_hear(words, &child);
    line_after(in, "", line, FACT_MAX);
    if (in)
        fclose(in);
    process_wait(child);
}

void program_simulator(enum point_world world, char text[FACT_MAX])
{
    static char known[WORLDS][FACT_MAX];
    char program[4096];
    if (!worlds[world].simulator)
        snprintf(known[world], FACT_MAX, "iwarpsim %s", IWARPSIM_VERSION);
    else if (!*known[world] && world_program(world, program))
        version_of(program, known[world]);
    memcpy(text, known[world], FACT_MAX);
}

const char *manifest_fact_name(int fact)
{
    static const char *const names[FACTS] = {
        [FACT_IWARPSIM] = "iwarpsim", [FACT_COMMIT] = "commit", [FACT_COMPILER] = "compiler",
        [FACT_LIBC] = "libc",         [FACT_CPU] = "cpu",       [FACT_SYSTEM] = "system"};
    return fact >= FACT_WORLD && fact < FACT_COMPILER ? worlds[fact - FACT_WORLD].simulator : names[fact];
}

void manifest_facts(struct manifest_facts *facts, const bool used[WORLDS])
{
    struct utsname system;
    memset(facts, 0, sizeof *facts);
    snprintf(facts->of[FACT_IWARPSIM], FACT_MAX, "%s", IWARPSIM_VERSION);
    snprintf(facts->of[FACT_COMMIT], FACT_MAX, "%s", built_commit);
    snprintf(facts->of[FACT_COMPILER], FACT_MAX, "%s", COMPILER);
    snprintf(facts->of[FACT_LIBC], FACT_MAX, "%s", gnu_get_libc_version());
    for (int w = WORLD_FIRST; w < WORLDS; w++)
        if (used[w] && worlds[w].simulator)
            program_simulator((enum point_world)w, facts->of[FACT_WORLD + w]);
    FILE *in = fopen("/proc/cpuinfo", "r");
    line_after(in, "model name", facts->of[FACT_CPU], FACT_MAX);
    if (in)
        fclose(in);
    if (uname(&system) == 0)
        snprintf(facts->of[FACT_SYSTEM], FACT_MAX, "%.80s %.80s %.80s", system.sysname, system.release,
                 system.machine);
}
