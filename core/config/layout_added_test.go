package config

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestALayoutAddsLinksToThoseOfTheFile(t *testing.T) {
	words := AddedLink{Name: "words", Stage: "a", Config: map[string]any{"words": []any{"${HOME}", "true"}, "most": 3.0, "on": true}}
	const noChain = "providers: {mock: {}}\nroutes: [{model_pattern: \"*\", providers: [{provider: mock}]}]\n"
	for name, c := range map[string]struct {
		file   string
		layout Layout
		want   []string
	}{
		"at the end":                       {threeLinks, Layout{}, []string{"one", "two", "three", "words"}},
		"where the order has it":           {threeLinks, Layout{Order: []string{"one", "words", "two"}}, []string{"one", "words", "two", "three"}},
		"to a file without a chain":        {noChain, Layout{}, []string{"words"}},
		"not beside a link with this name": {threeLinks + "  - {stage: a, name: words, mode: shadow}\n", Layout{}, []string{"one", "two", "three", "words"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.layout.Added = []AddedLink{words}
			text, err := json.Marshal(&c.layout)
			require.NoError(t, err)
			var stored Layout
			require.NoError(t, json.Unmarshal(text, &stored))
			cfg, _, err := Load(Source{
				Default: []byte(c.file), Layout: &stored, Environ: []string{"HOME=/home/ada"}, Known: Known{Providers: []string{"mock"}, Stages: []string{"a"}},
			})
			require.NoError(t, err)
			var got []string
			for _, l := range cfg.Chain {
				got = append(got, l.Name)
			}
			assert.Equal(t, c.want, got)
		})
	}
}

func TestAnAddedLinkHasItsSettingsAndNoVariables(t *testing.T) {
	l := &Layout{
		Added: []AddedLink{{Name: "words", Stage: "a", Config: map[string]any{"words": []any{"${HOME}", "true"}, "most": 3.0, "on": true}}},
		Modes: map[string]Mode{"words": Shadow},
	}
	cfg, _, err := Load(Source{
		Default: []byte(threeLinks), Layout: l, Environ: []string{"HOME=/home/ada"}, Known: Known{Providers: []string{"mock"}, Stages: []string{"a"}},
	})
	require.NoError(t, err)
	got := cfg.Chain[3]
	assert.Equal(t, Shadow, got.Mode)
	var settings struct {
		Words []string
		Most  int
		On    bool
	}
	require.NoError(t, got.Config.Decode(&settings))
	assert.Equal(t, []string{"${HOME}", "true"}, settings.Words)
	assert.Equal(t, 3, settings.Most)
	assert.True(t, settings.On)
	assert.False(t, l.IsZero())
}
