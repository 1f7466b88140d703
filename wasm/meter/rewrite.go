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

// sectionOrder is the order of the sections in a module.
var sectionOrder = [...]byte{
	secType, secImport, secFunction, secTable, secMemory, secGlobal, secExport, secStart,
	secElement, secDataCount, secCode, secData,
}

const header = "\x00asm\x01\x00\x00\x00"

type funcType struct{ params, results []ValType }

// rewriter holds the state of rewriting one module.
type rewriter struct {
	work     int // blocks times locals of all bodies so far
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
	memory    bool
	segments  []uint32 // sizes of the data segments
	variables []uint32 // mutable globals that a host can set
	leaves    []bool   // defined functions that call no defined function
	blockType map[uint32]uint32
	wrappers  []uint32 // function types whose results need an added block type

	added      []addedFunc
	addedIndex map[addedKey]uint32

	// Sections and instructions written while reading.
	importBytes, tableBytes, globalBytes, exportBytes, startBytes, elementBytes, code []byte
	counterGet, counterSet, countDown                                                 []byte
}

// Rewrite checks a module and returns it metered. It reads untrusted bytes: any input results in a module or in a *Refused. It does not
// modify src; Custom of the result shares its memory.
//
// The result is known to be valid only after a runtime has compiled it.
func Rewrite(src []byte, lim Limits) (out *Module, err error) {
	defer func() {
		if e := recover(); e != nil {
			r, ok := e.(*RefusedError)
			if !ok {
				panic(e)
			}
			out, err = nil, r
		}
	}()
	m := &rewriter{lim: lim.withDefaults(), src: src, out: &Module{}}
	m.split()
	m.readDeclarations()
	m.buildCheckpoint()
	m.rewriteBodies()
	m.assemble()
	return m.out, nil
}

// IsRefused reports whether an error means that a module must not be loaded, and the reason.
func IsRefused(err error) (reason string, ok bool) {
	var r *RefusedError
	if errors.As(err, &r) {
		return r.Reason, true
	}
	return "", false
}

// split finds the sections.
func (m *rewriter) split() {
	requireAtMost("bytes of module", len(m.src), m.lim.Size)
	c := cursor{b: m.src}
	if len(m.src) < len(header) || string(c.readBytes(uint32(len(header)))) != header {
		refuseModule(ReasonMalformed, "not a Wasm module of version 1")
	}
	m.out.Custom = make(map[string][]byte)
	custom, last := 0, -1
	for c.countRemaining() > 0 {
		id := c.readByte()
		body := c.readBytes(c.readU32())
		switch {
		case id == secCustom:
			custom++
			requireAtMost("custom sections", custom, maxCustom)
			m.copyCustomSection(body)
			continue
		case id == secTag:
			refuseModule(ReasonUnsupported, "section %d: exception handling", id)
		case id > secTag:
			refuseModule(ReasonMalformed, "unknown section %d", id)
		}
		place := 0
		for sectionOrder[place] != id {
			place++
		}
		if place <= last {
			refuseModule(ReasonMalformed, "section %d is repeated or out of order", id)
		}
		last = place
		m.sections[id] = &cursor{b: body}
	}
}

// maxCustom bounds the custom sections; compilers write about a dozen.
const maxCustom = 64

func (m *rewriter) copyCustomSection(body []byte) {
	c := cursor{b: body}
	name := c.readName()
	content := body[c.p:len(body):len(body)]
	if _, twice := m.out.Custom[name]; twice {
		return
	}
	m.out.Custom[name] = content
	if name == "name" {
		m.names = content
	}
}
