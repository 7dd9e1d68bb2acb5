/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.h -- the subcommands of iwarpsim and what they exit with. */
#ifndef HELPERS_COMMAND_H
#define HELPERS_COMMAND_H

enum {
    EXIT_DONE = 0,   /* errors that the peers provoked included */
    EXIT_LAW = 1,    /* a law of the protocol was broken */
    EXIT_INPUT = 2,  /* file, arguments or scenario are wrong */
    EXIT_FAILED = 3, /* crashed, hit a limit, a tool is missing */
    EXIT_INTERRUPTED = 130
};

/* argv[0] is the subcommand's name. */
int command_decode(int argc, char **argv);
int command_demo(int argc, char **argv);
int command_run(int argc, char **argv);
int command_merge(int argc, char **argv);
int command_rerun(int argc, char **argv);
int command_plot(int argc, char **argv);
int command_explain(int argc, char **argv);
int command_play(int argc, char **argv);
int command_exercise(int argc, char **argv);
int command_keys(int argc, char **argv);
int command_list(int argc, char **argv);
int command_size(int argc, char **argv);
int command_stages(int argc, char **argv);
int command_check(int argc, char **argv);

#endif
