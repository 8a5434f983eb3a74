#include "config.h"
#include <iostream>
#include <string>

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    if (line.rfind("{\"turn\"", 0) == 0)
      std::cout << "{\"move\":" << OFFSET + std::stoi(line.substr(line.find("\"legal\":[") + 9)) << "}" << std::endl;
    else if (line.rfind("{\"end\"", 0) != 0)
      std::cout << "{\"ready\":{\"legal_moves\":true}}" << std::endl;
  }
}
