package meter

// stride is the most weight that one checkpoint pays for, except for a single heavier instruction. A smaller stride means more
// checkpoints; with a larger one, a branch out of a run of code has paid for more than it ran.
const stride = 256

// grace is the weight after a call that is paid for together with the call, so that storing the result, or returning at once, needs no
// checkpoint. Each frame of a deep stack may still run this much after a tick.
const grace = 4

// entryInLoop is the most weight at the entry of a function that is left to the first loop header, which every call passes. It is then
// paid on every iteration, and the function has no checkpoint at its entry.
const entryInLoop = 16

// maxCharge is the largest charge that the two bytes of a checkpoint's constant can hold.
const maxCharge = 1<<13 - 1

// inlineChecks is the number of checkpoints of one function that are written inline. Each adds two basic blocks, and the compiler's time
// grows with the square of their number, so further checkpoints become calls of the charge function. Real functions have a few dozen.
const inlineChecks = 256

// checkpoint is a place where a charge is paid. The charge is known only after the code behind it has been read, so its constant is
// patched at the end.
type checkpoint struct {
	at     int // of the constant in the code buffer; -1 for the function's entry
	weight int
}

// none means that no checkpoint pays for the following code.
const none = -1

// addWeight books the weight of the next instruction. It writes a checkpoint first if none is in force or the current
// one has paid for a stride.
func (f *function) addWeight(weight int) {
	if weight == 0 || f.dead {
		return
	}
	if f.cur != none {
		if c := &f.points[f.cur]; c.weight == 0 || c.weight+weight <= stride {
			c.weight += weight
			return
		}
	} else if weight <= f.grace {
		f.grace -= weight
		return
	}
	f.writeCheckpoint(weight)
}

// writeCheckpoint writes a checkpoint with an initial weight before the instruction being read and puts it in force.
func (f *function) writeCheckpoint(weight int) {
	f.copyUpTo(f.start)
	f.checks++
	switch {
	case f.checks > inlineChecks:
		f.storeCounter()
		f.points = append(f.points, checkpoint{len(f.code) + 1, weight})
		f.code = append(f.code, opI32Const, 0x80, 0)
		f.code = appendU32(append(f.code, opCall), f.m.addChargeFunc())
		f.reloadCounter()
	case f.cached:
		f.code = appendU32(append(f.code, opLocalGet), f.scratch)
		f.points = append(f.points, checkpoint{len(f.code) + 1, weight})
		f.code = append(f.code, opI32Const, 0x80, 0)
		f.code = f.m.countDownLocal(f.code, f.scratch)
	default:
		f.code = append(f.code, f.m.counterGet...)
		f.points = append(f.points, checkpoint{len(f.code) + 1, weight})
		f.code = append(f.code, opI32Const, 0x80, 0)
		f.code = append(f.code, f.m.countDown...)
	}
	f.cur, f.grace = len(f.points)-1, 0
	f.events++
}

// endPaidRun ends the run of code that the checkpoint in force pays for, here and after every enclosing block. The
// following code may already be paid for up to a weight of grace.
func (f *function) endPaidRun(grace int) {
	f.cur, f.grace = none, grace
	f.events++
}

// storeCounter writes the counter back before a call if the function keeps it in a local.
func (f *function) storeCounter() {
	if f.cached {
		f.code = append(appendU32(append(f.code, opLocalGet), f.scratch), f.m.counterSet...)
	}
}

// reloadCounter loads the counter into its local again after a call; see release.
func (f *function) reloadCounter() {
	if f.cached {
		f.code = appendU32(append(append(f.code, f.m.counterGet...), opLocalSet), f.scratch)
	}
}

// setCounter writes the instruction that stores the value on the operand stack
// as the counter.
func (f *function) setCounter() {
	if f.cached {
		f.code = appendU32(append(f.code, opLocalSet), f.scratch)
	} else {
		f.code = append(f.code, f.m.counterSet...)
	}
}

// chargeLength charges one unit per 1<<shift of the length operand on top of the operand stack, and leaves the operands unchanged.
func (f *function) chargeLength(shift byte) {
	f.copyUpTo(f.start)
	f.storeCounter()
	f.usesScratch = true
	f.code = appendU32(append(f.code, opLocalTee), f.scratch)
	f.code = appendU32(append(f.code, opLocalGet), f.scratch)
	f.code = append(f.code, opI32Const, shift, opI32ShrU, opCall)
	f.code = appendU32(f.code, f.m.addChargeFunc())
	f.reloadCounter()
}

// insertTicks puts a tick before the instruction just read, whatever is left of the slice, and an empty counter after
// it, so that the next checkpoint ticks as well.
func (f *function) insertTicks() {
	f.copyUpTo(f.start)
	f.code = appendU32(append(f.code, opCall), f.m.findTickFunc())
	f.setCounter()
	f.copyUpTo(f.in.p)
	f.code = append(f.code, opI32Const, 0)
	f.setCounter()
	f.endPaidRun(0)
}

// patch writes the charges into their checkpoints.
func (f *function) patch() {
	for _, c := range f.points {
		if c.at >= 0 {
			putCharge(f.code[c.at:], c.weight)
		}
	}
}

// putCharge writes a charge as a signed integer of exactly two bytes.
func putCharge(b []byte, weight int) {
	weight = min(weight, maxCharge)
	b[0] = byte(weight&0x7f) | 0x80
	b[1] = byte(weight >> 7)
}

// buildCheckpoint builds the byte sequences that every checkpoint consists of.
func (m *rewriter) buildCheckpoint() {
	m.counterGet = appendU32([]byte{opGlobalGet}, m.findCounter())
	m.counterSet = appendU32([]byte{opGlobalSet}, m.findCounter())
	d := append([]byte{opI32Sub}, m.counterSet...)
	d = append(append(d, m.counterGet...), opI32Const, 0, opI32LtS, opIf, emptyBlock, opCall)
	d = append(appendU32(d, m.findTickFunc()), m.counterSet...)
	m.countDown = append(d, opEnd)
}

// countDownLocal is countDown for a counter that is kept in a local.
func (m *rewriter) countDownLocal(b []byte, local uint32) []byte {
	b = appendU32(append(b, opI32Sub, opLocalTee), local)
	b = append(b, opI32Const, 0, opI32LtS, opIf, emptyBlock, opCall)
	b = appendU32(b, m.findTickFunc())
	return append(appendU32(append(b, opLocalSet), local), opEnd)
}
