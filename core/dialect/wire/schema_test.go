package wire

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheSchemaOfAToolIsThatOfAnObject(t *testing.T) {
	for schema, want := range map[string]string{
		"":                              `x{"type":"object"}`,
		`{}`:                            `x{"type":"object"}`,
		` { } `:                         `x {"type":"object" } `,
		`{"properties":{}}`:             `x{"type":"object","properties":{}}`,
		`{"type":"object"}`:             `x{"type":"object"}`,
		`{"properties":{"type":{}}}`:    `x{"type":"object","properties":{"type":{}}}`,
		`{"a":1,"type":["object"]}`:     `x{"a":1,"type":["object"]}`,
		`{"\u0074ype":"object","a":{}}`: `x{"\u0074ype":"object","a":{}}`,
	} {
		var raw json.RawMessage
		if schema != "" {
			raw = json.RawMessage(schema)
		}
		assert.Equal(t, want, string(AppendToolSchema([]byte("x"), raw)), schema)
	}
}
