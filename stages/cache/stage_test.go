package cache

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/stages/cache/cachetest"
	"github.com/headgate-dev/headgate/stages/internal/settingstest"
)

// block is a stage's part of a configuration.
type block = settingstest.YAML

// builtIn is the stage under the cases of caches.
var builtIn = cachetest.Subject{
	Build: func(_ testing.TB, config string, d cachetest.Deps) (chain.Link, error) {
		deps := Deps{Now: d.Now}
		if d.State != nil {
			deps.State = d.State
		}
		st, err := New(block(config), deps)
		return chain.Link{Name: Name, Stage: st, Phases: Phases, Mode: chain.Enforce}, err
	},
	Bodies: func(l chain.Link) (out []string) {
		for _, it := range stageOf(l).shelves.loadShelf("t").items {
			out = append(out, string(it.entry.body))
		}
		return out
	},
	Waiting: func(l chain.Link) int { return len(stageOf(l).shelves.loadShelf("t").flights) },
}

func stageOf(l chain.Link) *Stage { return l.Stage.(*Stage) }

func TestTheStagePassesTheCasesOfCaches(t *testing.T) {
	for i := range cachetest.Cases {
		c := &cachetest.Cases[i]
		t.Run(c.Name, func(t *testing.T) { c.Run(t, &builtIn) })
	}
}

func TestALinkNeedsNoSettings(t *testing.T) {
	_, err := New(nil, Deps{})
	require.NoError(t, err)
}

func TestToolsAreNamedByServerAndName(t *testing.T) {
	for glob, ok := range map[string]bool{
		"search/find": true, "search/find_*": true, "*/find": true, "search": false, "*": false, "/find": false, "search/": false,
		"mcp/search/find": false,
	} {
		_, err := New(block(`tools: ["`+glob+`"]`), Deps{})
		if ok {
			require.NoError(t, err, glob)
			continue
		}
		require.ErrorContains(t, err, "write server/tool", glob)
	}
}

func TestResultsOfToolsStayOutOfTheSharedStore(t *testing.T) {
	_, err := New(block(`{store: shared, tools: ["search/find"]}`), Deps{})
	require.ErrorContains(t, err, "write store: memory")
}

// newBench returns a chain of the stage.
func newBench(t testing.TB) *cachetest.Bench { return cachetest.NewBench(t, &builtIn, "{}", nil) }
