#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
    long child = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    if (child < 0) perror("clone");
    child = fork();
    if (child == 0) _exit(0);
    if (child < 0) perror("fork");
    return 0;
}
