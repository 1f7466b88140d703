package extism

import "encoding/binary"

// Memory is the memory that a guest shares with its host: blocks, each identified by its address. Reset empties it after each call, so
// that no byte of one text remains when the guest reads the next. Address 0 means no block.
type Memory struct {
	most   uint64
	bytes  []byte
	blocks map[uint64]uint64 // length by address
}

// NewMemory returns an empty memory of at most most bytes.
func NewMemory(most uint64) Memory { return Memory{most: most} }

// maxBlocks is the most blocks at one time.
const maxBlocks = 64 << 10

// firstAddress is the address of the first block.
const firstAddress = 8

// maxKept is the most bytes of this memory that an instance keeps for its next call.
const maxKept = 1 << 20

// Reset frees all blocks and overwrites their bytes with zeros.
func (m *Memory) Reset() {
	if cap(m.bytes) > maxKept {
		m.bytes = nil
	}
	clear(m.bytes)
	m.bytes = m.bytes[:0]
	clear(m.blocks)
}

// AllocateBytes returns the address of a new block of n zero bytes, or 0 if n is 0 or there is no room.
func (m *Memory) AllocateBytes(n uint64) uint64 {
	at := uint64(len(m.bytes))
	if at == 0 {
		at = firstAddress
	}
	if n == 0 || n > m.most || at+n > m.most || len(m.blocks) == maxBlocks {
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

// Put returns the address of a new block that holds text, or 0 if text is empty or there is no room.
func (m *Memory) Put(text string) uint64 {
	at := m.AllocateBytes(uint64(len(text)))
	if at != 0 {
		copy(m.bytes[at:], text)
	}
	return at
}

// Free frees a block. Its bytes are not reused until Reset.
func (m *Memory) Free(at uint64) { delete(m.blocks, at) }

// Len returns the length of a block in bytes, or 0 if there is no such block.
func (m *Memory) Len(at uint64) uint64 { return m.blocks[at] }

// Block returns the bytes of a block, or nil if there is no such block. They are valid until the next call of Alloc, Put or Reset.
func (m *Memory) Block(at uint64) []byte {
	n := m.blocks[at]
	return m.bytes[min(at, uint64(len(m.bytes))):][:n]
}

// ReadSlice returns n bytes from an address on. They are valid as long as those of Block. ok is false if they are not within the memory.
func (m *Memory) ReadSlice(at, n uint64) (b []byte, ok bool) {
	size := uint64(len(m.bytes))
	if at > size || n > size-at {
		return nil, false
	}
	return m.bytes[at : at+n], true
}

// PackWord returns the eight bytes of a text at an offset. Bytes beyond its end are zero.
func PackWord(text string, at uint64) uint64 {
	if at >= uint64(len(text)) {
		return 0
	}
	var b [8]byte
	copy(b[:], text[at:])
	return binary.LittleEndian.Uint64(b[:])
}
