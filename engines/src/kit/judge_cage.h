// How the judge starts this program for the price of a fork: it runs it once, with a socket as
// its standard input, on which orders come in. Each new process finds the pipes of a game in the
// place of the socket. Nothing of a submission runs in the process that takes the orders. It is
// added when your submission is built; do not hand it in.
#pragma once
#include "judge_flush.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace judge_cage {

// What the judge is told: who has been started, and how much CPU time that was, or why nobody has.
struct Report {
    uint32_t kind;
    int32_t error;
    uint64_t before_ns;
};

constexpr uint32_t STARTED = 0xcade0001, REFUSED = 0xcade0004, READY = 0xcade0005;
constexpr int PIPES = 3;

inline int reports = -1;

inline bool is_cage() {
    int kind = 0;
    socklen_t size = sizeof kind;
    return getsockopt(0, SOL_SOCKET, SO_TYPE, &kind, &size) == 0 && kind == SOCK_SEQPACKET;
}

inline void send(int socket, Report report) {
    // Where the judge is gone, so is this process.
    if (write(socket, &report, sizeof report) < 0) _exit(1);
}

// Waits for an order: the key, and a game's pipes.
inline bool take_order(uint64_t& key, int (&pipes)[PIPES]) {
    alignas(cmsghdr) char beside[CMSG_SPACE(sizeof pipes)];
    iovec part = {&key, sizeof key};
    msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = beside;
    message.msg_controllen = sizeof beside;
    ssize_t count;
    do count = recvmsg(0, &message, 0);
    while (count < 0 && errno == EINTR);
    auto header = CMSG_FIRSTHDR(&message);
    if (count != sizeof key || !header || header->cmsg_len < CMSG_LEN(sizeof pipes)) return false;
    memcpy(pipes, CMSG_DATA(header), sizeof pipes);
    return true;
}

// Forks, as a child of the judge's. The filter of system calls lets that pass by the key, in an
// argument at which the kernel does not look; no copy of it is left in memory or in a register.
inline long fork_by(uint64_t& key, int* own_number) {
    long flags = CLONE_PARENT | SIGCHLD, result;
    if (own_number) flags |= CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
#if defined(__x86_64__)
    register int* child_tid asm("r10") = own_number;
    register long storage asm("r8") = 0;
    asm volatile(
        "movq (%[key]), %%r9\n\t"
        "movq $0, (%[key])\n\t"
        "syscall\n\t"
        "xorl %%r9d, %%r9d"
        : "=a"(result)
        : "0"(long(SYS_clone)), "D"(flags), "S"(0L), "d"(0L), "r"(child_tid), "r"(storage),
          [key] "b"(&key)
        : "rcx", "r11", "r9", "memory");
#elif defined(__aarch64__)
    register long number asm("x8") = SYS_clone;
    register long first asm("x0") = flags;
    register long stack asm("x1") = 0;
    register long parent_tid asm("x2") = 0;
    register long storage asm("x3") = 0;
    register int* child_tid asm("x4") = own_number;
    asm volatile(
        "ldr x5, [%[key]]\n\t"
        "str xzr, [%[key]]\n\t"
        "svc 0\n\t"
        "mov x5, xzr"
        : "+r"(first)
        : "r"(number), "r"(stack), "r"(parent_tid), "r"(storage), "r"(child_tid), [key] "r"(&key)
        : "x5", "memory");
    result = first;
#endif
    return result;
}

// Forks on every order, and returns in the new processes.
inline void serve() {
    // Who runs under the same user sees nothing of this one.
    prctl(PR_SET_DUMPABLE, 0);
    // Where the C library keeps the number of the thread; it changes with the process.
    int* own_number = nullptr;
    prctl(PR_GET_TID_ADDRESS, &own_number);
    judge_flush::prepare();
    send(0, {READY, 0, 0});
    uint64_t key;
    int pipes[PIPES];
    while (take_order(key, pipes)) {
        // The judge orders only after the process before has ended, with all its threads.
        judge_flush::flush();
        long child = fork_by(key, own_number);
        if (child == 0) {
            prctl(PR_SET_DUMPABLE, 1);
            reports = dup(0);
            for (int i = 0; i < PIPES; i++) {
                dup2(pipes[i], i);
                close(pipes[i]);
            }
            return;
        }
        if (child < 0) send(0, {REFUSED, int32_t(-child), 0});
        for (int pipe : pipes) close(pipe);
    }
    _exit(0);
}

// Tells the judge that what is used from now on is the submission's.
inline void hand_over() {
    // Until now it ends with the process that has forked it.
    setpgid(0, 0);
    timespec used = {};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    send(reports, {STARTED, 0, uint64_t(used.tv_sec) * 1000000000 + uint64_t(used.tv_nsec)});
    close(reports);
}

}  // namespace judge_cage
