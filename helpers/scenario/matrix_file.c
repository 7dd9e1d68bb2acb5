/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/matrix_file.h"

static bool read_file(void *item, FILE *in, char *error)
{
    struct matrix_file *f = item;
    return (f->matrix = matrix_read(in, f->file.name, error));
}

const struct matrix_file *matrix_file_find(const char *beside, const char *name, char *error)
{
    static struct named_store matrices = {.what = "connection matrices",
                                          .room = "matrices",
                                          .size = sizeof(struct matrix_file),
                                          .most = 64,
                                          .read = read_file};
    return named_store_find(&matrices, beside, name, error);
}
