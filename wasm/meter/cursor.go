package meter

import "unicode/utf8"

// cursor reads a part of the module. All methods refuse the module instead of reading beyond the end. Integers must be encoded as
// WebAssembly's specification requires: no more bytes than their width needs, unused bits clear or a copy of the sign.
type cursor struct {
	b []byte
	p int
}

func (c *cursor) countRemaining() int { return len(c.b) - c.p }

func (c *cursor) readByte() byte {
	if c.p >= len(c.b) {
		refuseModule(ReasonMalformed, "unexpected end")
	}
	v := c.b[c.p]
	c.p++
	return v
}

func (c *cursor) readBytes(n uint32) []byte {
	if uint64(n) > uint64(c.countRemaining()) {
		refuseModule(ReasonMalformed, "%d bytes announced, %d left", n, c.countRemaining())
	}
	s := c.b[c.p : c.p+int(n) : c.p+int(n)]
	c.p += int(n)
	return s
}

func (c *cursor) readU32() uint32 {
	if c.p < len(c.b) && c.b[c.p] < 0x80 {
		c.p++
		return uint32(c.b[c.p-1])
	}
	return c.readLongU32()
}

func (c *cursor) readLongU32() uint32 {
	var v uint32
	for shift := 0; ; shift += 7 {
		d := c.readByte()
		if shift == 28 && d > 0x0f {
			refuseModule(ReasonMalformed, "integer longer than 32 bits")
		}
		v |= uint32(d&0x7f) << shift
		if d < 0x80 {
			return v
		}
	}
}

// readSigned reads a signed integer of the given width in bits.
func (c *cursor) readSigned(width int) int64 {
	var v int64
	for shift := 0; ; shift += 7 {
		d := c.readByte()
		if rest := width - shift; rest < 8 {
			// The last possible byte: the bits beyond the sign bit must be copies of it.
			high := int8(d<<1) >> rest
			if d >= 0x80 || high != 0 && high != -1 {
				refuseModule(ReasonMalformed, "integer longer than %d bits", width)
			}
		}
		v |= int64(d&0x7f) << shift
		if d < 0x80 {
			if shift+7 < 64 && d&0x40 != 0 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
}

// readCount reads the length of a vector whose entries take at least one byte each.
func (c *cursor) readCount(what string, most int) uint32 {
	n := c.readU32()
	if uint64(n) > uint64(c.countRemaining()) {
		refuseModule(ReasonMalformed, "%d %s announced, %d bytes left", n, what, c.countRemaining())
	}
	requireAtMost(what, int(n), most)
	return n
}

func (c *cursor) readName() string {
	b := c.readBytes(c.readU32())
	if !utf8.Valid(b) {
		refuseModule(ReasonMalformed, "a name is not UTF-8")
	}
	return string(b)
}

func (c *cursor) readValType() ValType {
	t := ValType(c.readByte())
	if !t.isValid() {
		refuseModule(ReasonUnsupported, "value type %#x", byte(t))
	}
	return t
}

func (c *cursor) requireEnd(what string) {
	if c.countRemaining() != 0 {
		refuseModule(ReasonMalformed, "%d bytes behind the %s", c.countRemaining(), what)
	}
}

func appendU32(b []byte, v uint32) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

func appendS32(b []byte, v int32) []byte {
	for {
		d := byte(v & 0x7f)
		v >>= 7
		if v == 0 && d&0x40 == 0 || v == -1 && d&0x40 != 0 {
			return append(b, d)
		}
		b = append(b, d|0x80)
	}
}

func appendName(b []byte, s string) []byte { return append(appendU32(b, uint32(len(s))), s...) }
