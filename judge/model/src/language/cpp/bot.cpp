// A bot for @TITLE@ that plays a random legal move. PROTOCOL.md explains the messages.
// It reads the messages as text; for more than this, add a JSON library (one header) here.
#include <cstdint>
#include <iostream>
#include <random>
#include <string>
#include <vector>

using std::string;

// Returns the move to play, as JSON. Begin here: after "view": in the message is what you see.
string choose(const string& /*message*/, const std::vector<string>& legal, std::mt19937_64& random) {
    return legal[random() % legal.size()];
}

// Returns the number after a key, or 0.
std::uint64_t number(const string& message, const string& key) {
    auto at = message.find("\"" + key + "\":");
    return at == string::npos ? 0 : std::stoull(message.substr(at + key.size() + 3));
}

// Returns the elements of the list after a key, each as the text that it is.
std::vector<string> list(const string& message, const string& key) {
    std::vector<string> elements;
    string element;
    int depth = 0;
    for (auto at = message.rfind("\"" + key + "\":[") + key.size() + 4; at < message.size(); at++) {
        char c = message[at];
        if (c == '[' || c == '{') depth++;
        if (depth == 0 && (c == ',' || c == ']')) {
            elements.push_back(element);
            element.clear();
            if (c == ']') break;
            continue;
        }
        if (c == ']' || c == '}') depth--;
        element += c;
    }
    return elements;
}

int main() {
    // Standard output is the judge's: for anything else use std::cerr. std::endl flushes.
    std::uint64_t seed = 0;
    for (string message; std::getline(std::cin, message);) {
        if (message.rfind("{\"turn\"", 0) == 0) {
            // Seeded anew for each turn, so that the same position gives the same move.
            std::mt19937_64 random(seed + 7919 * number(message, "ply"));
            // A line for you, in the replay: add ,"note":"..." behind the move.
            std::cout << "{\"move\":" << choose(message, list(message, "legal"), random) << "}" << std::endl;
        } else if (message.rfind("{\"end\"", 0) != 0) {
            seed = number(message, "seed");
            std::cout << "{\"ready\":{\"legal_moves\":true}}" << std::endl;
        }
    }
}
