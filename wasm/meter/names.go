package meter

import "unicode/utf8"

// namesFunctions is the one part of the name section that is kept.
const namesFunctions = 1

// maxName bounds a kept name in bytes; longer ones are left out.
const maxName = 1 << 10

// moveNames returns the name section with the function names at their new indices, so that stack traces show the right names. Other
// names are dropped, and so is a malformed section: the section does not affect the module's behaviour.
func (m *rewriter) moveNames() (section []byte, ok bool) {
	if len(m.names) == 0 {
		return nil, false
	}
	defer func() {
		if e := recover(); e != nil {
			if _, refused := e.(*RefusedError); !refused {
				panic(e)
			}
			section, ok = nil, false
		}
	}()
	section = appendName(make([]byte, 0, len(m.names)+64), "name")
	c := cursor{b: m.names}
	for last := -1; c.countRemaining() > 0; {
		id := int(c.readByte())
		body := cursor{b: c.readBytes(c.readU32())}
		if id <= last {
			return nil, false
		}
		last = id
		if id == namesFunctions {
			section = appendSection(section, namesFunctions, m.moveFunctionNames(&body))
			ok = true
		}
	}
	return section, ok
}

func (m *rewriter) moveFunctionNames(c *cursor) []byte {
	n := c.readCount("names", len(m.funcs))
	b := make([]byte, 0, c.countRemaining()+int(n)/4)
	kept := uint32(0)
	for last := int64(-1); n > 0; n-- {
		x, name := c.readU32(), c.readBytes(c.readU32())
		if int64(x) <= last {
			refuseModule(ReasonMalformed, "names out of order")
		}
		last = int64(x)
		x = m.shiftIndex(x)
		if isPrintable(name) {
			b = append(appendU32(appendU32(b, x), uint32(len(name))), name...)
			kept++
		}
	}
	c.requireEnd("names")
	return append(appendU32(nil, kept), b...)
}

// isPrintable reports whether a name may appear in a log line.
func isPrintable(name []byte) bool {
	if len(name) > maxName || !utf8.Valid(name) {
		return false
	}
	for _, c := range name {
		if c < ' ' || c == 0x7f {
			return false
		}
	}
	return true
}
