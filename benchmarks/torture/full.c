/* Preloaded into a command: from its nth change of a file on, the disk is full, or read-only.

   TORTURE_FOLDER  only what is in this folder counts
   TORTURE_AT      the change that fails first, from 1
   TORTURE_LAST    the last one that fails: 0 for ever
   TORTURE_WAY     "full": what needs room fails with ENOSPC; "readonly": opening to write,
                   and changes of names, fail with EROFS; "broken": every sync fails with EIO
   TORTURE_LOG     a file that gets a byte for each change that counts */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum way { FULL, READONLY, BROKEN };
static long count;

static int inside(const char *path) {
    const char *folder = getenv("TORTURE_FOLDER");
    char place[4096];
    if (!folder) return 0;
    if (path[0] != '/') {  /* commands stand in the folder itself */
        if (!getcwd(place, sizeof place)) return 0;
        return !strncmp(place, folder, strlen(folder));
    }
    return !strncmp(path, folder, strlen(folder));
}

static int inside_fd(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return path[0] == '/' && inside(path);
}

/* Whether this change fails; says so in errno. */
static int fails(enum way of) {
    static const char *names[] = {"full", "readonly", "broken"};
    static const int errors[] = {ENOSPC, EROFS, EIO};
    const char *way = getenv("TORTURE_WAY"), *at = getenv("TORTURE_AT"), *last = getenv("TORTURE_LAST");
    if (!way || !at || strcmp(way, names[of])) return 0;
    const char *log = getenv("TORTURE_LOG");
    if (log) {
        int fd = open(log, O_WRONLY | O_APPEND | O_CREAT, 0600);
        if (write(fd, ".", 1) != 1) abort();
        close(fd);
    }
    long now = ++count, end = last ? atol(last) : 0;
    if (now < atol(at) || (end && now > end)) return 0;
    errno = errors[of];
    return 1;
}

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(name); \
        va_list list; va_start(list, flags); mode_t mode = va_arg(list, int); va_end(list); \
        int makes = (flags & O_CREAT) && access(path, F_OK), writes = flags & (O_WRONLY | O_RDWR | O_CREAT); \
        if (inside(path) && ((writes && fails(READONLY)) || (makes && fails(FULL)))) return -1; \
        return real(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
    int name(int folder, const char *path, int flags, ...) { \
        REAL(name); \
        va_list list; va_start(list, flags); mode_t mode = va_arg(list, int); va_end(list); \
        if ((flags & (O_WRONLY | O_RDWR | O_CREAT)) && inside(path) && fails(READONLY)) return -1; \
        return real(folder, path, flags, mode); \
    }
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int fd, const void *data, size_t size) {
    REAL(write);
    return inside_fd(fd) && fails(FULL) ? -1 : real(fd, data, size);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    REAL(pwrite);
    return inside_fd(fd) && fails(FULL) ? -1 : real(fd, data, size, at);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    REAL(pwrite64);
    return inside_fd(fd) && fails(FULL) ? -1 : real(fd, data, size, at);
}
int fsync(int fd) {
    REAL(fsync);
    return inside_fd(fd) && (fails(BROKEN) || fails(FULL)) ? -1 : real(fd);
}
int fdatasync(int fd) {
    REAL(fdatasync);
    return inside_fd(fd) && (fails(BROKEN) || fails(FULL)) ? -1 : real(fd);
}
int rename(const char *from, const char *to) {
    REAL(rename);
    return inside(to) && (fails(READONLY) || fails(FULL)) ? -1 : real(from, to);
}
int link(const char *from, const char *to) {
    REAL(link);
    return inside(to) && (fails(READONLY) || fails(FULL)) ? -1 : real(from, to);
}
int mkdir(const char *path, mode_t mode) {
    REAL(mkdir);
    return inside(path) && (fails(READONLY) || fails(FULL)) ? -1 : real(path, mode);
}
int unlink(const char *path) {
    REAL(unlink);
    return inside(path) && fails(READONLY) ? -1 : real(path);
}
