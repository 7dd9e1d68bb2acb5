/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HELPERS_COMMAND_DEMO_H
#define HELPERS_COMMAND_DEMO_H

/* Tell one small transfer over a lossy, reordering link on stdout. 0; 1 when memory differs at the end; 3 without
 * memory. */
int demo_link(void);

#endif
