/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keys_completion.h -- the keys of scenarios for shells. */
#ifndef HELPERS_COMMAND_KEYS_COMPLETION_H
#define HELPERS_COMMAND_KEYS_COMPLETION_H

#include <stddef.h>

/* Keys whose names a scenario chooses. */
struct key_family {
    const char *name, *allowed, *what;
};
extern const struct key_family key_families[];
extern const size_t key_families_count;

/* The script for a shell: bash, zsh or fish. What to exit with. */
int print_completion(const char *shell);

#endif
