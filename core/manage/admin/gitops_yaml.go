package admin

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ReadConfig parses a document in YAML, which includes JSON.
func ReadConfig(text []byte) (Config, error) {
	var any map[string]any
	if err := yaml.Unmarshal(text, &any); err != nil {
		return nil, err
	}
	b, err := json.Marshal(any)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var doc Config
	if err := d.Decode(&doc); err != nil {
		return nil, errors.New("not an export: write lists of records under their kinds, as `headgate config export` prints them")
	}
	return doc, nil
}

// WriteYAML writes the document as YAML.
func (c Config) WriteYAML(w io.Writer) error {
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	var node yaml.Node
	if err := yaml.Unmarshal(b, &node); err != nil {
		return err
	}
	setBlockStyle(&node)
	e := yaml.NewEncoder(w)
	e.SetIndent(2)
	if err := e.Encode(&node); err != nil {
		return err
	}
	return e.Close()
}

// setBlockStyle removes the braces and quotes of JSON.
func setBlockStyle(n *yaml.Node) {
	n.Style &^= yaml.FlowStyle | yaml.DoubleQuotedStyle
	if n.Kind == yaml.ScalarNode && strings.Contains(n.Value, "\n") {
		n.Style |= yaml.LiteralStyle
	}
	for _, k := range n.Content {
		setBlockStyle(k)
	}
}
