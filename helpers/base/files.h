/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files.h -- files that are either whole or not there. */
#ifndef HELPERS_BASE_FILES_H
#define HELPERS_BASE_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { PATH_LONG = 4096 };

/* "DIR/points/ID.kind" and the like; cut when it is too long, which opening will report. */
void file_path(char path[PATH_LONG], const char *dir, const char *sub, const char *name, const char *ending);
/* Does a name end so, and have something before that? */
bool name_ends(const char *name, const char *ending);
/* False: file_is_gone() says of errno whether it is not there, or nobody can say now. */
bool file_exists(const char *path);
/* What errno says of a path: nothing is there; a folder, a pipe, a device or a circle of links. What is neither may be there. */
bool file_is_gone(int why);
bool file_is_odd(int why);
/* The same octets at another path, in a file of its own. False: errno says why. */
bool file_copy(const char *from, const char *to);
/* The same octets of a file, which is no link, at another path: a hard link, or else a copy. What was there goes. False: errno says why. */
bool file_share(const char *from, const char *to);
/* Where a file or folder that ships with iwarpsim is: below the working folder as in the project, or under its name of
 * an installation: in share/iwarpsim beside the program's bin, or in that of the prefix. False: nowhere. */
bool shipped_path(char path[PATH_LONG], const char *in_project, const char *installed);
/* Where a file is that a build writes beside the program, and an installation has in share/iwarpsim. False: nowhere. */
bool built_path(char path[PATH_LONG], const char *name);
/* The names in a folder with this ending, sorted, each and the list malloc()ed; how many. */
size_t files_in(const char *folder, const char *ending, char ***names);
/* Make a folder and those above it; it may be a link to one. False: errno says why. */
bool make_folder(const char *path);
/* Make a folder in a folder of results, or find it there: no link, which would lead outside. False: errno says why. */
bool make_own_folder(const char *path);
/* Remove the files in it whose names begin with `prefix`, unless it is a link. False: errno says why. */
bool empty_folder(const char *path, const char *prefix);
/* Write to a file in a folder of results, from its beginning or behind its end; no link is followed. NULL: errno says why. */
FILE *file_open_own(const char *path, bool append);

/* Write to a name of its own, which is no link; file_commit() gives it its real name, file_abandon() removes it. `durable`: it is on disk
 * before it has that name. */
struct whole_file {
    FILE *out;    /* may be read, too */
    char *buffer; /* what is written at a time; NULL: as little as libc does */
    char path[PATH_LONG], temporary[PATH_LONG + 32];
};
/* False: errno says why. */
bool file_begin(struct whole_file *f, const char *path);
bool file_commit(struct whole_file *f, bool durable);
void file_abandon(struct whole_file *f);
/* It is committed if all is `good`; else, or if it was never begun, there is nothing. False: errno says why, as the caller found it. */
bool file_end(struct whole_file *f, bool good);

/* Are all octets that were written to it with the system? False: errno says why. */
bool file_is_written(FILE *out);
/* Append the octets of a file to `out`. False: errno says why, and ferror(out) where. */
bool file_append(FILE *out, const char *path);
/* Open a file to read: neither a folder nor a pipe or device, which would keep one waiting. NULL: errno says why. */
FILE *file_open_plain(const char *path);
/* All octets and a 0 behind them, malloc()ed; NULL: errno says why. */
char *file_read(const char *path, size_t *size);
/* The same for what is left of a stream, of which no more than `most` octets and one are read; ferror() says whether they were. NULL: no
 * memory. */
#define FILE_WHOLE (SIZE_MAX / 4)
char *file_rest(FILE *in, size_t most, size_t *size);

#endif
