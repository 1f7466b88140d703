package schema

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// place is the base URI of schemas. Nothing is read from there.
const place = "urn:headgate:output-schema"

// refusingLoader refuses to load references to other documents.
type refusingLoader struct{}

func (refusingLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("the schema refers to %q; external references are not supported: define it under $defs", url)
}

// compiled is one output schema, ready for use.
type compiled struct {
	Config
	schema *jsonschema.Schema
	text   []byte // the schema as JSON
}

func compileSchema(c Config) (*compiled, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	text, err := encodeSchema(c.Schema)
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	k := jsonschema.NewCompiler()
	k.UseLoader(refusingLoader{})
	if err = k.AddResource(place, doc); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	s, err := k.Compile(place)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return &compiled{Config: c, schema: s, text: text}, nil
}

// listFlaws returns what is wrong with a text, or nil if it matches the schema.
func (c *compiled) listFlaws(text string) []string {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(text)))
	if err != nil {
		return []string{"the answer is not one JSON document"}
	}
	if err = c.schema.Validate(doc); err == nil {
		return nil
	}
	var v *jsonschema.ValidationError
	if !errors.As(err, &v) {
		return []string{"the answer cannot be held against the schema"}
	}
	return describeFlaws(v)
}
