/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fields.h -- the fields of a DDP segment by name: where they stand, what they mean, which section says so. */
#ifndef HELPERS_CAPTURE_FIELDS_H
#define HELPERS_CAPTURE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field_form { FIELD_NUMBER, FIELD_HEX, FIELD_OPCODE };

/* Bits counted from the first octet of the ULPDU, the most significant first. */
struct field {
    int of; /* which segments have it: fields.c */
    const char *name;
    uint16_t bit, bits;
    enum field_form form;
    const char *section, *meaning;
};

/* The fields of the segment that these are the first octets of, in the order of the wire; how many. Fields that are not all there
 * are left out. */
enum { FIELDS_MAX = 40 };
int fields_of(const uint8_t *octets, size_t len, struct field out[FIELDS_MAX]);

/* Its value, up to 64 bits; as text: "7", "0x8a9b7bf0", "3 (Send)". */
uint64_t field_value(const struct field *f, const uint8_t *octets);
enum { FIELD_TEXT_MAX = 64 };
const char *field_text(const struct field *f, const uint8_t *octets, char out[FIELD_TEXT_MAX]);

/* The field that an error is about, by the Terminate value: its name; NULL where none is. `cause`: why, in words. */
const char *field_blamed(int term, bool tagged, const char **cause);

#endif
