package chain

import (
	"encoding/binary"
	"math/bits"

	"github.com/headgate-dev/headgate/core/recall"
)

// memoryTable says where the values of a shard lie: a hash table with a byte for each slot, apart from the slots. A new text is
// in no memory, so most look-ups find nothing: they read eight of these bytes, and no slot. A map of Go has
// its bytes beside its slots, spread over ten times the memory, and there was one for each generation: of plain_100k, whose
// texts are all new, the look-ups took 8 % before.
//
// The zero value is empty. Entries go by generations, never one by one.
type memoryTable struct {
	tags    []uint8 // of each slot: 0 if it is free, else seven bits of the key's hash below a 1
	entries []memoryEntry
	young   int // how many entries are of the younger generation
	old     int
}

// memoryEntry is a key, and where its value lies.
type memoryEntry struct {
	key recall.Key
	at  uint32
	n   uint32 // bytes of the value, twice; plus 1 if it is of the older generation
}

func (e *memoryEntry) size() uint32 { return e.n >> 1 }
func (e *memoryEntry) isOld() bool  { return e.n&1 != 0 }

// tagGroup is how many tags are compared at once.
const tagGroup = 8

// shardBits is how many bits of a key say in which shard it is.
const shardBits = 6

// computeTag returns the tag of a key. The shard and the group follow from other bits.
func computeTag(k recall.Key) uint8 { return uint8(k.Hi>>57) | 0x80 }

const (
	eachTag  = 0x0101010101010101
	tagHighs = 0x80 * eachTag
)

// find returns the entry of a key, or nil.
func (t *memoryTable) find(k recall.Key) *memoryEntry {
	groups := len(t.tags) / tagGroup
	if groups == 0 {
		return nil
	}
	want := uint64(computeTag(k)) * eachTag
	for g := t.chooseGroup(k); ; g = (g + 1) & (groups - 1) {
		tags := binary.LittleEndian.Uint64(t.tags[g*tagGroup:])
		differs := tags ^ want
		for m := (differs - eachTag) &^ differs & tagHighs; m != 0; m &= m - 1 { // may hold tags that are not equal
			if e := &t.entries[g*tagGroup+bits.TrailingZeros64(m)/8]; e.key == k {
				return e
			}
		}
		if tags&tagHighs != tagHighs {
			return nil
		}
	}
}

func (t *memoryTable) chooseGroup(k recall.Key) int {
	return int(k.Lo>>shardBits) & (len(t.tags)/tagGroup - 1)
}

// add adds an entry whose key the table does not have.
func (t *memoryTable) add(e memoryEntry) {
	if 4*(t.young+t.old+1) > 3*len(t.tags) {
		t.grow()
	}
	t.insert(e)
}

// grow doubles the slots.
func (t *memoryTable) grow() {
	slots := max(4*tagGroup, 2*len(t.tags)) // a power of two
	tags, entries := t.tags, t.entries
	*t = memoryTable{tags: make([]uint8, slots), entries: make([]memoryEntry, slots)}
	for k := range tags {
		if tags[k] != 0 {
			t.insert(entries[k])
		}
	}
}

// insert puts an entry into a free slot.
func (t *memoryTable) insert(e memoryEntry) {
	groups := len(t.tags) / tagGroup
	g := t.chooseGroup(e.key)
	full := binary.LittleEndian.Uint64(t.tags[g*tagGroup:]) & tagHighs
	for full == tagHighs {
		g = (g + 1) & (groups - 1)
		full = binary.LittleEndian.Uint64(t.tags[g*tagGroup:]) & tagHighs
	}
	k := g*tagGroup + bits.TrailingZeros64(full^tagHighs)/8
	t.tags[k], t.entries[k] = computeTag(e.key), e
	if e.isOld() {
		t.old++
	} else {
		t.young++
	}
}

// rotate drops the older generation; the younger takes its place.
func (t *memoryTable) rotate() {
	kept := make([]memoryEntry, 0, t.young)
	for k, tag := range t.tags {
		if e := &t.entries[k]; tag != 0 && !e.isOld() {
			kept = append(kept, *e)
		}
	}
	clear(t.tags)
	t.young, t.old = 0, 0
	for _, e := range kept {
		e.n |= 1
		t.insert(e)
	}
}

// renew makes an entry of the older generation one of the younger, whose value lies at a place.
func (t *memoryTable) renew(e *memoryEntry, at uint32) {
	e.at = at
	e.n &^= 1
	t.old--
	t.young++
}
