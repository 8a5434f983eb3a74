// A program with more static memory than it may have: it ends before its first line.
#include <stdio.h>
static char much[3u << 29];
int main(void) {
    for (;;) puts(much);
}
