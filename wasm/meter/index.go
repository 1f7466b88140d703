package meter

// Indices of the rewriter's additions. The counters follow the module's own globals and the tick follows its imports, so only the indices
// of the defined functions move.

func (m *rewriter) findCounter() uint32  { return m.globals }
func (m *rewriter) findDepth() uint32    { return m.globals + 1 }
func (m *rewriter) findTickFunc() uint32 { return m.imported }

func (m *rewriter) findTickType() uint32   { return uint32(len(m.types)) }
func (m *rewriter) findChargeType() uint32 { return uint32(len(m.types)) + 1 }
func (m *rewriter) findBulkType() uint32   { return uint32(len(m.types)) + 2 }

// addBlockType returns the type of a block that leaves the results of a function type: the function type itself if it
// has no parameters, otherwise an added type.
func (m *rewriter) addBlockType(x uint32) uint32 {
	if len(m.types[x].params) == 0 {
		return x
	}
	b, ok := m.blockType[x]
	if !ok {
		b = uint32(len(m.types) + 3 + len(m.wrappers))
		if m.blockType == nil {
			m.blockType = make(map[uint32]uint32)
		}
		m.blockType[x] = b
		m.wrappers = append(m.wrappers, x)
	}
	return b
}

// shiftIndex returns the new index of a function.
func (m *rewriter) shiftIndex(x uint32) uint32 {
	if uint64(x) >= uint64(len(m.funcs)) {
		refuseModule(ReasonIndex, "function %d of %d", x, len(m.funcs))
	}
	if x >= m.imported {
		return x + 1
	}
	return x
}

func (m *rewriter) findFuncType(x uint32) *funcType {
	if uint64(x) >= uint64(len(m.types)) {
		refuseModule(ReasonIndex, "type %d of %d", x, len(m.types))
	}
	return &m.types[x]
}

func (m *rewriter) findFuncTypeOf(x uint32) *funcType {
	m.shiftIndex(x)
	return &m.types[m.funcs[x]]
}

// isLeaf reports whether a function is known to call no other function of the module. Functions that come later in the code section are not
// known yet.
func (m *rewriter) isLeaf(x uint32) bool { return m.leaves[x-m.imported] }

func (m *rewriter) checkGlobal(x uint32) {
	if x >= m.globals {
		refuseModule(ReasonIndex, "global %d of %d", x, m.globals)
	}
}

func (m *rewriter) checkTable(x uint32) {
	if x >= m.tables {
		refuseModule(ReasonIndex, "table %d of %d", x, m.tables)
	}
}

func (m *rewriter) checkElement(x uint32) {
	if x >= m.elements {
		refuseModule(ReasonIndex, "element segment %d of %d", x, m.elements)
	}
}

func (m *rewriter) findSegmentSize(x uint32) uint32 {
	if uint64(x) >= uint64(len(m.segments)) {
		refuseModule(ReasonIndex, "data segment %d of %d", x, len(m.segments))
	}
	return m.segments[x]
}
