package splice

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"slices"
)

// linearNames is the number of keys up to which one object's keys are compared
// one by one. Beyond it they go into a hash table, so that a hostile object of
// many keys costs time in proportion to its length.
const linearNames = 16

// seed is drawn once per process, so that clients cannot choose keys that collide.
var seed = maphash.MakeSeed()

// name is one key of an object that is still open. Two names are equal when head
// and length are and, above eight bytes, the rest is.
type name struct {
	head  uint64 // the first eight bytes of the decoded key
	off   uint32 // where the decoded key starts: in the document, or in names.decoded
	size  uint32 // its length in bytes
	owned bool   // it lies in names.decoded, because it was escaped
}

// slot is one place of a hash table; index counts from one within the object, so
// that the zero slot is free.
type slot struct{ hash, index uint32 }

// names holds the keys of all open objects. Objects close in the reverse order
// of opening, so each list is a stack, and the innermost object owns its end.
type names struct {
	all     []name
	decoded []byte
	table   []slot
}

// scope is where one object's part of names begins. mask is the size of its hash
// table less one, zero when it has none.
type scope struct{ all, decoded, table, mask uint32 }

func (n *names) open() scope {
	return scope{all: uint32(len(n.all)), decoded: uint32(len(n.decoded)), table: uint32(len(n.table))}
}

func (n *names) close(sc *scope) {
	n.all, n.decoded, n.table = n.all[:sc.all], n.decoded[:sc.decoded], n.table[:sc.table]
}

// reset empties the lists and gives back those that one unusual document made
// large.
func (n *names) reset() {
	n.all, n.decoded, n.table = n.all[:0], n.decoded[:0], n.table[:0]
	if cap(n.all) > 1<<12 {
		n.all = nil
	}
	if cap(n.decoded) > 1<<16 {
		n.decoded = nil
	}
	if cap(n.table) > 1<<14 {
		n.table = nil
	}
}

// add enters a decoded key into the innermost object, and reports false when the
// object has it already. off is where the key lies; see [name].
func (n *names) add(doc []byte, sc *scope, key []byte, off int, owned bool) bool {
	nm := name{head: packHead(key), off: uint32(off), size: uint32(len(key)), owned: owned}
	if sc.mask != 0 {
		return n.insert(doc, sc, nm, key)
	}
	mine := n.all[sc.all:]
	for i := range mine {
		if mine[i].head == nm.head && n.equalsKey(doc, &mine[i], key) {
			return false
		}
	}
	n.all = append(n.all, nm)
	if len(mine) == linearNames {
		n.grow(doc, sc)
	}
	return true
}

func (n *names) insert(doc []byte, sc *scope, nm name, key []byte) bool {
	hash := uint32(maphash.Bytes(seed, key))
	table := n.table[sc.table:]
	at := hash & sc.mask
	for ; table[at].index != 0; at = (at + 1) & sc.mask {
		if table[at].hash == hash && n.equalsKey(doc, &n.all[sc.all+table[at].index-1], key) {
			return false
		}
	}
	n.all = append(n.all, nm)
	count := uint32(len(n.all)) - sc.all
	table[at] = slot{hash: hash, index: count}
	if count*2 > sc.mask {
		n.grow(doc, sc)
	}
	return true
}

// grow builds the object's table again with four times the room its keys need,
// which leaves it at least half empty until they have doubled.
func (n *names) grow(doc []byte, sc *scope) {
	mine := n.all[sc.all:]
	size := 64
	for size < 4*len(mine) {
		size *= 2
	}
	n.table = slices.Grow(n.table[:sc.table], size)[:int(sc.table)+size]
	table := n.table[sc.table:]
	clear(table)
	sc.mask = uint32(size - 1)
	for i := range mine {
		hash := uint32(maphash.Bytes(seed, n.readBytes(doc, &mine[i])))
		at := hash & sc.mask
		for table[at].index != 0 {
			at = (at + 1) & sc.mask
		}
		table[at] = slot{hash: hash, index: uint32(i + 1)}
	}
}

func (n *names) readBytes(doc []byte, nm *name) []byte {
	if nm.owned {
		doc = n.decoded
	}
	return doc[nm.off : nm.off+nm.size]
}

// equalsKey compares a name with a key in full.
func (n *names) equalsKey(doc []byte, nm *name, key []byte) bool {
	return int(nm.size) == len(key) && bytes.Equal(n.readBytes(doc, nm), key)
}

// packHead packs the first eight bytes of a key into a word, zeros behind a shorter
// one. A short key is read together with the bytes behind it where the slice has
// them: [Scanner.Reset] clips the document's capacity, so they are the scanner's
// to read.
func packHead(key []byte) uint64 {
	switch {
	case len(key) >= 8:
		return binary.LittleEndian.Uint64(key)
	case cap(key) >= 8:
		return binary.LittleEndian.Uint64(key[:8]) & (1<<(8*len(key)) - 1)
	}
	var w uint64
	for i, c := range key {
		w |= uint64(c) << (8 * i)
	}
	return w
}
