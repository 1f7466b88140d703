package meter

func (f *function) memArg() {
	// Bit 6 of the alignment would announce a memory index; memory64 would allow a longer offset.
	if align := f.in.u32(); align >= 32 {
		refuse(ReasonMalformed, "alignment 2^%d", align)
	}
	f.in.u32()
}

func (f *function) requireZero() {
	if f.in.byte() != 0 {
		refuse(ReasonUnsupported, "a second memory")
	}
}

func (f *function) refType() {
	if t := f.in.valType(); t != FuncRef && t != ExternRef {
		refuse(ReasonMalformed, "reference type %s", t)
	}
}

// label reads a label and returns how many values a branch to it carries.
func (f *function) label() int {
	x := f.in.u32()
	if uint64(x) >= uint64(len(f.blocks)) {
		refuse(ReasonIndex, "label %d of %d", x, len(f.blocks))
	}
	b := &f.blocks[len(f.blocks)-1-int(x)]
	b.arrive(f.dead)
	if b.op == opLoop {
		return b.params
	}
	return b.results
}

// blockType returns how many values a construct takes and leaves on the operand stack.
func (f *function) blockType() (params, results int) {
	if c := f.in.byte(); c == emptyBlock {
		return 0, 0
	} else if ValType(c).valid() {
		return 0, 1
	}
	f.in.p--
	x := f.in.readSigned(33)
	if x < 0 {
		refuse(ReasonUnsupported, "block type %d", x)
	}
	t := f.m.funcType(uint32(x))
	return len(t.params), len(t.results)
}
