package meter

func (f *function) rewriteMemArg() {
	// Bit 6 of the alignment would announce a memory index; memory64 would allow a longer offset.
	if align := f.in.readU32(); align >= 32 {
		refuseModule(ReasonMalformed, "alignment 2^%d", align)
	}
	f.in.readU32()
}

func (f *function) requireZero() {
	if f.in.readByte() != 0 {
		refuseModule(ReasonUnsupported, "a second memory")
	}
}

func (f *function) rewriteRefType() {
	if t := f.in.readValType(); t != FuncRef && t != ExternRef {
		refuseModule(ReasonMalformed, "reference type %s", t)
	}
}

// readLabel reads a label and returns how many values a branch to it carries.
func (f *function) readLabel() int {
	x := f.in.readU32()
	if uint64(x) >= uint64(len(f.blocks)) {
		refuseModule(ReasonIndex, "label %d of %d", x, len(f.blocks))
	}
	b := &f.blocks[len(f.blocks)-1-int(x)]
	b.addPath(f.dead)
	if b.op == opLoop {
		return b.params
	}
	return b.results
}

// readBlockType returns how many values a construct takes and leaves on the operand stack.
func (f *function) readBlockType() (params, results int) {
	if c := f.in.readByte(); c == emptyBlock {
		return 0, 0
	} else if ValType(c).isValid() {
		return 0, 1
	}
	f.in.p--
	x := f.in.readSigned(33)
	if x < 0 {
		refuseModule(ReasonUnsupported, "block type %d", x)
	}
	t := f.m.findFuncType(uint32(x))
	return len(t.params), len(t.results)
}
