//go:build amd64 && !purego

#include "textflag.h"

// func markStarts(starts *uint32, p *byte, blocks int, f *prefilter)
//
// Registers: DI starts, SI p, CX blocks that are left; Y0 to Y5 the tables, Y6 the mask of a half, Y7 zero; Y8 to Y10 the bytes at
// the places of a block and one and two behind them.
TEXT ·markStarts(SB), NOSPLIT, $0-32
	MOVQ starts+0(FP), DI
	MOVQ p+8(FP), SI
	MOVQ blocks+16(FP), CX
	MOVQ f+24(FP), DX
	VBROADCASTI128 (DX), Y0
	VBROADCASTI128 16(DX), Y1
	VBROADCASTI128 32(DX), Y2
	VBROADCASTI128 48(DX), Y3
	VBROADCASTI128 64(DX), Y4
	VBROADCASTI128 80(DX), Y5
	MOVQ $0x0f0f0f0f0f0f0f0f, BX
	VMOVQ BX, X6
	VPBROADCASTQ X6, Y6
	VPXOR Y7, Y7, Y7

block:
	VMOVDQU (SI), Y8
	VMOVDQU 1(SI), Y9
	VMOVDQU 2(SI), Y10

	VPAND   Y8, Y6, Y11
	VPSRLW  $4, Y8, Y8
	VPAND   Y8, Y6, Y8
	VPSHUFB Y11, Y0, Y11
	VPSHUFB Y8, Y1, Y8
	VPAND   Y11, Y8, Y8

	VPAND   Y9, Y6, Y11
	VPSRLW  $4, Y9, Y9
	VPAND   Y9, Y6, Y9
	VPSHUFB Y11, Y2, Y11
	VPSHUFB Y9, Y3, Y9
	VPAND   Y11, Y9, Y9

	VPAND   Y10, Y6, Y11
	VPSRLW  $4, Y10, Y10
	VPAND   Y10, Y6, Y10
	VPSHUFB Y11, Y4, Y11
	VPSHUFB Y10, Y5, Y10
	VPAND   Y11, Y10, Y10

	VPAND    Y8, Y9, Y8
	VPAND    Y8, Y10, Y8
	VPCMPEQB Y8, Y7, Y8
	VPMOVMSKB Y8, R8
	NOTL R8
	MOVL R8, (DI)
	ADDQ $32, SI
	ADDQ $4, DI
	DECQ CX
	JNZ  block

	VZEROUPPER
	RET
