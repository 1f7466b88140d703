package node

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/sdk/project/guests"
	"github.com/headgate-dev/headgate/sdk/stagetest"
	"github.com/headgate-dev/headgate/sdk/stagetest/cases"
)

// linkOf parses a link as written in a chain.
func linkOf(t testing.TB, text string) *config.Link {
	var keys struct {
		Link config.Block `yaml:"link"`
	}
	require.NoError(t, config.DecodeDocument("link.yaml", []byte("link: "+text), "", &keys))
	l := new(config.Link)
	require.NoError(t, keys.Link.Decode(l))
	if l.Name == "" {
		l.Name = "tested"
	}
	return l
}

func TestTheAdapterOfEachKindOfStageConforms(t *testing.T) {
	kinds := map[string]bool{}
	var page []conformed
	for _, c := range conforming {
		t.Run(c.name, func(t *testing.T) {
			if raceEnabled && c.unraced {
				t.Skip("tried without the race detector")
			}
			text, dir := c.made(t)
			l := linkOf(t, text)
			kinds[l.Kind()] = true
			tr := newTriedIn(t, dir)
			counters := roomy{state.NewMemory(state.Options{})}
			make := func(t testing.TB) *chain.Link {
				link := *l
				m, err := tr.BuildLink(context.Background(), &link, dir, cases.Given{Name: l.Name, State: counters, Now: time.Now})
				require.NoError(t, err)
				return &m.Link
			}
			held := make(t) // a module in use is not compiled again
			if s, ok := held.Stage.(core.Closer); ok {
				defer func() { require.NoError(t, s.Close(context.Background())) }()
			}
			phases := c.phases
			for _, p := range allPhases {
				if c.phases == nil && held.Phases.Has(p) {
					phases = append(phases, p)
				}
			}
			rules := stagetest.Conform(t, stagetest.Suite{
				New:   func(t testing.TB) core.Stage { return make(t).Stage },
				Texts: c.texts, Phases: phases,
			})
			page = append(page, conformed{name: c.name, phases: phases, rules: rules})
		})
	}
	if len(page) == len(conforming) && !t.Failed() {
		checkConformPage(t, page)
	}
	for kind := range tryAdapters {
		require.True(t, kinds[kind], "links of the kind %q have no conformance test: add one to conforming", kind)
	}
}

func TestEverySampleHasARowInTheTableOfAdapters(t *testing.T) {
	var rows []string
	for _, c := range conforming {
		rows = append(rows, c.name[strings.LastIndex(c.name, " ")+1:])
	}
	root, err := guests.Root()
	require.NoError(t, err)
	found := 0
	for _, pattern := range []string{"sdk/samples/*/manifest.*", "sdk/samples/*/*.wasm.yaml", "sdk/process/samples/*/main.go"} {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		require.NoError(t, err)
		for _, file := range files {
			found++
			assert.Contains(t, rows, filepath.Base(filepath.Dir(file)), "add a row to conforming")
		}
	}
	assert.Greater(t, found, 15)
}

// newTriedIn compiles the modules of a folder in this process, because this program cannot act as the compiler process,
// and caches them for later tests.
func newTriedIn(t *testing.T, dir string) *Trial {
	tr, err := NewTrial(new(Options), testWriter{t})
	require.NoError(t, err)
	if dir != "" {
		tr.dirs[dir], err = plugins.Open(plugins.Options{Dir: dir, Trust: plugins.TrustOpen, CacheDir: guests.CompilationFolder(t)})
		require.NoError(t, err)
	}
	return tr
}

type testWriter struct{ t testing.TB }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Log(string(p))
	return len(p), nil
}
