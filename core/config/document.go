package config

import (
	"slices"
	"strings"
)

// DecodeDocument reads a YAML file that is not a configuration, such as a file of test cases, by the same rules: it fills into
// as Block.Decode does, aliases are followed within the same limits, and problems are returned as *Problems. Dollar signs
// have no meaning in it. empty is the hint for an empty file.
func DecodeDocument(file string, text []byte, empty string, into any) error {
	p := &parser{report: &report{}, file: file, empty: empty}
	v := p.parse(text)
	if v == nil || len(p.problems) > 0 {
		return p.joinErrors()
	}
	return Block{v: v}.Decode(into)
}

// NewProblem returns a problem with the block, or with the value under the nested keys, for rules that types cannot
// express.
func (b Block) NewProblem(message, hint string, keys ...string) Problem {
	v, path, place := b.v, b.path, place{}
	if v != nil {
		place = v.at
	}
	for _, k := range keys {
		path = joinPath(path, k)
		if v = v.findKid(k); v != nil {
			place = v.at
		}
	}
	return place.newProblem(path, message, hint)
}

// Keys returns the keys of the block in the order written.
func (b Block) Keys() []string {
	if b.v == nil {
		return nil
	}
	return slices.Clone(b.v.keys)
}

// Has reports whether a key is written, with a value.
func (b Block) Has(key string) bool { return !b.v.findKid(key).isAbsent() }

// Position returns the place alone, as file:line:column.
func (p Problem) Position() string {
	return strings.TrimSuffix(Problem{File: p.File, Line: p.Line, Column: p.Column}.String(), ": ")
}
