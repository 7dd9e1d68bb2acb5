/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/command/assume.h"

#include <stdio.h>
#include <string.h>

/* "on" or "off" up to a comma or the end; what follows, NULL when it is neither. */
static const char *parse_switch(const char *p, bool *value)
{
    *value = strncmp(p, "on", 2) == 0;
    if (!*value && strncmp(p, "off", 3) != 0)
        return NULL;
    p += *value ? 2 : 3;
    if (*p == ',' && p[1])
        return p + 1;
    return *p ? NULL : p;
}

bool assume_read(const char *p, void *decode_assume)
{
    struct decode_assume *a = decode_assume;
    bool markers = false, crc = false;
    while (p && *p) {
        if (strncmp(p, "markers=", 8) == 0) {
            markers = true;
            p = parse_switch(p + 8, &a->markers);
        } else if (strncmp(p, "crc=", 4) == 0) {
            crc = true;
            p = parse_switch(p + 4, &a->crc);
        } else {
            return false;
        }
    }
    a->given = p && markers && crc;
    return a->given;
}

void assume_explain_nothing(const char *command, const struct decode_summary *s)
{
    const char *why = s->other_tcp_joined
                          ? "TCP connections began before the capture: without the MPA start-up it is "
                            "unknown whether CRC and markers are on; --assume sets them"
                      : s->other_tcp ? "no TCP connection in the capture starts with MPA"
                                     : "there are no TCP connections with data in the capture";
    fprintf(stderr, "iwarpsim %s: nothing was decoded: %s.\n", command, why);
}
