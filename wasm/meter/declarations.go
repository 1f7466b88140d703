package meter

import "strings"

// maxArity bounds the parameters and the results of a type; web runtimes have the same bound.
const maxArity = 1000

// readSection returns a section's cursor; a missing section reads as an empty vector.
func (m *rewriter) readSection(id byte) *cursor {
	if c := m.sections[id]; c != nil {
		c.p = 0
		return c
	}
	return &cursor{b: []byte{0}}
}

// readDeclarations reads all sections before the code, and the sizes of the data segments, which the code refers to.
func (m *rewriter) readDeclarations() {
	m.readTypes()
	m.readImports()
	m.readFunctions()
	m.readTables()
	m.readMemory()
	m.readGlobals()
	m.readExports()
	m.readStart()
	m.readElements()
	m.readData()
}

func (m *rewriter) readTypes() {
	c := m.readSection(secType)
	n := c.readCount("types", m.lim.Types)
	m.types = make([]funcType, n)
	for i := range m.types {
		if form := c.readByte(); form != 0x60 {
			refuseModule(ReasonUnsupported, "type form %#x", form)
		}
		m.types[i] = funcType{readTypeList(c), readTypeList(c)}
	}
	c.requireEnd("types")
}

func readTypeList(c *cursor) []ValType {
	n := c.readCount("values in a type", maxArity)
	if n == 0 {
		return nil
	}
	l := make([]ValType, n)
	for i := range l {
		l[i] = c.readValType()
	}
	return l
}

func (m *rewriter) readImports() {
	c := m.readSection(secImport)
	n := c.readCount("imports", m.lim.Imports)
	for range n {
		from := c.p
		e := Extern{Module: c.readName(), Name: c.readName(), Kind: KindFunc}
		kind := c.readByte()
		if kind == 2 && m.lim.OwnMemory {
			e.Kind = KindMemory
			m.adoptMemory(c)
			m.out.Imports = append(m.out.Imports, e)
			continue
		}
		if kind != 0 {
			what := [...]string{1: "a table", 2: "a memory", 3: "a global", 4: "a tag"}
			if int(kind) >= len(what) {
				refuseModule(ReasonMalformed, "import of kind %d", kind)
			}
			refuseModule(ReasonImport, "%s is imported, only functions may be", what[kind])
		}
		if e.Module == TickModule && e.Name == TickName {
			refuseModule(ReasonImport, "the module imports the tick itself")
		}
		x := c.readU32()
		t := m.findFuncType(x)
		e.Params, e.Results = t.params, t.results
		m.funcs = append(m.funcs, x)
		m.out.Imports = append(m.out.Imports, e)
		m.importBytes = append(m.importBytes, c.b[from:c.p]...)
		m.imported++
	}
	c.requireEnd("imports")
}

func (m *rewriter) readFunctions() {
	c := m.readSection(secFunction)
	m.defined = c.readCount("functions", m.lim.Functions)
	m.leaves = make([]bool, m.defined)
	for range m.defined {
		x := c.readU32()
		m.findFuncType(x)
		m.funcs = append(m.funcs, x)
	}
	c.requireEnd("functions")
	m.out.Functions = int(m.defined)
}

func (m *rewriter) readGlobals() {
	c := m.readSection(secGlobal)
	m.globals = c.readCount("globals", m.lim.Globals)
	if m.globals == 0 {
		c.requireEnd("globals")
		return
	}
	from := c.p
	for x := range m.globals {
		typ := c.readValType()
		switch mut := c.readByte(); mut {
		case 0:
		case 1:
			m.recordVariable(x, typ)
		default:
			refuseModule(ReasonMalformed, "mutability %#x", mut)
		}
		m.globalBytes = append(m.globalBytes, c.b[from:c.p]...)
		m.globalBytes = m.rewriteConstant(c, m.globalBytes)
		from = c.p
	}
	c.requireEnd("globals")
}

func (m *rewriter) readExports() {
	c := m.readSection(secExport)
	n := c.readCount("exports", m.lim.Exports)
	m.exportBytes = make([]byte, 0, c.countRemaining()+int(n)/4+8)
	m.out.Exports = make([]Extern, 0, n+1)
	if m.out.OwnMemory {
		m.out.Exports = append(m.out.Exports, Extern{Name: "memory", Kind: KindMemory})
		m.exportBytes = appendU32(append(appendName(m.exportBytes, "memory"), 2), 0)
	}
	for range n {
		e := Extern{Name: c.readName()}
		if strings.HasPrefix(e.Name, private) {
			refuseModule(ReasonUnsupported, "an export whose name starts with %q, which is reserved", private)
		}
		kind, x := c.readByte(), c.readU32()
		y := x
		switch kind {
		case 0:
			t := m.findFuncTypeOf(x)
			e.Kind, e.Params, e.Results = KindFunc, t.params, t.results
			y = m.shiftIndex(x)
		case 1:
			m.checkTable(x)
			e.Kind = KindTable
		case 2:
			if x != 0 || !m.memory {
				refuseModule(ReasonIndex, "memory %d is exported", x)
			}
			if e.Kind = KindMemory; m.out.OwnMemory && e.Name == "memory" {
				continue
			}
		case 3:
			m.checkGlobal(x)
			e.Kind = KindGlobal
		default:
			refuseModule(ReasonMalformed, "export of kind %d", kind)
		}
		m.out.Exports = append(m.out.Exports, e)
		m.exportBytes = appendU32(append(appendName(m.exportBytes, e.Name), kind), y)
	}
	c.requireEnd("exports")
}

func (m *rewriter) readStart() {
	if c := m.sections[secStart]; c != nil {
		m.startBytes = appendU32(nil, m.shiftIndex(c.readU32()))
		c.requireEnd("start")
		m.out.HasStart = true
	}
}
