// A bot that tries everything that a bot must not do, says on standard error what it got,
// and then plays the first legal move of every turn.
//
// Signals are 0 throughout, and everything that could harm the machine is tried in a form
// that does not: where the sandbox fails, this program reports it and nothing else happens.
// With the name of an attempt as its argument it makes that one only, and says what it got.

#include <dirent.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/keyctl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

extern char** environ;

namespace {

std::map<std::string, std::string> targets; // what to reach for, from targets.txt
const char* const self = "bot";
const pid_t nobody = 1 << 23; // above every number that the kernel gives
// In a namespace the worker has no number, and process 1 is a copy of it.
const pid_t judge = getppid() > 0 ? getppid() : 1;

bool opens(const std::string& path, int flags = O_RDONLY) {
    const int fd = open(path.c_str(), flags | O_CLOEXEC, 0644);
    char byte = 0;
    const bool reads = (flags & O_ACCMODE) != O_RDONLY || read(fd, &byte, 1) >= 0;
    if (fd < 0) return false;
    close(fd);
    return reads;
}

bool creates(const std::string& path) { return opens(path, O_WRONLY | O_CREAT); }

bool lists(const std::string& path) {
    DIR* const folder = opendir(path.c_str());
    if (folder != nullptr) closedir(folder);
    return folder != nullptr;
}

bool works(long result) { return result >= 0; }

/// Whether a process was started; it ends at once.
bool started(pid_t child) {
    if (child == 0) _exit(0);
    if (child > 0) waitpid(child, nullptr, 0);
    return child >= 0;
}

bool any_neighbour(const std::function<bool(pid_t)>& act) {
    for (pid_t pid = getpid() - 40; pid < getpid() + 40; ++pid) {
        if (pid > 1 && pid != getpid() && act(pid)) return true;
    }
    return false;
}

bool locks(short kind, int command) {
    const int fd = open(self, O_RDONLY | O_CLOEXEC);
    struct flock lock {};
    lock.l_type = kind;
    const bool result = works(fcntl(fd, command, &lock));
    close(fd);
    return result;
}

bool has_socket(int family, int type) {
    const int fd = socket(family, type, 0);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

bool pair_reaches_out() {
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, fds) != 0) return false;
    sockaddr_un address {};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, "judge", 5);
    const auto* name = reinterpret_cast<const sockaddr*>(&address);
    const bool connected = connect(fds[0], name, 8) == 0 || errno != EPERM;
    const bool bound = bind(fds[1], name, 8) == 0;
    const bool sent = sendto(fds[0], "x", 1, 0, name, 8) >= 0 || errno != EPERM;
    close(fds[0]);
    close(fds[1]);
    return connected || bound || sent;
}

bool maps(size_t bytes, int flags) {
    void* const place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (place != MAP_FAILED) munmap(place, bytes);
    return place != MAP_FAILED;
}

/// Whether more than 1.5 GiB can be had in pieces.
bool has_much_memory() {
    std::vector<void*> pieces;
    const size_t piece = 64 << 20;
    while (pieces.size() < 24) {
        void* const more = mmap(nullptr, piece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (more == MAP_FAILED) break;
        pieces.push_back(more);
    }
    for (void* const old : pieces) munmap(old, piece);
    return pieces.size() == 24;
}

bool raises(int resource, rlim_t value) {
    const rlimit limit {value, value};
    return setrlimit(static_cast<__rlimit_resource>(resource), &limit) == 0;
}

bool has_many_descriptors() {
    std::vector<int> fds;
    for (int fd = 0; fd >= 0 && fds.size() < 500;) {
        fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (fd >= 0) fds.push_back(fd);
    }
    for (const int fd : fds) close(fd);
    return fds.size() >= 64;
}

bool inherits_descriptors() {
    for (int fd = 3; fd < 1024; ++fd) {
        if (fcntl(fd, F_GETFD) >= 0) return true;
    }
    return false;
}

bool inherits_environment() {
    const std::vector<std::string> known {"PATH", "LANG", "HOME", "TMPDIR", "PYTHONDONTWRITEBYTECODE", "JUDGE_FLUSH"};
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string name(*entry, std::strchr(*entry, '=') - *entry);
        bool expected = false;
        for (const auto& one : known) expected = expected || one == name;
        if (!expected) return true;
    }
    return false;
}

