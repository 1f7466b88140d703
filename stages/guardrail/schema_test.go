package guardrail

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEveryDetectorHasASchemaThatAgreesWithItsSettings fails if a detector or a setting is added without a text, and if a schema
// requires too little to build the detector.
func TestEveryDetectorHasASchemaThatAgreesWithItsSettings(t *testing.T) {
	assert.Equal(t, ListKinds(), ListSchemaKinds())
	assert.Nil(t, BuildSchema("nothing"))
	for kind, k := range buildKindTable() {
		t.Run(kind, func(t *testing.T) {
			s := BuildSchema(kind)
			assert.NotEmpty(t, s["description"])
			properties := s["properties"].(map[string]any)
			assert.ElementsMatch(t, append(slices.Clone(k.own), "action", "threshold", "name"), slices.Collect(maps.Keys(properties)))
			for name, p := range properties {
				assert.NotEmpty(t, p.(map[string]any)["description"], name)
			}
			d := detectorSettings{Type: kind}
			for _, name := range s["required"].([]string) {
				setOne(t, &d, name)
			}
			choices, _ := s["anyOf"].([]map[string]any)
			if len(choices) > 0 {
				_, err := newEngine([]detectorSettings{d})
				require.Error(t, err, "it needs one of several settings")
			}
			for _, choice := range append(choices, map[string]any{"required": []string{}})[:max(len(choices), 1)] {
				one := d
				for _, name := range choice["required"].([]string) {
					setOne(t, &one, name)
				}
				for _, action := range properties["action"].(map[string]any)["enum"].([]string) {
					one.Action = action
					_, err := newEngine([]detectorSettings{one})
					require.NoError(t, err, action)
				}
			}
		})
	}
}

func TestASchemaOffersReplaceToDetectorsOfRequestTexts(t *testing.T) {
	for kind, want := range map[string][]string{
		"prompt_injection": {"block", "flag", "replace"}, "language": {"block", "flag", "replace"}, "keywords": {"block", "redact", "flag"},
		"secrets": {"block", "redact", "flag"}, "tool_policy": {"block", "flag"}, "required_metadata": {"block", "flag"},
	} {
		action := BuildSchema(kind)["properties"].(map[string]any)["action"].(map[string]any)
		assert.Equal(t, want, action["enum"], kind)
		assert.Equal(t, slices.Contains(want, "replace"), strings.Contains(action["description"].(string), "replace"), kind)
	}
}

// setOne sets a setting to a value that is usual for it.
func setOne(t *testing.T, d *detectorSettings, name string) {
	t.Helper()
	v := reflect.ValueOf(d).Elem()
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("yaml") != name {
			continue
		}
		switch f := v.Field(i); f.Interface().(type) {
		case []string:
			f.Set(reflect.ValueOf([]string{"latin"}))
		case string:
			f.SetString("latin")
		case int:
			f.SetInt(10)
		case map[string][]string:
			f.Set(reflect.ValueOf(map[string][]string{"chess": {"rook", "queen"}}))
		default:
			f.Set(reflect.ValueOf(map[string]any{"type": "object"}))
		}
		return
	}
	t.Fatalf("no setting %s", name)
}

func TestNoTextOfASchemaHasAnAngleBracket(t *testing.T) {
	for _, kind := range ListSchemaKinds() {
		assert.False(t, strings.ContainsAny(fmt.Sprint(BuildSchema(kind)), "<>"), kind)
	}
}
