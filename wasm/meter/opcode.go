package meter

// The opcodes that the rewriter handles or writes.
const (
	opUnreachable  = 0x00
	opNop          = 0x01
	opBlock        = 0x02
	opLoop         = 0x03
	opIf           = 0x04
	opElse         = 0x05
	opEnd          = 0x0b
	opBr           = 0x0c
	opBrIf         = 0x0d
	opBrTable      = 0x0e
	opReturn       = 0x0f
	opCall         = 0x10
	opCallIndirect = 0x11
	opLocalGet     = 0x20
	opLocalSet     = 0x21
	opLocalTee     = 0x22
	opGlobalGet    = 0x23
	opGlobalSet    = 0x24
	opTableSet     = 0x26
	opMemoryGrow   = 0x40
	opI32Const     = 0x41
	opI64Const     = 0x42
	opF32Const     = 0x43
	opF64Const     = 0x44
	opI32Eqz       = 0x45
	opI32LtS       = 0x48
	opI32LtU       = 0x49
	opI32GtU       = 0x4b
	opI32Add       = 0x6a
	opI32Sub       = 0x6b
	opI32Or        = 0x72
	opI32ShrU      = 0x76
	opSelect       = 0x1b
	opRefNull      = 0xd0
	opRefFunc      = 0xd2
	opMisc         = 0xfc
	opVector       = 0xfd

	miscMemoryInit = 8
	miscDataDrop   = 9
	miscMemoryCopy = 10
	miscMemoryFill = 11
	miscTableInit  = 12
	miscElemDrop   = 13
	miscTableCopy  = 14
	miscTableGrow  = 15
	miscTableSize  = 16
	miscTableFill  = 17

	vecConst = 12

	emptyBlock = 0x40
)

// imm is the form of the immediates after an opcode.
type imm uint8

const (
	immUnknown imm = iota // not an opcode of any accepted feature
	immNone
	immControl // handled one by one
	immLocal
	immGlobal
	immTable
	immMemArg
	immZero // the memory index, one zero byte
	immS32
	immS64
	immF32
	immF64
	immRefType
	immSelect
	immLane
	immMemLane
	immV128
	immExceptions
	immTailCall
	immCallRef
	immGC
	immThreads
)

// opInfo is the rewriter's description of an opcode: its immediates, its weight, and by how many values the operand stack grows.
type opInfo struct {
	imm    imm
	weight uint8
	delta  int8
}

// core is the table of one-byte opcodes, indexed by opcode. Weights follow the time of the native code, measured instruction by
// instruction in dependent chains: one unit is about an addition, and no instruction takes longer than 0.5 ns per unit.
var core = buildCore()

