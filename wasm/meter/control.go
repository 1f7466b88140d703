package meter

// control rewrites the instructions that branch, call, or have a second opcode after a prefix.
func (f *function) control(op byte) {
	switch op {
	case opUnreachable:
		f.spend(1)
		f.leave()
	case opBlock, opLoop, opIf:
		f.open(op)
	case opElse:
		f.startElse()
	case opEnd:
		f.close()
	case opBr:
		f.spend(1 + f.label())
		f.leave()
	case opBrIf:
		f.straight = false
		f.spend(1 + f.label())
		f.grow(-1)
	case opBrTable:
		arity := 0
		for n := f.in.count("labels", f.m.lim.Body); ; n-- {
			arity = max(arity, f.label())
			if n == 0 {
				break
			}
		}
		f.spend(4 + arity)
		f.leave()
	case opReturn:
		// A branch to the function's own label targets the block around the body if there is one, so that every path passes the exit.
		f.spend(1 + f.blocks[0].results)
		f.replace()
		f.code = appendU32(append(f.code, opBr), uint32(len(f.blocks)-1))
		f.leave()
	case opCall:
		f.call(f.in.u32())
	case opCallIndirect:
		f.callIndirect()
	case opRefFunc:
		x := f.m.shiftIndex(f.in.u32())
		f.spend(100) // leaves the native code
		f.grow(1)
		f.replace()
		f.code = appendU32(append(f.code, opRefFunc), x)
	case opMisc:
		f.rewriteMisc()
	case opVector:
		f.vector()
	}
}

// leave marks the rest of the block as dead.
func (f *function) leave() {
	f.dead, f.straight = true, false
	f.height = f.blocks[len(f.blocks)-1].base
}

func (f *function) open(op byte) {
	params, results := f.blockType()
	f.countBlock(op)
	if op == opIf {
		f.straight = false
		f.spend(1)
		f.grow(-1)
	}
	b := block{op: op, dead: f.dead, params: params, results: results, sets: f.sets}
	b.base = max(f.height-params, f.blocks[len(f.blocks)-1].base)
	if op == opLoop && !f.dead {
		f.looped = true
		if !f.cached {
			// The reading starts over.
			f.blocks = f.blocks[:0]
			return
		}
		// Moving the values with which an iteration begins costs time as well.
		f.copyUpTo(f.in.p)
		first := f.straight && f.events == 0 && f.points[0].weight <= entryInLoop
		f.check(1 + params + f.locals>>4)
		if first {
			f.points[f.cur].weight += f.points[0].weight
			f.points[0].weight = 0
		}
	}
	b.cur, b.events = f.cur, f.events
	if b.cur != none {
		b.weight = f.points[f.cur].weight
	}
	f.height = b.base + params
	f.blocks = append(f.blocks, b)
}

// startElse continues with the else arm: control reaches it directly from the if, with the charging state of that point.
func (f *function) startElse() {
	b := &f.blocks[len(f.blocks)-1]
	if b.op != opIf {
		refuse(ReasonMalformed, "else without if")
	}
	b.op = opElse
	b.arrive(f.dead)
	if b.cur != none {
		b.thenWeight = f.points[b.cur].weight
		f.points[b.cur].weight = b.weight
	}
	f.cur, f.grace, f.dead = b.cur, 0, b.dead
	f.height = b.base + b.params
}

// arrive counts a path to the end of the block, or to its header if it is a loop.
func (b *block) arrive(dead bool) {
	if !dead {
		b.ways++
	}
}

func (f *function) close() {
	b := f.blocks[len(f.blocks)-1]
	f.blocks = f.blocks[:len(f.blocks)-1]
	if b.op == opLoop {
		f.depth--
	}
	if b.cur != none && b.op == opElse {
		c := &f.points[b.cur]
		c.weight = max(c.weight, b.thenWeight)
	}
	switch {
	case f.events != b.events || b.op == opLoop:
		f.endPaidRun(0)
	case b.op == opElse && b.cur == none:
		f.cur, f.grace = none, 0
	default:
		f.cur = b.cur
	}
	b.arrive(f.dead)
	if b.op == opIf {
		b.arrive(b.dead)
	}
	if b.ways > 1 {
		// Where paths join, each changed local and each result may need a slot in the frame.
		f.slots += min(f.locals, f.sets-b.sets) + b.results
		limit("values kept in a function", f.slots, maxSlots)
	}
	f.dead = b.dead
	f.height = b.base + b.results
	if len(f.blocks) > 0 {
		f.start = f.in.p // the checkpoint must be written after the end
		f.spend(b.results)
	}
}

func (f *function) call(x uint32) {
	t := f.m.funcTypeOf(x)
	nests := x >= f.m.imported && !f.m.leaf(x)
	w := 4 + len(t.params) + len(t.results)
	if nests {
		w += grace
	} else if x < f.m.imported {
		w += 50 // a host call and its return take 45 ns
	}
	f.spend(w)
	f.grow(-len(t.params))
	f.keep(len(t.params))
	f.grow(len(t.results))
	f.calls = true
	f.replace()
	f.release()
	f.code = appendU32(append(f.code, opCall), f.m.shiftIndex(x))
	f.reload()
	if nests {
		f.nests = true
		f.endPaidRun(grace)
	}
}

func (f *function) callIndirect() {
	t := f.m.funcType(f.in.u32())
	f.m.checkTable(f.in.u32())
	f.spend(8 + grace + len(t.params) + len(t.results))
	f.grow(-1 - len(t.params))
	f.keep(len(t.params))
	f.grow(len(t.results))
	f.calls, f.nests = true, true
	f.copyUpTo(f.start)
	f.release()
	f.copyUpTo(f.in.p)
	f.reload()
	f.endPaidRun(grace)
}

// keep counts the slots in the frame for the operand stack during a call and for the call's arguments.
func (f *function) keep(params int) { f.slots += f.height + params/8 }
