package wasm

import (
	"encoding/binary"
	"math"

	"github.com/headgate-dev/headgate/wasm/abi"
)

// guest assembles a module byte by byte, so that hostile modules need no tools.
type guest struct {
	manifest string // "": a plain one; "none": no manifest
	pages    uint32 // 0: 4
	table    uint32
	elements []int // the first functions of the table: index in funcs, from 0
	imports  []importedFunc
	funcs    []fn
	start    int // index in funcs, from 1
	data     []byte
	config   []byte // body of hg_configure
	detect   []byte // body of hg_detect; nil finds nothing
	alloc    []byte // body of hg_alloc; nil: 64 KiB
	version  string // name of the version's export
	features int32
	extra    []export
	locals   int
	nodetect bool
	stream   []byte // body of hg_stream; nil omits it
	globals  []byte // one global: type, mutability, initial value
}

type importedFunc struct {
	module, name string
	typ          byte
}

type fn struct {
	typ    byte
	code   []byte
	locals int
}

type export struct {
	name string
	fn   int // index in funcs, from 0
}

// Types of functions, by index.
const (
	typI      byte = iota // () -> i32
	typII                 // (i32) -> i32
	typDetect             // (i32, i32, i32) -> i64
	typNone               // () -> ()
	typIII                // (i32, i32) -> i32
	typLog                // (i32, i32, i32) -> ()
	typIIIII              // (i32, i32, i32, i32) -> i32
	typStream             // (i32, i32, i32, i32) -> i64
	typL                  // () -> i64
	typTwo                // (i32, i32) -> ()
	typWrong              // (i64) -> i32
	firstCase = 3         // index of the first function of a guest, after the hooks
)

var typeBytes = [][]byte{
	{0x60, 0, 1, 0x7f},
	{0x60, 1, 0x7f, 1, 0x7f},
	{0x60, 3, 0x7f, 0x7f, 0x7f, 1, 0x7e},
	{0x60, 0, 0},
	{0x60, 2, 0x7f, 0x7f, 1, 0x7f},
	{0x60, 3, 0x7f, 0x7f, 0x7f, 0},
	{0x60, 4, 0x7f, 0x7f, 0x7f, 0x7f, 1, 0x7f},
	{0x60, 4, 0x7f, 0x7f, 0x7f, 0x7f, 1, 0x7e},
	{0x60, 0, 1, 0x7e},
	{0x60, 2, 0x7f, 0x7f, 0},
	{0x60, 1, 0x7e, 1, 0x7f},
}

func uleb(v uint32) []byte { return binary.AppendUvarint(nil, uint64(v)) }

