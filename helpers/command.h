/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.h -- the subcommands of iwarpsim; each returns its exit code (exit.h). */
#ifndef HELPERS_COMMAND_H
#define HELPERS_COMMAND_H

#include <stdbool.h>

/* argv[0] is the subcommand's name. */
int command_decode(int argc, char **argv);
int command_fates(int argc, char **argv);
int command_judge(int argc, char **argv);
int command_demo(int argc, char **argv);
int command_run(int argc, char **argv);
int command_merge(int argc, char **argv);
int command_rerun(int argc, char **argv);
int command_plot(int argc, char **argv);
int command_explain(int argc, char **argv);
int command_play(int argc, char **argv);
int command_exercise(int argc, char **argv);
int command_course(int argc, char **argv);
int command_keys(int argc, char **argv);
int command_list(int argc, char **argv);
int command_size(int argc, char **argv);
int command_stages(int argc, char **argv);
int command_verify(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_check(int argc, char **argv);
int command_serve(int argc, char **argv);
int command_connect(int argc, char **argv);
int command_replay(int argc, char **argv);

struct run_options;
struct scenario;
/* All points: the campaign that the options name, in the folder that becomes o->out. */
int run_scenario(struct run_options *o, const struct scenario *s);

#endif
