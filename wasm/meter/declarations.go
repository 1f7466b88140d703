package meter

import "strings"

// maxArity bounds the parameters and the results of a type; web runtimes have the same bound.
const maxArity = 1000

// section returns a section's cursor; a missing section reads as an empty vector.
func (m *rewriter) section(id byte) *cursor {
	if c := m.sections[id]; c != nil {
		c.p = 0
		return c
	}
	return &cursor{b: []byte{0}}
}

// declarations reads all sections before the code, and the sizes of the data segments, which the code refers to.
func (m *rewriter) declarations() {
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
	c := m.section(secType)
	n := c.count("types", m.lim.Types)
	m.types = make([]funcType, n)
	for i := range m.types {
		if form := c.byte(); form != 0x60 {
			refuse(ReasonUnsupported, "type form %#x", form)
		}
		m.types[i] = funcType{readTypeList(c), readTypeList(c)}
	}
	c.end("types")
}

func readTypeList(c *cursor) []ValType {
	n := c.count("values in a type", maxArity)
	if n == 0 {
		return nil
	}
	l := make([]ValType, n)
	for i := range l {
		l[i] = c.valType()
	}
	return l
}

func (m *rewriter) readImports() {
	c := m.section(secImport)
	n := c.count("imports", m.lim.Imports)
	for range n {
		from := c.p
		e := Extern{Module: c.name(), Name: c.name(), Kind: KindFunc}
		kind := c.byte()
		if kind == 2 && m.lim.OwnMemory {
			e.Kind = KindMemory
			m.adoptMemory(c)
			m.out.Imports = append(m.out.Imports, e)
			continue
		}
		if kind != 0 {
			what := [...]string{1: "a table", 2: "a memory", 3: "a global", 4: "a tag"}
			if int(kind) >= len(what) {
				refuse(ReasonMalformed, "import of kind %d", kind)
			}
			refuse(ReasonImport, "%s is imported, only functions may be", what[kind])
		}
		if e.Module == TickModule && e.Name == TickName {
			refuse(ReasonImport, "the module imports the tick itself")
		}
		x := c.u32()
		t := m.funcType(x)
		e.Params, e.Results = t.params, t.results
		m.funcs = append(m.funcs, x)
		m.out.Imports = append(m.out.Imports, e)
		m.importBytes = append(m.importBytes, c.b[from:c.p]...)
		m.imported++
	}
	c.end("imports")
}

func (m *rewriter) readFunctions() {
	c := m.section(secFunction)
	m.defined = c.count("functions", m.lim.Functions)
	m.leaves = make([]bool, m.defined)
	for range m.defined {
		x := c.u32()
		m.funcType(x)
		m.funcs = append(m.funcs, x)
	}
	c.end("functions")
	m.out.Functions = int(m.defined)
}

func (m *rewriter) readGlobals() {
	c := m.section(secGlobal)
	m.globals = c.count("globals", m.lim.Globals)
	if m.globals == 0 {
		c.end("globals")
		return
	}
	from := c.p
	for x := range m.globals {
		typ := c.valType()
		switch mut := c.byte(); mut {
		case 0:
		case 1:
			m.variable(x, typ)
		default:
			refuse(ReasonMalformed, "mutability %#x", mut)
		}
		m.globalBytes = append(m.globalBytes, c.b[from:c.p]...)
		m.globalBytes = m.constant(c, m.globalBytes)
		from = c.p
	}
	c.end("globals")
}

func (m *rewriter) readExports() {
	c := m.section(secExport)
	n := c.count("exports", m.lim.Exports)
	m.exportBytes = make([]byte, 0, c.remaining()+int(n)/4+8)
	m.out.Exports = make([]Extern, 0, n+1)
	if m.out.OwnMemory {
		m.out.Exports = append(m.out.Exports, Extern{Name: "memory", Kind: KindMemory})
		m.exportBytes = appendU32(append(appendName(m.exportBytes, "memory"), 2), 0)
	}
	for range n {
		e := Extern{Name: c.name()}
		if strings.HasPrefix(e.Name, private) {
			refuse(ReasonUnsupported, "an export whose name starts with %q, which is reserved", private)
		}
		kind, x := c.byte(), c.u32()
		y := x
		switch kind {
		case 0:
			t := m.funcTypeOf(x)
			e.Kind, e.Params, e.Results = KindFunc, t.params, t.results
			y = m.shiftIndex(x)
		case 1:
			m.checkTable(x)
			e.Kind = KindTable
		case 2:
			if x != 0 || !m.memory {
				refuse(ReasonIndex, "memory %d is exported", x)
			}
			if e.Kind = KindMemory; m.out.OwnMemory && e.Name == "memory" {
				continue
			}
		case 3:
			m.checkGlobal(x)
			e.Kind = KindGlobal
		default:
			refuse(ReasonMalformed, "export of kind %d", kind)
		}
		m.out.Exports = append(m.out.Exports, e)
		m.exportBytes = appendU32(append(appendName(m.exportBytes, e.Name), kind), y)
	}
	c.end("exports")
}

func (m *rewriter) readStart() {
	if c := m.sections[secStart]; c != nil {
		m.startBytes = appendU32(nil, m.shiftIndex(c.u32()))
		c.end("start")
		m.out.HasStart = true
	}
}
