#include "version.h"
#include <iostream>
#include <string>

int choose(const std::string &line);

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    if (line.rfind("{\"turn\"", 0) == 0)
      std::cout << "{\"move\":" << choose(line) << "}" << std::endl;
    else if (line.rfind("{\"end\"", 0) != 0)
      std::cout << "{\"ready\":{\"name\":\"bot " VERSION "\",\"legal_moves\":true}}" << std::endl;
  }
}
