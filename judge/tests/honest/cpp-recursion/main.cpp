#include <iostream>
#include <string>

// A search without a bound: 300,000 frames, some 30 MiB of stack.
int deep(int depth, const std::string &line) {
  volatile char frame[64] = {};
  if (depth == 0) return std::stoi(line.substr(line.find("\"legal\":[") + 9));
  return deep(depth - 1, line) + frame[depth % 64];
}

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    if (line.rfind("{\"turn\"", 0) == 0)
      std::cout << "{\"move\":" << deep(300000, line) << "}" << std::endl;
    else if (line.rfind("{\"end\"", 0) != 0)
      std::cout << "{\"ready\":{\"legal_moves\":true}}" << std::endl;
  }
}
