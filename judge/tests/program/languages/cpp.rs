//! Submissions in C++.

use super::Change::{Name, Nothing, Text};
use super::Verdict::{Broken, Faults, Plays};
use super::{Case, FORGED, case};

pub(super) const CASES: &[Case] = &[
    case(
        "says",
        Text(
            "Cat.h",
            "#include \"IAgent.h\"\n\n// Goes to one of the free cells beside it.\nstruct Cat : IAgent {\n",
            "#include \"IAgent.h\"\n#include \"judge_note.h\"\n\nstruct Cat : IAgent {\n\
             \x20   Cat() {\n\
             \x20       judge_note(\"free: \\\"☃\\\" \\n\\xff\");\n\
             \x20       judge_mark({0, 0}, \"7\");\n\
             \x20       judge_mark({-2, 1}, 0.5);\n\
             \x20   }\n",
        ),
        Plays("-- note free: \"☃\" ?\n-- marks [[2,2,null,\"7\"],[0,3,50,\"\"]]\n"),
    ),
    case("good", Nothing, Plays("")),
    case(
        "prints",
        Text(
            "Cat.h",
            "#pragma once",
            "#pragma once\n#include <cstdio>\nstatic int printed = puts(\"{\\\"move\\\":[0,0]}\");",
        ),
        Plays(FORGED),
    ),
    case(
        "slow",
        Text(
            "Cat.h",
            "#pragma once",
            "#pragma once\nstatic int slow = [] { for (volatile int i = 0; i >= 0; i = 1) {} return 0; }();",
        ),
        Faults("time", "", ""),
    ),
    case(
        "crashes",
        Text(
            "Cat.h",
            "#pragma once",
            "#pragma once\nstatic int crash = *(volatile int*)8;",
        ),
        Faults("crash", "SIGSEGV", ""),
    ),
    case(
        "signature",
        Text(
            "Cat.h",
            "int sideSize) override",
            "int sideSize, char more)",
        ),
        Broken(
            "the class Cat does not override IAgent's move(",
            "static assertion failed",
        ),
    ),
    case(
        "override",
        Text("Cat.h", "int sideSize) override", "long sideSize) override"),
        Broken(
            "move does not override IAgent's, which is std::pair<int,int> move(const std::vector<bool>& world, ",
            "marked ‘override’, but does not override",
        ),
    ),
    case(
        "no-interface",
        Text("Cat.h", "struct Cat : IAgent", "struct Cat"),
        Broken(
            "the class Cat does not inherit from IAgent; it must begin with struct Cat : IAgent",
            "marked ‘override’, but does not override",
        ),
    ),
    case(
        "clashes",
        Text(
            "Cat.h",
            "#include \"IAgent.h\"",
            "#include \"IAgent.h\"\nusing namespace std;\n#define x first\n#define side 3\n\
             struct play { int answers; };\nint answer(int);\nstatic string field, read_line;\nint read, write, dup;\n\
             inline bool is_cat(bool take_role) { return take_role; }",
        ),
        Plays(""),
    ),
    case(
        "class",
        Text("Cat.h", "struct Cat ", "struct Kat "),
        Broken("Cat.h declares no class named Cat", "did you mean ‘Kat’?"),
    ),
    case(
        "no-include",
        Text("Cat.h", "#include \"IAgent.h\"\n", ""),
        Broken("g++ exited with 1", "expected class-name"),
    ),
    case(
        "constructor",
        Text(
            "Cat.h",
            "struct Cat : IAgent {",
            "struct Cat : IAgent {\n    Cat(int) {}",
        ),
        Broken(
            "the class Cat has no public constructor without arguments",
            "",
        ),
    ),
    case(
        "syntax",
        Text("Cat.h", "return free[", "return fre["),
        Broken("g++ exited with 1", "Cat.h:12:16: error: ‘fre’"),
    ),
    case(
        "main",
        Text(
            "Board.h",
            "#pragma once",
            "#pragma once\nint main() { return 0; }",
        ),
        Broken(
            "a file defines main; the judge has its own",
            "multiple definition",
        ),
    ),
    case(
        "undefined",
        Text(
            "Board.h",
            "#pragma once",
            "#pragma once\nint nowhere();\nstatic int nothing = nowhere();",
        ),
        Broken(
            "a function is declared but nowhere defined",
            "undefined reference",
        ),
    ),
    case(
        "spelling",
        Name("Cat.h", "cat.h"),
        Broken("cat.h must be spelled Cat.h", ""),
    ),
    case(
        "first-constructor",
        Text(
            "Cat.h",
            "#pragma once",
            r"#pragma once
__attribute__((constructor(50))) static void first() { for (volatile int i = 0; i >= 0; i = 1) {} }",
        ),
        Faults("time", "", ""),
    ),
    case(
        "first-by-name",
        Text(
            "Cat.h",
            "#pragma once",
            r#"#pragma once
extern "C" { static void first() { for (volatile int i = 0; i >= 0; i = 1) {} } }
__attribute__((section(".init_array.00000"), used)) static void (*before)() = first;"#,
        ),
        Faults("time", "", ""),
    ),
    // Its own allocator, and other names of the library's; only its own code calls them.
    case(
        "own-names",
        Text(
            "Cat.h",
            "#pragma once",
            r#"#pragma once
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>
inline bool called;
__attribute__((weak)) void* operator new(std::size_t n) { called = true; if (!n) abort(); return malloc(n); }
__attribute__((weak)) void operator delete(void* p) noexcept { free(p); }
__attribute__((weak)) void operator delete(void* p, std::size_t) noexcept { free(p); }
extern "C" {
__attribute__((weak)) int __libc_start_main() { abort(); }
__attribute__((weak)) void _start() { abort(); }
__attribute__((weak)) int fflush(FILE*) { abort(); }
__attribute__((weak)) long syscall(long, ...) { abort(); }
__attribute__((weak)) void __libc_init_first() { abort(); }
__attribute__((weak)) void _dl_relocate_static_pie() { abort(); }
__attribute__((weak)) int dup3(int, int, int) { abort(); }
asm(".symver own_read, read@@GLIBC_2.2.5\n.weak own_read\nown_read: hlt\n");
asm(".weak memchr\n memchr: hlt\n.weak strlen\n.set strlen, 16\n");
asm(".section .text.memmove,\"axG\",@progbits,memmove,comdat\n.weak memmove\nmemmove: hlt\n.text");
}
static int allocated = [] { operator delete(operator new(4)); std::fputs(called ? "its own" : "the library's", stderr); return 0; }();"#,
        ),
        Plays("its own"),
    ),
    // Every feature of C++ before `main` works there, in the first turn.
    case(
        "globals",
        Text(
            "Cat.h",
            "#pragma once",
            r#"#pragma once
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <typeinfo>
inline int order = 0;
__attribute__((constructor(60000))) static void early() { if (order++ == 0) fputs("early, ", stderr); }
struct Base { virtual ~Base() = default; };
struct Derived : Base { int x = 3; };
inline thread_local std::string own = "own";
template <class T> struct Holder { static T value; };
template <class T> T Holder<T>::value = T(39);
inline std::unique_ptr<Base> base = std::make_unique<Derived>();
static bool global = [] {
    int sum = Holder<int>::value + dynamic_cast<Derived&>(*base).x;
    try { throw std::out_of_range("thrown"); } catch (const std::exception& e) { sum += e.what()[0] == 't' ? 0 : 1; }
    try { (void)dynamic_cast<Derived&>(*std::make_unique<Base>()); } catch (const std::bad_cast&) { sum *= 2; }
    std::thread([&] { own += "!"; sum += own.size() == 4; }).join();
    std::ostringstream text;
    text << sum << ' ' << own << ' ' << std::string(typeid(*base).name());
    std::cerr << text.str() << std::endl;
    return true;
}();"#,
        ),
        Plays("early, 85 own 7Derived"),
    ),
    case(
        "throws-early",
        Text(
            "Cat.h",
            "#pragma once",
            r"#pragma once
static int thrown = [] { throw 7; return 0; }();",
        ),
        Faults("crash", "", "terminate called after throwing"),
    ),
    case(
        "out-of-memory",
        Text(
            "Cat.h",
            "#pragma once",
            r"#pragma once
#include <new>
static int gone = [] { throw std::bad_alloc(); return 0; }();",
        ),
        Faults("memory", "", "out of memory"),
    ),
    // Code that would run before the kit's first line is refused.
    case(
        "preinit",
        Text(
            "Cat.h",
            "#pragma once",
            r#"#pragma once
static void first() {}
__attribute__((section(".preinit_array"), used)) static void (*before)() = first;"#,
        ),
        Broken(
            "it has a section .preinit_array, but only sections that g++ makes itself are linked",
            "",
        ),
    ),
    case(
        "ifunc",
        Text(
            "Cat.h",
            "#pragma once",
            r#"#pragma once
static int chosen() { return 1; }
extern "C" { static int (*choose())() { return chosen; } int either() __attribute__((ifunc("choose"))); }
static int either_way = either();"#,
        ),
        Broken(
            "either is an IFUNC, which runs before the judge asks anything",
            "",
        ),
    ),
    case(
        "optimised-later",
        Text(
            "Cat.h",
            "#pragma once",
            r#"#pragma once
asm(".section .gnu.lto_.opts,\"a\"\n.quad 0\n.text");"#,
        ),
        Broken("g++ exited with 1", ""),
    ),
    case(
        "shared",
        Text(
            "Cat.h",
            "#pragma once",
            r#"#pragma once
asm(".type only,@gnu_unique_object\n.globl only\nonly: .quad 0");"#,
        ),
        Broken("only is shared with the judge's files", ""),
    ),
    case(
        "relocated",
        Text(
            "Cat.h",
            "#pragma once",
            r#"#pragma once
asm(".data\n.reloc ., R_X86_64_IRELATIVE, 0\n.quad 0\n.text");"#,
        ),
        Broken(
            ".data has a relocation that takes effect before the judge asks anything",
            "",
        ),
    ),
];
