// The judge's main for Catch the Cat: it turns the protocol's lines (protocol.md) into
// calls of your Cat and Catcher, which judge_agents.cpp makes. It is added when your
// submission is built; do not hand it in. To compile as the judge does:
// g++ -std=gnu++20 -O2 -pthread -static -o bot *.cpp
#include "IAgent.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

namespace judge_of_catch_the_cat {

IAgent* new_cat();
IAgent* new_catcher();

}  // namespace judge_of_catch_the_cat

// System calls go by their numbers: a global variable of yours named read would take the place
// of the library's function.
namespace {

// Plain data only: the constructor below runs before any object is initialised.
int answers = -1;      // the real standard output
bool is_cat = false;   // the role that this process plays

std::string read_line() {
    static std::string unread;
    for (;;) {
        auto end = unread.find('\n');
        if (end != std::string::npos) {
            std::string line = unread.substr(0, end);
            unread.erase(0, end + 1);
            return line;
        }
        char chunk[4096];
        auto count = syscall(SYS_read, 0, chunk, sizeof chunk);
        if (count <= 0) _exit(0);  // the judge has closed the game
        unread.append(chunk, count);
    }
}

void answer(const std::string& line) {
    fflush(nullptr);  // what the agent printed goes to its author first
    if (syscall(SYS_write, answers, line.data(), line.size()) < 0) _exit(1);
}

// Roles may change from game to game.
void take_role(const std::string& message) {
    is_cat = message.find("\"role\":\"cat\"") != std::string::npos;
}

std::terminate_handler terminate_before;

// Ends the program where nobody caught that memory ran out, by the exit code that the protocol
// reserves for it. Whatever else was thrown ends the program as it always does.
void on_uncaught() {
    try {
        if (auto thrown = std::current_exception()) std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
        const char text[] = "out of memory (std::bad_alloc)\n";
        if (syscall(SYS_write, 2, text, sizeof text - 1) < 0) _exit(1);
        _exit(251);
    } catch (...) {
    }
    terminate_before();
}

// Runs before the submission's own global objects are constructed, so that their time is
// charged to its first turn, and points its standard output at standard error, so that
// nothing that it prints is taken for an answer.
__attribute__((constructor(101))) void become_ready() {
    terminate_before = std::set_terminate(on_uncaught);
    answers = syscall(SYS_dup, 1);
    syscall(SYS_dup3, 2, 1, 0);
    take_role(read_line());
    answer("{\"ready\":{}}\n");
}

// Finds what stands behind "name": inside the view.
const char* field(const std::string& line, const char* name) {
    auto view = line.find("\"view\":");
    auto at = line.find(std::string("\"") + name + "\":", view);
    return line.c_str() + at + std::string(name).size() + 3;
}

std::string play(const std::string& turn) {
    int side = atoi(field(turn, "side"));
    int x = 0, y = 0;
    sscanf(field(turn, "cat"), "[%d,%d]", &x, &y);
    const char* cells = field(turn, "world") + 1;
    std::vector<bool> world(side * side);
    for (size_t i = 0; i < world.size(); i++) world[i] = cells[i] == '1';

    using namespace judge_of_catch_the_cat;
    IAgent* agent = is_cat ? new_cat() : new_catcher();
    auto move = agent->move(world, {x, y}, side);
    return "{\"move\":[" + std::to_string(move.first) + "," + std::to_string(move.second) + "]}\n";
}

}  // namespace

int main() {
    for (;;) {
        std::string line = read_line();
        if (line.rfind("{\"turn\"", 0) == 0) {
            answer(play(line));
        } else if (line.rfind("{\"start\"", 0) == 0) {
            take_role(line);
            answer("{\"ready\":{}}\n");
        }
        // Nothing is answered to the end of a game; the next one may follow.
    }
}
