package meter

// addedKey names one added function. The segment matters to addedInit only.
type addedKey struct {
	kind    byte
	segment uint32
}

const (
	addedCharge byte = iota + 1
	addedFill
	addedCopy
	addedInit
)

// addedFunc is a function that the rewriter appends to the module's own.
type addedFunc struct {
	typ  uint32
	body []byte
}

// addition returns the index of an added function, creating it on first use.
func (m *rewriter) addition(key addedKey, typ uint32, body func() []byte) uint32 {
	x, ok := m.addedIndex[key]
	if !ok {
		x = m.imported + 1 + m.defined + uint32(len(m.added))
		if m.addedIndex == nil {
			m.addedIndex = make(map[addedKey]uint32)
		}
		m.addedIndex[key] = x
		m.added = append(m.added, addedFunc{typ, body()})
	}
	return x
}

// chargeFunc returns the added function that charges its one parameter.
func (m *rewriter) chargeFunc() uint32 {
	return m.addition(addedKey{kind: addedCharge}, m.typeCharge(), func() []byte {
		b := append([]byte{0}, m.counterGet...)
		b = append(b, opLocalGet, 0)
		return append(append(b, m.countDown...), opEnd)
	})
}

func (m *rewriter) fillFunc() uint32 {
	return m.addition(addedKey{kind: addedFill}, m.typeBulk(), func() []byte {
		return m.buildChunkedBody(bulkOp{code: []byte{opMisc, miscMemoryFill, 0}, shift: fillShift})
	})
}

func (m *rewriter) copyFunc() uint32 {
	return m.addition(addedKey{kind: addedCopy}, m.typeBulk(), func() []byte {
		return m.buildChunkedBody(bulkOp{code: []byte{opMisc, miscMemoryCopy, 0, 0}, shift: copyShift, source: true, overlap: true})
	})
}

func (m *rewriter) initFunc(segment uint32) uint32 {
	return m.addition(addedKey{addedInit, segment}, m.typeBulk(), func() []byte {
		code := append(appendU32([]byte{opMisc, miscMemoryInit}, segment), 0)
		return m.buildChunkedBody(bulkOp{code: code, shift: copyShift, source: true})
	})
}

// bulkOp is a bulk operation with three operands: target, source or value, and length.
type bulkOp struct {
	code    []byte
	shift   byte // charged per 1<<shift bytes
	source  bool // the second operand is an address and advances
	overlap bool // source and target may overlap
}

// The locals of a chunked function.
const (
	locTo = iota
	locFrom
	locLength
	locChunk
)

// buildChunkedBody returns the body of a function that performs the operation in chunks and charges each one. A range that does not fit into
// the memory is passed to the operation whole, or with length zero at the end of the range, so that it traps before anything is written,
// as it would without the meter.
func (m *rewriter) buildChunkedBody(op bulkOp) []byte {
	a := asm{b: []byte{1, 1, byte(I32)}}
	end := func(place byte) { a.get(place).get(locLength).op(opI32Add) }

	// At most one chunk: the common case.
	a.get(locLength).i32(chunk).op(opI32GtU, opI32Eqz, opIf, emptyBlock)
	m.chargeChunk(&a, locLength, op.shift)
	a.get(locTo).get(locFrom).get(locLength).op(op.code...).op(opReturn, opEnd)

	// A range that wraps around.
	end(locTo)
	a.get(locTo).op(opI32LtU)
	if op.source {
		end(locFrom)
		a.get(locFrom).op(opI32LtU, opI32Or)
	}
	a.op(opIf, emptyBlock).get(locTo).get(locFrom).get(locLength).op(op.code...).op(opReturn, opEnd)

	// A range beyond the end.
	end(locTo)
	if op.source {
		end(locFrom)
	} else {
		a.get(locFrom)
	}
	a.i32(0).op(op.code...)

	if op.overlap {
		// The target lies above the source: from the last chunk to the first.
		a.get(locTo).get(locFrom).op(opI32GtU, opIf, emptyBlock, opLoop, emptyBlock)
		m.nextChunk(&a, op.shift)
		a.get(locLength).get(locChunk).op(opI32Sub).set(locLength)
		end(locTo)
		end(locFrom)
		a.get(locChunk).op(op.code...).get(locLength).op(opBrIf, 0, opEnd, opReturn, opEnd)
	}

	a.op(opLoop, emptyBlock)
	m.nextChunk(&a, op.shift)
	a.get(locTo).get(locFrom).get(locChunk).op(op.code...)
	a.get(locTo).get(locChunk).op(opI32Add).set(locTo)
	if op.source {
		a.get(locFrom).get(locChunk).op(opI32Add).set(locFrom)
	}
	a.get(locLength).get(locChunk).op(opI32Sub).set(locLength)
	a.get(locLength).op(opBrIf, 0, opEnd, opEnd)
	return a.b
}

// nextChunk sets the size of the chunk to the smaller of a full chunk and the remaining length, and charges it.
func (m *rewriter) nextChunk(a *asm, shift byte) {
	a.get(locLength).i32(chunk).get(locLength).i32(chunk).op(opI32LtU, opSelect).set(locChunk)
	m.chargeChunk(a, locChunk, shift)
}

func (m *rewriter) chargeChunk(a *asm, length, shift byte) {
	a.op(m.counterGet...).get(length).op(opI32Const, shift, opI32ShrU).op(m.countDown...)
}

// asm writes instructions.
type asm struct{ b []byte }

func (a *asm) op(code ...byte) *asm { a.b = append(a.b, code...); return a }
func (a *asm) get(x byte) *asm      { return a.op(opLocalGet, x) }
func (a *asm) set(x byte) *asm      { return a.op(opLocalSet, x) }
func (a *asm) i32(v int32) *asm     { a.b = appendS32(append(a.b, opI32Const), v); return a }
