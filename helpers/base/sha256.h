/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HELPERS_BASE_SHA256_H
#define HELPERS_BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { SHA256_TEXT = 65, SHA256_FILES = 4 };

/* FIPS 180-4, as 64 hexadecimal digits. */
void sha256_text(const void *octets, size_t size, char out[SHA256_TEXT]);
/* The same of a file from its start. False: errno says why. */
bool sha256_file(FILE *in, char out[SHA256_TEXT]);
/* The same of up to SHA256_FILES at a time, which takes less than one after the other. How many; fewer: errno says why not the next. */
unsigned sha256_files(FILE *const in[], unsigned files, char out[][SHA256_TEXT]);

#endif
