/* SPDX-License-Identifier: GPL-2.0-or-later */
/* environment.h -- what the programs that are started here may know of the caller's environment (SECURITY.md). */
#ifndef HELPERS_BASE_ENVIRONMENT_H
#define HELPERS_BASE_ENVIRONMENT_H

/* Leave in this process's environment what programs need to be found, to log in and to write temporary files; take out all
 * else, such as NS_ATTRIBUTE_DEFAULT, PERL5OPT, GNUPLOT_LIB, PARALLEL. PATH keeps its absolute folders; the locale is
 * C.UTF-8, jobs run in /bin/sh. A file that grows beyond the caller's limit is an error to be told (EFBIG), and no signal.
 * Called first in each main(). */
void environment_clean(void);

/* What was taken out of those that a simulator, gnuplot, GNU parallel, Perl or Python would have heard, "NS_LOG PERL5OPT";
 * empty: nothing. */
const char *environment_removed(void);

#endif
