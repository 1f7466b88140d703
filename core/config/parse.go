package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// Limits of one file. Real ones hold a few hundred values, ten levels deep.
const (
	maxFile   = 1 << 20 // bytes
	maxValues = 50_000  // values, after aliases are followed
	maxDepth  = 32      // depth of mappings and lists
)

// parser converts YAML nodes to values. It follows aliases and merge keys within the limits, refuses duplicate keys,
// and expands variables.
type parser struct {
	*report
	file   string
	vars   *variables // if nil, ${…} is not expanded
	values int
	full   bool
	// fragment is set for text that is not a file: it has no line numbers and may be empty.
	fragment bool
	empty    string // the hint for an empty file
	most     int    // bytes; 0: the limit of a file
}

// parse reads one document. It returns nil if the document is unreadable, which the report then says, or empty.
func (p *parser) parse(data []byte) *value {
	if len(data) > cmp.Or(p.most, maxFile) {
		p.reportProblem(
			place{file: p.file},
			"",
			fmt.Sprintf("the file is larger than %s", ByteSize(maxFile)),
			"move long lists to the administrative API",
		)
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) && p.fragment {
			return &value{at: place{file: p.file}}
		}
		if errors.Is(err, io.EOF) {
			p.reportProblem(place{file: p.file}, "", "the file is empty", cmp.Or(p.empty, "write at least providers and routes"))
		} else {
			p.addSyntaxProblem(err, data)
		}
		return nil
	}
	if err := dec.Decode(&second); !errors.Is(err, io.EOF) {
		if err != nil {
			p.addSyntaxProblem(err, data)
		} else {
			p.reportProblem(p.buildPlace(&second), "", "a second document begins here", "keep one document in the file")
		}
		return nil
	}
	root := doc.Content[0]
	v := p.parseValue(root, "", p.buildPlace(root), 0, nil)
	if p.full {
		return nil
	}
	if v.kind == null && !p.fragment && len(p.problems) == 0 {
		p.reportProblem(place{file: p.file}, "", "the file is empty", cmp.Or(p.empty, "write at least providers and routes"))
		return nil
	}
	return v
}

func (p *parser) buildPlace(n *yaml.Node) place {
	if p.fragment {
		return place{file: p.file}
	}
	return place{p.file, n.Line, n.Column}
}

// parseValue converts a node. The caller passes the place, since that of an entry is the place of its key; open holds the
// anchors being followed.
func (p *parser) parseValue(n *yaml.Node, path string, at place, depth int, open []*yaml.Node) *value {
	v := &value{at: at}
	if p.values++; p.values > maxValues || depth > maxDepth {
		if !p.full {
			p.reportProblem(at, path, fmt.Sprintf("the file contains more than %d values, or more than %d levels", maxValues, maxDepth),
				"use fewer aliases")
		}
		p.full = true
	}
	if p.full {
		return v
	}
	switch n.Kind {
	case yaml.AliasNode:
		for _, o := range open {
			if o == n.Alias {
				p.reportProblem(at, path, "an alias stands inside its own anchor", "write the value out")
				return v
			}
		}
		return p.parseValue(n.Alias, path, at, depth+1, append(open[:len(open):len(open)], n.Alias))
	case yaml.ScalarNode:
		p.parseScalar(v, n, path)
	case yaml.SequenceNode:
		v.kind = list
		p.checkTag(n, "!!seq", path, at)
		for i, item := range n.Content {
			v.items = append(v.items, p.parseValue(item, fmt.Sprintf("%s[%d]", path, i), p.buildPlace(item), depth+1, open))
		}
	case yaml.MappingNode:
		v.kind = mapping
		p.checkTag(n, "!!map", path, at)
		p.parseMapping(v, n, path, depth, open)
	}
	return v
}

func (p *parser) parseScalar(v *value, n *yaml.Node, path string) {
	v.quoted = n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
	switch tag := n.ShortTag(); tag {
	case "!!null":
		return
	case "!!str":
		if n.Style&yaml.TaggedStyle != 0 {
			v.quoted = true
		}
	case "!!int", "!!float", "!!bool", "!!timestamp", "!!merge":
	default:
		p.reportProblem(v.at, path, "unknown YAML tag", "leave the tag away")
	}
	v.kind, v.text = scalar, n.Value
	if p.vars == nil {
		return
	}
	text, from, faults := p.vars.expand(n.Value)
	for _, f := range faults {
		p.reportProblem(v.at, path, f.message, f.hint)
	}
	if len(faults) > 0 {
		// The value is unknown, and one problem is enough: treat it as omitted.
		v.kind, text = null, ""
	}
	v.text, v.from = text, from
}

// checkTag refuses explicit tags on lists and mappings, except the standard ones.
func (p *parser) checkTag(n *yaml.Node, want, path string, at place) {
	if n.ShortTag() != want {
		p.reportProblem(at, path, "unknown YAML tag", "leave the tag away")
	}
}

func (p *parser) parseMapping(v *value, n *yaml.Node, path string, depth int, open []*yaml.Node) {
	var merges []*value
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, node := n.Content[i], n.Content[i+1]
		at := p.buildPlace(key)
		if key.Kind == yaml.ScalarNode && key.ShortTag() == "!!merge" {
			merges = append(merges, p.parseValue(node, path, at, depth+1, open))
			continue
		}
		name, ok := p.parseKey(key, path)
		if !ok {
			continue
		}
		here := joinPath(path, name)
		if first, twice := v.kids[name]; twice {
			p.reportProblem(at, here, fmt.Sprintf("the key is written twice, first in line %d", first.at.line), "keep one of them")
			continue
		}
		v.put(name, p.parseValue(node, here, at, depth+1, open))
	}
	for _, m := range merges {
		p.merge(v, m, path)
	}
}

// parseKey returns a mapping's key as text. Control characters are refused: keys appear in messages and between koanf's
// delimiters.
func (p *parser) parseKey(key *yaml.Node, path string) (string, bool) {
	for key.Kind == yaml.AliasNode {
		key = key.Alias
	}
	if key.Kind != yaml.ScalarNode || key.Value == "" {
		p.reportProblem(p.buildPlace(key), path, "a key is not plain text", "write name: value")
		return "", false
	}
	if strings.ContainsFunc(key.Value, unicode.IsControl) || len(key.Value) > 256 {
		p.reportProblem(p.buildPlace(key), path, "a key is longer than 256 bytes or holds a control character", "write name: value")
		return "", false
	}
	return key.Value, true
}

// merge adds the keys of a merge key (<<); explicit keys take precedence.
func (p *parser) merge(v, from *value, path string) {
	switch from.kind {
	case mapping:
		for _, k := range from.keys {
			if _, ok := v.kids[k]; !ok {
				v.put(k, from.kids[k])
			}
		}
	case list:
		for _, item := range from.items {
			if item.kind == mapping {
				p.merge(v, item, path)
			}
		}
	default:
		if !p.full {
			p.reportProblem(from.at, path, "<< wants a mapping, or a list of mappings", "write <<: *anchor")
		}
	}
}
