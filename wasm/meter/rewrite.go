package meter

import "errors"

// Section numbers.
const (
	secCustom = iota
	secType
	secImport
	secFunction
	secTable
	secMemory
	secGlobal
	secExport
	secStart
	secElement
	secCode
	secData
	secDataCount
	secTag
)

// sectionOrder is the order in which sections stand in a module.
var sectionOrder = [...]byte{
	secType, secImport, secFunction, secTable, secMemory, secGlobal, secExport, secStart,
	secElement, secDataCount, secCode, secData,
}

const header = "\x00asm\x01\x00\x00\x00"

type funcType struct{ params, results []ValType }

// rewriter holds what is known of one module.
type rewriter struct {
	lim      Limits
	src      []byte
	sections [secTag]*cursor // nil when absent
	names    []byte          // the name section
	out      *Module

	types     []funcType
	funcs     []uint32 // type of each function, imports first
	imported  uint32
	defined   uint32
	globals   uint32
	tables    uint32
	elements  uint32
	segments  []uint32 // sizes of the data segments
	leaves    []bool   // defined functions that call nothing defined
	blockType map[uint32]uint32
	wrappers  []uint32 // function types whose results are block types of their own

	added      []addedFunc
	addedIndex map[addedKey]uint32

	// Sections and instructions written while reading.
	tableBytes, globalBytes, exportBytes, startBytes, elementBytes, code []byte
	counterGet, counterSet, countDown                                    []byte
}

// Rewrite checks a module and returns it metered. It reads untrusted bytes: any
// input ends in a module or in a *Refused. The source is not changed; Custom of
// the result shares its memory.
//
// The result is not known to be valid until a runtime has compiled it.
func Rewrite(src []byte, lim Limits) (out *Module, err error) {
	defer func() {
		if e := recover(); e != nil {
			r, ok := e.(*Refused)
			if !ok {
				panic(e)
			}
			out, err = nil, r
		}
	}()
	m := &rewriter{lim: lim.filled(), src: src, out: &Module{}}
	m.split()
	m.declarations()
	m.prepare()
	m.bodies()
	m.assemble()
	return m.out, nil
}

// IsRefused tells whether an error says that a module may not be loaded, and
// why.
func IsRefused(err error) (reason string, ok bool) {
	var r *Refused
	if errors.As(err, &r) {
		return r.Reason, true
	}
	return "", false
}

// split finds the sections.
func (m *rewriter) split() {
	limit("bytes of module", len(m.src), m.lim.Size)
	c := cursor{b: m.src}
	if len(m.src) < len(header) || string(c.take(uint32(len(header)))) != header {
		refuse(ReasonMalformed, "not a Wasm module of version 1")
	}
	m.out.Custom = make(map[string][]byte)
	custom, last := 0, -1
	for c.left() > 0 {
		id := c.byte()
		body := c.take(c.u32())
		switch {
		case id == secCustom:
			custom++
			limit("custom sections", custom, maxCustom)
			m.custom(body)
			continue
		case id == secTag:
			refuse(ReasonUnsupported, "section %d: exception handling", id)
		case id > secTag:
			refuse(ReasonMalformed, "unknown section %d", id)
		}
		place := 0
		for sectionOrder[place] != id {
			place++
		}
		if place <= last {
			refuse(ReasonMalformed, "section %d is repeated or out of order", id)
		}
		last = place
		m.sections[id] = &cursor{b: body}
	}
}

// maxCustom bounds the custom sections; compilers write about a dozen.
const maxCustom = 64

func (m *rewriter) custom(body []byte) {
	c := cursor{b: body}
	name := c.name()
	content := body[c.p:len(body):len(body)]
	if _, twice := m.out.Custom[name]; twice {
		return
	}
	m.out.Custom[name] = content
	if name == "name" {
		m.names = content
	}
}

// Indices of what the rewriter adds. The counters follow the module's own
// globals, the tick its imports, so no other index moves than those of the
// defined functions.

func (m *rewriter) counter() uint32  { return m.globals }
func (m *rewriter) depth() uint32    { return m.globals + 1 }
func (m *rewriter) tickFunc() uint32 { return m.imported }

func (m *rewriter) typeTick() uint32   { return uint32(len(m.types)) }
func (m *rewriter) typeCharge() uint32 { return uint32(len(m.types)) + 1 }
func (m *rewriter) typeBulk() uint32   { return uint32(len(m.types)) + 2 }

// typeBlock returns the type of a block that leaves the results of a function
// type: the function type itself when it takes nothing, else one of its own.
func (m *rewriter) typeBlock(x uint32) uint32 {
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

// shifted returns the new index of a function.
func (m *rewriter) shifted(x uint32) uint32 {
	if uint64(x) >= uint64(len(m.funcs)) {
		refuse(ReasonIndex, "function %d of %d", x, len(m.funcs))
	}
	if x >= m.imported {
		return x + 1
	}
	return x
}

func (m *rewriter) funcType(x uint32) *funcType {
	if uint64(x) >= uint64(len(m.types)) {
		refuse(ReasonIndex, "type %d of %d", x, len(m.types))
	}
	return &m.types[x]
}

func (m *rewriter) funcTypeOf(x uint32) *funcType {
	m.shifted(x)
	return &m.types[m.funcs[x]]
}

// leaf tells whether a function is known to call no other function of the
// module. Of functions that come later in the text nothing is known yet.
func (m *rewriter) leaf(x uint32) bool { return m.leaves[x-m.imported] }

func (m *rewriter) checkGlobal(x uint32) {
	if x >= m.globals {
		refuse(ReasonIndex, "global %d of %d", x, m.globals)
	}
}

func (m *rewriter) checkTable(x uint32) {
	if x >= m.tables {
		refuse(ReasonIndex, "table %d of %d", x, m.tables)
	}
}

func (m *rewriter) checkElement(x uint32) {
	if x >= m.elements {
		refuse(ReasonIndex, "element segment %d of %d", x, m.elements)
	}
}

func (m *rewriter) segmentSize(x uint32) uint32 {
	if uint64(x) >= uint64(len(m.segments)) {
		refuse(ReasonIndex, "data segment %d of %d", x, len(m.segments))
	}
	return m.segments[x]
}
