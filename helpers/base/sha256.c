/* SPDX-License-Identifier: GPL-2.0-or-later */
/* By Nettle, which uses the processor's instructions for SHA-256 where it has them. */
#include "helpers/base/sha256.h"

#include <nettle/sha2.h>

static void end_digest(struct sha256_ctx *x, char out[SHA256_TEXT])
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(x, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

void sha256_text(const void *octets, size_t size, char out[SHA256_TEXT])
{
    struct sha256_ctx x;
    sha256_init(&x);
    sha256_update(&x, size, octets);
    end_digest(&x, out);
}

bool sha256_file(FILE *in, char out[SHA256_TEXT])
{
    struct sha256_ctx x;
    uint8_t octets[65536];
    size_t n;
    if (fseeko(in, 0, SEEK_SET) != 0)
        return false;
    sha256_init(&x);
    while ((n = fread(octets, 1, sizeof octets, in)) > 0)
        sha256_update(&x, n, octets);
    end_digest(&x, out);
    return !ferror(in);
}
