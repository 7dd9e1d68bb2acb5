/* SPDX-License-Identifier: GPL-2.0-or-later */
/* demo_command.c -- iwarpsim demo: a transfer in the pair world, then a capture of real traffic. */
#include <stdio.h>
#include <unistd.h>

#include "helpers/command.h"
#include "helpers/demo.h"

/* Where the capture is: in the project, or installed. */
static char *const captures[] = {"validation/interop/d1-good.pcap", IWARPSIM_DATADIR "/d1-good.pcap"};

static int demo_decode(void)
{
    for (size_t i = 0; i < sizeof captures / sizeof *captures; i++) {
        if (access(captures[i], R_OK) != 0)
            continue;
        printf("\nReal traffic of Linux's software iWARP, read by the same engine (iwarpsim decode %s):\n\n",
               captures[i]);
        char *argv[] = {"decode", captures[i], NULL};
        return command_decode(2, argv);
    }
    fputs("iwarpsim demo: the capture d1-good.pcap is not here; run it in the project's folder.\n", stderr);
    return EXIT_FAILED;
}

int command_demo(int argc, char **argv)
{
    if (argc > 1) {
        fprintf(stderr, "usage: iwarpsim %s\n", argv[0]);
        return EXIT_INPUT;
    }
    int status = demo_link();
    return status ? status : demo_decode();
}
