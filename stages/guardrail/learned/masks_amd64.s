//go:build amd64 && !purego

#include "textflag.h"

// Each constant 16 times over.
DATA bytesOfClasses<>+0(SB)/8, $0x6161616161616161 // 'a'
DATA bytesOfClasses<>+8(SB)/8, $0x6161616161616161
DATA bytesOfClasses<>+16(SB)/8, $0x1919191919191919 // 'z' - 'a'
DATA bytesOfClasses<>+24(SB)/8, $0x1919191919191919
DATA bytesOfClasses<>+32(SB)/8, $0x3030303030303030 // '0'
DATA bytesOfClasses<>+40(SB)/8, $0x3030303030303030
DATA bytesOfClasses<>+48(SB)/8, $0x0909090909090909 // '9' - '0'
DATA bytesOfClasses<>+56(SB)/8, $0x0909090909090909
DATA bytesOfClasses<>+64(SB)/8, $0x5f5f5f5f5f5f5f5f // '_'
DATA bytesOfClasses<>+72(SB)/8, $0x5f5f5f5f5f5f5f5f
DATA bytesOfClasses<>+80(SB)/8, $0x2525252525252525 // '%'
DATA bytesOfClasses<>+88(SB)/8, $0x2525252525252525
DATA bytesOfClasses<>+96(SB)/8, $0x2626262626262626 // '&'
DATA bytesOfClasses<>+104(SB)/8, $0x2626262626262626
DATA bytesOfClasses<>+112(SB)/8, $0x5c5c5c5c5c5c5c5c // '\\'
DATA bytesOfClasses<>+120(SB)/8, $0x5c5c5c5c5c5c5c5c
DATA bytesOfClasses<>+128(SB)/8, $0xe3e3e3e3e3e3e3e3 // the first lead of a script without spaces
DATA bytesOfClasses<>+136(SB)/8, $0xe3e3e3e3e3e3e3e3
GLOBL bytesOfClasses<>(SB), RODATA|NOPTR, $144

// CLASSIFY sets the bytes of word and sign that are of that class in the bytes of x, which it keeps, and adds leads to Y15.
#define CLASSIFY(x, word, sign, t) \
	VPSUBB   Y0, x, word        \
	VPMINUB  Y1, word, t        \
	VPCMPEQB word, t, word      \ // letters
	VPSUBB   Y2, x, sign        \
	VPMINUB  Y3, sign, t        \
	VPCMPEQB sign, t, t         \ // digits
	VPOR     t, word, word      \
	VPCMPEQB x, Y4, t           \
	VPOR     t, word, word      \
	VPOR     x, word, word      \ // all from 0x80, whose highest bit is set
	VPCMPEQB x, Y5, sign        \
	VPCMPEQB x, Y6, t           \
	VPOR     t, sign, sign      \
	VPCMPEQB x, Y7, t           \
	VPOR     t, sign, sign      \
	VPMAXUB  x, Y8, t           \
	VPCMPEQB x, t, t            \
	VPOR     t, Y15, Y15

// func markWords(words, signs *uint64, p *byte, chunks int) (spaced bool)
//
// Registers: DI words, R8 signs, SI p, CX chunks that are left; Y0 to Y8 the constants, Y15 leads so far.
TEXT ·markWords(SB), NOSPLIT, $0-33
	MOVQ words+0(FP), DI
	MOVQ signs+8(FP), R8
	MOVQ p+16(FP), SI
	MOVQ chunks+24(FP), CX
	LEAQ bytesOfClasses<>(SB), DX
	VBROADCASTI128 (DX), Y0
	VBROADCASTI128 16(DX), Y1
	VBROADCASTI128 32(DX), Y2
	VBROADCASTI128 48(DX), Y3
	VBROADCASTI128 64(DX), Y4
	VBROADCASTI128 80(DX), Y5
	VBROADCASTI128 96(DX), Y6
	VBROADCASTI128 112(DX), Y7
	VBROADCASTI128 128(DX), Y8
	VPXOR Y15, Y15, Y15

chunk:
	VMOVDQU (SI), Y9
	CLASSIFY(Y9, Y10, Y11, Y12)
	VPMOVMSKB Y10, AX
	VPMOVMSKB Y11, BX
	VMOVDQU 32(SI), Y9
	CLASSIFY(Y9, Y10, Y11, Y12)
	VPMOVMSKB Y10, R9
	VPMOVMSKB Y11, R10
	SHLQ $32, R9
	ORQ  R9, AX
	SHLQ $32, R10
	ORQ  R10, BX
	MOVQ AX, (DI)
	MOVQ BX, (R8)
	ADDQ $64, SI
	ADDQ $8, DI
	ADDQ $8, R8
	DECQ CX
	JNZ  chunk

	VPMOVMSKB Y15, AX
	TESTL AX, AX
	SETEQ spaced+32(FP)
	VZEROUPPER
	RET
