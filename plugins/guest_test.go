package plugins

import (
	"encoding/binary"
	"slices"
)

// guest assembles a detector of ABI 1, byte by byte: it runs code on texts that start with '!', and finds nothing in
// others. version goes into its manifest.
func guest(version string, code []byte) []byte {
	uleb := func(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }
	cat := slices.Concat[[]byte]
	str := func(s string) []byte { return cat(uleb(len(s)), []byte(s)) }
	section := func(id byte, b ...[]byte) []byte { body := cat(b...); return cat([]byte{id}, uleb(len(body)), body) }
	body := func(code ...[]byte) []byte {
		b := cat(append([][]byte{{0}}, append(code, []byte{0x0b})...)...)
		return cat(uleb(len(b)), b)
	}
	nothing := []byte{0x42, 0} // i64.const 0
	detect := cat(
		[]byte{0x20, 1, 0x45, 0x04, 0x40}, nothing, []byte{0x0f, 0x0b}, // no text
		[]byte{0x20, 0, 0x2d, 0, 0, 0x41, '!', 0x47, 0x04, 0x40}, nothing, []byte{0x0f, 0x0b}, // no '!'
		code,
	)
	export := func(name string, kind, index byte) []byte { return cat(str(name), []byte{kind, index}) }
	return cat(
		[]byte("\x00asm\x01\x00\x00\x00"),
		section(1, []byte{3, 0x60, 0, 1, 0x7f, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 3, 0x7f, 0x7f, 0x7f, 1, 0x7e}),
		section(3, []byte{3, 0, 1, 2}),
		section(5, []byte{1, 0, 4}),
		section(7, []byte{4}, export("memory", 2, 0), export("hg_abi_1", 0, 0), export("hg_alloc", 0, 1), export("hg_detect", 0, 2)),
		section(10, []byte{3}, body([]byte{0x41, 0}), body([]byte{0x41, 0x80, 0x80, 0x04}), body(detect)),
		section(
			0,
			str("headgate.manifest"),
			[]byte(`{"name":"guest","version":"`+version+`","kind":"detector","labels":["employee_id"],"max_match":10}`),
		),
	)
}

// blind finds nothing; trapping traps on texts that start with '!'.
func blind(version string) []byte { return guest(version, []byte{0x42, 0}) }

func trapping(version string) []byte { return guest(version, []byte{0x00}) }
