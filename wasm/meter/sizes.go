package meter

// unbounded exceeds every maximum that can be encoded.
const unbounded = 1 << 32

// limits reads the initial and the maximal size of a memory or table.
func (c *cursor) limits() (least uint32, most uint64) {
	flag := c.byte()
	if flag > 1 {
		refuse(ReasonUnsupported, "limits of kind %#x: shared or 64 bits", flag)
	}
	least, most = c.u32(), unbounded
	if flag == 1 {
		if most = uint64(c.u32()); most < uint64(least) {
			refuse(ReasonMalformed, "minimum %d above maximum %d", least, most)
		}
	}
	return least, most
}

// readTables reads the table section and rewrites it at once: it contains nothing but sizes.
func (m *rewriter) readTables() {
	c := m.section(secTable)
	m.tables = c.count("tables", m.lim.Tables)
	m.tableBytes = appendU32(nil, m.tables)
	sum := uint64(0)
	for range m.tables {
		typ := c.byte()
		if ValType(typ) != FuncRef && ValType(typ) != ExternRef {
			refuse(ReasonUnsupported, "table type %#x", typ)
		}
		least, most := c.limits()
		if sum += uint64(least); sum > uint64(m.lim.Table) {
			refuse(ReasonTooLarge, "%d table entries at the start, at most %d are allowed", sum, m.lim.Table)
		}
		m.tableBytes = appendU32(append(m.tableBytes, typ, 1), least)
		m.tableBytes = appendU32(m.tableBytes, uint32(min(most, uint64(m.lim.Table))))
	}
	c.end("tables")
	m.out.TableMin = uint32(sum)
}

func (m *rewriter) readMemory() {
	c := m.section(secMemory)
	n := c.count("memories", 1<<20)
	if n > 1 || n == 1 && m.memory {
		refuse(ReasonUnsupported, "%d memories", max(n, 2))
	}
	if n == 1 {
		m.memoryLimits(c)
	}
	c.end("memory")
}

// adoptMemory reads an imported memory and makes it one of the module's own.
func (m *rewriter) adoptMemory(c *cursor) {
	if m.memory {
		refuse(ReasonUnsupported, "2 memories")
	}
	m.memoryLimits(c)
	m.out.OwnMemory = true
}

func (m *rewriter) memoryLimits(c *cursor) {
	m.memory = true
	least, most := c.limits()
	if least > m.lim.MemoryPages {
		refuse(ReasonTooLarge, "%d pages of memory at the start, at most %d are allowed", least, m.lim.MemoryPages)
	}
	if most != unbounded && most > 1<<16 {
		refuse(ReasonMalformed, "maximum of %d pages", most)
	}
	m.out.MemoryMin, m.out.MemoryMax = least, uint32(min(most, uint64(m.lim.MemoryPages)))
}
