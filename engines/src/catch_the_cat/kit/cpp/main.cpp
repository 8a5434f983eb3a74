// The judge's main for Catch the Cat: it turns the protocol's lines (protocol.md) into
// calls of your Cat and Catcher, which judge_agents.cpp makes. It is added when your
// submission is built; do not hand it in. To compile as the judge does:
// g++ -std=gnu++20 -O2 -pthread -static -o bot *.cpp
#include "IAgent.h"
#include "judge_cage.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" {

// What judge_agents.cpp offers; of your names the judge's build lets this file see these two only.
IAgent* judge_new_cat();
IAgent* judge_new_catcher();

// The constructors of your global objects, in their order. The judge's build puts them here; where
// all files are compiled by hand the list is not there, and they run before main as always.
using Constructor = void(int, char**, char**);
extern Constructor* __start_judge_constructors[] __attribute__((weak));
extern Constructor* __stop_judge_constructors[] __attribute__((weak));

}

// System calls go by their numbers: compiled by hand, a global variable of yours named read would
// take the place of the library's function. Who writes to this process's standard output by other
// ways than printing forges nothing but their own answers.
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

// Points the submission's standard output at standard error, so that nothing that it prints is
// taken for an answer, and answers hello.
void become_ready() {
    terminate_before = std::set_terminate(on_uncaught);
    answers = syscall(SYS_dup, 1);
    syscall(SYS_dup3, 2, 1, 0);
    take_role(read_line());
    answer("{\"ready\":{}}\n");
}

// Before anything of the submission, so that the time of its global objects is charged to its first
// turn.
__attribute__((constructor(101))) void begin() {
    if (!judge_cage::is_cage()) become_ready();
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

    IAgent* agent = is_cat ? judge_new_cat() : judge_new_catcher();
    auto move = agent->move(world, {x, y}, side);
    return "{\"move\":[" + std::to_string(move.first) + "," + std::to_string(move.second) + "]}\n";
}

}  // namespace

int main(int count, char** arguments, char** environment) {
    if (judge_cage::is_cage()) {
        judge_cage::serve();
        become_ready();
        judge_cage::hand_over();
    }
    auto next = __start_judge_constructors;
    for (;;) {
        std::string line = read_line();
        if (line.rfind("{\"turn\"", 0) == 0) {
            // In the first turn, because the answer to a start is not charged.
            while (next < __stop_judge_constructors) (*next++)(count, arguments, environment);
            answer(play(line));
        } else if (line.rfind("{\"start\"", 0) == 0) {
            take_role(line);
            answer("{\"ready\":{}}\n");
        }
        // Nothing is answered to the end of a game; the next one may follow.
    }
}
