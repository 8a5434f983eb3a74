// A bot that leaves a message to itself wherever it can think of, and looks for one from
// its turn before: who finds one plays an illegal move. It says on standard error where.
//
// With an argument it plays nothing: it looks, leaves its messages and ends.

#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/fs.h>
#include <mqueue.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

static char token[64];
static char path[512];

// Two files of its own: one for messages in general, one that nothing else reads.
static const char* const file = "token";
static const char* const unread = "unread/note";

static const char* in(const char* folder) {
    snprintf(path, sizeof path, "%s/message-%s", folder, token);
    return path;
}

static bool finds_file(const char* folder) { return access(in(folder), F_OK) == 0; }
static void leave_file(const char* folder) { close(open(in(folder), O_WRONLY | O_CREAT, 0644)); }

static bool finds_here(void) { return finds_file("."); }
static void leave_here(void) { leave_file("."); }
static bool finds_at_home(void) { return getenv("HOME") != NULL && finds_file(getenv("HOME")); }
static void leave_at_home(void) {
    if (getenv("HOME") != NULL) leave_file(getenv("HOME"));
}
static bool finds_in_tmp(void) { return finds_file("/tmp"); }
static void leave_in_tmp(void) { leave_file("/tmp"); }
static bool finds_in_var(void) { return finds_file("/var/tmp"); }
static void leave_in_var(void) { leave_file("/var/tmp"); }
static bool finds_in_shm(void) { return finds_file("/dev/shm"); }
static void leave_in_shm(void) { leave_file("/dev/shm"); }

static struct stat look(const char* name) {
    struct stat seen;
    memset(&seen, 0, sizeof seen);
    stat(name, &seen);
    return seen;
}

static bool finds_mode(void) { return (look(file).st_mode & 0777) == 0600; }
static void leave_mode(void) { chmod(file, 0600); }

static bool finds_time(void) { return look(file).st_mtim.tv_sec == 12345; }
static void leave_time(void) {
    const struct timespec times[] = {{12345, 0}, {12345, 0}};
    utimensat(AT_FDCWD, file, times, 0);
}

static bool finds_attribute(void) { return getxattr(file, "user.message", NULL, 0) > 0; }
static void leave_attribute(void) { setxattr(file, "user.message", "x", 1, 0); }

static bool finds_hint(void) {
    uint64_t hint = 0;
    return fcntl(open(file, O_RDONLY), F_GET_RW_HINT, &hint) == 0 && hint == RWH_WRITE_LIFE_LONG;
}
static void leave_hint(void) {
    uint64_t hint = RWH_WRITE_LIFE_LONG;
    fcntl(open(file, O_RDONLY), F_SET_RW_HINT, &hint);
}

static bool finds_version(void) {
    int version = 0;
    return ioctl(open(file, O_RDONLY), FS_IOC_GETVERSION, &version) == 0 && version == 4711;
}
static void leave_version(void) {
    int version = 4711;
    ioctl(open(file, O_RDONLY), FS_IOC_SETVERSION, &version);
}

static bool finds_flags(void) {
    int flags = 0;
    return ioctl(open(file, O_RDONLY), FS_IOC_GETFLAGS, &flags) == 0 && (flags & FS_NODUMP_FL) != 0;
}
static void leave_flags(void) {
    int flags = FS_NODUMP_FL;
    ioctl(open(file, O_RDONLY), FS_IOC_SETFLAGS, &flags);
}

