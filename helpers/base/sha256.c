/* SPDX-License-Identifier: GPL-2.0-or-later */
/* By Nettle, but for the blocks of files (sha256_blocks.h). */
#include "helpers/base/sha256.h"

#include "helpers/base/sha256_blocks.h"

enum { AT_ONCE = 1 << 16 }; /* octets of a file; whole blocks */

struct reading {
    struct sha256_ctx sum;
    FILE *in;
    bool ended;
    uint8_t octets[AT_ONCE];
};

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

static bool begin_sum(struct reading *r, FILE *in)
{
    sha256_init(&r->sum);
    r->in = in;
    r->ended = false;
    return fseeko(in, 0, SEEK_SET) == 0;
}

/* False: less than was asked for, with which the file ends; it is summed. */
static bool read_part(struct reading *r)
{
    size_t n = r->ended ? 0 : fread(r->octets, 1, AT_ONCE, r->in);
    if (n == AT_ONCE)
        return true;
    sha256_update(&r->sum, n, r->octets);
    r->ended = true;
    return false;
}

static void sum_all(struct reading *r, unsigned files)
{
    struct sha256_ctx *sum[SHA256_FILES];
    const uint8_t *octets[SHA256_FILES];
    unsigned full;
    do {
        full = 0;
        for (unsigned f = 0; f < files; f++)
            if (read_part(&r[f])) {
                sum[full] = &r[f].sum;
                octets[full++] = r[f].octets;
            }
        sha256_blocks(sum, octets, full, AT_ONCE / SHA256_BLOCK_SIZE);
    } while (full);
}

unsigned sha256_files(FILE *const in[], unsigned files, char out[][SHA256_TEXT])
{
    struct reading r[SHA256_FILES];
    unsigned f = 0;
    while (f < files && begin_sum(&r[f], in[f]))
        f++;
    if (f < files)
        return f;
    sum_all(r, files);
    for (f = 0; f < files && !ferror(in[f]); f++)
        end_digest(&r[f].sum, out[f]);
    return f;
}

bool sha256_file(FILE *in, char out[SHA256_TEXT])
{
    return sha256_files(&in, 1, (char(*)[SHA256_TEXT])out) == 1;
}
