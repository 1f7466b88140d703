//go:build amd64 && !purego

#include "textflag.h"

// The second characters of two-byte escapes, "\/bfnrt and the backslash, by their halves: a character is one of them if
// the entry of its low half and that of its high half have a bit in common.
DATA escapeLow<>+0(SB)/8, $0x00040008000d0000  // 2: " b r, 4: t, 6: f
DATA escapeLow<>+8(SB)/8, $0x0104000200000000  // c: backslash, e: n, f: /
GLOBL escapeLow<>(SB), RODATA|NOPTR, $16

DATA escapeHigh<>+0(SB)/8, $0x0804020000010000 // 2: " /, 5: backslash, 6: b f n, 7: r t
DATA escapeHigh<>+8(SB)/8, $0x0000000000000000
GLOBL escapeHigh<>(SB), RODATA|NOPTR, $16

// func skipBlocks(p *byte, n int) (k int, escaped bool)
//
// Registers: SI p, CX n, AX offset of the block, DI 1 if the first byte of the block is escaped, R8 the backslashes so far;
// Y0 quotes, Y1 backslashes, Y2 spaces, Y3 and Y4 the tables, Y5 the mask of a half, Y6 zero.
TEXT ·skipBlocks(SB), NOSPLIT, $0-25
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	XORQ AX, AX
	XORQ DI, DI
	XORQ R8, R8
	MOVQ $0x2222222222222222, BX
	MOVQ BX, X0
	VPBROADCASTQ X0, Y0
	MOVQ $0x5c5c5c5c5c5c5c5c, BX
	MOVQ BX, X1
	VPBROADCASTQ X1, Y1
	MOVQ $0x2020202020202020, BX
	MOVQ BX, X2
	VPBROADCASTQ X2, Y2
	MOVQ $0x0f0f0f0f0f0f0f0f, BX
	MOVQ BX, X5
	VPBROADCASTQ X5, Y5
	VBROADCASTI128 escapeLow<>(SB), Y3
	VBROADCASTI128 escapeHigh<>(SB), Y4
	VPXOR Y6, Y6, Y6

block:
	LEAQ 64(AX), BX
	CMPQ BX, CX
	JGT  rest
	VMOVDQU (SI)(AX*1), Y8
	VMOVDQU 32(SI)(AX*1), Y9

	// R9: quotes, control characters and all from 0x80: as signed numbers, the latter two are below a space.
	VPCMPEQB Y8, Y0, Y10
	VPCMPGTB Y8, Y2, Y11
	VPOR     Y10, Y11, Y10
	VPCMPEQB Y9, Y0, Y12
	VPCMPGTB Y9, Y2, Y13
	VPOR     Y12, Y13, Y12
	VPMOVMSKB Y10, R9
	VPMOVMSKB Y12, R10
	SHLQ $32, R10
	ORQ  R10, R9

	// R11: backslashes.
	VPCMPEQB Y8, Y1, Y10
	VPCMPEQB Y9, Y1, Y12
	VPMOVMSKB Y10, R11
	VPMOVMSKB Y12, R12
	SHLQ $32, R12
	ORQ  R12, R11

	MOVQ R11, BX
	ORQ  DI, BX
	JNZ  escapes
	TESTQ R9, R9
	JNZ  stop
	ADDQ $64, AX
	JMP  block

stop: // without escapes in the block
	BSFQ R9, BX
	ADDQ BX, AX
	JMP  done

escapes:
	// R13: the characters behind a backslash that is not itself escaped. The first byte of each series of backslashes
	// begins an escape; adding bits that alternate to it carries through the series and tells odd from even.
	MOVQ DI, R12
	NOTQ R12
	ANDQ R11, R12                    // backslashes that may begin an escape
	LEAQ (R12)(R12*1), R13
	MOVQ $0xaaaaaaaaaaaaaaaa, BX
	ORQ  BX, R13
	SUBQ R12, R13
	XORQ BX, R13                     // begins an escape, or ends one
	MOVQ R13, R10
	ANDQ R11, R10                    // begins one
	MOVQ R11, R12
	ORQ  DI, R12
	XORQ R12, R13                    // is escaped

	// R12: the characters that a backslash may stand before.
	VPSHUFB Y8, Y3, Y10
	VPSRLW  $4, Y8, Y11
	VPAND   Y5, Y11, Y11
	VPSHUFB Y11, Y4, Y11
	VPAND   Y10, Y11, Y10
	VPCMPEQB Y10, Y6, Y10
	VPSHUFB Y9, Y3, Y12
	VPSRLW  $4, Y9, Y13
	VPAND   Y5, Y13, Y13
	VPSHUFB Y13, Y4, Y13
	VPAND   Y12, Y13, Y12
	VPCMPEQB Y12, Y6, Y12
	VPMOVMSKB Y10, R12
	VPMOVMSKB Y12, BX
	SHLQ $32, BX
	ORQ  BX, R12                     // the characters that it may not stand before

	ANDQ R13, R12                    // wrong or longer escapes
	NOTQ R13
	ANDQ R13, R9                     // what stops and is not escaped
	ORQ  R12, R9
	JNZ  stopEscaped
	ORQ  R11, R8
	MOVQ R10, DI
	SHRQ $63, DI
	ADDQ $64, AX
	JMP  block

stopEscaped:
	BSFQ R9, BX
	BTQ  BX, R12
	JCC  plainStop
	DECQ BX                          // the escape begins one before
plainStop:
	ADDQ BX, AX
	// The backslashes before the stop.
	LEAQ -1(R9), R10
	XORQ R9, R10                     // up to the stop and with it
	ANDQ R10, R11
	ORQ  R11, R8
	JMP  done

rest:
	SUBQ DI, AX                      // an escape that the rest goes on with begins one before
done:
	VZEROUPPER
	MOVQ AX, k+16(FP)
	TESTQ R8, R8
	SETNE escaped+24(FP)
	RET
