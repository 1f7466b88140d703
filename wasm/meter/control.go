package meter

// rewriteControl rewrites the instructions that branch, call, or have a second opcode after a prefix.
func (f *function) rewriteControl(op byte) {
	switch op {
	case opUnreachable:
		f.addWeight(1)
		f.markDead()
	case opBlock, opLoop, opIf:
		f.openBlock(op)
	case opElse:
		f.startElse()
	case opEnd:
		f.closeBlock()
	case opBr:
		f.addWeight(1 + f.readLabel())
		f.markDead()
	case opBrIf:
		f.straight = false
		f.addWeight(1 + f.readLabel())
		f.moveHeight(-1)
	case opBrTable:
		arity := 0
		for n := f.in.readCount("labels", f.m.lim.Body); ; n-- {
			arity = max(arity, f.readLabel())
			if n == 0 {
				break
			}
		}
		f.addWeight(4 + arity)
		f.markDead()
	case opReturn:
		// A branch to the function's own label targets the block around the body if there is one, so that every path passes the exit.
		f.addWeight(1 + f.blocks[0].results)
		f.dropInstruction()
		f.code = appendU32(append(f.code, opBr), uint32(len(f.blocks)-1))
		f.markDead()
	case opCall:
		f.rewriteCall(f.in.readU32())
	case opCallIndirect:
		f.rewriteCallIndirect()
	case opRefFunc:
		x := f.m.shiftIndex(f.in.readU32())
		f.addWeight(100) // leaves the native code
		f.moveHeight(1)
		f.dropInstruction()
		f.code = appendU32(append(f.code, opRefFunc), x)
	case opMisc:
		f.rewriteMisc()
	case opVector:
		f.rewriteVector()
	}
}

// markDead marks the rest of the block as dead.
func (f *function) markDead() {
	f.dead, f.straight = true, false
	f.height = f.blocks[len(f.blocks)-1].base
}

func (f *function) openBlock(op byte) {
	params, results := f.readBlockType()
	f.countBlock(op)
	if op == opIf {
		f.straight = false
		f.addWeight(1)
		f.moveHeight(-1)
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
		f.writeCheckpoint(1 + params + f.locals>>4)
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
		refuseModule(ReasonMalformed, "else without if")
	}
	b.op = opElse
	b.addPath(f.dead)
	if b.cur != none {
		b.thenWeight = f.points[b.cur].weight
		f.points[b.cur].weight = b.weight
	}
	f.cur, f.grace, f.dead = b.cur, 0, b.dead
	f.height = b.base + b.params
}

// addPath counts a path to the end of the block, or to its header if it is a loop.
func (b *block) addPath(dead bool) {
	if !dead {
		b.ways++
	}
}

func (f *function) closeBlock() {
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
	b.addPath(f.dead)
	if b.op == opIf {
		b.addPath(b.dead)
	}
	if b.ways > 1 {
		// Where paths join, each changed local and each result may need a slot in the frame.
		f.slots += min(f.locals, f.sets-b.sets) + b.results
		requireAtMost("values kept in a function", f.slots, maxSlots)
	}
	f.dead = b.dead
	f.height = b.base + b.results
	if len(f.blocks) > 0 {
		f.start = f.in.p // the checkpoint must be written after the end
		f.addWeight(b.results)
	}
}

func (f *function) rewriteCall(x uint32) {
	t := f.m.findFuncTypeOf(x)
	nests := x >= f.m.imported && !f.m.isLeaf(x)
	w := 4 + len(t.params) + len(t.results)
	if nests {
		w += grace
	} else if x < f.m.imported {
		w += 50 // a host call and its return take 45 ns
	}
	f.addWeight(w)
	f.moveHeight(-len(t.params))
	f.addSlots(len(t.params))
	f.moveHeight(len(t.results))
	f.calls = true
	f.dropInstruction()
	f.storeCounter()
	f.code = appendU32(append(f.code, opCall), f.m.shiftIndex(x))
	f.reloadCounter()
	if nests {
		f.nests = true
		f.endPaidRun(grace)
	}
}

func (f *function) rewriteCallIndirect() {
	t := f.m.findFuncType(f.in.readU32())
	f.m.checkTable(f.in.readU32())
	f.addWeight(8 + grace + len(t.params) + len(t.results))
	f.moveHeight(-1 - len(t.params))
	f.addSlots(len(t.params))
	f.moveHeight(len(t.results))
	f.calls, f.nests = true, true
	f.copyUpTo(f.start)
	f.storeCounter()
	f.copyUpTo(f.in.p)
	f.reloadCounter()
	f.endPaidRun(grace)
}

// addSlots counts the slots in the frame for the operand stack during a call and for the call's arguments.
func (f *function) addSlots(params int) { f.slots += f.height + params/8 }
