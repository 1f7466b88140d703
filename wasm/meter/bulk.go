package meter

import "bytes"

// chunk is the most memory, in bytes, that a bulk operation touches between two charges: 64 KiB take a few microseconds.
const chunk = 64 << 10

// Lengths are charged one unit per 1<<shift of them.
const (
	fillShift  = 5 // bytes
	copyShift  = 5 // bytes
	tableShift = 4 // entries
)

// rewriteMisc rewrites the instructions with the prefix 0xfc: saturating truncation, bulk memory and table operations.
func (f *function) rewriteMisc() {
	sub := f.readPrefixed(opMisc)
	if sub < miscMemoryInit {
		f.addWeight(8)
		return
	}
	switch sub {
	case miscMemoryInit:
		segment := f.in.readU32()
		f.requireZero()
		f.chargeBulk(-3)
		if f.m.findSegmentSize(segment) > chunk {
			f.replaceWithCall(f.m.addInitFunc(segment))
			return
		}
		f.chargeLength(copyShift)
	case miscDataDrop:
		f.m.out.State.Beyond = true
		f.m.findSegmentSize(f.in.readU32())
		f.chargeBulk(0)
	case miscMemoryCopy:
		f.requireZero()
		f.requireZero()
		if !f.chargeShort(copyShift) {
			f.replaceWithCall(f.m.addCopyFunc())
		}
	case miscMemoryFill:
		f.requireZero()
		if !f.chargeShort(fillShift) {
			f.replaceWithCall(f.m.addFillFunc())
		}
	case miscTableInit:
		f.m.out.State.Beyond = true
		f.m.checkElement(f.in.readU32())
		f.m.checkTable(f.in.readU32())
		f.chargeBulk(-3)
		f.chargeLength(tableShift)
	case miscElemDrop:
		f.m.out.State.Beyond = true
		f.m.checkElement(f.in.readU32())
		f.chargeBulk(0)
	case miscTableCopy:
		f.m.out.State.Beyond = true
		f.m.checkTable(f.in.readU32())
		f.m.checkTable(f.in.readU32())
		f.chargeBulk(-3)
		f.chargeLength(tableShift)
	case miscTableGrow:
		f.m.out.State.Beyond = true
		f.m.checkTable(f.in.readU32())
		f.chargeBulk(-1)
		f.insertTicks()
	case miscTableSize:
		f.m.checkTable(f.in.readU32())
		f.addWeight(2)
		f.moveHeight(1)
	case miscTableFill:
		f.m.out.State.Beyond = true
		f.m.checkTable(f.in.readU32())
		f.chargeBulk(-3)
		f.chargeLength(tableShift)
	default:
		refuseModule(ReasonUnsupported, "opcode 0xfc %d", sub)
	}
}

// readPrefixed reads the number of an instruction after a prefix. Runtimes differ in how they read a number that is not in its shortest
// form, so the rewriter shortens it and pads with nop to keep the length.
func (f *function) readPrefixed(prefix byte) uint32 {
	sub := f.in.readU32()
	if sub >= uint32(len(vector)) {
		refuseModule(ReasonUnsupported, "opcode %#x %#x: relaxed SIMD or unknown", prefix, sub)
	}
	short := appendU32([]byte{prefix}, sub)
	if extra := f.in.p - f.start - len(short); extra > 0 {
		if !f.owned {
			f.in.b, f.owned = bytes.Clone(f.in.b), true
		}
		for i := range extra {
			f.in.b[f.start+i] = opNop
		}
		copy(f.in.b[f.start+extra:], short)
	}
	return sub
}

// replaceWithCall replaces the instruction just read with a call of an added function.
func (f *function) replaceWithCall(x uint32) {
	f.dropInstruction()
	f.storeCounter()
	f.code = appendU32(append(f.code, opCall), x)
	f.reloadCounter()
}

// chargeShort reports whether the length operand is a constant small enough to be charged in advance. It books the cost of the operation in
// either case.
func (f *function) chargeShort(shift byte) bool {
	ok := f.length >= 0 && f.length <= stride<<shift
	if ok {
		f.addWeight(int(f.length >> shift))
	}
	f.chargeBulk(-3)
	return ok
}

// chargeBulk books the fixed cost of a bulk operation, without its length.
func (f *function) chargeBulk(delta int) {
	f.addWeight(20)
	f.moveHeight(delta)
}

// rewriteVector rewrites an instruction with the prefix 0xfd.
func (f *function) rewriteVector() {
	sub := f.readPrefixed(opVector)
	info := vector[sub]
	switch info.imm {
	case immNone:
	case immMemArg:
		f.rewriteMemArg()
	case immLane:
		f.in.readByte()
	case immMemLane:
		f.rewriteMemArg()
		f.in.readByte()
	case immV128:
		f.in.readBytes(16)
	default:
		refuseModule(ReasonUnsupported, "opcode 0xfd %#x", sub)
	}
	f.wide = true
	f.addWeight(int(info.weight))
	f.moveHeight(int(info.delta))
}
