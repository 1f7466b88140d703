package meter

// frameUnit is how many bytes of native stack count as one frame of Depth.
const frameUnit = 3 << 10

// maxSlots bounds the estimated number of values that a function keeps. The largest function of Go's JSON package, 29 KB, keeps fewer
// than six thousand; at half a million the compiler takes ten seconds or more.
const maxSlots = 1 << 18

// rewriteBodies rewrites the code section. Each body becomes
//
//	locals [scratch]  [depth up]  checkpoint  [block]  code  [end  depth down]  end
//
// where the parts in brackets are written only if needed: depth and block in functions that call, the scratch local for charges by
// length.
func (m *rewriter) rewriteBodies() {
	c := m.readSection(secCode)
	n := c.readCount("function bodies", m.lim.Functions)
	if n != m.defined {
		refuseModule(ReasonMalformed, "%d functions declared, %d bodies", m.defined, n)
	}
	m.code = make([]byte, 0, c.countRemaining()+c.countRemaining()/2+64)
	f := &function{m: m}
	var body []byte
	for i := range n {
		b := c.readBytes(c.readU32())
		requireAtMost("bytes of function body", len(b), m.lim.Body)
		m.out.LargestBody = max(m.out.LargestBody, len(b))
		x := m.funcs[m.imported+i]
		f.in = cursor{b: b}
		body = m.rewriteBody(f, x, body[:0])
		m.leaves[i] = !f.nests
		m.out.LargestMetered = max(m.out.LargestMetered, len(body))
		m.code = append(appendU32(m.code, uint32(len(body))), body...)
	}
	c.requireEnd("code")
}

func (m *rewriter) rewriteBody(f *function, x uint32, out []byte) []byte {
	typ := &m.types[x]
	groups, decls := m.readLocals(f, typ)
	f.rewrite(typ)
	m.countBody(f)

	if f.calls || f.cached || f.usesScratch {
		out = append(append(appendU32(out, groups+1), decls...), 1, byte(I32))
	} else {
		out = append(appendU32(out, groups), decls...)
	}
	units := int32(1 + f.estimateFrame()/frameUnit)
	if f.calls {
		out = m.appendDepthCheck(out, f.scratch, units)
	}
	out = m.appendEntryCheck(f, out)
	if !f.calls && !f.cached {
		return append(out, f.code...)
	}
	out = append(out, opBlock)
	switch len(typ.results) {
	case 0:
		out = append(out, emptyBlock)
	case 1:
		out = append(out, byte(typ.results[0]))
	default:
		out = appendS33(out, m.addBlockType(x))
	}
	out = append(out, f.code...)
	if f.cached {
		out = append(appendU32(append(out, opLocalGet), f.scratch), m.counterSet...)
	}
	if f.calls {
		out = appendU32(append(out, opGlobalGet), m.findDepth())
		out = append(appendS32(append(out, opI32Const), units), opI32Sub)
		out = appendU32(append(out, opGlobalSet), m.findDepth())
	}
	return append(out, opEnd)
}

// appendEntryCheck writes the checkpoint at the entry, or only loads the counter if the first loop header pays for the entry.
func (m *rewriter) appendEntryCheck(f *function, out []byte) []byte {
	weight := f.points[0].weight
	out = append(out, m.counterGet...)
	switch {
	case weight == 0:
		return appendU32(append(out, opLocalSet), f.scratch)
	case f.cached:
		out = append(out, opI32Const, 0, 0)
		putCharge(out[len(out)-2:], weight)
		return m.countDownLocal(out, f.scratch)
	default:
		out = append(out, opI32Const, 0, 0)
		putCharge(out[len(out)-2:], weight)
		return append(out, m.countDown...)
	}
}

// appendDepthCheck writes the count of frames at the entry of a function, with the trap.
func (m *rewriter) appendDepthCheck(out []byte, scratch uint32, units int32) []byte {
	out = appendU32(append(out, opGlobalGet), m.findDepth())
	out = append(appendS32(append(out, opI32Const), units), opI32Add)
	out = appendU32(append(out, opLocalTee), scratch)
	out = appendU32(append(out, opGlobalSet), m.findDepth())
	out = appendU32(append(out, opLocalGet), scratch)
	out = appendS32(append(out, opI32Const), int32(m.lim.Depth))
	return append(out, opI32GtU, opIf, emptyBlock, opUnreachable, opEnd)
}

// readLocals reads the declared locals and returns the number of groups and
// their bytes.
func (m *rewriter) readLocals(f *function, typ *funcType) (groups uint32, decls []byte) {
	groups = f.in.readCount("groups of locals", m.lim.Body)
	start := f.in.p
	total := uint64(len(typ.params))
	f.wide = false
	for _, p := range typ.params {
		f.wide = f.wide || p == V128
	}
	for range groups {
		total += uint64(f.in.readU32())
		if total > uint64(m.lim.Locals) {
			refuseModule(ReasonTooLarge, "%d locals in a function, at most %d are allowed", total, m.lim.Locals)
		}
		f.wide = f.in.readValType() == V128 || f.wide
	}
	f.locals, f.scratch = int(total), uint32(total)
	return groups, f.in.b[start:f.in.p]
}

// estimateFrame estimates the native frame in bytes: the values that may have to be saved across a call, and some
// overhead of the frame.
func (f *function) estimateFrame() int {
	if f.wide {
		return 64 + 16*f.slots
	}
	return 64 + 8*f.slots
}

// appendS33 writes an index as a block type.
func appendS33(b []byte, x uint32) []byte {
	for x >= 0x40 {
		b = append(b, byte(x)|0x80)
		x >>= 7
	}
	return append(b, byte(x))
}
