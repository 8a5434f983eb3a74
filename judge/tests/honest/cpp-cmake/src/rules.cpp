#include <string>

int choose(const std::string &line) { return std::stoi(line.substr(line.find("\"legal\":[") + 9)); }
