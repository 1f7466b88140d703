package guardrail

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// jsonSchema finds texts that are not JSON of a schema.
type jsonSchema struct {
	schema *jsonschema.Schema
	fence  bool
}

var errRemote = errors.New("a schema that is read from elsewhere; write it into this one, under $defs")

// noRemote refuses to read schemas from files or the network.
type noRemote struct{}

func (noRemote) Load(string) (any, error) { return nil, errRemote }

func newJSONSchema(d *detectorSettings, _ *engine) (detector, error) {
	var text string
	switch s := d.Schema.(type) {
	case nil:
		return nil, fmt.Errorf("schema is empty: write a JSON Schema")
	case string:
		text = s
	default:
		b, err := json.Marshal(s)
		if err != nil {
			return nil, fmt.Errorf("schema: %w", err)
		}
		text = string(b)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noRemote{})
	if err := c.AddResource("headgate:schema", doc); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	s, err := c.Compile("headgate:schema")
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return &jsonSchema{s, d.StripFence}, nil
}

func (*jsonSchema) needWholeAnswer() {}

func (j *jsonSchema) detect(c *check, dst []finding) []finding {
	bad := finding{end: len(c.v.raw), score: 1}
	text := cleanDocument(c.v.raw, j.fence)
	if !jsontext.Value(text).IsValid() { // duplicate keys count as invalid, because parsers differ on which one they use
		return append(dst, bad)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil || j.schema.Validate(doc) != nil {
		return append(dst, bad)
	}
	return dst
}

// cleanDocument returns the JSON in a text: without a byte order mark, and without the fence
// around it if requested.
func cleanDocument(s string, fence bool) string {
	s = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(s), "\ufeff"))
	if !fence || !strings.HasPrefix(s, "```") || !strings.HasSuffix(s, "```") || len(s) < 6 {
		return s
	}
	first, rest, ok := strings.Cut(s[3:len(s)-3], "\n")
	if !ok {
		return strings.TrimSpace(strings.TrimPrefix(first, "json"))
	}
	if strings.ContainsAny(first, "{[\"") {
		rest = first + "\n" + rest
	}
	return strings.TrimSpace(rest)
}

// jsonKeys finds texts that are not a JSON object, lack required keys or have unknown ones.
type jsonKeys struct {
	need, forbidden []string
	fence           bool
}

func newJSONKeys(d *detectorSettings, _ *engine) (detector, error) {
	if len(d.Keys)+len(d.Forbidden) == 0 {
		return nil, fmt.Errorf("keys is empty: write the keys that an object must have, or forbidden: those that it must not")
	}
	return &jsonKeys{d.Keys, d.Forbidden, d.StripFence}, nil
}

func (*jsonKeys) needWholeAnswer() {}

func (j *jsonKeys) detect(c *check, dst []finding) []finding {
	bad := finding{end: len(c.v.raw), score: 1}
	text := cleanDocument(c.v.raw, j.fence)
	var obj map[string]json.RawMessage
	if !jsontext.Value(text).IsValid() || json.Unmarshal([]byte(text), &obj) != nil || obj == nil {
		return append(dst, bad)
	}
	for _, k := range j.need {
		if _, ok := obj[k]; !ok {
			return append(dst, bad)
		}
	}
	for _, k := range j.forbidden {
		if _, ok := obj[k]; ok {
			return append(dst, bad)
		}
	}
	return dst
}
