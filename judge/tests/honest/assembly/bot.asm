; Reads a line a time; the letter after {" names the message.
section .data
ready: db '{"ready":{"legal_moves":true}}', 10
ready_len equ $ - ready
move: db '{"move":0}', 10
section .bss
line: resb 65536
section .text
global _start
_start: xor eax, eax
        xor edi, edi
        mov rsi, line
        mov edx, 65536
        syscall
        test rax, rax
        jle done
        cmp byte [line + 2], 'e'
        je _start
        cmp byte [line + 2], 't'
        je turn
        mov rsi, ready
        mov edx, ready_len
        jmp write
turn:   mov rdi, line
find:   inc rdi
        cmp dword [rdi], '"leg'
        jne find
        mov al, [rdi + 9]
        mov [move + 8], al
        mov rsi, move
        mov edx, 11
write:  mov eax, 1
        mov edi, 1
        syscall
        jmp _start
done:   mov eax, 60
        xor edi, edi
        syscall
