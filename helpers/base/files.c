/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/base/files.h"

#include "helpers/base/built.h"
#include "helpers/base/list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void file_path(char path[PATH_LONG], const char *dir, const char *sub, const char *name, const char *ending)
{
    snprintf(path, PATH_LONG, "%s%s%s/%s%s", dir, *sub ? "/" : "", sub, name, ending);
}

bool name_ends(const char *name, const char *ending)
{
    size_t len = strlen(name), end = strlen(ending);
    return len > end && strcmp(name + len - end, ending) == 0;
}

bool file_exists(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0;
}

bool file_is_gone(int why)
{
    return why == ENOENT || why == ENOTDIR;
}

bool file_is_odd(int why)
{
    return why == EISDIR || why == EINVAL || why == ELOOP;
}

/* The folder above that of this program: PREFIX of PREFIX/bin/iwarpsim. Empty: not known. */
static void program_prefix(char path[PATH_LONG])
{
    ssize_t n = readlink("/proc/self/exe", path, PATH_LONG - 1);
    path[n > 0 ? n : 0] = 0;
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(path, '/');
        path[slash ? slash - path : 0] = 0;
    }
}

bool shipped_path(char path[PATH_LONG], const char *in_project, const char *installed)
{
    char prefix[PATH_LONG];
    program_prefix(prefix);
    snprintf(path, PATH_LONG, "%s", in_project);
    if (access(path, R_OK) == 0)
        return true;
    if (snprintf(path, PATH_LONG, "%s/share/iwarpsim/%s", prefix, installed) < PATH_LONG &&
        access(path, R_OK) == 0)
        return true;
    snprintf(path, PATH_LONG, "%s/%s", built_datadir, installed);
    return access(path, R_OK) == 0;
}

bool built_path(char path[PATH_LONG], const char *name)
{
    char self[PATH_LONG - 256];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    self[len > 0 ? len : 0] = 0;
    char *slash = strrchr(self, '/');
    snprintf(path, PATH_LONG, "%.*s%.200s", slash ? (int)(slash - self + 1) : 0, self, name);
    return file_exists(path) || shipped_path(path, name, name);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

size_t files_in(const char *folder, const char *ending, char ***names)
{
    size_t count = 0;
    DIR *dir = opendir(folder);
    *names = NULL;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char **more = name_ends(e->d_name, ending) ? list_grow(*names, count, sizeof *more) : NULL;
        if (!more)
            continue;
        *names = more;
        more[count++] = strdup(e->d_name);
    }
    if (dir)
        closedir(dir);
    if (count)
        qsort(*names, count, sizeof **names, compare_names);
    return count;
}

/* `flags` AT_SYMLINK_NOFOLLOW: a link to a folder is none. */
static bool make_one(const char *path, int flags)
{
    struct stat s;
    if (mkdir(path, 0777) == 0)
        return true;
    if (errno != EEXIST || fstatat(AT_FDCWD, path, &s, flags) != 0)
        return false;
    errno = ENOTDIR;
    return S_ISDIR(s.st_mode);
}

bool make_folder(const char *path)
{
    char part[PATH_LONG];
    if (strlen(path) >= sizeof part) {
        errno = ENAMETOOLONG;
        return false;
    }
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        memcpy(part, path, (size_t)(slash - path));
        part[slash - path] = 0;
        if (!make_one(part, 0))
            return false;
    }
    return make_one(path, 0);
}

bool make_own_folder(const char *path)
{
    return make_one(path, AT_SYMLINK_NOFOLLOW);
}

bool empty_folder(const char *path, const char *prefix)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir) {
        int why = errno;
        if (fd >= 0)
            close(fd);
        errno = why;
        return false;
    }
    bool good = true;
    errno = 0;
    for (struct dirent *e; good && (e = readdir(dir));) {
        bool ours = strncmp(e->d_name, prefix, strlen(prefix)) == 0 && strcmp(e->d_name, ".") &&
                    strcmp(e->d_name, "..");
        good = !ours || unlinkat(fd, e->d_name, 0) == 0 || errno == EISDIR; /* which removes no folder */
        errno = good ? 0 : errno;
    }
    int why = errno;
    closedir(dir);
    errno = why;
    return why == 0;
}

/* A stream of what open() gave. NULL: errno says why. */
static FILE *stream_of(int fd, const char *mode)
{
    FILE *f = fd >= 0 ? fdopen(fd, mode) : NULL;
    if (fd >= 0 && !f)
        close(fd);
    return f;
}

