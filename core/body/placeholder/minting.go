package placeholder

import (
	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// Minted is a placeholder and its value.
type Minted struct{ Token, Type, Value string }

// Set holds the placeholders made in one exchange. It searches a few one by one and builds
// an index for many, so that a prompt full of values stays linear.
type Set struct {
	list   []Minted
	index  map[string]int        // by token
	values map[typedValue]string // tokens, by type and value
	memory []byte                // of the values
}

type typedValue struct{ typ, value string }

const indexFrom = 16

// Add adds a placeholder once. It copies value: the text that it comes from may be reused
// before the exchange ends.
func (s *Set) Add(token, typ, value string) {
	if _, ok := s.FindValue(token); ok {
		return
	}
	value = s.copyValue(value)
	if s.index != nil {
		s.index[token] = len(s.list)
		s.values[typedValue{typ, value}] = token
	}
	s.list = append(s.list, Minted{Token: token, Type: typ, Value: value})
	if s.index == nil && len(s.list) > indexFrom {
		s.index, s.values = make(map[string]int, 4*indexFrom), make(map[typedValue]string, 4*indexFrom)
		for i, e := range s.list {
			s.index[e.Token] = i
			s.values[typedValue{e.Type, e.Value}] = e.Token
		}
	}
}

// FindValue returns the value of a placeholder of this exchange.
func (s *Set) FindValue(token string) (string, bool) {
	if s.index != nil {
		i, ok := s.index[token]
		if !ok {
			return "", false
		}
		return s.list[i].Value, true
	}
	for i := range s.list {
		if s.list[i].Token == token {
			return s.list[i].Value, true
		}
	}
	return "", false
}

// FindToken returns the placeholder that a value of this exchange already has. A conversation
// repeats its values, and minting costs an HMAC.
func (s *Set) FindToken(typ, value string) (string, bool) {
	if s.values != nil {
		token, ok := s.values[typedValue{typ, value}]
		return token, ok
	}
	for i := range s.list {
		if e := &s.list[i]; e.Value == value && e.Type == typ {
			return e.Token, true
		}
	}
	return "", false
}

// All returns the placeholders in the order in which they were made.
func (s *Set) All() []Minted { return s.list }

// Len is the number of placeholders.
func (s *Set) Len() int { return len(s.list) }

// Reset empties the set and keeps its buffers.
func (s *Set) Reset() {
	s.list, s.index, s.values, s.memory = scratch.Reuse(s.list), nil, nil, scratch.Reuse(s.memory)
}

// copyValue copies a value into the memory of the set, in which values lie one after the
// other. When it is full a new one replaces it; values in the old one stay valid.
func (s *Set) copyValue(value string) string {
	if cap(s.memory)-len(s.memory) < len(value) {
		s.memory = make([]byte, 0, max(valueMemory, 2*cap(s.memory), len(value)))
	}
	n := len(s.memory)
	s.memory = append(s.memory, value...)
	return zerocopy.String(s.memory[n:])
}

// valueMemory is the size in bytes of the first memory for values: a dozen e-mail
// addresses.
const valueMemory = 256
