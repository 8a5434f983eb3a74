#pragma once
#include "IAgent.h"
#include <cerrno>
#include <fcntl.h>
#include <iostream>
#include <locale>
#include <new>
#include <random>
#include <sstream>
#include <stdexcept>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <thread>
#include <unistd.h>

// Says of each call that takes a path whether it is refused before anybody looks the name up, and
// of what honest programs use whether it works.
inline void try_everything() {
    static bool tried = false;
    if (tried) return;
    tried = true;
    const auto refused = [](const char* name, long result) {
        std::cerr << name << (result == -1 && errno == EPERM ? ": refused\n" : ": DONE\n");
    };
    const char* const name = "no-such-name";
    char text[16];
    struct stat file {};
    struct statfs system {};
    char* const none[] {nullptr};
    char data[512] {};
    refused("open", open(name, O_RDONLY));
    refused("openat2", syscall(SYS_openat2, AT_FDCWD, name, data, 24));
    refused("stat", stat(name, &file));
    refused("lstat", lstat(name, &file));
    refused("statx", syscall(SYS_statx, AT_FDCWD, name, 0, 0, data));
    refused("statfs", statfs(name, &system));
    refused("access", access(name, R_OK));
    refused("faccessat2", syscall(SYS_faccessat2, AT_FDCWD, name, 0, 0));
    refused("readlink", readlink(name, text, sizeof text));
    refused("getxattr", getxattr(name, "user.a", text, sizeof text));
    refused("listxattr", listxattr(name, text, sizeof text));
    refused("chdir", chdir(name));
    refused("mkdir", mkdir(name, 0755));
    refused("rmdir", rmdir(name));
    refused("rename", rename(name, "other-name"));
    refused("link", link(name, "other-name"));
    refused("symlink", symlink(name, "other-name"));
    refused("unlink", unlink(name));
    refused("mknod", mknod(name, S_IFREG, 0));
    refused("truncate", truncate(name, 0));
    refused("utime", utimensat(AT_FDCWD, name, nullptr, 0));
    refused("inotify", inotify_add_watch(0, name, IN_OPEN));
    refused("execve", execve(name, none, none));
    refused("execveat", syscall(SYS_execveat, AT_FDCWD, name, none, none, 0));
    refused("execve with a key", syscall(SYS_execve, name, none, none, 0, 0, 1L));

    const auto works = [](const char* what, bool well) {
        std::cerr << what << (well ? ": works\n" : ": BROKEN\n");
    };
    std::random_device device;
    works("random_device", device() != device() || device() != device());
    std::mt19937 numbers(device());
    works("mt19937", numbers() != numbers());
    std::stringstream stream;
    stream.imbue(std::locale("C"));
    stream << 2.5 << ' ' << 7;
    double half = 0;
    stream >> half;
    works("iostream", half == 2.5);
    int answer = 0;
    std::thread([&] { answer = 42; }).join();
    works("thread", answer == 42);
    works("hardware_concurrency", std::thread::hardware_concurrency() >= 1);
    try {
        throw std::runtime_error("thrown");
    } catch (const std::exception& error) {
        works("exception", error.what() == std::string("thrown"));
    }
    try {
        char* volatile huge = new char[size_t{1} << 45];
        works("bad_alloc", huge == nullptr);
    } catch (const std::bad_alloc&) {
        works("bad_alloc", true);
    }
    works("allocation", std::vector<int>(1 << 20, 3)[12345] == 3);
    timespec time {};
    works("time", time_t(::time(nullptr)) > 0 && clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0);
    clockid_t own;
    works("own clock", clock_getcpuclockid(getpid(), &own) == 0 && clock_gettime(own, &time) == 0);
    works("thread's clock", pthread_getcpuclockid(pthread_self(), &own) == 0 && clock_gettime(own, &time) == 0);
    const clockid_t first = static_cast<clockid_t>(~1u << 3 | 2);
    refused("clock of process 1", clock_gettime(first, &time));
}

struct Cat : IAgent {
    std::pair<int,int> move(const std::vector<bool>& world, std::pair<int,int> cat, int side) override {
        try_everything();
        const int half = side / 2;
        const int odd = abs(cat.second) % 2;
        const int dx[] = {-1, 1, -1 + odd, odd, -1 + odd, odd};
        const int dy[] = {0, 0, -1, -1, 1, 1};
        for (int i = 0; i < 6; i++) {
            const int x = cat.first + dx[i], y = cat.second + dy[i];
            if (!world[(y + half) * side + x + half]) return {x, y};
        }
        return cat;
    }
};
