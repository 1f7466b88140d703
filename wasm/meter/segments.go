package meter

// constant copies a constant expression of exactly one instruction, moving
// function indices, and returns out with it appended.
func (m *rewriter) constant(c *cursor, out []byte) []byte {
	start := c.p
	switch op := c.byte(); op {
	case opI32Const:
		c.readSigned(32)
	case opI64Const:
		c.readSigned(64)
	case opF32Const:
		c.take(4)
	case opF64Const:
		c.take(8)
	case opRefNull:
		c.valType()
	case opGlobalGet:
		m.checkGlobal(c.u32())
	case opRefFunc:
		out = appendU32(append(out, opRefFunc), m.shiftIndex(c.u32()))
		start = c.p
	case opVector:
		if sub := c.u32(); sub != vecConst {
			refuse(ReasonUnsupported, "opcode 0xfd %#x in a constant", sub)
		}
		c.take(16)
	default:
		refuse(ReasonUnsupported, "opcode %#x in a constant", op)
	}
	if op := c.byte(); op != opEnd {
		refuse(ReasonUnsupported, "opcode %#x in a constant of several instructions", op)
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
	c := m.section(secElement)
	m.elements = c.count("element segments", m.lim.Elements)
	total := int(m.elements)
	b := appendU32(make([]byte, 0, c.remaining()+c.remaining()/8), m.elements)
	for range m.elements {
		flags := c.u32()
		if flags > 7 {
			refuse(ReasonMalformed, "element segment of kind %d", flags)
		}
		b = appendU32(b, flags)
		if flags&elemNotActive == 0 {
			if flags&elemExplicit != 0 {
				x := c.u32()
				m.checkTable(x)
				b = appendU32(b, x)
			}
			b = m.constant(c, b)
		}
		if flags&(elemNotActive|elemExplicit) != 0 {
			b = append(b, m.elementType(c, flags))
		}
		n := c.count("entries in an element segment", m.lim.Elements)
		total += int(n)
		limit("element segments and entries", total, m.lim.Elements)
		b = appendU32(b, n)
		for range n {
			if flags&elemExprs != 0 {
				b = m.constant(c, b)
			} else {
				b = appendU32(b, m.shiftIndex(c.u32()))
			}
		}
	}
	c.end("element segments")
	m.elementBytes = b
}

func (m *rewriter) elementType(c *cursor, flags uint32) byte {
	t := c.byte()
	if flags&elemExprs == 0 && t != 0 || flags&elemExprs != 0 && ValType(t) != FuncRef && ValType(t) != ExternRef {
		refuse(ReasonUnsupported, "element type %#x", t)
	}
	return t
}

func (m *rewriter) readData() {
	c := m.section(secData)
	n := c.count("data segments", m.lim.Data)
	m.segments = make([]uint32, n)
	for i := range m.segments {
		flags := c.u32()
		if flags > 2 {
			refuse(ReasonMalformed, "data segment of kind %d", flags)
		}
		if flags == 2 && c.u32() != 0 {
			refuse(ReasonUnsupported, "a second memory")
		}
		if flags != 1 {
			m.constant(c, nil)
		}
		m.segments[i] = c.u32()
		c.take(m.segments[i])
	}
	c.end("data segments")
	if d := m.sections[secDataCount]; d != nil {
		if announced := d.u32(); announced != n {
			refuse(ReasonMalformed, "%d data segments announced, %d found", announced, n)
		}
		d.end("data count")
	}
}