void* waits(void* gate) {
    auto* const mutex = static_cast<pthread_mutex_t*>(gate);
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return nullptr;
}

/// How many threads can be had, up to a number that nobody needs.
bool has_threads(size_t wanted) {
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&gate);
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384);
    std::vector<pthread_t> threads;
    pthread_t thread;
    while (threads.size() < wanted && pthread_create(&thread, &small, waits, &gate) == 0) {
        threads.push_back(thread);
    }
    pthread_mutex_unlock(&gate);
    for (const pthread_t one : threads) pthread_join(one, nullptr);
    return threads.size() >= wanted;
}

/// Whether a call tells that somebody outside has a number: the answer is another one than
/// for a number that nobody has.
bool tells(const std::function<long(pid_t)>& call) {
    const auto answer = [&](pid_t pid) {
        errno = 0;
        return call(pid) < 0 ? errno : 0;
    };
    const pid_t outsider = targets.count("outsider") > 0 ? std::atoi(targets["outsider"].c_str()) : 1;
    return answer(outsider) != answer(nobody);
}

/// The clock of a process's CPU time.
clockid_t cpu_clock(pid_t pid) { return static_cast<clockid_t>(~static_cast<unsigned>(pid) << 3 | 2); }

/// Locks a futex that says that this thread has it, for a moment. That lends the thread one's
/// priority, if there is such a thread.
long lends_priority(pid_t thread) {
    unsigned word = static_cast<unsigned>(thread);
    const timespec past {};
    return syscall(SYS_futex, &word, FUTEX_LOCK_PI, 0, &past, nullptr, 0);
}

/// Whether pairs of descriptors, filled as far as they go, hold so many bytes.
bool holds(size_t bytes, const std::function<int(int*)>& make) {
    static char much[1 << 16];
    size_t held = 0;
    std::vector<int> fds;
    for (int pair[2]; held < bytes && make(pair) == 0;) {
        fds.insert(fds.end(), {pair[0], pair[1]});
        for (const int fd : pair) {
            fcntl(fd, F_SETFL, O_NONBLOCK);
            for (ssize_t more = 0; more >= 0; more = write(fd, much, sizeof much)) held += static_cast<size_t>(more);
        }
    }
    for (const int fd : fds) close(fd);
    return held >= bytes;
}

bool passes_a_descriptor() {
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0) return false;
    char byte = 'x';
    iovec text {&byte, 1};
    alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] {};
    msghdr message {};
    message.msg_iov = &text;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = sizeof room;
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(head), &fds[0], sizeof(int));
    const bool sent = works(sendmsg(fds[0], &message, 0));
    close(fds[0]);
    close(fds[1]);
    return sent;
}

bool watches_many() {
    const int poll = epoll_create1(EPOLL_CLOEXEC);
    std::vector<int> fds {poll, eventfd(0, EFD_CLOEXEC)};
    for (epoll_event event {}; fds.size() < 300 && works(epoll_ctl(poll, EPOLL_CTL_ADD, fds.back(), &event));) {
        fds.push_back(dup(fds[1]));
    }
    const bool many = fds.size() >= 300;
    for (const int fd : fds) close(fd);
    return many;
}

bool sets_capabilities() {
    __user_cap_header_struct head {_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct sets[2] {{1 << CAP_CHOWN, 1 << CAP_CHOWN, 0}, {}};
    return works(syscall(SYS_capset, &head, sets));
}

bool vmsplices() {
    int fds[2];
    char byte = 'x';
    const iovec text {&byte, 1};
    if (pipe(fds) != 0) return false;
    const bool lent = vmsplice(fds[1], &text, 1, 0) == 1;
    close(fds[0]);
    close(fds[1]);
    return lent;
}

bool has_length(const std::string& path) {
    struct stat seen {};
    return stat(path.c_str(), &seen) == 0;
}

/// Whether it is told that there is no such file, and not merely that it may not look.
bool learns_of_absence(const std::string& path) { return !has_length(path) && errno == ENOENT; }

volatile sig_atomic_t heard = 0;

bool hears_itself(const std::function<void()>& send) {
    heard = 0;
    signal(SIGUSR1, [](int) { heard = 1; });
    send();
    return heard == 1;
}

/// Whether a folder lists a process besides this one.
bool lists_others(const char* path) {
    bool found = false;
    DIR* const folder = opendir(path);
    if (folder == nullptr) return false;
    while (const dirent* const entry = readdir(folder)) {
        const int pid = std::atoi(entry->d_name);
        found = found || (pid > 0 && pid != getpid());
    }
    closedir(folder);
    return found;
}

/// Whether it is told more of its control group than that it is in the first that there is.
bool knows_its_group() {
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        if (line.size() < 2 || line.compare(line.size() - 2, 2, ":/") != 0) return true;
    }
    return false;
}

