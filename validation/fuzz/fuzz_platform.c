/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_platform.c -- any octets as a platform file: refused with one sentence, or written again from what was understood. That
 * has no octet but those of names, numbers and words, and is read as itself. */
#include <stdlib.h>
#include <string.h>

#include "helpers/scenario/platform_file.h"
#include "helpers/scenario/scenario.h"

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+;,=\"/<> \n";
static const char head[] =
    "<?xml version='1.0'?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">";

static void must(bool law)
{
    if (!law)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t size)
{
    static char name[] = "fuzz.xml";
    char error[SCENARIO_ERROR_MAX] = "";
    struct platform_file p = {.file = {.name = name}}, again = p;
    if (platform_file_read(&p, (const char *)octets, size, error)) {
        must(strncmp(p.text, head, strlen(head)) == 0);
        must(p.hosts >= 2 && strspn(p.text + strlen(head), plain) == strlen(p.text + strlen(head)));
        must(platform_file_read(&again, p.text, strlen(p.text), error));
        must(strcmp(p.text, again.text) == 0 && p.hosts == again.hosts);
        for (uint32_t i = 0; i < p.hosts; i++)
            must(strcmp(p.names[i], again.names[i]) == 0);
    } else {
        must(strncmp(error, "fuzz.xml:", 9) == 0 && strlen(error) > 12 && !strchr(error, '\n'));
    }
    platform_file_forget(&p);
    platform_file_forget(&again);
    return 0;
}
