package guardrail

import "sync"

// disguise holds the hashes of the rules' longer words in rot13 and spelled backwards.
type disguise struct {
	kinds  map[uint32]uint8
	filter hashFilter
}

var disguised = sync.OnceValue(func() *disguise {
	d := new(disguise)
	d.kinds = map[uint32]uint8{}
	add := func(b []byte, kind uint8) {
		h := uint32(hashSeed)
		for _, c := range b {
			h = (h ^ uint32(c)) * hashPrime
		}
		d.kinds[h] = kind
		d.filter.add(h)
	}
	for _, s := range attackWords().slots {
		if s.id != 0 && len(s.text) >= 5 && s.text[0] < 0x80 {
			add(appendRot13(nil, []byte(s.text)), encodedRot13)
			add(appendReversed(nil, []byte(s.text)), encodedReversed)
		}
	}
	return d
})

func (d *disguise) classifyHash(h uint32) int {
	if !d.filter.has(h) {
		return plain
	}
	return int(d.kinds[h])
}