struct Attempt {
    const char* name;
    bool (*act)();
};

const std::vector<Attempt> attempts {
    // What is handed down; first, as some attempts below leave descriptors open.
    {"inherit descriptors", inherits_descriptors},
    {"inherit environment", inherits_environment},
    // Files.
    {"read another submission", [] { return opens(targets["submission"]); }},
    {"read the journal", [] { return opens(targets["journal"]); }},
    {"read a secret", [] { return opens(targets["secret"]); }},
    {"list the run's folder", [] { return lists(targets["run"]); }},
    {"list the artifacts", [] { return lists(".."); }},
    {"read /etc/shadow", [] { return opens("/etc/shadow"); }},
    {"read /etc/passwd", [] { return opens("/etc/passwd"); }},
    {"list home directories", [] { return lists("/home") || lists("/root"); }},
    {"list processes", [] { return lists_others("/proc"); }},
    {"look at an earlier process", [] {
        return any_neighbour([](pid_t pid) {
            const std::string folder = "/proc/" + std::to_string(pid);
            return opens(folder + "/maps") || opens(folder + "/environ") || lists(folder + "/fd");
        });
    }},
    {"read the judge's memory", [] { return works(open(("/proc/" + std::to_string(judge) + "/mem").c_str(), O_RDONLY | O_CLOEXEC)); }},
    {"read the judge's command line", [] { return opens("/proc/" + std::to_string(judge) + "/cmdline"); }},
    {"list the judge's descriptors", [] { return lists("/proc/" + std::to_string(judge) + "/fd"); }},
    {"write beside itself", [] { return creates("planted"); }},
    {"hold the journal by its path", [] { return works(open(targets["journal"].c_str(), O_PATH | O_CLOEXEC)); }},
    {"measure the journal", [] { return has_length(targets["journal"]); }},
    {"measure another submission", [] { return has_length(targets["submission"]); }},
    {"measure a file in a closed folder", [] { return has_length(targets["closed"]); }},
    {"look up a name that is not there", [] { return learns_of_absence("/usr/lib" + targets["name"]); }},
    {"see how full the disk is", [] {
        struct statfs disk {};
        return works(statfs("/", &disk)) || works(fstatfs(0, &disk));
    }},
    {"run another submission", [] {
        char* const none[] {nullptr};
        return works(syscall(SYS_execveat, AT_FDCWD, targets["submission"].c_str(), none, none, 0x10000)); // AT_EXECVE_CHECK
    }},
    {"make a device", [] { return works(mknod("planted-device", S_IFCHR | 0644, makedev(1, 3))); }},
    {"ask for a file's handle", [] {
        file_handle handle {};
        int mount = 0;
        return works(name_to_handle_at(AT_FDCWD, self, &handle, &mount, 0)) || errno != EPERM;
    }},
    {"make a folder", [] { return works(mkdir("planted-folder", 0755)); }},
    {"make a link", [] { return works(symlink(self, "planted-link")); }},
    {"make a hard link", [] { return works(link(self, "planted-hard-link")); }},
    {"make a named pipe", [] { return works(mkfifo("planted-pipe", 0644)); }},
    {"overwrite its files", [] { return opens("targets.txt", O_WRONLY); }},
    {"empty a file", [] { return works(truncate("targets.txt", 0)); }},
    {"empty a file by opening it", [] { return opens("targets.txt", O_RDONLY | O_TRUNC); }},
    {"rename itself", [] { return works(rename(self, "planted-name")) && rename("planted-name", self) == 0; }},
    {"remove a file", [] { return works(unlink("targets.txt")); }},
    {"change its mode", [] { return works(chmod(self, 0755)) || works(fchmodat(AT_FDCWD, self, 0755, 0)); }},
    {"change its times", [] { return works(utimensat(AT_FDCWD, self, nullptr, 0)); }},
    {"add an attribute", [] { return works(setxattr(self, "user.note", "x", 1, 0)); }},
    {"change the journal's mode", [] { return works(chmod(targets["journal"].c_str(), 0644)); }},
    {"write where all may write", [] { return creates(targets["open"] + "/planted"); }},
    {"write to /tmp", [] { return creates(targets["tmp"]); }},
    {"write to /dev/shm", [] { return creates(targets["shm"]); }},
    {"watch the journal", [] { return works(inotify_add_watch(inotify_init1(IN_CLOEXEC), targets["journal"].c_str(), IN_MODIFY)); }},
    {"watch a whole disk", [] { return works(fanotify_init(FAN_CLASS_NOTIF | FAN_CLOEXEC, O_RDONLY)); }},
    {"lock by flock", [] { return works(flock(open(self, O_RDONLY | O_CLOEXEC), LOCK_SH)); }},
    {"lock by fcntl", [] { return locks(F_RDLCK, F_SETLK); }},
    {"lock a description", [] { return locks(F_RDLCK, F_OFD_SETLK); }},
    {"lease a file", [] { return works(fcntl(open(self, O_RDONLY | O_CLOEXEC), F_SETLEASE, F_RDLCK)); }},
    // Processes.
    {"fork", [] { return started(fork()); }},
    {"clone", [] { return started(static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))); }},
    {"clone3", [] { return works(syscall(SYS_clone3, nullptr, 0)) || errno != ENOSYS; }},
    {"spawn", [] {
        char name[] = "true";
        char* const args[] {name, nullptr};
        pid_t child = -1;
        return posix_spawn(&child, "/bin/true", nullptr, nullptr, args, environ) == 0 && started(child);
    }},
    {"run a command", [] { return system("exit 0") == 0; }},
    {"leave its session", [] { return works(setsid()); }},
    {"leave its group", [] {
        const pid_t group = getpgrp();
        setpgid(0, 0);
        setsid();
        return getpgrp() != group;
    }},
    {"forget to die with the judge", [] { return works(prctl(PR_SET_PDEATHSIG, 0)); }},
    {"signal the judge", [] { return works(kill(judge, 0)); }},
    {"signal the judge's group", [] { return works(kill(-judge, 0)); }},
    {"signal everybody", [] { return works(kill(-1, 0)); }},
    {"signal the judge's thread", [] { return works(syscall(SYS_tkill, judge, 0)) || works(syscall(SYS_tgkill, judge, judge, 0)); }},
    {"queue a signal for the judge", [] {
        siginfo_t info {};
        info.si_code = SI_QUEUE;
        return works(syscall(SYS_rt_sigqueueinfo, judge, 0, &info));
    }},
    {"signal the opponent", [] { return any_neighbour([](pid_t pid) { return kill(pid, 0) == 0; }); }},
    {"limit the opponent", [] { return any_neighbour([](pid_t pid) { return prlimit(pid, RLIMIT_CPU, nullptr, nullptr) == 0; }); }},
    {"limit the judge", [] { return works(prlimit(judge, RLIMIT_CPU, nullptr, nullptr)); }},
    {"trace the judge", [] { return works(ptrace(PTRACE_SEIZE, judge, nullptr, nullptr)); }},
    {"read the judge by process_vm", [] {
        char byte = 0;
        const iovec here {&byte, 1};
        return works(process_vm_readv(judge, &here, 1, &here, 1, 0)) || errno == EFAULT;
    }},
    {"hold the judge by pidfd", [] { return works(syscall(SYS_pidfd_open, judge, 0)); }},
    {"signal by pidfd", [] { return works(syscall(SYS_pidfd_send_signal, -1, 0, nullptr, 0)) || errno != EPERM; }},
    {"take the judge's descriptors", [] { return works(syscall(SYS_pidfd_getfd, -1, 0, 0)) || errno != EPERM; }},
    {"compare descriptors with the judge's", [] { return works(syscall(SYS_kcmp, getpid(), judge, 0, 0, 0)) || errno != EPERM; }},
    {"take away the judge's memory", [] { return works(syscall(SYS_process_mrelease, -1, 0)) || errno != EPERM; }},
    {"adopt orphans", [] { return works(prctl(PR_SET_CHILD_SUBREAPER, 1)); }},
    {"know who is there: by session", [] { return tells([](pid_t pid) { return getsid(pid); }); }},
    {"know who is there: by group", [] { return tells([](pid_t pid) { return getpgid(pid); }); }},
    {"know who is there: by CPUs", [] {
        cpu_set_t set;
        return tells([&](pid_t pid) { return sched_getaffinity(pid, sizeof set, &set); });
    }},
    {"know who is there: by scheduler", [] { return tells([](pid_t pid) { return sched_getscheduler(pid); }); }},
    {"know who is there: by priority", [] { return tells([](pid_t pid) { return getpriority(PRIO_PROCESS, static_cast<id_t>(pid)); }); }},
    {"know who is there: by disk priority", [] { return tells([](pid_t pid) { return syscall(SYS_ioprio_get, 1, pid); }); }},
    {"know who is there: by capabilities", [] {
        return tells([](pid_t pid) {
            __user_cap_header_struct head {_LINUX_CAPABILITY_VERSION_3, pid};
            __user_cap_data_struct sets[2] {};
            return syscall(SYS_capget, &head, sets);
        });
    }},
    {"know who is there: by robust list", [] {
        return tells([](pid_t pid) {
            void* head = nullptr;
            size_t length = 0;
            return syscall(SYS_get_robust_list, pid, &head, &length);
        });
    }},
    {"know who is there: by priority inheritance", [] { return tells(lends_priority); }},
    {"know who is there: by signal", [] { return tells([](pid_t pid) { return kill(pid, 0); }); }},
    {"know who is there: by folder in /proc", [] {
        return tells([](pid_t pid) {
            struct stat seen {};
            return stat(("/proc/" + std::to_string(pid)).c_str(), &seen);
        });
    }},
    {"read another's CPU clock", [] {
        timespec time {};
        return tells([&](pid_t pid) { return clock_gettime(cpu_clock(pid), &time); });
    }},
    {"ask how exact another's CPU clock is", [] {
        timespec time {};
        return tells([&](pid_t pid) { return clock_getres(cpu_clock(pid), &time); });
    }},
    {"time by another's CPU clock", [] {
        return tells([](pid_t pid) {
            sigevent silent {};
            silent.sigev_notify = SIGEV_NONE;
            timer_t timer {};
            const int made = timer_create(cpu_clock(pid), &silent, &timer);
            if (made == 0) timer_delete(timer);
            return made;
        });
    }},
    {"count the machine's sockets by a cookie", [] {
        int pair[2];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return false;
        unsigned long long cookie = 0;
        socklen_t size = sizeof cookie;
        const bool told = works(getsockopt(pair[0], SOL_SOCKET, 57 /* SO_COOKIE */, &cookie, &size));
        close(pair[0]);
        close(pair[1]);
        return told;
    }},
    {"count the machine's pipes by an inode", [] {
        struct stat seen {};
        return works(fstat(0, &seen)) && seen.st_ino > 0;
    }},
    {"look at the time of a system's setting", [] {
        struct stat seen {};
        return works(stat("/proc/sys/kernel/pid_max", &seen));
    }},
    {"have descriptors for each thread", [] {
        static char stack[1 << 14];
        const int flags = CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD;
        return works(clone([](void*) { syscall(SYS_exit, 0); return 0; }, stack + sizeof stack, flags, nullptr));
    }},
    {"make rules in the kernel's memory", [] {
        const unsigned long long all[3] = {1, 0, 0};
        return works(static_cast<int>(syscall(SYS_landlock_create_ruleset, all, sizeof all, 0)));
    }},
    {"use up the machine's asynchronous reads", [] {
        unsigned long context = 0;
        return works(static_cast<int>(syscall(SYS_io_setup, 1, &context)));
    }},
    {"count processes by its own number", [] { return targets.count("outsider") > 0 && getpid() > std::atoi(targets["outsider"].c_str()); }},
    {"own the judge's signals", [] { return works(fcntl(0, F_SETOWN, judge)); }},
    {"change the CPU", [] {
        cpu_set_t set;
        return sched_getaffinity(0, sizeof set, &set) != 0 || works(sched_setaffinity(0, sizeof set, &set));
    }},
    {"change the judge's CPU", [] {
        cpu_set_t set;
        return works(sched_getaffinity(0, sizeof set, &set)) && works(sched_setaffinity(judge, sizeof set, &set));
    }},
    {"change the priority", [] { return works(setpriority(PRIO_PROCESS, 0, 0)); }},
    {"change the judge's priority", [] { return works(setpriority(PRIO_PROCESS, static_cast<id_t>(judge), 0)); }},
    {"change the scheduler", [] {
        const sched_param param {};
        return works(sched_setscheduler(0, SCHED_BATCH, &param)) || works(sched_setscheduler(0, SCHED_IDLE, &param));
    }},
    {"set scheduling attributes", [] { return works(syscall(SYS_sched_setattr, 0, nullptr, 0)) || errno != EPERM; }},
    {"share a core with nobody", [] { return works(prctl(PR_SCHED_CORE, 1, 0, 0, 0)) || errno != EPERM; }},
    {"change its disk priority", [] { return works(syscall(SYS_ioprio_set, 1, 0, 2 << 13 | 7)); }},
    {"set capabilities", sets_capabilities},
    {"set its timer slack", [] { return works(prctl(PR_SET_TIMERSLACK, 1)); }},
    {"interrupt every CPU", [] { return works(syscall(SYS_membarrier, 1, 0, 0)); }}, // MEMBARRIER_CMD_GLOBAL
    {"become root", [] { return geteuid() == 0 || works(setuid(0)); }},
    // Talking.
    {"open a TCP socket", [] { return has_socket(AF_INET, SOCK_STREAM) || has_socket(AF_INET6, SOCK_STREAM); }},
    {"open a UDP socket", [] { return has_socket(AF_INET, SOCK_DGRAM); }},
    {"open a unix socket", [] { return has_socket(AF_UNIX, SOCK_STREAM); }},
    {"open a netlink socket", [] { return has_socket(AF_NETLINK, SOCK_RAW); }},
    {"open a crypto socket", [] { return has_socket(AF_ALG, SOCK_SEQPACKET); }},
    {"open a socket to the host", [] { return has_socket(AF_VSOCK, SOCK_STREAM); }},
    {"pass a descriptor", passes_a_descriptor},
    {"talk through a pair of sockets", pair_reaches_out},
    {"share memory by shmget", [] { return works(shmget(IPC_PRIVATE, 4096, 0600)); }},
    {"share memory by shm_open", [] { return works(shm_open(targets["name"].c_str(), O_RDWR | O_CREAT, 0600)) && shm_unlink(targets["name"].c_str()) == 0; }},
    {"make a semaphore", [] { return works(semget(IPC_PRIVATE, 1, 0600)); }},
    {"make a message queue", [] { return works(msgget(IPC_PRIVATE, 0600)); }},
    {"open a POSIX queue", [] { return works(syscall(SYS_mq_open, targets["name"].c_str() + 1, O_RDWR | O_CREAT, 0600, nullptr)) && syscall(SYS_mq_unlink, targets["name"].c_str() + 1) == 0; }},
    {"add a key", [] { return works(syscall(SYS_add_key, "user", "judge-isolation", "x", 1, KEY_SPEC_PROCESS_KEYRING)); }},
    {"read a keyring", [] { return works(syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_USER_KEYRING, 0)); }},
    {"type into a terminal", [] {
        char letter = 'x';
        return works(ioctl(0, TIOCSTI, &letter)) || errno != EPERM;
    }},
    // Memory and descriptors.
    {"have much memory", has_much_memory},
    {"share memory with nobody", [] { return maps(4096, MAP_SHARED | MAP_ANONYMOUS); }},
    {"grow a second stack", [] { return maps(4096, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN); }},
    {"make a memory file", [] { return works(syscall(SYS_memfd_create, "x", 0)); }},
    {"lock memory", [] { return works(mlock(self, 1)); }},
    {"lock memory by mapping it", [] { return maps(4096, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED); }},
    {"make secret memory", [] { return works(syscall(SYS_memfd_secret, 0)) || errno != EPERM; }},
    {"move its pages", [] { return works(syscall(SYS_move_pages, 0, 0, nullptr, nullptr, nullptr, 0)); }},
    {"hold 4 MiB in pipes", [] { return holds(4 << 20, [](int* fds) { return pipe(fds); }); }},
    {"hold 32 MiB in sockets", [] { return holds(32 << 20, [](int* fds) { return socketpair(AF_UNIX, SOCK_STREAM, 0, fds); }); }},
    {"lend memory to a pipe", vmsplices},
    {"watch hundreds of descriptors", watches_many},
    {"raise its limit on memory", [] { return raises(RLIMIT_DATA, RLIM_INFINITY); }},
    {"raise its limit on descriptors", [] { return raises(RLIMIT_NOFILE, 4096); }},
    {"raise its limit on processes", [] { return raises(RLIMIT_NPROC, RLIM_INFINITY); }},
    {"have many descriptors", has_many_descriptors},
    {"have very many threads", [] { return targets.count("calm") == 0 && has_threads(8000); }},
    {"widen a pipe", [] { return works(fcntl(1, F_SETPIPE_SZ, 1 << 20)); }},
    // The machine.
    {"wake the machine", [] { return works(timerfd_create(CLOCK_BOOTTIME_ALARM, TFD_CLOEXEC)); }},
    {"ask how the clock is set", [] {
        timex clock {};
        return works(adjtimex(&clock));
    }},
    {"read the kernel's log", [] { return works(syscall(SYS_syslog, 10, nullptr, 0)); }},
    {"see the machine's memory and load", [] {
        struct sysinfo info {};
        return works(sysinfo(&info));
    }},
    {"see the machine's name", [] {
        utsname names {};
        return works(uname(&names));
    }},
    {"see its mounts", [] { return opens("/proc/self/mountinfo"); }},
    {"see its control group", knows_its_group},
    {"see the machine's pressure", [] { return opens("/proc/loadavg") || opens("/proc/pressure/cpu"); }},
    {"see the machine's CPUs at work", [] { return opens("/proc/stat"); }},
    {"see which CPU it is on", [] { return works(sched_getcpu()); }},
    {"make a namespace", [] { return works(unshare(CLONE_NEWUSER)) || works(unshare(CLONE_NEWNS)); }},
    {"enter a namespace", [] { return works(syscall(SYS_setns, 0, 0)) || errno != EPERM; }},
    {"mount", [] { return works(mount("none", ".", "no-such-filesystem", 0, nullptr)) || errno != EPERM; }},
    {"change the root", [] { return works(chroot(".")); }},
    {"load a BPF program", [] { return works(syscall(SYS_bpf, 0, nullptr, 0)) || errno != EPERM; }},
    {"count events", [] { return works(syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0)) || errno != EPERM; }},
    {"make an io_uring", [] { return works(syscall(SYS_io_uring_setup, 1, nullptr)) || errno != EPERM; }},
    {"handle page faults", [] { return works(syscall(SYS_userfaultfd, 0)); }},
    {"open by handle", [] { return works(syscall(SYS_open_by_handle_at, AT_FDCWD, nullptr, 0)) || errno != EPERM; }},
    {"turn off address randomisation", [] { return works(personality(ADDR_NO_RANDOMIZE)); }},
    {"flush every disk", [] { return works(syscall(SYS_sync)); }},
    {"drop a file from memory", [] { return posix_fadvise(open(self, O_RDONLY | O_CLOEXEC), 0, 0, POSIX_FADV_DONTNEED) == 0; }},
    {"see what is in memory", [] {
        const int fd = open(self, O_RDONLY | O_CLOEXEC);
        void* const place = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
        unsigned char there = 0;
        return works(mincore(place, 4096, &there));
    }},
    {"page its memory out", [] {
        void* const place = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return works(madvise(place, 4096, 21)); // MADV_PAGEOUT
    }},
    {"collapse its memory into a large page", [] {
        void* const place = mmap(nullptr, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return works(madvise(place, 4 << 20, 25)) || errno != EPERM; // MADV_COLLAPSE
    }},
    {"enlarge a socket's buffers", [] {
        int pair[2];
        const int bytes = 1 << 20;
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return false;
        return works(setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes));
    }},
    {"merge its memory with others'", [] {
        void* const place = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        const bool one = works(madvise(place, 4096, MADV_MERGEABLE));
        return works(prctl(67, 1, 0, 0, 0)) || one; // PR_SET_MEMORY_MERGE
    }},
    {"hint at a file's life", [] {
        uint64_t hint = 0;
        return works(fcntl(open(self, O_RDONLY | O_CLOEXEC), 1035, &hint)); // F_GET_RW_HINT
    }},
    {"ask for a file's version", [] {
        long version = 0;
        return works(ioctl(open(self, O_RDONLY | O_CLOEXEC), FS_IOC_GETVERSION, &version)) || errno != EPERM;
    }},
    {"take a large futex table", [] { return works(prctl(78, 1, 1L << 10, 0, 0)) || errno != EPERM; }}, // PR_FUTEX_HASH
    // Without a program none is installed.
    {"filter its own calls", [] {
        const bool by_prctl = works(prctl(PR_SET_SECCOMP, 2, nullptr)) || errno != EPERM;
        return works(syscall(SYS_seccomp, 1, 0, nullptr)) || errno != EPERM || by_prctl;
    }},
    // What a signal of its own timer would undo: being stopped.
    {"be continued by a timer", [] {
        sigevent event {};
        event.sigev_notify = SIGEV_SIGNAL;
        event.sigev_signo = SIGCONT;
        timer_t timer {};
        return timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_delete(timer) == 0;
    }},
    {"use an x32 call", [] { return works(syscall(0x40000000 + 39)); }},
    {"use a call of tomorrow", [] { return works(syscall(4000)) || errno != ENOSYS; }},
    // What an honest program needs.
    {"honest: read its own files", [] { return opens("targets.txt") && lists("."); }},
    {"honest: read a library", [] { return opens("/etc/ld.so.cache"); }},
    {"honest: draw random bytes", [] { return opens("/dev/urandom"); }},
    {"honest: write to /dev/null", [] { return opens("/dev/null", O_WRONLY | O_CREAT | O_TRUNC); }},
    {"honest: reopen standard error", [] { return opens("/dev/stderr", O_WRONLY); }},
    {"honest: raise", [] { return hears_itself([] { raise(SIGUSR1); }); }},
    {"honest: kill itself", [] { return hears_itself([] { kill(getpid(), SIGUSR1); }); }},
    {"honest: signal its thread", [] { return hears_itself([] { pthread_kill(pthread_self(), SIGUSR1); }); }},
    {"honest: read its limits", [] { return works(prlimit(0, RLIMIT_CPU, nullptr, nullptr)) && works(prlimit(getpid(), RLIMIT_CPU, nullptr, nullptr)); }},
    {"honest: start threads", [] { return has_threads(60); }},
    {"honest: pair sockets", [] {
        int fds[2];
        char byte = 0;
        return socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0 && send(fds[0], "x", 1, 0) == 1 && recv(fds[1], &byte, 1, 0) == 1;
    }},
    {"honest: wait for events", [] { return works(eventfd(0, EFD_CLOEXEC)) && works(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)); }},
    {"honest: allocate", [] { return maps(256 << 20, MAP_PRIVATE | MAP_ANONYMOUS); }},
    // Only in a namespace of its own.
    {"honest: look at itself", [] {
        bool sees = lists("/proc/self/fd") && lists("/proc/self/task");
        for (const char* file : {"maps", "smaps", "status", "stat", "statm", "auxv", "limits", "mountinfo", "exe"}) {
            sees = sees && opens(std::string("/proc/self/") + file);
        }
        return sees || getppid() > 0;
    }},
    {"honest: see its CPUs", [] {
        cpu_set_t set;
        return works(sched_getaffinity(0, sizeof set, &set));
    }},
};

} // namespace

int main(int argc, char** argv) {
    std::ifstream list("targets.txt");
    for (std::string name, path; list >> name >> path;) targets[name] = path;
    list.close();
    for (const Attempt& attempt : attempts) {
        if (argc > 1 && argv[1] != std::string(attempt.name)) continue;
        errno = 0;
        const bool done = attempt.act();
        std::cerr << attempt.name << (done ? ": done" : ": refused") << '\n';
    }
    if (argc > 1) return 0;
    for (std::string line; std::getline(std::cin, line);) {
        const size_t legal = line.find("\"legal\":[");
        if (line.rfind("{\"turn\"", 0) == 0 && legal != std::string::npos) {
            const size_t first = legal + 9;
            std::cout << "{\"move\":" << line.substr(first, line.find(']', first) - first + 1) << "}" << std::endl;
        } else if (line.rfind("{\"end\"", 0) != 0) {
            std::cout << "{\"ready\":{\"legal_moves\":true}}" << std::endl;
        }
    }
}
