package anthropic

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestTheListOfModelsIsWhole(t *testing.T) {
	assert.JSONEq(t, `{"data":[],"has_more":false,"first_id":null,"last_id":null}`, string(AppendModels(nil, nil)))
	list := []Model{
		{ID: "claude-sonnet-4-5", DisplayName: `Claude "Sonnet" 4.5`, Created: time.Date(2025, 9, 29, 2, 0, 0, 0, time.FixedZone("", 7200))},
		{ID: "claude-opus-4-5"},
	}
	assert.JSONEq(
		t,
		`{"data":[{"type":"model","id":"claude-sonnet-4-5","display_name":"Claude \"Sonnet\" 4.5","created_at":"2025-09-29T00:00:00Z"},
		{"type":"model","id":"claude-opus-4-5","display_name":"claude-opus-4-5","created_at":"1970-01-01T00:00:00Z"}],
		"has_more":false,"first_id":"claude-sonnet-4-5","last_id":"claude-opus-4-5"}`,
		string(AppendModels(nil, list)),
	)
}
