#pragma once
#include "IAgent.h"
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

// Whether a call that takes a path is made at all: whoever is refused learns nothing of a name.
static void try_all() {
    struct stat seen {};
    char text[64];
    const auto tell = [](const char* name, long result) {
        const bool done = result >= 0 || (errno != EPERM && errno != EACCES);
        std::fprintf(stderr, "%s: %s\n", name, done ? "done" : "refused");
    };
    tell("stat", stat("/no/such/name", &seen));
    tell("lstat", lstat("no-such-name", &seen));
    tell("open", open("/no/such/name", O_RDONLY));
    tell("hold", open("/no/such/name", O_PATH));
    tell("access", access("/no/such/name", F_OK));
    tell("readlink", readlink("/no/such/name", text, sizeof text));
    tell("chdir", chdir("/no/such/name"));
    tell("execute", execl("/no/such/name", "x", nullptr));
    tell("make a folder", mkdir("/no/such/name", 0755));
    tell("rename", rename("/no/such/name", "/no/such/other"));
}

class Cat : public IAgent {
public:
    std::pair<int, int> move(const std::vector<bool>&, std::pair<int, int>, int) override {
        try_all();
        return {1, 0};
    }
};
