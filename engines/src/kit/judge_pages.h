// Gives this program memory pages of its own where the competition asks for it (own_pages).
// Otherwise its processes share the pages of its file, and those that a fork inherits. A process
// then learns by timing which of them another process has in the caches. It is added when your
// submission is built; do not hand it in.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

namespace judge_pages {

// Bytes that a process inherits: of the stack below, and of the zeroed data at both ends, which are
// the kit's and the library's. The submission's are in between; nobody has used them yet.
constexpr uintptr_t STACK_BYTES = 64 << 10, ZEROED_BYTES = 128 << 10;

inline uintptr_t page() { return getauxval(AT_PAGESZ); }
inline uintptr_t down(uintptr_t address) { return address & ~(page() - 1); }
inline uintptr_t up(uintptr_t address) { return down(address + page() - 1); }

// The parts of the program's file that are in memory, as the linker lists them.
struct Parts {
    const ElfW(Phdr)* begin = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
    const ElfW(Phdr)* end = begin + getauxval(AT_PHNUM);
    uintptr_t moved = 0;  // the distance between the program's place in memory and its file's addresses

    Parts() {
        if (auto own = find(PT_PHDR)) moved = reinterpret_cast<uintptr_t>(begin) - own->p_vaddr;
    }
    const ElfW(Phdr)* find(ElfW(Word) type) const {
        for (auto part = begin; part < end; part++)
            if (part->p_type == type) return part;
        return nullptr;
    }
};

// Puts a copy in the place of a piece of the file. Writing the pages of the piece is not enough:
// once they are given back to the system, the file's pages show again.
inline bool can_replace(uintptr_t begin, uintptr_t end, int protection) {
    if (begin >= end) return true;
    auto size = end - begin;
    auto place = reinterpret_cast<void*>(begin);
    auto copy = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (copy == MAP_FAILED) return false;
    memcpy(copy, place, size);
    if (mprotect(copy, size, protection) == 0 &&
        mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, place) != MAP_FAILED)
        return true;
    munmap(copy, size);
    return false;
}

inline void replace(uintptr_t begin, uintptr_t end, int protection) {
    if (!can_replace(begin, end, protection)) _exit(1);
}

// Writes each page without changing it, so that the process has its own copy.
inline void write_each(uintptr_t begin, uintptr_t end) {
    for (begin = down(begin); begin < end; begin += page()) {
        auto byte = reinterpret_cast<volatile char*>(begin);
        *byte = *byte;
    }
}

inline void own_heap(const Parts& parts, uintptr_t data_end) {
    auto end = reinterpret_cast<uintptr_t>(sbrk(0));
    // The C library's first piece of the heap is the storage of the thread.
    auto begin = reinterpret_cast<uintptr_t>(__builtin_thread_pointer());
    if (auto storage = parts.find(PT_TLS)) begin -= storage->p_memsz + storage->p_align;
    if (data_end <= begin && begin < end) write_each(begin, end);
}

inline void own_stack() {
    auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    // The program's name is at the top.
    auto top = getauxval(AT_EXECFN);
    write_each(here, top + strlen(reinterpret_cast<const char*>(top)));
    // Downwards, as a stack grows.
    for (auto at = here; at > here - STACK_BYTES; at -= page()) write_each(at, at + 1);
}

// Copies the code that the kernel adds to each program, by which it reads clocks. A kernel may
// forbid that; the pages then stay shared. Those with the clocks themselves always do.
inline void own_kernel_code() {
    auto begin = getauxval(AT_SYSINFO_EHDR);
    if (begin == 0) return;
    auto file = reinterpret_cast<const ElfW(Ehdr)*>(begin);
    auto size = file->e_shoff + static_cast<uintptr_t>(file->e_shnum) * file->e_shentsize;
    can_replace(begin, up(begin + size), PROT_READ | PROT_EXEC);
}

// Gives this process pages of its own for the program, its data, the heap and the stack. Nothing of
// the submission may have run.
inline void make_own() {
    if (!getenv("JUDGE_OWN_PAGES")) return;
    Parts parts;
    uintptr_t data_end = 0;
    uintptr_t sealed_begin = 0, sealed_end = 0;  // data that can no longer be written
    if (auto sealed = parts.find(PT_GNU_RELRO)) {
        sealed_begin = down(parts.moved + sealed->p_vaddr);
        sealed_end = down(parts.moved + sealed->p_vaddr + sealed->p_memsz);
    }
    for (auto part = parts.begin; part < parts.end; part++) {
        if (part->p_type != PT_LOAD) continue;
        auto begin = down(parts.moved + part->p_vaddr);
        auto file_end = up(parts.moved + part->p_vaddr + part->p_filesz);
        auto end = parts.moved + part->p_vaddr + part->p_memsz;
        int protection = PROT_READ | (part->p_flags & PF_W ? PROT_WRITE : 0) | (part->p_flags & PF_X ? PROT_EXEC : 0);
        if (begin <= sealed_begin && sealed_begin < file_end) {
            replace(begin, sealed_begin, protection);
            replace(sealed_begin, sealed_end, PROT_READ);
            begin = sealed_end;
        }
        replace(begin, file_end, protection);
        if (!(part->p_flags & PF_W)) continue;
        auto middle = file_end + ZEROED_BYTES < end ? file_end + ZEROED_BYTES : end;
        write_each(file_end, middle);
        write_each(middle + ZEROED_BYTES < end ? end - ZEROED_BYTES : middle, end);
        if (end > data_end) data_end = end;
    }
    own_heap(parts, data_end);
    own_stack();
    own_kernel_code();
}

}  // namespace judge_pages
