package importtool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Bounds of a source file. Real ones have some hundred values at a depth of six; the bounds stop a file whose anchors expand without end.
const (
	maxSource = 4 << 20
	maxValues = 100_000
	maxDepth  = 64
)

type kind byte

const (
	scalar kind = iota
	mapping
	list
)

// node is one value of the source. Its leaves are scalars and empty containers; each gets exactly one finding.
type node struct {
	path  string // such as model_list[0].litellm_params.model
	key   string // in its mapping
	kind  kind
	typ   string // of a scalar: str, int, float, bool, null
	text  string // of a scalar
	items []*node
	found *Finding // of a leaf; nil until something has consumed it
}

// parseSource reads YAML or JSON. An error never quotes the source, which may hold secrets.
func parseSource(data []byte) (*node, error) {
	if len(data) > maxSource {
		return nil, fmt.Errorf("the file is larger than %d MiB", maxSource>>20)
	}
	var root *node
	var err error
	if b := &(builder{}); json.Valid(data) {
		root, err = b.parseJSON(data)
	} else {
		root, err = b.parseYAML(data)
	}
	if err != nil {
		return nil, err
	}
	if root.kind != mapping {
		return nil, errors.New("the file is not a mapping of settings")
	}
	return root, nil
}

// builder counts the values that it makes.
type builder struct{ values int }

func (b *builder) add(n *node, depth int) (*node, error) {
	if b.values++; b.values > maxValues {
		return nil, fmt.Errorf("the file expands to more than %d values", maxValues)
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("the file is nested more than %d levels deep", maxDepth)
	}
	return n, nil
}

// joinPath returns the path of the value that a container gets next; key is its key in a mapping.
func (n *node) joinPath(key string) (path string) {
	switch {
	case n.kind == list:
		return n.path + "[" + strconv.Itoa(len(n.items)) + "]"
	case n.path == "":
		return quoteKey(key)
	}
	return n.path + "." + quoteKey(key)
}

// quoteKey quotes a key that could be mistaken for structure, or holds characters that a terminal obeys.
func quoteKey(key string) string {
	if key == "" || strings.ContainsFunc(key, func(r rune) bool {
		return r <= ' ' || r == 0x7f || strings.ContainsRune(`.[]"\`,
			r) || r > '~'
	}) {
		return strconv.QuoteToASCII(key)
	}
	return key
}

func (b *builder) parseYAML(data []byte) (*node, error) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	if err := d.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("the file is empty")
		}
		return nil, errors.New("the file is neither YAML nor JSON" + findLine(err))
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("the file contains more than one YAML document")
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, errors.New("the file is empty")
	}
	return b.buildFromYAML(doc.Content[0], "", "", 0)
}

// findLine returns where the parser stopped. The rest of its message may quote the file.
func findLine(err error) string {
	_, rest, ok := strings.Cut(err.Error(), "line ")
	if digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]; ok && digits != "" {
		return ": line " + digits
	}
	return ""
}

func (b *builder) buildFromYAML(y *yaml.Node, path, key string, depth int) (*node, error) {
	for y.Kind == yaml.AliasNode {
		y = y.Alias
	}
	n, err := b.add(&node{path: path, key: key}, depth)
	if err != nil {
		return nil, err
	}
	switch y.Kind {
	case yaml.SequenceNode:
		n.kind = list
		for _, c := range y.Content {
			k, err := b.buildFromYAML(c, n.joinPath(""), "", depth+1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, k)
		}
	case yaml.MappingNode:
		n.kind = mapping
		if err := b.addPairs(n, y, depth, false); err != nil {
			return nil, err
		}
	default:
		n.typ, n.text = strings.TrimPrefix(y.ShortTag(), "!!"), y.Value
	}
	return n, nil
}

// addPairs adds the pairs of a mapping. Those of a merge key (<<) do not replace others.
func (b *builder) addPairs(n *node, y *yaml.Node, depth int, merged bool) error {
	if depth > maxDepth {
		return fmt.Errorf("the file is nested more than %d levels deep", maxDepth)
	}
	var merges []*yaml.Node
	seen := make(map[string]bool, len(y.Content)/2)
	for _, have := range n.items { // those of the mapping that merges this one
		seen[have.key] = true
	}
	for i := 0; i+1 < len(y.Content); i += 2 {
		k, v := y.Content[i], y.Content[i+1]
		if k.ShortTag() == "!!merge" {
			merges = append(merges, v)
			continue
		}
		if k.Kind != yaml.ScalarNode {
			return fmt.Errorf("line %d: a key is not a plain word", k.Line)
		}
		if seen[k.Value] {
			if merged {
				continue
			}
			return fmt.Errorf("line %d: a key occurs twice in one mapping", k.Line)
		}
		seen[k.Value] = true
		c, err := b.buildFromYAML(v, n.joinPath(k.Value), k.Value, depth+1)
		if err != nil {
			return err
		}
		n.items = append(n.items, c)
	}
	for _, m := range merges {
		for m.Kind == yaml.AliasNode {
			m = m.Alias
		}
		parts := []*yaml.Node{m}
		if m.Kind == yaml.SequenceNode {
			parts = m.Content
		}
		for _, part := range parts {
			for part.Kind == yaml.AliasNode {
				part = part.Alias
			}
			if part.Kind != yaml.MappingNode {
				return fmt.Errorf("line %d: << does not name a mapping", m.Line)
			}
			if err := b.addPairs(n, part, depth+1, true); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *builder) parseJSON(data []byte) (*node, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return b.buildFromJSON(d, "", "", 0)
}

func (b *builder) buildFromJSON(d *json.Decoder, path, key string, depth int) (*node, error) {
	n, err := b.add(&node{path: path, key: key}, depth)
	if err != nil {
		return nil, err
	}
	t, err := d.Token()
	if err != nil {
		return nil, errors.New("the file is not JSON")
	}
	switch t := t.(type) {
	case json.Delim:
		n.kind = list
		if t == '{' {
			n.kind = mapping
		}
		seen := map[string]bool{}
		for d.More() {
			name := ""
			if n.kind == mapping {
				k, _ := d.Token() // a key is text: the file is known to be JSON
				name, _ = k.(string)
				if seen[name] {
					return nil, errors.New("a key occurs twice in one mapping")
				}
				seen[name] = true
			}
			c, err := b.buildFromJSON(d, n.joinPath(name), name, depth+1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, c)
		}
		_, _ = d.Token() // the closing bracket
	case string:
		n.typ, n.text = "str", t
	case json.Number:
		n.typ, n.text = "float", t.String()
	case bool:
		n.typ, n.text = "bool", strconv.FormatBool(t)
	default:
		n.typ = "null"
	}
	return n, nil
}
