#pragma once
// Your agent's words to you with its move: a line of text and marks on cells. You and the staff
// see them beside the replay, nobody else does:
//     judge_note("three ways out");
//     judge_mark({1, 0}, "7");
// The judge adds this file when your submission is built. It stays beside your own while you work,
// and does nothing there.
#include <cstdio>
#include <string>
#include <utility>

namespace judge_said {

// The words for the next move, as JSON. The kit takes it and clears it. Plain data: an agent
// that says nothing calls nothing here.
inline char note[8 << 10], marks[32 << 10];

// Writes a text as JSON. Bytes that are no UTF-8 become question marks.
inline std::string as_json(const std::string& text) {
    std::string json;
    for (size_t at = 0; at < text.size(); at++) {
        unsigned char c = text[at];
        size_t more = c < 0x80 ? 0 : c >= 0xc2 && c < 0xe0 ? 1 : (c & 0xf0) == 0xe0 ? 2 : c >= 0xf0 && c < 0xf5 ? 3 : 4;
        bool is_whole = more < 4 && at + more < text.size();
        for (size_t i = 1; is_whole && i <= more; i++) is_whole = (text[at + i] & 0xc0) == 0x80;
        unsigned char next = is_whole && more ? text[at + 1] : 0;
        bool is_odd = (c == 0xe0 && next < 0xa0) || (c == 0xed && next > 0x9f) || (c == 0xf0 && next < 0x90) || (c == 0xf4 && next > 0x8f);
        if (!is_whole || is_odd) {
            json += '?';
        } else if (c < 0x20) {
            char escape[7];
            snprintf(escape, sizeof escape, "\\u%04x", c);
            json += escape;
        } else {
            if (c == '"' || c == '\\') json += '\\';
            json.append(text, at, more + 1);
            at += more;
        }
    }
    return json;
}

// Adds a text behind the others, if there is room.
template <size_t BYTES> void add(char (&all)[BYTES], const char* between, const std::string& text) {
    std::string more = all;
    if (!more.empty()) more += between;
    more += text;
    if (more.size() < BYTES) all[more.copy(all, BYTES - 1)] = '\0';
}

inline void add_mark(std::pair<int, int> cell, const std::string& rest) {
    add(marks, ",", "{\"at\":[" + std::to_string(cell.first) + "," + std::to_string(cell.second) + "]" + rest + "}");
}

}  // namespace judge_said

// Says a line; a second one comes behind the first.
inline void judge_note(const std::string& line) {
    judge_said::add(judge_said::note, " ", judge_said::as_json(line.substr(0, 1100)));
}

// Marks a cell, if you like with a short label.
inline void judge_mark(std::pair<int, int> cell, const std::string& label = "") {
    judge_said::add_mark(cell, ",\"label\":\"" + judge_said::as_json(label.substr(0, 64)) + "\"");
}

// Marks a cell as strongly as this says, from 0 to 1.
inline void judge_mark(std::pair<int, int> cell, double strength) {
    char number[16];
    snprintf(number, sizeof number, "%.2f", strength >= 0 && strength <= 1 ? strength : 2.0);
    judge_said::add_mark(cell, std::string(",\"strength\":") + number);
}
