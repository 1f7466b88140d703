package wasm

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/stagetest"
)

// goGuest builds the Go sample once, with the Go toolchain that runs the tests.
var goGuest = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "headgate-guest")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	out := filepath.Join(dir, "internal-host.wasm")
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", out, "../sdk/samples/internal-host")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		return said, err
	}
	return os.ReadFile(out)
})

// internalHost returns the Go sample with its manifest added.
func internalHost(t testing.TB) []byte {
	t.Helper()
	b, err := goGuest()
	require.NoError(t, err, string(b))
	b, err = WithManifest(b, []byte(`{"name":"internal-host","kind":"detector","labels":["internal_host"],"max_match":253,"token":true,
		"samples":[{"text":"Log in to db-1.prod.internal, then to wiki.corp.","labels":["internal_host","internal_host"]}]}`))
	require.NoError(t, err)
	return b
}

func TestDetectorsConformToTheContractOfStages(t *testing.T) {
	texts := []string{
		"EMP-123456", "ask EMP-123456 and EMP-654321.", "TEMP-123456 EMP-1234567 EMP-12345", "12345-abc abc-12345-999 77777",
		"see db-1.prod.internal and wiki.corp. Then a.internal.com", "no match", "EMP-", "é12345é",
	}
	for name, source := range map[string]func(testing.TB) []byte{"employee-id": employeeID, "overlap": overlap, "internal-host": internalHost} {
		for _, action := range []string{"flag", "redact", "block"} {
			t.Run(name+" "+action, func(t *testing.T) {
				if name == "internal-host" && action != "redact" {
					t.Skip("skipped: it shares its code with the other guests, and a Go guest takes long to load")
				}
				if name == "internal-host" && raceEnabled {
					t.Skip("tried without the race detector, which takes half a minute to load a Go guest")
				}
				stagetest.Conform(t, stagetest.Suite{
					New: func(t testing.TB) core.Stage {
						v, err := Load(
							context.Background(),
							LoadOptions{Source: source(t), Name: "test.wasm", Cache: sharedCache(t), Limits: Limits{Timeout: 20 * time.Second}},
						)
						require.NoError(t, err)
						st, err := NewStage(v, "link", Settings{Action: action})
						require.NoError(t, err)
						return st
					},
					Texts: texts, Phases: []core.Phase{core.Request, core.Target, core.Response},
				})
			})
		}
	}
}

func TestTheDetectorInCFindsEmployeeNumbers(t *testing.T) {
	st := stageOf(t, employeeID(t), Settings{Action: "redact"})
	stagetest.Cases(t, st, []stagetest.Case{
		{Name: "alone", Text: stagetest.Text{Text: "EMP-123456"}, Action: core.Rewrite, Out: "<EMPLOYEE_ID>", Labels: []string{"employee_id"}},
		{
			Name:   "between punctuation",
			Text:   stagetest.Text{Text: "(EMP-000000)"},
			Action: core.Rewrite,
			Out:    "(<EMPLOYEE_ID>)",
			Labels: []string{"employee_id"},
		},
		{
			Name:   "between characters that are not Latin",
			Text:   stagetest.Text{Text: "社員EMP-123456さん"},
			Action: core.Rewrite,
			Out:    "社員<EMPLOYEE_ID>さん",
			Labels: []string{"employee_id"},
		},
		{Name: "one digit too few", Text: stagetest.Text{Text: "EMP-12345"}},
		{Name: "one digit too many", Text: stagetest.Text{Text: "EMP-1234567"}},
		{Name: "in a longer word", Text: stagetest.Text{Text: "TEMP-123456 EMP-123456a xEMP-123456 _EMP-123456"}},
		{Name: "in another case", Text: stagetest.Text{Text: "emp-123456"}},
		{
			Name:   "in tool arguments",
			Text:   stagetest.Text{Kind: core.KindToolArgs, Text: `{"id":"EMP-123456"}`},
			Action: core.Rewrite,
			Out:    `{"id":"<EMPLOYEE_ID>"}`,
			Labels: []string{"employee_id"},
		},
	})
	for at := range 200 { // every offset in the 64 bytes that are scanned together
		text := prose(at)
		got := passWhole(t, st, text+" EMP-123456")
		require.Equal(t, text+" <EMPLOYEE_ID>", got.Text)
	}
}

func TestTheDetectorInGoServesThroughTheSameHost(t *testing.T) {
	var lines []string
	v := loadModule(
		t,
		LoadOptions{Source: internalHost(t), Name: "internal-host.wasm", Cache: sharedCache(t), Limits: Limits{Timeout: 20 * time.Second}},
	)
	got, err := v.Detect(context.Background(), nil, "open http://db.internal/x", 0)
	require.NoError(t, err)
	assert.Equal(t, []Match{{Start: 12, End: 23, Score: 0.9}}, got)
	assert.Empty(t, lines)

	_, err = Load(context.Background(), LoadOptions{Source: internalHost(t), Name: "x.wasm", Cache: sharedCache(t), Config: []byte(`{"a":1}`)})
	require.ErrorContains(t, err, "does not accept its settings")
}
