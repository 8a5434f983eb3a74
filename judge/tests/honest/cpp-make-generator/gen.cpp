#include <iostream>

int main() {
  std::cout << "constexpr int OFFSETS[] = {";
  for (int column = 0; column < 7; ++column) std::cout << (column ? "," : "") << 0;
  std::cout << "};\n";
}
