package wasm

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/recall"
)

// rememberingStage returns a stage of a module with a changed manifest.
func rememberingStage(t *testing.T, source []byte, manifest, config string, m recall.Memory) *Stage {
	t.Helper()
	o := LoadOptions{Source: source, Name: "guest.wasm", Config: []byte(config)}
	if manifest != "" {
		var err error
		o.Source, err = WithManifest(source, []byte(manifest))
		require.NoError(t, err)
	}
	v, err := Load(context.Background(), o)
	require.NoError(t, err)
	st, err := NewStage(v, "link", Settings{})
	require.NoError(t, err)
	st.SetMemory(m)
	t.Cleanup(func() { assert.NoError(t, st.Close(context.Background())) })
	return st
}

func TestATextWithoutMatchesIsNotGivenToTheGuestAgain(t *testing.T) {
	m := chain.NewMemory(1 << 20)
	st := rememberingStage(t, employeeID(t), "", "", m)
	clean, found := strings.Repeat("nothing of interest here, ", 10), strings.Repeat("ask EMP-123456 about it, ", 10)
	look := func(st *Stage, text string) int {
		before := st.v.calls.Load()
		x := exchangeOf(core.Segment{Role: core.RoleUser, Kind: core.KindText}, text)
		v, err := st.Check(context.Background(), x, core.Request, nil)
		require.NoError(t, err)
		assert.Len(t, v.Findings, strings.Count(text, "EMP-"))
		return int(st.v.calls.Load() - before)
	}
	assert.Equal(t, 1, look(st, clean))
	assert.Zero(t, look(st, clean))
	assert.Equal(t, 1, look(st, found))
	assert.Equal(t, 1, look(st, found), "matches are looked for again")
	assert.Equal(t, 1, look(st, "short"))
	assert.Equal(t, 1, look(st, "short"), "a short text is not remembered")

	const other = `{"name":"employee-id","kind":"detector","labels":["employee_id"],"max_match":10`
	assert.Equal(t, 1, look(rememberingStage(t, employeeID(t), other+`,"remember":true,"licence":"x"}`, "", m), clean), "a changed module has another digest")
	forgetful := rememberingStage(t, employeeID(t), other+"}", "", m)
	assert.Equal(t, 1, look(forgetful, clean))
	assert.Equal(t, 1, look(forgetful, clean), "its manifest does not declare that it may be remembered")
}

// Two links may run one module for different sources. What one has not shown its guest, the other must not take for clean.
func TestATextThatAnotherLinkDidNotShowItsGuestIsJudged(t *testing.T) {
	m := chain.NewMemory(1 << 20)
	links := map[string]*Stage{}
	for _, source := range []string{"user", "tool_result"} {
		v, err := Load(context.Background(), LoadOptions{Name: "guest.wasm", Source: employeeID(t)})
		require.NoError(t, err)
		st, err := NewStage(v, "link", Settings{Sources: []string{source}})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, st.Close(context.Background())) })
		st.SetMemory(m)
		links[source] = st
	}
	found := strings.Repeat("ask EMP-123456 about it, ", 10)
	for range 2 { // the second time everything is known that can be
		for source, want := range map[string]int{"user": 0, "tool_result": 10} {
			x := exchangeOf(core.Segment{Role: core.RoleTool, Kind: core.KindToolResult}, found)
			v, err := links[source].Check(context.Background(), x, core.Request, nil)
			require.NoError(t, err)
			assert.Len(t, v.Findings, want, source)
		}
	}
}
