/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/base/exit.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int complain(int status, const char *command, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "iwarpsim%s%s: ", *command ? " " : "", command);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    putc('\n', stderr);
    return status;
}

int cannot_read(int status, const char *command, const char *path)
{
    return complain(status, command, "%s cannot be read: %s", path, strerror(errno));
}

int cannot_write(int status, const char *command, const char *path)
{
    return complain(status, command, "%s cannot be written: %s", path, strerror(errno));
}

void *need(void *memory)
{
    if (!memory)
        exit(complain(EXIT_FAILED, "", "out of memory"));
    return memory;
}
