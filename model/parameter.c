/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "parameter.h"

#include <string.h>

uint64_t parameter_get(const void *structure, const struct parameter *p)
{
    const char *member = (const char *)structure + p->offset;
    uint64_t n8 = 0;
    uint32_t n4 = 0;
    uint16_t n2 = 0;
    uint8_t n1 = 0;
    void *into = p->size == 8   ? (void *)&n8
                 : p->size == 4 ? (void *)&n4
                 : p->size == 2 ? (void *)&n2
                                : (void *)&n1;
    memcpy(into, member, p->size);
    return n8 + n4 + n2 + n1;
}

void parameter_set(void *structure, const struct parameter *p, uint64_t value)
{
    char *member = (char *)structure + p->offset;
    if (p->size == sizeof(uint64_t))
        memcpy(member, &value, sizeof value);
    else if (p->size == sizeof(uint32_t))
        memcpy(member, &(uint32_t){(uint32_t)value}, sizeof(uint32_t));
    else if (p->size == sizeof(uint16_t))
        memcpy(member, &(uint16_t){(uint16_t)value}, sizeof(uint16_t));
    else
        memcpy(member, &(uint8_t){(uint8_t)value}, sizeof(uint8_t));
}

void parameter_defaults(void *structure, const struct parameter_table *table)
{
    for (unsigned i = 0; i < table->count; i++) {
        const struct parameter *p = &table->rows[i];
        char *member = (char *)structure + p->offset;
        if (p->type == VALUE_TEXT)
            memset(member, 0, p->size);
        else if (p->type == VALUE_REAL)
            memcpy(member, &(double){(double)p->initial / 1000}, sizeof(double));
        else
            parameter_set(structure, p, p->initial);
    }
}

static bool same_word(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

const struct parameter *parameter_find(const struct parameter_table *table, const char *name)
{
    for (unsigned i = 0; i < table->count; i++)
        if (same_word(table->rows[i].name, name))
            return &table->rows[i];
    return NULL;
}

static const char *range_error(const void *structure, const struct parameter *p)
{
    double real = 0;
    if (p->type == VALUE_TEXT)
        return NULL;
    if (p->type == VALUE_REAL) {
        memcpy(&real, (const char *)structure + p->offset, sizeof real);
        return real * 1000 >= (double)p->min && real * 1000 <= (double)p->max ? NULL : "out of range";
    }
    uint64_t value = parameter_get(structure, p);
    bool taken = (p->word && value == p->means) || (value >= p->min && value <= p->max);
    if (taken && p->type == VALUE_CHOICE)
        taken = p->words[value] != NULL;
    if (taken)
        return NULL;
    return p->type == VALUE_RATE && value == 0 ? "a rate must not be zero" : "out of range";
}

const char *parameter_error(const void *structure, const struct parameter_table *table,
                            const struct parameter **which)
{
    for (unsigned i = 0; i < table->count; i++) {
        *which = &table->rows[i];
        const char *error = range_error(structure, *which);
        if (error)
            return error;
    }
    return NULL;
}
