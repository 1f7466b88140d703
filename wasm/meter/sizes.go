package meter

// unbounded exceeds every maximum that can be encoded.
const unbounded = 1 << 32

// readLimits reads the initial and the maximal size of a memory or table.
func (c *cursor) readLimits() (least uint32, most uint64) {
	flag := c.readByte()
	if flag > 1 {
		refuseModule(ReasonUnsupported, "limits of kind %#x: shared or 64 bits", flag)
	}
	least, most = c.readU32(), unbounded
	if flag == 1 {
		if most = uint64(c.readU32()); most < uint64(least) {
			refuseModule(ReasonMalformed, "minimum %d above maximum %d", least, most)
		}
	}
	return least, most
}

// readTables reads the table section and rewrites it at once: it contains nothing but sizes.
func (m *rewriter) readTables() {
	c := m.readSection(secTable)
	m.tables = c.readCount("tables", m.lim.Tables)
	m.tableBytes = appendU32(nil, m.tables)
	sum := uint64(0)
	for range m.tables {
		typ := c.readByte()
		if ValType(typ) != FuncRef && ValType(typ) != ExternRef {
			refuseModule(ReasonUnsupported, "table type %#x", typ)
		}
		least, most := c.readLimits()
		if sum += uint64(least); sum > uint64(m.lim.Table) {
			refuseModule(ReasonTooLarge, "%d table entries at the start, at most %d are allowed", sum, m.lim.Table)
		}
		m.tableBytes = appendU32(append(m.tableBytes, typ, 1), least)
		m.tableBytes = appendU32(m.tableBytes, uint32(min(most, uint64(m.lim.Table))))
	}
	c.requireEnd("tables")
	m.out.TableMin = uint32(sum)
}

func (m *rewriter) readMemory() {
	c := m.readSection(secMemory)
	n := c.readCount("memories", 1<<20)
	if n > 1 || n == 1 && m.memory {
		refuseModule(ReasonUnsupported, "%d memories", max(n, 2))
	}
	if n == 1 {
		m.rewriteMemoryLimits(c)
	}
	c.requireEnd("memory")
}

// adoptMemory reads an imported memory and makes it one of the module's own.
func (m *rewriter) adoptMemory(c *cursor) {
	if m.memory {
		refuseModule(ReasonUnsupported, "2 memories")
	}
	m.rewriteMemoryLimits(c)
	m.out.OwnMemory = true
}

func (m *rewriter) rewriteMemoryLimits(c *cursor) {
	m.memory = true
	least, most := c.readLimits()
	if least > m.lim.MemoryPages {
		refuseModule(ReasonTooLarge, "%d pages of memory at the start, at most %d are allowed", least, m.lim.MemoryPages)
	}
	if most != unbounded && most > 1<<16 {
		refuseModule(ReasonMalformed, "maximum of %d pages", most)
	}
	m.out.MemoryMin, m.out.MemoryMax = least, uint32(min(most, uint64(m.lim.MemoryPages)))
}
