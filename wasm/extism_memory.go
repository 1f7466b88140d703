package wasm

import "encoding/binary"

// extismMemory is the memory that an Extism guest shares with its host: blocks, each
// named by its address. It is emptied after each call, so that nothing of one text is
// there when the next is looked at. Address 0 is none.
type extismMemory struct {
	bytes  []byte
	blocks map[uint64]uint64 // length by address
	most   uint64
}

// mostBlocks is how many blocks there may be at one time.
const mostBlocks = 64 << 10

// extismFirst is the first address that is given out.
const extismFirst = 8

func (m *extismMemory) reset() {
	if cap(m.bytes) > mostKept {
		m.bytes = nil
	}
	clear(m.bytes)
	m.bytes = m.bytes[:0]
	clear(m.blocks)
}

// mostKept is how much of this memory an instance keeps for its next call, in bytes.
const mostKept = 1 << 20

// alloc gives a new block of zeros; 0: there is no room.
func (m *extismMemory) alloc(n uint64) uint64 {
	at := uint64(len(m.bytes))
	if at == 0 {
		at = extismFirst
	}
	if n == 0 || n > m.most || at+n > m.most || len(m.blocks) == mostBlocks {
		return 0
	}
	end := (at + n + 7) &^ 7
	if have := uint64(cap(m.bytes)); end > have {
		grown := make([]byte, len(m.bytes), max(end, min(2*have, m.most)))
		copy(grown, m.bytes)
		m.bytes = grown
	}
	m.bytes = m.bytes[:end]
	if m.blocks == nil {
		m.blocks = map[uint64]uint64{}
	}
	m.blocks[at] = n
	return at
}

// put makes a block of a text; 0: there is no room, or no text.
func (m *extismMemory) put(text string) uint64 {
	at := m.alloc(uint64(len(text)))
	if at != 0 {
		copy(m.bytes[at:], text)
	}
	return at
}

// block gives the bytes of a block; none if there is no such block.
func (m *extismMemory) block(at uint64) []byte {
	n := m.blocks[at]
	return m.bytes[min(at, uint64(len(m.bytes))):][:n]
}

// slice gives n bytes from an address on. ok is false where that is not within what was
// given out.
func (m *extismMemory) slice(at, n uint64) (b []byte, ok bool) {
	size := uint64(len(m.bytes))
	if at > size || n > size-at {
		return nil, false
	}
	return m.bytes[at : at+n], true
}

// extismWord reads eight bytes of a text; what is behind its end is zero.
func extismWord(text string, at uint64) uint64 {
	if at >= uint64(len(text)) {
		return 0
	}
	var b [8]byte
	copy(b[:], text[at:])
	return binary.LittleEndian.Uint64(b[:])
}
