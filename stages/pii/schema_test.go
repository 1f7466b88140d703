package pii

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheSchemaOfTheStageOffersWhatItTakes(t *testing.T) {
	s := BuildSchema()
	properties := s["properties"].(map[string]any)
	assert.ElementsMatch(t, s["x-order"], slices.Collect(maps.Keys(properties)))
	for _, pack := range properties["packs"].(map[string]any)["items"].(map[string]any)["enum"].([]string) {
		_, err := newStage(settings{Packs: []string{pack}}, nil)
		require.NoError(t, err, pack)
	}
	for _, action := range properties["action"].(map[string]any)["enum"].([]string) {
		_, err := newStage(settings{Action: action}, nil)
		require.NoError(t, err, action)
	}
	for _, response := range properties["response"].(map[string]any)["enum"].([]string) {
		_, err := newStage(settings{Response: response, Region: "DE", Types: []string{"IBAN"}}, nil)
		require.NoError(t, err, response)
	}
}
