package meter

// rewriteConstant copies a constant expression of exactly one instruction, moving
// function indices, and returns out with it appended.
func (m *rewriter) rewriteConstant(c *cursor, out []byte) []byte {
	start := c.p
	switch op := c.readByte(); op {
	case opI32Const:
		c.readSigned(32)
	case opI64Const:
		c.readSigned(64)
	case opF32Const:
		c.readBytes(4)
	case opF64Const:
		c.readBytes(8)
	case opRefNull:
		c.readValType()
	case opGlobalGet:
		m.checkGlobal(c.readU32())
	case opRefFunc:
		out = appendU32(append(out, opRefFunc), m.shiftIndex(c.readU32()))
		start = c.p
	case opVector:
		if sub := c.readU32(); sub != vecConst {
			refuseModule(ReasonUnsupported, "opcode 0xfd %#x in a constant", sub)
		}
		c.readBytes(16)
	default:
		refuseModule(ReasonUnsupported, "opcode %#x in a constant", op)
	}
	if op := c.readByte(); op != opEnd {
		refuseModule(ReasonUnsupported, "opcode %#x in a constant of several instructions", op)
	}
	return append(out, c.b[start:c.p]...)
}

// The flags of an element segment.
const (
	elemNotActive = 1 << iota // passive or declarative
	elemExplicit              // names its table, or is declarative
	elemExprs                 // entries are expressions
)

func (m *rewriter) readElements() {
	c := m.readSection(secElement)
	m.elements = c.readCount("element segments", m.lim.Elements)
	total := int(m.elements)
	b := appendU32(make([]byte, 0, c.countRemaining()+c.countRemaining()/8), m.elements)
	for range m.elements {
		flags := c.readU32()
		if flags > 7 {
			refuseModule(ReasonMalformed, "element segment of kind %d", flags)
		}
		b = appendU32(b, flags)
		if flags&elemNotActive == 0 {
			if flags&elemExplicit != 0 {
				x := c.readU32()
				m.checkTable(x)
				b = appendU32(b, x)
			}
			b = m.rewriteConstant(c, b)
		}
		if flags&(elemNotActive|elemExplicit) != 0 {
			b = append(b, m.readElementType(c, flags))
		}
		n := c.readCount("entries in an element segment", m.lim.Elements)
		total += int(n)
		requireAtMost("element segments and entries", total, m.lim.Elements)
		b = appendU32(b, n)
		for range n {
			if flags&elemExprs != 0 {
				b = m.rewriteConstant(c, b)
			} else {
				b = appendU32(b, m.shiftIndex(c.readU32()))
			}
		}
	}
	c.requireEnd("element segments")
	m.elementBytes = b
}

func (m *rewriter) readElementType(c *cursor, flags uint32) byte {
	t := c.readByte()
	if flags&elemExprs == 0 && t != 0 || flags&elemExprs != 0 && ValType(t) != FuncRef && ValType(t) != ExternRef {
		refuseModule(ReasonUnsupported, "element type %#x", t)
	}
	return t
}

func (m *rewriter) readData() {
	c := m.readSection(secData)
	n := c.readCount("data segments", m.lim.Data)
	m.segments = make([]uint32, n)
	for i := range m.segments {
		flags := c.readU32()
		if flags > 2 {
			refuseModule(ReasonMalformed, "data segment of kind %d", flags)
		}
		if flags == 2 && c.readU32() != 0 {
			refuseModule(ReasonUnsupported, "a second memory")
		}
		if flags != 1 {
			m.rewriteConstant(c, nil)
		}
		m.segments[i] = c.readU32()
		c.readBytes(m.segments[i])
	}
	c.requireEnd("data segments")
	if d := m.sections[secDataCount]; d != nil {
		if announced := d.readU32(); announced != n {
			refuseModule(ReasonMalformed, "%d data segments announced, %d found", announced, n)
		}
		d.requireEnd("data count")
	}
}
