package meter_test

// A small writer of modules, so that the tests show what hostile guests do.

// Instructions used by the guests.
const (
	unreachable = 0x00
	block       = 0x02
	loop        = 0x03
	opIf        = 0x04
	opElse      = 0x05
	end         = 0x0b
	br          = 0x0c
	brIf        = 0x0d
	brTable     = 0x0e
	ret         = 0x0f
	drop        = 0x1a
	i32Add      = 0x6a
	i32Sub      = 0x6b
	i32DivU     = 0x6e
	void        = 0x40
	tI32        = 0x7f
	tI64        = 0x7e
	tV128       = 0x7b
	tFuncRef    = 0x70
)

func uleb(v int) (b []byte) {
	for ; v >= 0x80; v >>= 7 {
		b = append(b, byte(v)|0x80)
	}
	return append(b, byte(v))
}

func sleb(v int) (b []byte) {
	for {
		d := byte(v & 0x7f)
		v >>= 7
		if v == 0 && d&0x40 == 0 || v == -1 && d&0x40 != 0 {
			return append(b, d)
		}
		b = append(b, d|0x80)
	}
}

func cat(parts ...[]byte) (b []byte) {
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

func ops(b ...byte) []byte             { return b }
func i32(v int) []byte                 { return cat(ops(0x41), sleb(v)) }
func call0(f int) []byte               { return cat(ops(0x10), uleb(f)) }
func localGet(x int) []byte            { return cat(ops(0x20), uleb(x)) }
func localSet(x int) []byte            { return cat(ops(0x21), uleb(x)) }
func globalGet(x int) []byte           { return cat(ops(0x23), uleb(x)) }
func globalSet(x int) []byte           { return cat(ops(0x24), uleb(x)) }
func vec(items ...[]byte) []byte       { return cat(uleb(len(items)), cat(items...)) }
func name(s string) []byte             { return cat(uleb(len(s)), []byte(s)) }
func section(id byte, b []byte) []byte { return cat(ops(id), uleb(len(b)), b) }

func times(n int, b []byte) (out []byte) {
	out = make([]byte, 0, n*len(b))
	for range n {
		out = append(out, b...)
	}
	return out
}

// fn is one function of a guest: its type, groups of locals and code.
type fn struct {
	params, results []byte
	locals          []byte // one type per local
	code            []byte // without the closing end
}

// guest is a module with one memory. It exports "memory", global 0 as "work", and its first function as "run". Global 0 is a mutable i32
// in which the guest counts its work.
type guest struct {
	imports  []fn // module "host", names "f0", "f1", ...
	funcs    []fn
	pages    int
	maxPages int // 0 for none
	tables   []int
	elements []int // function indices in table 0 from 0
	passive  []int // sizes of passive data segments
	start    int   // function index + 1
}

func (g guest) bytes() []byte {
	var types, imports, decls, bodies, tables, elements, data [][]byte
	for i, f := range append(append([]fn(nil), g.imports...), g.funcs...) {
		types = append(types, cat(ops(0x60), uleb(len(f.params)), f.params, uleb(len(f.results)), f.results))
		if i < len(g.imports) {
			imports = append(imports, cat(name("host"), name("f"+string(rune('0'+i))), ops(0), uleb(i)))
			continue
		}
		decls = append(decls, uleb(i))
		var locals [][]byte
		for _, t := range f.locals {
			locals = append(locals, ops(1, t))
		}
		body := cat(vec(locals...), f.code, ops(end))
		bodies = append(bodies, cat(uleb(len(body)), body))
	}
	for _, n := range g.tables {
		tables = append(tables, cat(ops(tFuncRef, 0), uleb(n)))
	}
	if len(g.elements) > 0 {
		var l [][]byte
		for _, x := range g.elements {
			l = append(l, uleb(x))
		}
		elements = append(elements, cat(ops(0), i32(0), ops(end), vec(l...)))
	}
	for _, n := range g.passive {
		data = append(data, cat(ops(1), uleb(n), make([]byte, n)))
	}
	mem := cat(ops(0), uleb(g.pages))
	if g.maxPages > 0 {
		mem = cat(ops(1), uleb(g.pages), uleb(g.maxPages))
	}
	b := cat([]byte("\x00asm\x01\x00\x00\x00"), section(1, vec(types...)))
	if len(imports) > 0 {
		b = append(b, section(2, vec(imports...))...)
	}
	b = append(b, section(3, vec(decls...))...)
	if len(tables) > 0 {
		b = append(b, section(4, vec(tables...))...)
	}
	b = append(b, section(5, vec(mem))...)
	b = append(b, section(6, vec(cat(ops(tI32, 1), i32(0), ops(end))))...)
	b = append(b, section(7, vec(
		cat(name("run"), ops(0), uleb(len(g.imports))),
		cat(name("memory"), ops(2, 0)),
		cat(name("work"), ops(3, 0))))...)
	if g.start > 0 {
		b = append(b, section(8, uleb(g.start-1))...)
	}
	if len(elements) > 0 {
		b = append(b, section(9, vec(elements...))...)
	}
	if len(data) > 0 {
		b = append(b, section(12, uleb(len(data)))...)
	}
	b = append(b, section(10, vec(bodies...))...)
	if len(data) > 0 {
		b = append(b, section(11, vec(data...))...)
	}
	return b
}

// work adds n to the counter of the guest: four instructions.
func work(n int) []byte { return cat(globalGet(0), i32(n), ops(i32Add), globalSet(0)) }