func buildCore() (t [256]opInfo) {
	set := func(from, to int, i imm, weight uint8, delta int8) {
		for op := from; op <= to; op++ {
			t[op] = opInfo{i, weight, delta}
		}
	}
	set(0x00, 0x00, immControl, 1, 0)
	set(opNop, opNop, immNone, 0, 0)
	set(0x02, 0x05, immControl, 0, 0)
	set(0x06, 0x0a, immExceptions, 0, 0)
	set(0x0b, 0x11, immControl, 0, 0)
	set(0x12, 0x13, immTailCall, 0, 0)
	set(0x14, 0x15, immCallRef, 0, 0)
	set(0x18, 0x19, immExceptions, 0, 0)
	set(0x1a, 0x1a, immNone, 1, -1) // drop
	set(0x1b, 0x1b, immNone, 1, -2) // select
	set(0x1c, 0x1c, immSelect, 1, -2)
	set(0x1f, 0x1f, immExceptions, 0, 0)
	set(opLocalGet, opLocalGet, immLocal, 1, 1)
	set(opLocalSet, opLocalSet, immLocal, 1, -1)
	set(opLocalTee, opLocalTee, immLocal, 1, 0)
	set(opGlobalGet, opGlobalGet, immGlobal, 1, 1)
	set(opGlobalSet, opGlobalSet, immGlobal, 1, -1)
	set(0x25, 0x25, immTable, 2, 0)   // table.get
	set(0x26, 0x26, immTable, 2, -2)  // table.set
	set(0x28, 0x35, immMemArg, 2, 0)  // loads
	set(0x36, 0x3e, immMemArg, 2, -2) // stores
	set(0x3f, 0x3f, immZero, 1, 1)    // memory.size
	set(opMemoryGrow, opMemoryGrow, immZero, 100, 0)
	set(opI32Const, opI32Const, immS32, 1, 1)
	set(opI64Const, opI64Const, immS64, 1, 1)
	set(opF32Const, opF32Const, immF32, 1, 1)
	set(opF64Const, opF64Const, immF64, 1, 1)
	set(0x45, 0x45, immNone, 1, 0)   // i32.eqz
	set(0x46, 0x4f, immNone, 1, -1)  // i32 comparisons
	set(0x50, 0x50, immNone, 1, 0)   // i64.eqz
	set(0x51, 0x66, immNone, 1, -1)  // i64, f32, f64 comparisons
	set(0x67, 0x69, immNone, 1, 0)   // i32 bit counts
	set(0x6a, 0x6c, immNone, 1, -1)  // i32 add, sub, mul
	set(0x6d, 0x70, immNone, 10, -1) // i32 division
	set(0x71, 0x78, immNone, 1, -1)  // i32 bit operations
	set(0x79, 0x7b, immNone, 1, 0)   // i64 bit counts
	set(0x7c, 0x7e, immNone, 1, -1)  // i64 add, sub, mul
	set(0x7f, 0x82, immNone, 16, -1) // i64 division
	set(0x83, 0x8a, immNone, 1, -1)  // i64 bit operations
	set(0x8b, 0x8c, immNone, 2, 0)   // f32 abs, neg
	set(0x8d, 0x90, immNone, 6, 0)   // f32 rounding
	set(0x91, 0x91, immNone, 10, 0)  // f32.sqrt
	set(0x92, 0x94, immNone, 3, -1)  // f32 add, sub, mul
	set(0x95, 0x95, immNone, 8, -1)  // f32.div
	set(0x96, 0x97, immNone, 8, -1)  // f32 min, max
	set(0x98, 0x98, immNone, 4, -1)  // f32.copysign
	set(0x99, 0x9a, immNone, 2, 0)   // f64 abs, neg
	set(0x9b, 0x9e, immNone, 6, 0)   // f64 rounding
	set(0x9f, 0x9f, immNone, 14, 0)  // f64.sqrt
	set(0xa0, 0xa2, immNone, 3, -1)  // f64 add, sub, mul
	set(0xa3, 0xa3, immNone, 10, -1) // f64.div
	set(0xa4, 0xa5, immNone, 8, -1)  // f64 min, max
	set(0xa6, 0xa6, immNone, 4, -1)  // f64.copysign
	set(0xa7, 0xbf, immNone, 3, 0)   // conversions
	set(0xa8, 0xab, immNone, 6, 0)   // i32.trunc
	set(0xae, 0xb1, immNone, 8, 0)   // i64.trunc
	set(0xc0, 0xc4, immNone, 1, 0)   // sign extension
	set(opRefNull, opRefNull, immRefType, 1, 1)
	set(0xd1, 0xd1, immNone, 1, 0) // ref.is_null
	set(opRefFunc, opRefFunc, immControl, 0, 0)
	set(0xfb, 0xfb, immGC, 0, 0)
	set(opMisc, opVector, immControl, 0, 0)
	set(0xfe, 0xfe, immThreads, 0, 0)
	return t
}

// refuseOpcode names the feature an opcode belongs to.
func refuseOpcode(i imm, op byte) {
	feature := "an unknown instruction"
	switch i {
	case immExceptions:
		feature = "exception handling"
	case immTailCall:
		feature = "a tail call"
	case immCallRef:
		feature = "typed function references"
	case immGC:
		feature = "garbage-collected types"
	case immThreads:
		feature = "threads"
	}
	refuseModule(ReasonUnsupported, "opcode %#x: %s", op, feature)
}
