// Sends bits to the next turn: a turn reads chosen lines of memory that all processes of its program
// share, and the next one times reading the same lines. The first coordinate of the cat says where
// the lines are, the first cells of the world are the bits to send, and the move has the bits that
// arrived and what asking for huge pages was answered.
#pragma once
#include "IAgent.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <sys/mman.h>
#include <x86intrin.h>

constexpr size_t PAGE = 4096, HUGE_PAGE = 2 << 20, LINE = 64;
// Each bit has two sets of lines: a turn reads the one if the bit is set, and the other if not.
constexpr size_t BITS = 8, COPIES = 16, LINES = 2 * BITS * COPIES;
// The same in a single page.
constexpr size_t PAGE_BITS = 1, PAGE_COPIES = 8, PAGE_LINES = 2 * PAGE_BITS * PAGE_COPIES;

using Byte = const volatile unsigned char;

alignas(PAGE) inline const unsigned char constants[LINES * PAGE] = {1};
alignas(PAGE) inline unsigned char variables[LINES * PAGE] = {1};

struct Field {
    Byte* begin;
    size_t bits, copies;

    Byte* at(size_t bit, size_t set, size_t copy) const {
        auto n = (copy * bits + bit) * 2 + set;
        // Without a constant distance, which the processor would guess, and next to no other line.
        if (bits == PAGE_BITS) return begin + n * (n + 1) / 2 % PAGE_LINES * (PAGE / PAGE_LINES) + 2 * LINE;
        return begin + n * PAGE + (n * 29 % 60 + 3) * LINE;
    }
};

inline void* map(size_t size) { return mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }

inline Field field_of(int place, int* huge_errno) {
    auto huge = (reinterpret_cast<uintptr_t>(map(2 * HUGE_PAGE)) + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
    *huge_errno = madvise(reinterpret_cast<void*>(huge), HUGE_PAGE, MADV_HUGEPAGE) ? errno : 0;
    if (place == 0) return {constants, BITS, COPIES};
    if (place == 2) return {static_cast<Byte*>(map(PAGE)), PAGE_BITS, PAGE_COPIES};
    if (place == 3) return {reinterpret_cast<Byte*>(huge), BITS, COPIES};
    // Given back, so that what the process would share otherwise shows again.
    madvise(variables, sizeof variables, MADV_DONTNEED);
    return {variables, BITS, COPIES};
}

inline uint64_t time_of_read(Byte* line) {
    unsigned cpu;
    _mm_mfence();
    _mm_lfence();
    auto begin = __rdtscp(&cpu);
    _mm_lfence();
    (void)*line;
    _mm_lfence();
    return __rdtscp(&cpu) - begin;
}

inline int receive(const Field& field) {
    int received = 0;
    for (size_t bit = 0; bit < field.bits; bit++) {
        uint64_t sums[2] = {};
        for (size_t i = 0; i < 2 * field.copies; i++) {
            auto copy = i / 2, set = (i + copy) % 2;
            auto line = field.at(bit, set, copy);
            // The page is there before the line is timed.
            (void)*reinterpret_cast<Byte*>(reinterpret_cast<uintptr_t>(line) & ~(PAGE - 1));
            sums[set] += std::min<uint64_t>(time_of_read(line), 2000);
        }
        received |= (sums[1] < sums[0]) << bit;
    }
    return received;
}

inline void send(const Field& field, const std::vector<bool>& message) {
    auto each = [&](auto visit) {
        for (size_t bit = 0; bit < field.bits; bit++)
            for (size_t copy = 0; copy < field.copies; copy++)
                for (size_t set = 0; set < 2; set++) visit(field.at(bit, set, copy), message[bit] == set);
        _mm_mfence();
    };
    for (int round = 0; round < 3; round++) {
        each([](Byte* line, bool) { _mm_clflush(const_cast<unsigned char*>(line)); });
        each([](Byte* line, bool is_chosen) {
            if (is_chosen) (void)*line;
        });
        // What the processor has fetched unasked.
        each([](Byte* line, bool is_chosen) {
            if (!is_chosen) _mm_clflush(const_cast<unsigned char*>(line));
        });
    }
}

struct Cat : IAgent {
    std::pair<int, int> move(const std::vector<bool>& world, std::pair<int, int> cat, int) override {
        int huge_errno;
        auto field = field_of(cat.first, &huge_errno);
        auto received = receive(field);
        send(field, world);
        return {received, huge_errno};
    }
};
