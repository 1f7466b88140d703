package meter

// assemble writes the sections in order.
func (m *rewriter) assemble() {
	o := make([]byte, 0, len(m.src)-len(m.readSection(secCode).b)+len(m.code)+4096)
	o = append(o, header...)
	o = appendSection(o, secType, m.buildTypeSection())
	o = appendSection(o, secImport, m.buildImportSection())
	o = appendSection(o, secFunction, m.buildFunctionSection())
	if m.tables > 0 {
		o = appendSection(o, secTable, m.tableBytes)
	}
	if m.memory {
		b := appendU32([]byte{1, 1}, m.out.MemoryMin)
		o = appendSection(o, secMemory, appendU32(b, m.out.MemoryMax))
	}
	o = appendSection(o, secGlobal, m.buildGlobalSection())
	o = appendSection(o, secExport, m.buildExportSection())
	if m.startBytes != nil {
		o = appendSection(o, secStart, m.startBytes)
	}
	if m.elements > 0 {
		o = appendSection(o, secElement, m.elementBytes)
	}
	if c := m.sections[secDataCount]; c != nil {
		o = appendSection(o, secDataCount, c.b)
	}
	if m.defined > 0 {
		o = m.appendCode(o)
	}
	if c := m.sections[secData]; c != nil {
		o = appendSection(o, secData, c.b)
	}
	if names, ok := m.moveNames(); ok {
		o = appendSection(o, secCustom, names)
	}
	m.out.Bytes = o
}

func appendSection(o []byte, id byte, b []byte) []byte {
	return append(appendU32(append(o, id), uint32(len(b))), b...)
}

// readRest returns the number of entries in a vector section and their bytes.
func (m *rewriter) readRest(id byte) (n uint32, entries []byte) {
	c := m.readSection(id)
	n = c.readU32()
	return n, c.b[c.p:]
}

func (m *rewriter) buildTypeSection() []byte {
	n, entries := m.readRest(secType)
	b := append(appendU32(nil, n+3+uint32(len(m.wrappers))), entries...)
	i32 := byte(I32)
	b = append(b, 0x60, 0, 1, i32)           // tick
	b = append(b, 0x60, 1, i32, 0)           // charge
	b = append(b, 0x60, 3, i32, i32, i32, 0) // bulk operation
	for _, x := range m.wrappers {
		b = append(b, 0x60, 0)
		b = appendU32(b, uint32(len(m.types[x].results)))
		for _, t := range m.types[x].results {
			b = append(b, byte(t))
		}
	}
	return b
}

func (m *rewriter) buildImportSection() []byte {
	b := append(appendU32(nil, m.imported+1), m.importBytes...)
	b = appendName(appendName(b, TickModule), TickName)
	return appendU32(append(b, 0), m.findTickType())
}

func (m *rewriter) buildFunctionSection() []byte {
	n, entries := m.readRest(secFunction)
	b := append(appendU32(nil, n+uint32(len(m.added))), entries...)
	for _, a := range m.added {
		b = appendU32(b, a.typ)
	}
	return b
}

func (m *rewriter) buildGlobalSection() []byte {
	b := append(appendU32(nil, m.globals+2), m.globalBytes...)
	for _, v := range []int32{m.lim.Slice, 0} {
		b = append(appendS32(append(b, byte(I32), 1, opI32Const), v), opEnd)
	}
	return b
}

func (m *rewriter) appendCode(o []byte) []byte {
	size := len(appendU32(nil, m.defined+uint32(len(m.added)))) + len(m.code)
	var tail []byte
	for _, a := range m.added {
		tail = append(appendU32(tail, uint32(len(a.body))), a.body...)
	}
	o = appendU32(append(o, secCode), uint32(size+len(tail)))
	o = appendU32(o, m.defined+uint32(len(m.added)))
	return append(append(o, m.code...), tail...)
}
