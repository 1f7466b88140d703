package meter

// block is one open control construct of the body being read.
type block struct {
	op      byte // opBlock, opLoop, opIf, opElse, or opEnd for the function itself
	dead    bool // the construct itself is in dead code
	params  int
	results int
	base    int // height of the operand stack below the parameters

	// The state of charging at the entry, which the else arm and the code after the end resume.
	cur, weight, thenWeight int
	events                  int

	ways int // control paths that lead to the label
	sets int // assignments to locals before the block
}

// function rewrites one function body. It is reused from body to body.
type function struct {
	m     *rewriter
	in    cursor
	start int    // offset of the instruction being read
	done  int    // the input up to this offset is copied
	owned bool   // the input is a copy and may be changed
	code  []byte // rewritten instructions

	locals      int // parameters and locals
	scratch     uint32
	cached      bool // the counter lives in the scratch local
	usesScratch bool
	wide        bool // uses vector instructions
	straight    bool // no branch has been read yet
	looped      bool // contains a reachable loop
	calls       bool // calls anything
	nests       bool // calls something that may call in turn

	blocks []block
	dead   bool
	height int // of the operand stack

	points []checkpoint
	cur    int // checkpoint in force, or none
	grace  int // weight already paid when none is in force
	events int // counts everything that makes older checkpoints stale
	checks int

	constant int64 // value of the instruction just read if an i32.const, or none
	length   int64 // value of the instruction before it, likewise

	opened int // blocks, loops and ifs
	loops  int
	depth  int // of loops around the instruction

	sets  int // local.set and local.tee seen
	slots int // upper estimate of values that may be kept across a call
}

// rewrite reads the instructions of the body and leaves the rewritten ones, with the closing end, in f.code.
//
// A function with a loop keeps the counter in a local, which a register can hold: through memory each iteration would wait for the
// previous store. Whether there is a loop is known only when one is read, so the reading then starts over.
func (f *function) rewrite(typ *funcType) {
	f.cached, f.owned = false, false
	for from := f.in.p; ; {
		f.begin(typ, from)
		for len(f.blocks) > 0 {
			f.rewriteInstruction()
		}
		if !f.looped || f.cached {
			break
		}
		f.cached = true
		f.in.p = from
	}
	f.in.requireEnd("function body")
	f.copyUpTo(f.in.p)
	f.patch()
}

func (f *function) begin(typ *funcType, from int) {
	f.in.p, f.done = from, from
	f.code = f.code[:0]
	f.blocks = append(f.blocks[:0], block{op: opEnd, results: len(typ.results), cur: 0})
	f.points = append(f.points[:0], checkpoint{at: -1, weight: 1})
	f.cur, f.grace, f.events, f.checks = 0, 0, 0, 0
	f.constant = none
	f.straight = true
	f.dead, f.looped, f.usesScratch, f.calls, f.nests = false, false, false, false, false
	f.height, f.sets, f.slots = 0, 0, f.locals
	f.opened, f.loops, f.depth = 0, 0, 0
}

// copyUpTo copies the input up to an offset.
func (f *function) copyUpTo(p int) {
	if p > f.done {
		f.code = append(f.code, f.in.b[f.done:p]...)
		f.done = p
	}
}

// dropInstruction drops the instruction just read; the caller writes another one.
func (f *function) dropInstruction() {
	f.copyUpTo(f.start)
	f.done = f.in.p
}

func (f *function) rewriteInstruction() {
	f.start = f.in.p
	f.length, f.constant = f.constant, none
	op := f.in.readByte()
	info := core[op]
	switch info.imm {
	case immControl:
		f.rewriteControl(op)
		return
	case immNone:
	case immLocal:
		if x := f.in.readU32(); uint64(x) >= uint64(f.locals) {
			refuseModule(ReasonIndex, "local %d of %d", x, f.locals)
		}
		if op != opLocalGet {
			f.sets++
			f.slots++
		}
	case immGlobal:
		f.m.checkGlobal(f.in.readU32())
	case immTable:
		f.m.checkTable(f.in.readU32())
		f.m.out.State.Beyond = f.m.out.State.Beyond || op == opTableSet
	case immMemArg:
		f.rewriteMemArg()
	case immZero:
		f.requireZero()
	case immS32:
		f.constant = int64(uint32(f.in.readSigned(32)))
	case immS64:
		f.in.readSigned(64)
	case immF32:
		f.in.readBytes(4)
	case immF64:
		f.in.readBytes(8)
	case immRefType:
		f.rewriteRefType()
	case immSelect:
		if n := f.in.readByte(); n != 1 {
			refuseModule(ReasonMalformed, "select of %d types", n)
		}
		f.in.readValType()
	default:
		refuseOpcode(info.imm, op)
	}
	f.addWeight(int(info.weight))
	f.moveHeight(int(info.delta))
	if op == opMemoryGrow {
		f.insertTicks()
	}
}

// moveHeight moves the height of the operand stack. In dead code the stack is
// polymorphic and may seem to fall below the block's own.
func (f *function) moveHeight(by int) {
	f.height = max(f.height+by, f.blocks[len(f.blocks)-1].base)
}
