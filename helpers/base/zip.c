/* SPDX-License-Identifier: GPL-2.0-or-later */
/* zip.c -- writing a ZIP archive (zip.h): APPNOTE.TXT 4.3, method 0 (stored), no time but the first that the format has. */
#include "helpers/base/zip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/files.h"

enum {
    LOCAL = 0x04034b50,
    CENTRAL = 0x02014b50,
    END = 0x06054b50,
    VERSION = 10,
    UTF8 = 1 << 11,
    DATE = 0x21,
    MANY = 1000
};

uint32_t zip_crc(uint32_t crc, const void *octets, size_t size)
{
    const uint8_t *p = octets;
    for (crc = ~crc; size--; p++) {
        crc ^= *p;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xedb88320 & -(crc & 1));
    }
    return ~crc;
}

/* Numbers are little-endian. */
static void put(FILE *out, uint32_t n, int octets)
{
    for (; octets--; n >>= 8)
        putc((int)(n & 255), out);
}

struct entry {
    const char *name;
    uint32_t crc, size, at;
};

/* What the local and the central header have in common. */
static void put_facts(FILE *out, const struct entry *e)
{
    put(out, VERSION, 2);
    put(out, UTF8, 2);
    put(out, 0, 4); /* stored; midnight */
    put(out, DATE, 2);
    put(out, e->crc, 4);
    put(out, e->size, 4);
    put(out, e->size, 4);
    put(out, (uint32_t)strlen(e->name), 2);
    put(out, 0, 2);
}

static bool put_file(FILE *out, const char *folder, struct entry *e)
{
    char path[PATH_LONG];
    size_t size;
    file_path(path, folder, "", e->name, "");
    char *octets = file_read(path, &size);
    long at = ftell(out);
    if (!octets || size > INT32_MAX || at < 0 || at > INT32_MAX) {
        errno = octets ? EFBIG : errno;
        free(octets);
        return false;
    }
    e->crc = zip_crc(0, octets, size);
    e->size = (uint32_t)size;
    e->at = (uint32_t)at;
    put(out, LOCAL, 4);
    put_facts(out, e);
    fputs(e->name, out);
    fwrite(octets, 1, size, out);
    free(octets);
    return true;
}

static void put_central(FILE *out, const struct entry *e)
{
    put(out, CENTRAL, 4);
    put(out, VERSION, 2);
    put_facts(out, e);
    put(out, 0, 4);
    put(out, 0, 4);
    put(out, 0, 2);
    put(out, e->at, 4);
    fputs(e->name, out);
}

static bool put_all(FILE *out, const char *folder, struct entry *e, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!put_file(out, folder, &e[i]))
            return false;
    uint32_t from = (uint32_t)ftell(out);
    for (size_t i = 0; i < count; i++)
        put_central(out, &e[i]);
    uint32_t to = (uint32_t)ftell(out);
    put(out, END, 4);
    put(out, 0, 4);
    put(out, (uint32_t)count, 2);
    put(out, (uint32_t)count, 2);
    put(out, to - from, 4);
    put(out, from, 4);
    put(out, 0, 2);
    return true;
}

bool zip_folder(const char *folder, const char *path)
{
    static struct entry entries[MANY];
    char **names;
    struct whole_file f;
    size_t count = files_in(folder, "", &names), files = 0;
    bool good = count <= MANY && file_begin(&f, path);
    for (size_t i = 0; good && i < count; i++)
        if (*names[i] != '.')
            entries[files++] = (struct entry){.name = names[i]};
    if (good)
        good = file_end(&f, put_all(f.out, folder, entries, files));
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
    return good;
}
