/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sha256_blocks.h -- whole blocks of several files, side by side on a processor with instructions for SHA-256, else one by one by Nettle. */
#ifndef HELPERS_BASE_SHA256_BLOCKS_H
#define HELPERS_BASE_SHA256_BLOCKS_H

#include <nettle/sha2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "helpers/base/sha256.h"

/* As sha256_update() would take them: as many blocks of each of up to SHA256_FILES. No sum has part of a block. */
void sha256_blocks(struct sha256_ctx *const *sum, const uint8_t *const *octets, unsigned files,
                   size_t blocks);

#endif
