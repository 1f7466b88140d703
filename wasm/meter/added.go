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

// addFunction returns the index of an added function, creating it on first use.
func (m *rewriter) addFunction(key addedKey, typ uint32, body func() []byte) uint32 {
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

// addChargeFunc returns the added function that charges its one parameter.
func (m *rewriter) addChargeFunc() uint32 {
	return m.addFunction(addedKey{kind: addedCharge}, m.findChargeType(), func() []byte {
		b := append([]byte{0}, m.counterGet...)
		b = append(b, opLocalGet, 0)
		return append(append(b, m.countDown...), opEnd)
	})
}

func (m *rewriter) addFillFunc() uint32 {
	return m.addFunction(addedKey{kind: addedFill}, m.findBulkType(), func() []byte {
		return m.buildChunkedBody(bulkOp{code: []byte{opMisc, miscMemoryFill, 0}, shift: fillShift})
	})
}

func (m *rewriter) addCopyFunc() uint32 {
	return m.addFunction(addedKey{kind: addedCopy}, m.findBulkType(), func() []byte {
		return m.buildChunkedBody(bulkOp{code: []byte{opMisc, miscMemoryCopy, 0, 0}, shift: copyShift, source: true, overlap: true})
	})
}

func (m *rewriter) addInitFunc(segment uint32) uint32 {
	return m.addFunction(addedKey{addedInit, segment}, m.findBulkType(), func() []byte {
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

// buildChunkedBody returns the body of a function that performs the operation in chunks and charges each one. A range that
// does not fit into the memory is passed to the operation whole, or with length zero at the end of the range, so that it
// traps before anything is written, as it would without the meter.
func (m *rewriter) buildChunkedBody(op bulkOp) []byte {
	a := asm{b: []byte{1, 1, byte(I32)}}
	end := func(place byte) { a.get(place).get(locLength).appendOp(opI32Add) }

	// At most one chunk: the common case.
	a.get(locLength).appendI32(chunk).appendOp(opI32GtU, opI32Eqz, opIf, emptyBlock)
	m.chargeChunk(&a, locLength, op.shift)
	a.get(locTo).get(locFrom).get(locLength).appendOp(op.code...).appendOp(opReturn, opEnd)

	// A range that wraps around.
	end(locTo)
	a.get(locTo).appendOp(opI32LtU)
	if op.source {
		end(locFrom)
		a.get(locFrom).appendOp(opI32LtU, opI32Or)
	}
	a.appendOp(opIf, emptyBlock).get(locTo).get(locFrom).get(locLength).appendOp(op.code...).appendOp(opReturn, opEnd)

	// A range beyond the end.
	end(locTo)
	if op.source {
		end(locFrom)
	} else {
		a.get(locFrom)
	}
	a.appendI32(0).appendOp(op.code...)

	if op.overlap {
		// The target lies above the source: from the last chunk to the first.
		a.get(locTo).get(locFrom).appendOp(opI32GtU, opIf, emptyBlock, opLoop, emptyBlock)
		m.appendChunkSize(&a, op.shift)
		a.get(locLength).get(locChunk).appendOp(opI32Sub).set(locLength)
		end(locTo)
		end(locFrom)
		a.get(locChunk).appendOp(op.code...).get(locLength).appendOp(opBrIf, 0, opEnd, opReturn, opEnd)
	}

	a.appendOp(opLoop, emptyBlock)
	m.appendChunkSize(&a, op.shift)
	a.get(locTo).get(locFrom).get(locChunk).appendOp(op.code...)
	a.get(locTo).get(locChunk).appendOp(opI32Add).set(locTo)
	if op.source {
		a.get(locFrom).get(locChunk).appendOp(opI32Add).set(locFrom)
	}
	a.get(locLength).get(locChunk).appendOp(opI32Sub).set(locLength)
	a.get(locLength).appendOp(opBrIf, 0, opEnd, opEnd)
	return a.b
}

// appendChunkSize sets the size of the chunk to the smaller of a full chunk and the remaining length, and charges it.
func (m *rewriter) appendChunkSize(a *asm, shift byte) {
	a.get(locLength).appendI32(chunk).get(locLength).appendI32(chunk).appendOp(opI32LtU, opSelect).set(locChunk)
	m.chargeChunk(a, locChunk, shift)
}

func (m *rewriter) chargeChunk(a *asm, length, shift byte) {
	a.appendOp(m.counterGet...).get(length).appendOp(opI32Const, shift, opI32ShrU).appendOp(m.countDown...)
}

// asm writes instructions.
type asm struct{ b []byte }

func (a *asm) appendOp(code ...byte) *asm { a.b = append(a.b, code...); return a }
func (a *asm) get(x byte) *asm            { return a.appendOp(opLocalGet, x) }
func (a *asm) set(x byte) *asm            { return a.appendOp(opLocalSet, x) }
func (a *asm) appendI32(v int32) *asm     { a.b = appendS32(append(a.b, opI32Const), v); return a }
