// Calls to the system that fail on demand. Included before gputune.h, whose calls then come through
// here; below it, the tests' own go straight to the system again.
#ifndef FAULTS_H
#define FAULTS_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

typedef enum fault_call {
    FAULT_OPEN,
    FAULT_OPENAT,
    FAULT_READ,
    FAULT_WRITE,
    FAULT_HALF_WRITE, // this one takes half of what it is given, the next one fails
    FAULT_FSYNC,
    FAULT_FTRUNCATE,
    FAULT_FLOCK,
    FAULT_CLOSE, // closes all the same, as Linux does
    FAULT_RENAME,
    FAULT_MKDIR,
    FAULT_UNLINK,
    FAULT_FCHMOD,
    FAULT_FSTAT,
    FAULT_CALLS
} fault_call;

static const char *const fault_names[FAULT_CALLS] = {
    "open", "openat", "read", "write", "half a write", "fsync", "ftruncate", "flock", "close",
    "rename", "mkdir", "unlink", "fchmod", "fstat"
};

static fault_call fault_kind;
static int fault_countdown; // calls of that kind until one fails; 0: none does
static int fault_errno;
static bool fault_done;
static void (*fault_hook)(void); // is called in place of failing, and the call goes on
static size_t fault_bytes;       // that have been read

// From several threads.
#ifdef __TINYC__
#define TEST_ADD(number, more) (((number) += (more)) - (more)) // what was there before
#define TEST_GET(place) (place)
#define TEST_SET(place, value) ((void)((place) = (value)))
#else
#define TEST_ADD(number, more) __atomic_fetch_add(&(number), more, __ATOMIC_RELAXED)
#define TEST_GET(place) __atomic_load_n(&(place), __ATOMIC_RELAXED)
#define TEST_SET(place, value) __atomic_store_n(&(place), value, __ATOMIC_RELAXED)
#endif

static bool fault_now(fault_call kind)
{
    void (*hook)(void) = fault_hook;
    if (kind != fault_kind || !fault_countdown || --fault_countdown) return false;
    fault_done = true;
    fault_hook = NULL;
    if (hook) return hook(), false;
    errno = fault_errno;
    return true;
}

// From now on the k-th call of a kind fails, once.
static void fault_arm(fault_call kind, int k, int error)
{
    fault_kind = kind;
    fault_countdown = k;
    fault_errno = error;
    fault_done = false;
}

// Did it?
static bool fault_disarm(void)
{
    fault_countdown = 0;
    fault_hook = NULL;
    return fault_done;
}

static ssize_t fault_write(int file, const void *data, size_t size)
{
    if (fault_now(FAULT_WRITE)) return -1;
    if (fault_now(FAULT_HALF_WRITE)) {
        fault_arm(FAULT_WRITE, 1, ENOSPC);
        size = (size + 1) / 2;
    }
    return write(file, data, size);
}

static ssize_t fault_read(int file, void *data, size_t size)
{
    const ssize_t count = fault_now(FAULT_READ) ? -1 : read(file, data, size);
    if (count > 0) TEST_ADD(fault_bytes, (size_t)count);
    return count;
}

static int fault_close(int file)
{
    const int closed = close(file);
    return fault_now(FAULT_CLOSE) ? -1 : closed;
}

// Members of structs have some of these names; theirs have other numbers of arguments.
#define FAULT_SIXTH(a, b, c, d, e, f, name, ...) name
#define read(...)                                                                                 \
    FAULT_SIXTH(__VA_ARGS__, read, read, read, fault_read, read, read, read)(__VA_ARGS__)
#define write(...)                                                                                \
    FAULT_SIXTH(__VA_ARGS__, write, write, write, fault_write, write, write, write)(__VA_ARGS__)
#define close(file) fault_close(file)
#define open(...) (fault_now(FAULT_OPEN) ? -1 : open(__VA_ARGS__))
#define openat(...) (fault_now(FAULT_OPENAT) ? -1 : openat(__VA_ARGS__))
#define fsync(file) (fault_now(FAULT_FSYNC) ? -1 : fsync(file))
#define ftruncate(file, size) (fault_now(FAULT_FTRUNCATE) ? -1 : ftruncate(file, size))
#define flock(file, how) (fault_now(FAULT_FLOCK) ? -1 : flock(file, how))
#define renameat(a, from, b, to) (fault_now(FAULT_RENAME) ? -1 : renameat(a, from, b, to))
#define mkdir(path, mode) (fault_now(FAULT_MKDIR) ? -1 : mkdir(path, mode))
#define unlinkat(folder, name, how) (fault_now(FAULT_UNLINK) ? -1 : unlinkat(folder, name, how))
#define fchmod(file, mode) (fault_now(FAULT_FCHMOD) ? -1 : fchmod(file, mode))
#define fstat(file, info) (fault_now(FAULT_FSTAT) ? -1 : fstat(file, info))

#else // behind gputune.h

#undef read
#undef write
#undef close
#undef open
#undef openat
#undef fsync
#undef ftruncate
#undef flock
#undef renameat
#undef mkdir
#undef unlinkat
#undef fchmod
#undef fstat

#endif
