package importtool

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestABifrostKeyIsNeverWidenedUnseen says what a key may use after the import, and what its findings say.
func TestABifrostKeyIsNeverWidenedUnseen(t *testing.T) {
	var many []string
	for i := range 70 {
		many = append(many, fmt.Sprint("m", i))
	}
	seventy, err := json.Marshal(many)
	require.NoError(t, err)
	var first []string
	for _, m := range many[:64] {
		first = append(first, "openai/"+m)
	}
	const all, none, left = "may use all models", "may use no model of the provider", "it is left out"
	for name, c := range map[string]struct {
		top, key string
		models   []string
		gone     bool
		says     string
	}{
		"an empty list of one provider": {"", `"provider_configs": [{"provider": "openai", "allowed_models": []},
			{"provider": "anthropic", "allowed_models": ["c"]}]`, []string{"anthropic/c"}, false, none},
		"empty lists of all providers":    {"", `"provider_configs": [{"provider": "openai", "allowed_models": []}]`, nil, true, left},
		"an empty list of an old version": {`"version": 1,`, `"provider_configs": [{"provider": "openai", "allowed_models": []}]`, []string{"openai/*"}, false, "all models of the provider"},
		"no list":                         {"", `"provider_configs": [{"provider": "openai"}]`, []string{"openai/*"}, false, "since then an entry without allowed_models allows none"},
		"no list of a new version":        {`"version": 2,`, `"provider_configs": [{"provider": "openai"}]`, nil, true, left},
		"a list of all":                   {`"version": 2,`, `"provider_configs": [{"provider": "openai", "allowed_models": ["*"]}]`, []string{"openai/*"}, false, "as provider/model"},
		"no providers":                    {"", `"is_active": true`, nil, false, all},
		"no providers of a new version":   {`"version": 2,`, `"is_active": true`, nil, true, left},
		"no providers of an old version":  {`"version": 1,`, `"is_active": true`, nil, false, all},
		"an empty list of providers":      {"", `"provider_configs": []`, nil, true, left},
		"null instead of providers":       {"", `"provider_configs": null`, nil, false, all},
		"entries without a provider":      {"", `"provider_configs": [{"weight": 1}]`, nil, true, left},
		"more models than a key can have": {"", `"provider_configs": [{"provider": "openai", "allowed_models": ` + string(seventy) + `}]`, first, false, "at most 64 patterns"},
		"a name that is a tool's":         {"", `"provider_configs": [{"provider": "mcp", "allowed_models": ["x"]}]`, nil, true, "a pattern is the name of a model"},
	} {
		t.Run(name, func(t *testing.T) {
			text := fmt.Sprintf(`{%s "client": {}, "providers": {"openai": {"keys": [{"value": "env.K"}]}},
				"governance": {"virtual_keys": [{"id": "v", "name": "shop", %s}]}}`, c.top, c.key)
			r, err := convertSource("bifrost", []byte(text))
			require.NoError(t, err)
			file, err := r.formatFile("bifrost")
			require.NoError(t, err)
			validate(t, r, file)
			var says []string
			for _, f := range r.findings {
				says = append(says, f.Path+" "+f.Why)
			}
			assert.Contains(t, strings.Join(says, "\n"), c.says)
			require.Len(t, r.out.Tenants, 1)
			got := r.out.Tenants[0].Keys[0]
			assert.Equal(t, c.gone, got.Name != "shop", "a file without keys gets one of the gateway's own")
			assert.Equal(t, c.models, got.Models)
		})
	}
}
