// Takes the memory that processes of this program share out of the caches before each of them
// begins, where the judge asks for that. Otherwise a turn learns by timing which lines an earlier
// one has read. It is added when your submission is built; do not hand it in.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace judge_flush {

// Bytes that a process inherits: of the stack below, and of the zeroed data at both ends, which are
// the kit's and the library's. The submission's are in between; nobody has used them yet.
constexpr uintptr_t STACK_BYTES = 64 << 10, ZEROED_BYTES = 128 << 10;
// Pages that the kernel adds to each program, at most: before and from the code that reads clocks.
constexpr int CLOCK_PAGES = 16, CODE_PAGES = 4;

// What later processes share with this one and with each other.
struct Range {
    uintptr_t begin, end;
};
inline Range shared[64];
inline int shared_count = 0;

inline uintptr_t page() { return getauxval(AT_PAGESZ); }
inline uintptr_t down(uintptr_t address) { return address & ~(page() - 1); }
inline uintptr_t up(uintptr_t address) { return down(address + page() - 1); }

inline void add(uintptr_t begin, uintptr_t end) {
    if (shared_count == sizeof shared / sizeof *shared) _exit(1);
    shared[shared_count++] = {down(begin), up(end)};
}

// Whether the kernel can read an address on behalf of this process, which would end if it could not.
inline bool is_readable(uintptr_t at) {
    constexpr int NO_CHANGE = -1;
    return syscall(SYS_rt_sigprocmask, NO_CHANGE, at, nullptr, sizeof(uint64_t)) != 0 && errno == EINVAL;
}

// Puts a copy in the place of a piece of the program's file. Other processes of the program have
// other copies, and what a process gives back to the system does not become the file's again.
inline void copy(uintptr_t begin, uintptr_t end, int protection) {
    if (begin >= end) return;
    auto place = reinterpret_cast<void*>(begin);
    auto size = end - begin;
    auto made = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (made == MAP_FAILED) _exit(1);
    memcpy(made, place, size);
    if (mprotect(made, size, protection) != 0) _exit(1);
    if (mremap(made, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, place) == MAP_FAILED) _exit(1);
}

// Copies the program, and adds it with its data.
inline void add_program() {
    auto parts = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
    auto parts_end = parts + getauxval(AT_PHNUM);
    uintptr_t moved = 0;  // the distance between the program's place in memory and its file's addresses
    for (auto part = parts; part < parts_end; part++) {
        auto begin = moved + part->p_vaddr, end = begin + part->p_memsz;
        if (part->p_type == PT_PHDR) {
            moved = reinterpret_cast<uintptr_t>(parts) - part->p_vaddr;
        } else if (part->p_type == PT_LOAD) {
            auto zeroed = up(begin + part->p_filesz);
            int protection = PROT_READ | (part->p_flags & PF_W ? PROT_WRITE : 0) | (part->p_flags & PF_X ? PROT_EXEC : 0);
            copy(down(begin), zeroed, protection);
            auto is_whole = end <= zeroed + 2 * ZEROED_BYTES;
            add(begin, is_whole ? end : zeroed + ZEROED_BYTES);
            if (!is_whole) add(end - ZEROED_BYTES, end);
        } else if (part->p_type == PT_GNU_RELRO) {
            // Part of the data, which has been copied before: it can no longer be written.
            mprotect(reinterpret_cast<void*>(down(begin)), down(end) - down(begin), PROT_READ);
        }
    }
}

inline void add_heap() {
    auto end = reinterpret_cast<uintptr_t>(sbrk(0)), begin = end;
    while (is_readable(begin - page())) begin -= page();
    add(begin, end);
}

inline void add_stack() {
    // The program's name is at the top.
    auto top = getauxval(AT_EXECFN);
    auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    add(here - STACK_BYTES, top + strlen(reinterpret_cast<const char*>(top)));
}

// Adds the code by which programs read clocks, and the clocks.
inline void add_kernel_pages() {
    auto code = getauxval(AT_SYSINFO_EHDR);
    for (int i = -CLOCK_PAGES; code && i < CODE_PAGES; i++) {
        auto at = code + i * static_cast<intptr_t>(page());
        if (is_readable(at)) add(at, at + page());
    }
}

// Adds the page that shows where nobody has written: all processes of the machine have the same.
inline void add_zeros() {
    auto zeros = mmap(nullptr, page(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (zeros == MAP_FAILED) _exit(1);
    auto at = reinterpret_cast<uintptr_t>(zeros);
    add(at, at + page());
}

// Nothing of the submission may have run.
inline void prepare() {
    if (!getenv("JUDGE_FLUSH")) return;
    add_program();
    add_heap();
    add_stack();
    add_kernel_pages();
    add_zeros();
}

// Takes each line of what is shared out of all caches of all cores.
inline void flush() {
    if (shared_count == 0) return;
#if defined(__x86_64__)
    static const bool has_clflushopt = [] {
        unsigned a, b, c, d;
        return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_CLFLUSHOPT);
    }();
    for (auto range = shared; range < shared + shared_count; range++) {
        for (auto at = range->begin; at < range->end; at += 64) {
            auto line = reinterpret_cast<char*>(at);
            if (has_clflushopt) asm volatile("clflushopt (%0)" ::"r"(line) : "memory");
            else asm volatile("clflush (%0)" ::"r"(line) : "memory");
        }
    }
    asm volatile("mfence" ::: "memory");
#elif defined(__aarch64__)
    uint64_t cache_type;
    asm("mrs %0, ctr_el0" : "=r"(cache_type));
    auto line_bytes = uintptr_t(4) << (cache_type >> 16 & 15);
    for (auto range = shared; range < shared + shared_count; range++)
        for (auto at = range->begin; at < range->end; at += line_bytes) asm volatile("dc civac, %0" ::"r"(at) : "memory");
    asm volatile("dsb sy\n\tisb" ::: "memory");
#endif
}

}  // namespace judge_flush
