# 32-bit code without a C library, built by the assembler and the linker alone; spins for a second or
# two. Entered at _start, by frame pointers throughout: _start - outer - middle - inner, and a function
# of few instructions, short. Entered at start_bare, where none has a frame and ebp points to a local
# array: start_bare - bare.
	.text
	.macro enter
	push %ebp
	mov %esp, %ebp
	.endm

	.macro function name
	.globl \name
	.type \name, @function
\name:
	.endm

	.macro spin n
	mov $\n, %ecx
1:	dec %ecx
	jnz 1b
	.endm

	function _start
	xor %ebp, %ebp
	call outer
	call leave
	.size _start, .-_start

	function outer
	enter
	call middle
	pop %ebp
	ret
	.size outer, .-outer

	function middle
	enter
	mov $1500, %esi
2:	call inner
	mov $100000, %edi
3:	call short
	dec %edi
	jnz 3b
	dec %esi
	jnz 2b
	pop %ebp
	ret
	.size middle, .-middle

	function inner
	enter
	spin 500000
	pop %ebp
	ret
	.size inner, .-inner

	function short
	enter
	pop %ebp
	ret
	.size short, .-short

	function start_bare
	call bare
	call leave
	.size start_bare, .-start_bare

	# A chain of garbage: no code, code behind no call, and the array itself again.
	function bare
	sub $64, %esp
	mov %esp, %ebp
	lea 16(%esp), %eax
	mov %eax, (%ebp)
	movl $bare + 3, 4(%ebp)
	mov %eax, 16(%ebp)
	movl $0x12345678, 20(%ebp)
	mov $1500, %esi
4:	spin 500000
	dec %esi
	jnz 4b
	add $64, %esp
	ret
	.size bare, .-bare

	function leave
	mov $1, %eax # exit
	xor %ebx, %ebx
	int $0x80
	.size leave, .-leave
