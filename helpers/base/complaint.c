/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/base/complaint.h"

#include <stdarg.h>
#include <stdio.h>

#include "helpers/base/quote.h"

bool complaint(char *error, size_t room, const char *file, unsigned line, unsigned column, const char *format,
               ...)
{
    va_list arguments;
    int used = !file    ? snprintf(error, room, "--set: ")
               : column ? snprintf(error, room, "%s:%u:%u: ", file, line, column)
                        : snprintf(error, room, "%.80s:%u: ", file, line);
    va_start(arguments, format);
    if (used > 0 && (size_t)used < room)
        vsnprintf(error + used, room - (size_t)used, format, arguments);
    va_end(arguments);
    text_make_plain(error, false);
    return false;
}
