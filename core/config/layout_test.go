package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const threeLinks = `
providers: {mock: {}}
routes: [{model_pattern: "*", providers: [{provider: mock}]}]
chain:
  - {stage: a, name: one}
  - {stage: a, name: two, mode: shadow}
  - {stage: a, name: three}
`

func TestALayoutOrdersTheLinksOfTheFile(t *testing.T) {
	for name, c := range map[string]struct {
		layout *Layout
		want   []string
		warns  int
	}{
		"none":                                {nil, []string{"one", "two", "three"}, 0},
		"another order":                       {&Layout{Order: []string{"three", "one", "two"}}, []string{"three", "one", "two"}, 0},
		"a link that it does not know":        {&Layout{Order: []string{"three", "one"}}, []string{"three", "one", "two"}, 0},
		"the first is not known to it":        {&Layout{Order: []string{"three", "two"}}, []string{"one", "three", "two"}, 0},
		"a link that the file has no longer":  {&Layout{Order: []string{"gone", "two", "one", "three"}}, []string{"two", "one", "three"}, 1},
		"a link that is named twice":          {&Layout{Order: []string{"two", "two", "one", "three"}}, []string{"two", "one", "three"}, 0},
		"a mode alone leaves the order alone": {&Layout{Modes: map[string]Mode{"one": Shadow}}, []string{"one", "two", "three"}, 0},
	} {
		cfg, warnings, err := Load(
			Source{Default: []byte(threeLinks), Layout: c.layout, Known: Known{Providers: []string{"mock"}, Stages: []string{"a"}}},
		)
		require.NoError(t, err, name)
		var got []string
		for _, l := range cfg.Chain {
			got = append(got, l.Name)
		}
		assert.Equal(t, c.want, got, name)
		n := 0
		for _, w := range warnings {
			if w.Path == "chain" {
				n++
			}
		}
		assert.Equal(t, c.warns, n, name)
	}
}

func TestALayoutChangesModesAndTheDigest(t *testing.T) {
	src := Source{Default: []byte(threeLinks), Known: Known{Providers: []string{"mock"}, Stages: []string{"a"}}}
	plain, _, err := Load(src)
	require.NoError(t, err)
	src.Layout = &Layout{Modes: map[string]Mode{"one": Shadow, "two": Enforce, "gone": Shadow}}
	cfg, _, err := Load(src)
	require.NoError(t, err)
	assert.Equal(t, Shadow, cfg.Chain[0].Mode)
	assert.Equal(t, Enforce, cfg.Chain[1].Mode)
	assert.NotEqual(t, plain.Digest, cfg.Digest)
	src.Layout = &Layout{Modes: map[string]Mode{"one": "asleep"}}
	_, _, err = Load(src)
	assert.ErrorContains(t, err, "mode")
}
