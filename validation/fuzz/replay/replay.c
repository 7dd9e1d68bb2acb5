/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay.c -- a fuzz target without libFuzzer: replay FILE|FOLDER... gives it nothing, then each file's octets, and says which. */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t size);

/* In a block of just its size: who reads behind it is noticed. */
static bool replay_file(const char *path)
{
    struct stat s;
    FILE *in = fopen(path, "rb");
    if (!in || fstat(fileno(in), &s) != 0)
        return false;
    size_t size = (size_t)s.st_size;
    uint8_t *octets = malloc(size ? size : 1);
    bool whole = octets && fread(octets, 1, size, in) == size;
    fclose(in);
    fprintf(stderr, "%s\n", path);
    if (whole)
        LLVMFuzzerTestOneInput(octets, size);
    free(octets);
    return whole;
}

static bool replay_folder(const char *folder)
{
    struct dirent **entry;
    int n = scandir(folder, &entry, NULL, alphasort);
    bool good = n >= 0;
    for (int i = 0; i < n; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        if (entry[i]->d_name[0] != '.')
            good = replay_file(path) && good;
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
    return good;
}

int main(int count, char **names)
{
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    for (int i = 1; i < count; i++) {
        struct stat s;
        bool good = stat(names[i], &s) == 0 && (S_ISDIR(s.st_mode) ? replay_folder : replay_file)(names[i]);
        if (!good) {
            fprintf(stderr, "replay: %s cannot be read\n", names[i]);
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}
