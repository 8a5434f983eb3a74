// The judge's main for Catch the Cat: it turns the protocol's lines (protocol.md) into
// calls of your Cat and Catcher, which judge_agents.cpp makes. It is added when your
// submission is built; do not hand it in. To compile as the judge does:
// g++ -std=gnu++20 -O2 -pthread -static -o bot *.cpp
#include "IAgent.h"
#include "judge_cage.h"
#include "judge_flush.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" {

// What judge_agents.cpp offers; of your names the judge's build lets this file see these only.
IAgent* judge_new_cat();
IAgent* judge_new_catcher();
char* judge_note_said();
char* judge_marks_said();

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

// Ends the program at a line that is not as protocol.md has it, and shows the line to the author.
[[noreturn]] void refuse(std::string_view line, const std::string& why) {
    auto text = "the kit cannot read this line, " + why + ": " + std::string(line) + "\n";
    _exit(syscall(SYS_write, 2, text.data(), text.size()) < 0 ? 1 : 2);
}

// A value of JSON inside its line.
struct Json {
    std::string_view line;
    size_t begin, end;

    std::string_view text() const { return line.substr(begin, end - begin); }
    [[noreturn]] void refuse_as(const char* wanted) const {
        refuse(line, "in which " + std::string(text()) + " is no " + wanted);
    }
};

constexpr std::string_view BLANKS = " \t\r\n", AFTER_WORD = " \t\r\n,]}";

// Goes through a line of JSON, value by value.
struct Reader {
    std::string_view line;
    size_t at;

    char peek() {
        at = std::min(line.find_first_not_of(BLANKS, at), line.size());
        return at < line.size() ? line[at] : '\0';
    }
    void expect(char wanted) {
        if (peek() != wanted) refuse(line, "which has no " + std::string(1, wanted) + " at byte " + std::to_string(at));
        at++;
    }
    // Whether another item follows in an object or a list, of which `count` have been read.
    bool has_next(char close, size_t count) {
        if (peek() == close) return at++, false;
        if (count > 0) expect(',');
        return true;
    }
    Json text() {
        expect('"');
        size_t begin = at;
        while (at < line.size() && line[at] != '"') at += line[at] == '\\' ? 2 : 1;
        if (at >= line.size()) refuse(line, "in which a text does not end");
        return {line, begin, at++};
    }
    Json value() {
        char first = peek();
        size_t begin = at;
        if (first == '"') {
            text();
        } else if (first == '[') {
            at++;
            for (size_t count = 0; has_next(']', count); count++) value();
        } else if (first == '{') {
            at++;
            for (size_t count = 0; has_next('}', count); count++) text(), expect(':'), value();
        } else {
            at = std::min(line.find_first_of(AFTER_WORD, at), line.size());
            if (at == begin) refuse(line, "which has no value at byte " + std::to_string(at));
        }
        return {line, begin, at};
    }
};

// Finds what an object has under a name.
Json field(Json object, const char* name) {
    Reader reader = {object.line, object.begin};
    reader.expect('{');
    for (size_t count = 0; reader.has_next('}', count); count++) {
        bool is_wanted = reader.text().text() == name;
        reader.expect(':');
        auto value = reader.value();
        if (is_wanted) return value;
    }
    refuse(object.line, "which lacks " + std::string(name));
}

std::string_view word(Json value) {
    auto text = value.text();
    if (text[0] != '"' || text.find('\\') != text.npos) value.refuse_as("plain text");
    return text.substr(1, text.size() - 2);
}

int number(Json value) {
    std::string text(value.text());
    char* end;
    long read = strtol(text.c_str(), &end, 10);
    if (*end || int(read) != read) value.refuse_as("whole number");
    return int(read);
}

// A message: its name, and what it says.
struct Message {
    std::string_view name;
    Json content;
};

Message message_of(std::string_view line) {
    Reader reader = {line, 0};
    reader.expect('{');
    auto name = reader.text().text();
    reader.expect(':');
    auto content = reader.value();
    reader.expect('}');
    if (reader.peek()) refuse(line, "which does not end with its message");
    return {name, content};
}

// Roles may change from game to game.
void take_role(const Message& message) {
    auto role = field(message.content, "role");
    is_cat = word(role) == "cat";
    if (!is_cat && word(role) != "catcher") role.refuse_as("role");
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
    auto line = read_line();
    take_role(message_of(line));
    answer("{\"ready\":{}}\n");
}

// Before anything of the submission, so that the time of its global objects is charged to its first
// turn.
__attribute__((constructor(101))) void begin() {
    if (judge_cage::is_cage()) return;
    judge_flush::prepare();
    judge_flush::flush();
    become_ready();
}

// The agent's words to its author, as keys that follow the move.
std::string take_said() {
    std::string keys;
    char *note = judge_note_said(), *marks = judge_marks_said();
    if (*note) keys += std::string(",\"note\":\"") + note + "\"";
    if (*marks) keys += std::string(",\"marks\":[") + marks + "]";
    *note = *marks = '\0';
    return keys;
}

std::string play(const Message& turn) {
    auto view = field(turn.content, "view");
    int side = number(field(view, "side"));
    auto place = field(view, "cat");
    Reader pair = {place.line, place.begin};
    pair.expect('[');
    int x = number(pair.value());
    pair.expect(',');
    int y = number(pair.value());
    pair.expect(']');
    auto cells = word(field(view, "world"));
    if (side < 0 || cells.size() != size_t(side) * side) refuse(place.line, "whose world does not have side times side cells");
    std::vector<bool> world(cells.size());
    for (size_t i = 0; i < world.size(); i++) world[i] = cells[i] == '1';

    IAgent* agent = is_cat ? judge_new_cat() : judge_new_catcher();
    auto move = agent->move(world, {x, y}, side);
    return "{\"move\":[" + std::to_string(move.first) + "," + std::to_string(move.second) + "]" + take_said() + "}\n";
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
        auto message = message_of(line);
        if (message.name == "turn") {
            // In the first turn, because the answer to a start is not charged.
            while (next < __stop_judge_constructors) (*next++)(count, arguments, environment);
            answer(play(message));
        } else if (message.name == "start") {
            take_role(message);
            answer("{\"ready\":{}}\n");
        } else if (message.name != "end") {
            refuse(line, "whose message has no known name");
        }
        // Nothing is answered to the end of a game; the next one may follow.
    }
}
