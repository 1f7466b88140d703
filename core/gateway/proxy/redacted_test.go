package proxy_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/audit"
)

func TestWhatIsRedactedIsRecordedByTypeAndNeverByValue(t *testing.T) {
	up := newFake(t, says(buildWhole(200, "application/json", completion("hi"))))
	g := open(t, setup{url: up.url, chain: redacting(t, "")})
	a := g.post("dev", chat("write to ann@example.com and bob@example.com, not to ann@example.com"))
	require.Equal(t, 200, a.status)
	var told []record
	require.Eventually(t, func() bool {
		told = slices.DeleteFunc(g.records(), func(r record) bool { return r.kind != audit.PIIRedacted })
		return len(told) > 0
	}, generous, 5*time.Millisecond)
	require.Len(t, told, 1, "one per exchange")
	assert.Equal(t, map[string]any{"EMAIL": 3.0}, told[0].payload["types"])
	assert.EqualValues(t, 3, told[0].payload["total"])
	assert.Equal(t, "tenant-a", told[0].tenant)
	assert.NotContains(t, told[0].raw, "example.com")
}

func TestWhatIsOnlyFoundIsNotRecordedAsRedacted(t *testing.T) {
	up := newFake(t, says(buildWhole(200, "application/json", completion("hi"))))
	g := open(t, setup{url: up.url, chain: redacting(t, "action: flag")})
	require.Equal(t, 200, g.post("dev", chat("write to ann@example.com")).status)
	g.outcome()
	for _, r := range g.records() {
		assert.NotEqual(t, audit.PIIRedacted, r.kind)
	}
}
