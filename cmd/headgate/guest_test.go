package main_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
)

// guest assembles a WebAssembly module byte by byte, so that hostile modules need no tools. Its hooks are those of ABI
// 1.
type guest struct {
	pages   uint32 // of memory; 0: 4
	table   uint32 // entries; 0: no table
	version string // name of the version's export; "": hg_abi_1
	detect  []byte // body of hg_detect; nil: finds nothing
	locals  uint32 // further locals of hg_detect
	funcs   [][]byte
	start   bool   // the first of funcs runs at the start
	name    string // in the manifest
}

// firstFunc is the index of the first of a guest's funcs, after the hooks.
const firstFunc = 3

func uleb(v uint32) []byte { return binary.AppendUvarint(nil, uint64(v)) }

func i32c(v int32) []byte {
	b := []byte{0x41}
	for {
		c := byte(v & 0x7f)
		if v >>= 7; v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

func cat(parts ...[]byte) []byte    { return slices.Concat(parts...) }
func text(s string) []byte          { return cat(uleb(uint32(len(s))), []byte(s)) }
func part(id byte, b []byte) []byte { return cat([]byte{id}, uleb(uint32(len(b))), b) }
func call(f uint32) []byte          { return cat([]byte{0x10}, uleb(f)) }
func endless(body []byte) []byte {
	return cat([]byte{0x03, 0x40}, body, []byte{0x0c, 0, 0x0b, 0x00}) // loop … br 0 end unreachable
}

func list(items ...[]byte) []byte { return cat(uleb(uint32(len(items))), cat(items...)) }

var (
	nothing     = []byte{0x42, 0} // i64.const 0
	unreachable = []byte{0x00}
	drop        = []byte{0x1a}
	divide      = []byte{0x6e}
)

// onMark runs code if the text starts with '!', and otherwise finds nothing: so a guest passes the trial before it
// serves.
func onMark(code []byte) []byte {
	return cat(
		[]byte{0x20, 1, 0x45, 0x04, 0x40, 0x42, 0, 0x0f, 0x0b},                                // no text: nothing
		[]byte{0x20, 0, 0x2d, 0, 0}, i32c('!'), []byte{0x47, 0x04, 0x40, 0x42, 0, 0x0f, 0x0b}, // another character: nothing
		code,
	)
}

func (g guest) bytes() []byte {
	if g.pages == 0 {
		g.pages = 4
	}
	if g.version == "" {
		g.version = "hg_abi_1"
	}
	if g.detect == nil {
		g.detect = nothing
	}
	if g.name == "" {
		g.name = "hostile"
	}
	// Types: () -> i32, (i32) -> i32, (i32, i32, i32) -> i64, () -> ().
	types := list([]byte{0x60, 0, 1, 0x7f}, []byte{0x60, 1, 0x7f, 1, 0x7f}, []byte{0x60, 3, 0x7f, 0x7f, 0x7f, 1, 0x7e}, []byte{0x60, 0, 0})
	body := func(locals uint32, code []byte) []byte {
		b := cat([]byte{0}, code, []byte{0x0b})
		if locals > 0 {
			b = cat([]byte{1}, uleb(locals), []byte{0x7f}, code, []byte{0x0b})
		}
		return cat(uleb(uint32(len(b))), b)
	}
	kinds := [][]byte{{0}, {1}, {2}}
	bodies := [][]byte{body(0, i32c(0)), body(0, i32c(64<<10)), body(g.locals, g.detect)}
	for _, f := range g.funcs {
		kinds, bodies = append(kinds, []byte{3}), append(bodies, body(0, f))
	}
	export := func(name string, kind byte, index uint32) []byte { return cat(text(name), []byte{kind}, uleb(index)) }
	b := cat([]byte("\x00asm\x01\x00\x00\x00"), part(1, types), part(3, list(kinds...)))
	if g.table > 0 {
		b = append(b, part(4, cat([]byte{1, 0x70, 0}, uleb(g.table)))...)
	}
	b = append(b, part(5, cat([]byte{1, 0}, uleb(g.pages)))...)
	b = append(b, part(7, list(export("memory", 2, 0), export(g.version, 0, 0), export("hg_alloc", 0, 1), export("hg_detect", 0, 2)))...)
	if g.start {
		b = append(b, part(8, uleb(firstFunc))...)
	}
	b = append(b, part(10, list(bodies...))...)
	manifest := `{"name":"` + g.name + `","kind":"detector","labels":["a"],"max_match":64}`
	return append(b, part(0, cat(text("headgate.manifest"), []byte(manifest)))...)
}

// build gives a module a different digest, as another build of the same source has.
func build(module []byte, name string) []byte {
	return cat(module, part(0, cat(text("build"), []byte(name))))
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
