#include "choose.h"
#include <stdlib.h>
#include <string.h>

int choose(const char *line) { return atoi(strstr(line, "\"legal\":[") + 9); }