FILE *file_open_own(const char *path, bool append)
{
    int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (append ? O_APPEND : O_TRUNC);
    return stream_of(open(path, flags, 0666), append ? "a" : "w");
}

enum { BUFFER = 1 << 16 }; /* a sixteenth of the calls that libc's own buffer takes */

/* False: errno says why. */
static bool close_file(struct whole_file *f)
{
    bool good = fclose(f->out) == 0;
    free(f->buffer);
    return good;
}

bool file_begin(struct whole_file *f, const char *path)
{
    snprintf(f->path, sizeof f->path, "%s", path);
    snprintf(f->temporary, sizeof f->temporary, "%s.%ld.part", path, (long)getpid());
    unlink(f->temporary); /* of a process that was killed and had our number */
    f->out = stream_of(open(f->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666), "w+");
    f->buffer = f->out ? malloc(BUFFER) : NULL;
    if (f->buffer)
        setvbuf(f->out, f->buffer, _IOFBF, BUFFER);
    return f->out != NULL;
}

bool file_is_written(FILE *out)
{
    errno = ferror(out) && !errno ? EIO : errno;
    return !ferror(out) && fflush(out) == 0;
}

bool file_commit(struct whole_file *f, bool durable)
{
    bool good = file_is_written(f->out) && (!durable || fsync(fileno(f->out)) == 0);
    int why = errno;
    bool closed = close_file(f);
    if (good && closed && rename(f->temporary, f->path) == 0)
        return true;
    why = good ? errno : why;
    unlink(f->temporary);
    errno = why;
    return false;
}

void file_abandon(struct whole_file *f)
{
    close_file(f);
    unlink(f->temporary);
}

bool file_end(struct whole_file *f, bool good)
{
    if (good)
        return file_commit(f, false);
    int why = errno;
    if (f->out)
        file_abandon(f);
    errno = why;
    return false;
}

bool file_append(FILE *out, const char *path)
{
    char buffer[65536];
    size_t n;
    FILE *in = file_open_plain(path);
    if (!in)
        return false;
    while ((n = fread(buffer, 1, sizeof buffer, in)) > 0)
        fwrite(buffer, 1, n, out);
    bool good = !ferror(in) && !ferror(out);
    int why = errno;
    fclose(in);
    errno = why;
    return good;
}

FILE *file_open_plain(const char *path)
{
    struct stat s;
    FILE *in = stream_of(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), "r");
    if (!in)
        return NULL;
    int why = fstat(fileno(in), &s) != 0 ? errno
              : S_ISREG(s.st_mode)       ? 0
              : S_ISDIR(s.st_mode)       ? EISDIR
                                         : EINVAL;
    if (!why)
        return in;
    fclose(in);
    errno = why;
    return NULL;
}

char *file_rest(FILE *in, size_t most, size_t *size)
{
    char *octets = NULL, *more;
    *size = 0;
    for (size_t room = 1 << 14;; room *= 2) {
        room = room <= most ? room : most + 1;
        more = realloc(octets, room + 1);
        if (!more)
            break;
        octets = more;
        *size += fread(octets + *size, 1, room - *size, in);
        octets[*size] = 0;
        if (*size < room || room > most)
            return octets;
    }
    free(octets);
    return NULL;
}

char *file_read(const char *path, size_t *size)
{
    FILE *in = file_open_plain(path);
    *size = 0;
    if (!in)
        return NULL;
    char *octets = file_rest(in, FILE_WHOLE, size);
    int why = errno;
    if (ferror(in)) {
        free(octets);
        octets = NULL;
    }
    fclose(in);
    errno = why;
    return octets;
}

bool file_copy(const char *from, const char *to)
{
    struct whole_file f;
    return file_end(&f, file_begin(&f, to) && file_append(f.out, from));
}

bool file_share(const char *from, const char *to)
{
    struct stat x, y;
    bool there = stat(to, &y) == 0;
    if ((!there && errno != ENOENT && errno != ELOOP) || stat(from, &x) != 0)
        return false;
    if (there && x.st_dev == y.st_dev &&
        x.st_ino == y.st_ino) /* a name of the same file: removed, both might be */
        return true;
    if (lstat(from, &x) != 0)
        return false;
    errno = ELOOP;
    if (!S_ISREG(x.st_mode))
        return false;
    if (unlink(to) != 0 && errno != ENOENT)
        return false;
    return link(from, to) == 0 || file_copy(from, to);
}
