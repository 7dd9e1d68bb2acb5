/* SPDX-License-Identifier: GPL-2.0-or-later */

/* All that the model's plain C takes from libc. */

#ifndef IWARPSIM_WASM_STRING_H
#define IWARPSIM_WASM_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t length);
void *memmove(void *to, const void *from, size_t length);
void *memset(void *to, int octet, size_t length);
int memcmp(const void *one, const void *other, size_t length);

#endif