func sleb(v int64) (b []byte) {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

func cat(parts ...[]byte) (b []byte) {
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

func repeat(b []byte, n int) (out []byte) {
	for range n {
		out = append(out, b...)
	}
	return out
}

func i32c(v int32) []byte              { return append([]byte{0x41}, sleb(int64(v))...) }
func i64c(v uint64) []byte             { return append([]byte{0x42}, sleb(int64(v))...) }
func callf(i int) []byte               { return append([]byte{0x10}, uleb(uint32(i))...) }
func str(s string) []byte              { return append(uleb(uint32(len(s))), s...) }
func loop(body []byte) []byte          { return cat([]byte{0x03, 0x40}, body, []byte{0x0c, 0, 0x0b}) }
func section(id byte, b []byte) []byte { return cat([]byte{id}, uleb(uint32(len(b))), b) }
func vec(items [][]byte) []byte        { return append(uleb(uint32(len(items))), cat(items...)...) }

var (
	drop        = []byte{0x1a}
	unreachable = []byte{0x00}
	end         = []byte{0x0b}
)

// onMark runs code if the text starts with '!', and otherwise finds nothing, so that a guest passes its canary.
func onMark(code []byte) []byte {
	return cat(
		[]byte{0x20, 1, 0x45, 0x04, 0x40}, i64c(0), []byte{0x0f, 0x0b}, // if len == 0 return 0
		[]byte{0x20, 0, 0x2d, 0, 0}, i32c('!'), []byte{0x47, 0x04, 0x40}, i64c(0), []byte{0x0f, 0x0b}, // if text[0] != '!' return 0
		code,
	)
}

func (g guest) bytes() []byte {
	manifest := g.manifest
	if manifest == "" {
		manifest = `{"name":"hostile","kind":"detector","labels":["a","b"],"max_match":64}`
	}
	if g.pages == 0 {
		g.pages = 4
	}
	if g.version == "" {
		g.version = abi.ExportVersion
	}
	if g.alloc == nil {
		g.alloc = i32c(64 << 10)
	}
	if g.detect == nil {
		g.detect = i64c(0)
	}
	hooks := []fn{{typ: typI, code: i32c(g.features)}, {typ: typII, code: g.alloc}, {typ: typDetect, code: g.detect, locals: g.locals}}
	exports := []export{{g.version, -3}, {abi.ExportAlloc, -2}, {abi.ExportDetect, -1}}
	funcs := append(hooks, g.funcs...)
	if g.nodetect {
		exports = exports[:2]
	}
	if g.stream != nil {
		funcs = append(funcs, fn{typ: typStream, code: g.stream, locals: g.locals})
		exports = append(exports, export{abi.ExportStream, len(funcs) - 4})
	}
	if g.config != nil {
		funcs = append(funcs, fn{typ: typIII, code: g.config, locals: g.locals})
		exports = append(exports, export{abi.ExportConfigure, len(funcs) - 4})
	}
	exports = append(exports, g.extra...)

	var imports, types, bodies, outs [][]byte
	for _, m := range g.imports {
		imports = append(imports, cat(str(m.module), str(m.name), []byte{0, m.typ}))
	}
	for _, f := range funcs {
		types = append(types, []byte{f.typ})
		code := cat([]byte{0}, f.code, end)
		if f.locals > 0 {
			code = cat([]byte{1}, uleb(uint32(f.locals)), []byte{0x7f}, f.code, end)
		}
		bodies = append(bodies, cat(uleb(uint32(len(code))), code))
	}
	outs = append(outs, cat(str("memory"), []byte{2, 0}))
	for _, e := range exports {
		outs = append(outs, cat(str(e.name), []byte{0}, uleb(uint32(e.fn+firstCase+len(g.imports)))))
	}
	b := []byte("\x00asm\x01\x00\x00\x00")
	b = append(b, section(1, vec(typeBytes))...)
	if len(imports) > 0 {
		b = append(b, section(2, vec(imports))...)
	}
	b = append(b, section(3, vec(types))...)
	if g.table > 0 {
		b = append(b, section(4, cat([]byte{1, 0x70, 0}, uleb(g.table)))...)
	}
	b = append(b, section(5, cat([]byte{1, 0}, uleb(g.pages)))...)
	if len(g.globals) > 0 {
		b = append(b, section(6, append([]byte{1}, g.globals...))...)
	}
	b = append(b, section(7, vec(outs))...)
	if g.start > 0 {
		b = append(b, section(8, uleb(uint32(g.start-1+firstCase+len(g.imports))))...)
	}
	if len(g.elements) > 0 {
		var of [][]byte
		for _, k := range g.elements {
			of = append(of, uleb(uint32(k+firstCase+len(g.imports))))
		}
		b = append(b, section(9, cat([]byte{1, 0}, i32c(0), end, vec(of)))...)
	}
	b = append(b, section(10, vec(bodies))...)
	if len(g.data) > 0 {
		b = append(b, section(11, cat([]byte{1, 0}, i32c(spansAt), end, uleb(uint32(len(g.data))), g.data))...)
	}
	if manifest != "none" {
		b = append(b, section(0, cat(str(abi.ManifestSection), []byte(manifest)))...)
	}
	return b
}

// spansAt is the address of a guest's data.
const spansAt = 1024

// reporting returns a guest that reports the spans if the text starts with '!'.
func reporting(spans ...abi.Span) guest {
	data := make([]byte, abi.SpanSize*len(spans))
	for i, s := range spans {
		abi.PutSpan(data[i*abi.SpanSize:], s)
	}
	return guest{data: data, detect: onMark(i64c(abi.Pack(spansAt, uint32(len(data)))))}
}

func span(start, end uint32, label uint16, score float32) abi.Span {
	return abi.Span{Start: start, End: end, Label: label, Score: math.Float32bits(score)}
}
