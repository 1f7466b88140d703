package schema

import (
	"encoding/json"
	"errors"
	"fmt"
)

// What happens to an answer that is still wrong when no retry is left.
const (
	failBlock = "block" // it is refused
	failPass  = "pass"  // it is passed and recorded
)

// settings are the stage's block of the configuration.
type settings struct {
	Schemas []Config `yaml:"schemas"`
	// OnFailure is block or pass.
	OnFailure string `yaml:"on_failure"`
}

// Config is one output schema, with the fields that the administrative API has.
type Config struct {
	// ModelPattern is a glob over the client's name of the model, or the routed one.
	ModelPattern string `yaml:"modelPattern" json:"modelPattern"`
	// RouteID is the id of a route.
	RouteID string `yaml:"routeId" json:"routeId"`
	// Schema is the JSON Schema, of any draft from 4 to 2020-12. Default: the latest, unless it names one.
	Schema map[string]any `yaml:"schema" json:"schema"`
	// MaxRetries is how often the model is asked again.
	MaxRetries int `yaml:"maxRetries" json:"maxRetries"`
	// CorrectionPrompt is the prompt of a retry. Default: DefaultPrompt. A description of what is wrong and the schema
	// follow it.
	CorrectionPrompt string `yaml:"correctionPrompt" json:"correctionPrompt"`
	// Enabled is true by default.
	Enabled *bool `yaml:"enabled" json:"enabled"`
}

// DefaultPrompt is the correction prompt of a schema that has none.
const DefaultPrompt = "Your answer does not match the JSON Schema below. Answer again, with one JSON document that matches it and nothing else: no explanation and no code fence."

// retryLimit limits maxRetries: each retry is a paid call.
const retryLimit = 10

// check returns an error for an invalid configuration.
func (c *Config) check() error {
	switch {
	case c.ModelPattern == "" && c.RouteID == "":
		return errors.New("no match is set: write modelPattern or routeId")
	case len(c.Schema) == 0:
		return errors.New("schema is missing: write a JSON Schema")
	case c.MaxRetries < 0 || c.MaxRetries > retryLimit:
		return fmt.Errorf("maxRetries is %d: write 0 to %d", c.MaxRetries, retryLimit)
	}
	return nil
}

// encodeSchema converts the values of a decoded schema to those of a JSON decoder.
func encodeSchema(schema map[string]any) (text []byte, err error) {
	if text, err = json.Marshal(schema); err != nil {
		return nil, fmt.Errorf("schema is not valid JSON: %w", err)
	}
	return text, nil
}
