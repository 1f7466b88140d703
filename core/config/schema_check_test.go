package config

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// checkSchema checks a value against the part of JSON Schema that ours uses.
func checkSchema(root, s map[string]any, x any) error {
	if ref, ok := s["$ref"].(string); ok {
		return checkSchema(root, root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any), x)
	}
	if several, ok := s["anyOf"].([]any); ok {
		for _, one := range several {
			if checkSchema(root, one.(map[string]any), x) == nil {
				return nil
			}
		}
		return fmt.Errorf("%v fits none of anyOf", x)
	}
	if words, ok := s["enum"].([]any); ok && !slices.Contains(words, x) {
		return fmt.Errorf("%v is not in the enum", x)
	}
	kinds := map[string]bool{}
	switch t := s["type"].(type) {
	case string:
		kinds[t] = true
	case []any:
		for _, one := range t {
			kinds[one.(string)] = true
		}
	}
	is := func(kind string) bool { return len(kinds) == 0 || kinds[kind] }
	switch x := x.(type) {
	case nil:
		if !is("null") {
			return fmt.Errorf("null is not wanted")
		}
	case string:
		if pattern, ok := s["pattern"].(string); !is("string") || ok && !regexp.MustCompile(pattern).MatchString(x) {
			return fmt.Errorf("%q does not fit", x)
		}
	case bool:
		if !is("boolean") {
			return fmt.Errorf("%v does not fit", x)
		}
	case float64:
		low, hasLow := s["minimum"].(float64)
		high, hasHigh := s["maximum"].(float64)
		if !is("integer") && !is("number") || hasLow && x < low || hasHigh && x > high {
			return fmt.Errorf("%v does not fit", x)
		}
	case []any:
		if !is("array") {
			return fmt.Errorf("a list does not fit")
		}
		items, _ := s["items"].(map[string]any)
		for i, item := range x {
			if err := checkSchema(root, items, item); err != nil {
				return fmt.Errorf("[%d]: %w", i, err)
			}
		}
	case map[string]any:
		if !is("object") {
			return fmt.Errorf("a mapping does not fit")
		}
		return fitsObject(root, s, x)
	}
	return nil
}

func fitsObject(root, s, x map[string]any) error {
	if required, ok := s["required"].([]any); ok {
		for _, key := range required {
			if _, ok := x[key.(string)]; !ok {
				return fmt.Errorf("%s is missing", key)
			}
		}
	}
	if one, ok := s["oneOf"].([]any); ok {
		n := 0
		for _, o := range one {
			if fitsObject(root, o.(map[string]any), x) == nil {
				n++
			}
		}
		if n != 1 {
			return fmt.Errorf("%d of oneOf fit", n)
		}
	}
	properties, _ := s["properties"].(map[string]any)
	patterns, _ := s["patternProperties"].(map[string]any)
	for key, v := range x {
		if p, ok := properties[key].(map[string]any); ok {
			if err := checkSchema(root, p, v); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			continue
		}
		known := s["additionalProperties"] == nil
		if p, ok := s["additionalProperties"].(map[string]any); ok {
			if err := checkSchema(root, p, v); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			known = true
		}
		for pattern := range patterns {
			known = known || regexp.MustCompile(pattern).MatchString(key)
		}
		if !known {
			return fmt.Errorf("%s is unknown", key)
		}
	}
	return nil
}

// asJSON reads a file as an editor does: variables are still text.
func asJSON(t *testing.T, path string) any {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var doc yaml.Node
	require.NoError(t, yaml.Unmarshal(text, &doc))
	p := &parser{report: &report{}}
	var x any
	raw, err := json.Marshal(p.parseValue(doc.Content[0], "", place{}, 0, nil).convertToPlain())
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &x))
	return x
}

func TestSchemaTakesWhatLoadTakes(t *testing.T) {
	var root map[string]any
	raw, err := os.ReadFile(schemaFile)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &root))
	good, err := filepath.Glob("testdata/*.good.yaml")
	require.NoError(t, err)
	samples, err := filepath.Glob("../../configs/*.yaml")
	require.NoError(t, err)
	chains, err := filepath.Glob("../../configs/chains/*.yaml")
	require.NoError(t, err)
	for _, file := range append(append(good, samples...), chains...) {
		switch filepath.Base(file) {
		case "models.yaml", "prometheus-rules.yaml", "kubernetes-sidecar.yaml":
			continue // no configuration of the gateway
		}
		require.NoError(t, checkSchema(root, root, asJSON(t, file)), file)
	}
	for _, name := range []string{"unknown", "words", "types", "routes"} {
		require.Error(t, checkSchema(root, root, asJSON(t, "testdata/"+name+".bad.yaml")), name)
	}
}
