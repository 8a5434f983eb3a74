#include "choose.h"
#include <stdio.h>
#include <string.h>

int main(void) {
  static char line[65536];
  while (fgets(line, sizeof line, stdin)) {
    if (!strncmp(line, "{\"turn\"", 7))
      printf("{\"move\":%d}\n", choose(line));
    else if (strncmp(line, "{\"end\"", 6))
      puts("{\"ready\":{\"legal_moves\":true}}");
    fflush(stdout);
  }
}
