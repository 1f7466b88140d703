package match

import "encoding/binary"

// A sieve skips the places of a text at which no literal begins. It knows the first three bytes of each literal, by their hash.
type sieve [1 << (sieveBits - 3)]byte

const (
	sieveBits   = 16
	sieveLoad   = 1 << sieveBits / 16 // beyond, too many places pass to be worth it
	sieveFactor = 0x9e3779b1
)

// newSieve returns the sieve of some literals, or nil if one of them is too short or there are too many.
func (a *Automaton) newSieve(literals []string) *sieve {
	members := a.listMembers()
	s, n := new(sieve), 0
	for _, l := range literals {
		if len(l) < 2 {
			return nil
		}
		third := every
		if len(l) > 2 {
			third = members[a.class[l[2]]]
		}
		for _, x := range members[a.class[l[0]]] {
			for _, y := range members[a.class[l[1]]] {
				for _, z := range third {
					h := hashSieve(uint64(x) | uint64(y)<<8 | uint64(z)<<16)
					s[h>>3] |= 1 << (h & 7)
				}
				if n += len(third); n > sieveLoad {
					return nil
				}
			}
		}
	}
	return s
}

// listMembers returns the bytes of each class.
func (a *Automaton) listMembers() (members [256][]byte) {
	for c := range a.class {
		members[a.class[c]] = append(members[a.class[c]], byte(c))
	}
	return members
}

// every has each byte once.
var every = func() (b []byte) {
	for c := range 256 {
		b = append(b, byte(c))
	}
	return b
}()

// hashSieve hashes the lowest three bytes of v.
func hashSieve(v uint64) uint32 { return uint32(v&0xffffff) * sieveFactor >> (32 - sieveBits) }

func (s *sieve) findHeld(v uint64) byte {
	h := hashSieve(v)
	return s[h>>3] >> (h & 7) & 1
}

// skip returns the first place from i on at which a literal may begin, or one close to the end of the text.
func (s *sieve) skip(text []byte, i int) int {
	for ; i+8 <= len(text); i += 6 {
		v := binary.LittleEndian.Uint64(text[i:])
		if s.findHeld(v)|s.findHeld(v>>8)|s.findHeld(v>>16)|s.findHeld(v>>24)|s.findHeld(v>>32)|s.findHeld(v>>40) == 0 {
			continue
		}
		for s.findHeld(v) == 0 {
			v >>= 8
			i++
		}
		return i
	}
	return i
}

// appendSieved is AppendAll with a sieve.
func (a *Automaton) appendSieved(dst []Hit, text []byte) []Hit {
	i := 0
	if a.prefilter != nil && readsBlocks {
		dst, i = a.appendFiltered(dst, text)
	}
	for {
		if i = a.sieve.skip(text, i); i >= len(text) {
			return dst
		}
		dst, i = a.follow(dst, text, i)
	}
}

// follow appends the literals that begin at i, and those that begin before all of them have ended. It returns where the next may begin.
func (a *Automaton) follow(dst []Hit, text []byte, i int) (out []Hit, next int) {
	for row := int32(0); i < len(text); {
		step := a.dense[row+int32(a.class[text[i]])]
		if i++; step&1 != 0 {
			dst = a.collect(dst, (step>>1)/int32(a.classes), int32(i))
		}
		if row = step >> 1; row == 0 && i+8 <= len(text) {
			break
		}
	}
	return dst, i
}
