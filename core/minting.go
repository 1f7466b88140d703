package core

import (
	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// Minted is a placeholder and what it stands for.
type Minted struct{ Token, Type, Value string }

// Minting is the set of placeholders made in one exchange. Few are looked for
// one by one; many get an index, so that a prompt full of values stays linear.
type Minting struct {
	list   []Minted
	index  map[string]int   // by token
	values map[typed]string // tokens, by type and value
	memory []byte           // of the values
}

type typed struct{ typ, value string }

const indexFrom = 16

// Add adds a placeholder, once. value is copied: the text that it comes from may
// be gone before the exchange ends.
func (m *Minting) Add(token, typ, value string) {
	if _, ok := m.Value(token); ok {
		return
	}
	value = m.copied(value)
	if m.index != nil {
		m.index[token] = len(m.list)
		m.values[typed{typ, value}] = token
	}
	m.list = append(m.list, Minted{Token: token, Type: typ, Value: value})
	if m.index == nil && len(m.list) > indexFrom {
		m.index, m.values = make(map[string]int, 4*indexFrom), make(map[typed]string, 4*indexFrom)
		for i, e := range m.list {
			m.index[e.Token] = i
			m.values[typed{e.Type, e.Value}] = e.Token
		}
	}
}

// Value gives what a placeholder of this exchange stands for.
func (m *Minting) Value(token string) (string, bool) {
	if m.index != nil {
		i, ok := m.index[token]
		if !ok {
			return "", false
		}
		return m.list[i].Value, true
	}
	for i := range m.list {
		if m.list[i].Token == token {
			return m.list[i].Value, true
		}
	}
	return "", false
}

// Token gives the placeholder that a value of this exchange has already. A
// conversation repeats its values, and minting costs an HMAC.
func (m *Minting) Token(typ, value string) (string, bool) {
	if m.values != nil {
		token, ok := m.values[typed{typ, value}]
		return token, ok
	}
	for i := range m.list {
		if e := &m.list[i]; e.Value == value && e.Type == typ {
			return e.Token, true
		}
	}
	return "", false
}

// All gives the placeholders in the order in which they were made.
func (m *Minting) All() []Minted { return m.list }

// Len is the number of placeholders.
func (m *Minting) Len() int { return len(m.list) }

func (m *Minting) reset() {
	m.list, m.index, m.values, m.memory = scratch.Reuse(m.list), nil, nil, scratch.Reuse(m.memory)
}

// copied gives a copy of s in the minting's own memory. Values lie there one
// after the other; when it is full another takes its place, and the values in
// the old one stay valid.
func (m *Minting) copied(s string) string {
	if cap(m.memory)-len(m.memory) < len(s) {
		m.memory = make([]byte, 0, max(valueMemory, 2*cap(m.memory), len(s)))
	}
	n := len(m.memory)
	m.memory = append(m.memory, s...)
	return zerocopy.String(m.memory[n:])
}

// valueMemory is the size in bytes of the first memory for values: a dozen e-mail
// addresses.
const valueMemory = 256