// What has been dropped from memory is not there until somebody reads it.
static bool finds_dropped(void) {
    unsigned char there = 1;
    void* const place = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, open(unread, O_RDONLY), 0);
    return mincore(place, 4096, &there) == 0 && (there & 1) == 0;
}
static void leave_dropped(void) {
    const int fd = open(unread, O_RDONLY);
    fsync(fd);
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

static key_t key(void) {
    unsigned value = 5381;
    for (const char* c = token; *c != '\0'; ++c) value = value * 33 + (unsigned char)*c;
    return (key_t)(value & 0x7fffffff);
}

static bool finds_memory(void) { return shmget(key(), 0, 0600) >= 0; }
static void leave_memory(void) { shmget(key(), 4096, IPC_CREAT | 0600); }
static bool finds_semaphore(void) { return semget(key(), 0, 0600) >= 0; }
static void leave_semaphore(void) { semget(key(), 1, IPC_CREAT | 0600); }
static bool finds_queue(void) { return msgget(key(), 0600) >= 0; }
static void leave_queue(void) { msgget(key(), IPC_CREAT | 0600); }

static const char* queue_name(void) {
    snprintf(path, sizeof path, "/message-%s", token);
    return path;
}
static bool finds_posix_queue(void) { return mq_open(queue_name(), O_RDONLY) >= 0; }
static void leave_posix_queue(void) { mq_open(queue_name(), O_RDONLY | O_CREAT, 0600, NULL); }

static bool finds_key(void) { return syscall(SYS_request_key, "user", token, NULL, 0) >= 0; }
static void leave_key(void) { syscall(SYS_add_key, "user", token, "x", 1, -4 /* user keyring */); }

static const struct {
    const char* name;
    bool (*finds)(void);
    void (*leave)(void);
} places[] = {
    {"beside itself", finds_here, leave_here},
    {"at home", finds_at_home, leave_at_home},
    {"in /tmp", finds_in_tmp, leave_in_tmp},
    {"in /var/tmp", finds_in_var, leave_in_var},
    {"in /dev/shm", finds_in_shm, leave_in_shm},
    // To map a file is to read it.
    {"a file dropped from memory", finds_dropped, leave_dropped},
    {"an extended attribute", finds_attribute, leave_attribute},
    {"a hint at a file's life", finds_hint, leave_hint},
    {"a file's version", finds_version, leave_version},
    {"a file's flags", finds_flags, leave_flags},
    {"a file's time", finds_time, leave_time},
    {"a file's mode", finds_mode, leave_mode},
    {"shared memory", finds_memory, leave_memory},
    {"a semaphore", finds_semaphore, leave_semaphore},
    {"a message queue", finds_queue, leave_queue},
    {"a POSIX queue", finds_posix_queue, leave_posix_queue},
    {"a key", finds_key, leave_key},
};

// Whether there is a message anywhere; all places are looked at before one is changed.
static bool looks(void) {
    bool any = false;
    for (size_t n = 0; n < sizeof places / sizeof *places; ++n) {
        if (!places[n].finds()) continue;
        fprintf(stderr, "found: %s\n", places[n].name);
        any = true;
    }
    for (size_t n = 0; n < sizeof places / sizeof *places; ++n) places[n].leave();
    return any;
}

static void clean(void) {
    shmctl(shmget(key(), 0, 0600), IPC_RMID, NULL);
    semctl(semget(key(), 0, 0600), 0, IPC_RMID);
    msgctl(msgget(key(), 0600), IPC_RMID, NULL);
    mq_unlink(queue_name());
    for (int n = 0; n < 3; ++n) unlink(in((const char*[]){"/tmp", "/var/tmp", "/dev/shm"}[n]));
}

int main(int argc, char** argv) {
    FILE* const named = fopen(file, "r");
    if (named == NULL || fgets(token, sizeof token, named) == NULL) return 3;
    fclose(named);
    if (argc > 1) {
        if (strcmp(argv[1], "clean") == 0) clean();
        else looks();
        return 0;
    }
    const bool found = looks();
    char* line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        if (strncmp(line, "{\"turn\"", 7) != 0) {
            printf("{\"ready\":{\"legal_moves\":true}}\n");
        } else if (found) {
            printf("{\"move\":[99,99]}\n");
        } else {
            const char* const first = strstr(line, "\"legal\":[") + 9;
            printf("{\"move\":%.*s}\n", (int)(strchr(first, ']') + 1 - first), first);
        }
        fflush(stdout);
    }
}
