package meter

// stride is the most weight one checkpoint pays for, save for a single dearer
// instruction. Smaller means more checkpoints, larger means that a branch out
// of a run of code has paid for more than it ran.
const stride = 256

// grace is the weight behind a call that is paid for together with the call, so
// that taking up the result, or returning at once, needs no checkpoint. It is
// what each frame of a deep stack may still run after a tick.
const grace = 4

// entryInLoop is the most weight at the entry of a function that is left to the
// first loop header to pay, which every call passes. It is then paid on every
// turn, and the function has no checkpoint at its entry.
const entryInLoop = 16

// maxCharge is the largest charge the two bytes of a checkpoint's constant
// hold.
const maxCharge = 1<<13 - 1

// inlineChecks is how many checkpoints of one function are written in place.
// Each makes two basic blocks, and the time of the compiler grows with the
// square of their number, so the rest becomes calls of the charge function.
// Real functions have a few dozen.
const inlineChecks = 256

// checkpoint is a place where a charge is paid. The charge is known only when
// the code behind it has been read, so its constant is patched at the end.
type checkpoint struct {
	at     int // of the constant in the code buffer; -1 for the function's entry
	weight int
}

// none marks that no checkpoint pays for what follows.
const none = -1

// spend books the weight of the next instruction, writing a checkpoint before
// it when none is in force or the one that is has paid for a stride.
func (f *function) spend(weight int) {
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
	f.check(weight)
}

// check writes a checkpoint with a first weight before the instruction being
// read and puts it in force.
func (f *function) check(weight int) {
	f.upTo(f.start)
	f.checks++
	switch {
	case f.checks > inlineChecks:
		f.release()
		f.points = append(f.points, checkpoint{len(f.code) + 1, weight})
		f.code = append(f.code, opI32Const, 0x80, 0)
		f.code = appendU32(append(f.code, opCall), f.m.chargeFunc())
		f.reload()
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

// stale ends the run the checkpoint in force pays for, here and behind every
// enclosing block. What follows may have been paid for up to a weight of grace.
func (f *function) stale(grace int) {
	f.cur, f.grace = none, grace
	f.events++
}

// release writes the counter back before a call, when the function keeps it in
// a local.
func (f *function) release() {
	if f.cached {
		f.code = append(appendU32(append(f.code, opLocalGet), f.scratch), f.m.counterSet...)
	}
}

// reload is the other half of release.
func (f *function) reload() {
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

// chargeLength charges by the length operand on top of the operand stack, per
// 1<<shift of it, and leaves the operands as they are.
func (f *function) chargeLength(shift byte) {
	f.upTo(f.start)
	f.release()
	f.usesScratch = true
	f.code = appendU32(append(f.code, opLocalTee), f.scratch)
	f.code = appendU32(append(f.code, opLocalGet), f.scratch)
	f.code = append(f.code, opI32Const, shift, opI32ShrU, opCall)
	f.code = appendU32(f.code, f.m.chargeFunc())
	f.reload()
}

// tickAround surrounds the instruction just read with a tick before it,
// whatever is left of the slice, and an empty counter behind it, so that the
// next checkpoint ticks as well.
func (f *function) tickAround() {
	f.upTo(f.start)
	f.code = appendU32(append(f.code, opCall), f.m.tickFunc())
	f.setCounter()
	f.upTo(f.in.p)
	f.code = append(f.code, opI32Const, 0)
	f.setCounter()
	f.stale(0)
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

// prepare builds the byte sequences every checkpoint consists of.
func (m *rewriter) prepare() {
	m.counterGet = appendU32([]byte{opGlobalGet}, m.counter())
	m.counterSet = appendU32([]byte{opGlobalSet}, m.counter())
	d := append([]byte{opI32Sub}, m.counterSet...)
	d = append(append(d, m.counterGet...), opI32Const, 0, opI32LtS, opIf, emptyBlock, opCall)
	d = append(appendU32(d, m.tickFunc()), m.counterSet...)
	m.countDown = append(d, opEnd)
}

// countDownLocal is countDown for a counter that is kept in a local.
func (m *rewriter) countDownLocal(b []byte, local uint32) []byte {
	b = appendU32(append(b, opI32Sub, opLocalTee), local)
	b = append(b, opI32Const, 0, opI32LtS, opIf, emptyBlock, opCall)
	b = appendU32(b, m.tickFunc())
	return append(appendU32(append(b, opLocalSet), local), opEnd)
}
