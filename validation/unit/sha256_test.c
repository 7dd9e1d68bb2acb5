/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sha256_test.c -- digests of files side by side are those of their octets, one by one. */
#include "helpers/base/sha256.h"

#include <stdlib.h>
#include <string.h>

#include "validation/support/test.h"

enum { AT_ONCE = 1 << 16, MOST = 3 * AT_ONCE + 100 };

/* FIPS 180-4: the examples that NIST published with it. */
TEST(texts_of_the_standard)
{
    char sum[SHA256_TEXT];
    sha256_text("abc", 3, sum);
    assert_string_equal(sum, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256_text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, sum);
    assert_string_equal(sum, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void same(const uint8_t *octets, const size_t *size, unsigned files)
{
    FILE *in[SHA256_FILES] = {NULL};
    char sum[SHA256_FILES][SHA256_TEXT], one[SHA256_TEXT], alone[SHA256_TEXT];
    for (unsigned f = 0; f < files; f++) {
        in[f] = tmpfile();
        assert_int_equal(fwrite(octets + f, 1, size[f], in[f]), size[f]);
    }
    assert_int_equal(sha256_files(in, files, sum), files);
    for (unsigned f = 0; f < files; f++) {
        sha256_text(octets + f, size[f], one);
        assert_string_equal(sum[f], one);
        assert_true(sha256_file(in[f], alone));
        assert_string_equal(alone, one);
        fclose(in[f]);
    }
}

/* One to four, of lengths around what is read at once, so that each of them ends before and after each other. */
TEST(files_side_by_side_have_the_sums_of_their_octets)
{
    static const size_t sizes[] = {0, 1, AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, 2 * AT_ONCE, 3 * AT_ONCE + 64};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    uint8_t *octets = malloc(MOST + SHA256_FILES);
    for (size_t i = 0; i < MOST + SHA256_FILES; i++)
        octets[i] = (uint8_t)(i * 2654435761u >> 13);
    for (unsigned files = 1; files <= SHA256_FILES; files++)
        for (unsigned first = 0; first < SIZES; first++)
            for (unsigned step = 0; step < SIZES; step++) {
                size_t size[SHA256_FILES];
                for (unsigned f = 0; f < files; f++)
                    size[f] = sizes[(first + f * step) % SIZES];
                same(octets, size, files);
            }
    free(octets);
}

TEST(the_first_file_that_cannot_be_read_is_named)
{
    char sum[2][SHA256_TEXT];
    FILE *in[2] = {tmpfile(), fopen("/", "r")};
    assert_non_null(in[1]);
    assert_int_equal(sha256_files(in, 2, sum), 1);
    fclose(in[0]);
    fclose(in[1]);
}
