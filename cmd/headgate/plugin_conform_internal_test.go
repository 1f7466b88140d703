package main

import (
	"context"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/state"
	"github.com/headgate-dev/headgate/sdk/stagetest"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

// linkOf reads a link as it stands in a chain.
func linkOf(t testing.TB, text string) *config.Link {
	var keys struct {
		Link config.Block `yaml:"link"`
	}
	require.NoError(t, config.Document("link.yaml", []byte("link: "+text), "", &keys))
	l := new(config.Link)
	require.NoError(t, keys.Link.Decode(l))
	if l.Name == "" {
		l.Name = "tested"
	}
	return l
}

const conformSecret = "0123456789abcdef"

var conformNumber = regexp.MustCompile(`EMP-[0-9]{6}`)

// conformReceiver is a guard over HTTP that finds what the sample module finds, but for its word boundaries.
func conformReceiver(t testing.TB) string {
	verifier := &webhook.Verifier{Secrets: []string{conformSecret}}
	s := httptest.NewServer(webhook.Handler(verifier, func(_ context.Context, r *webhook.Request) (*webhook.Verdict, error) {
		v := &webhook.Verdict{Action: webhook.Pass}
		for i, seg := range r.Segments {
			for _, at := range conformNumber.FindAllStringIndex(seg.Text, -1) {
				v.Action = webhook.Redact
				v.Findings = append(v.Findings, webhook.Finding{Segment: i, Start: at[0], End: at[1], Label: "employee_id"})
			}
		}
		return v, nil
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// conforming are the adapters of each kind of stage, as the gateway itself makes them. A new kind gets a line here.
var conforming = map[string]struct {
	link   func(t testing.TB) string
	phases []core.Phase
}{
	"compiled in": {
		link:   func(testing.TB) string { return "{stage: pii, config: {types: [EMAIL], response: redact}}" },
		phases: []core.Phase{core.Request, core.Response},
	},
	"a detector in Wasm": {
		link:   func(testing.TB) string { return "{wasm: employee-id.wasm, timeout: 20s, config: {action: redact}}" },
		phases: []core.Phase{core.Request, core.Target, core.Response},
	},
	"a process": {
		link: func(t testing.TB) string {
			file := filepath.Join(t.TempDir(), "wordguard")
			said, err := exec.Command("go", "build", "-o", file, "../../sdk/process/samples/wordguard").CombinedOutput()
			require.NoError(t, err, string(said))
			return "{process: " + file + ", timeout: 20s, config: {redact: [EMP-123456]}}"
		},
		phases: []core.Phase{core.Request, core.Response},
	},
	"a webhook, CLOSED": {
		link: func(t testing.TB) string {
			return "{webhook: " + conformReceiver(t) + ", timeout: 20s, secret: " + conformSecret + ", fail_mode: CLOSED}"
		},
		phases: []core.Phase{core.Request, core.Target, core.Response},
	},
	"a webhook, OPEN": {
		link: func(t testing.TB) string {
			return "{webhook: " + conformReceiver(t) + ", timeout: 20s, secret: " + conformSecret + ", fail_mode: OPEN}"
		},
		phases: []core.Phase{core.Request, core.Target, core.Response},
	},
}

func TestTheAdapterOfEachKindOfStageConforms(t *testing.T) {
	kinds := map[string]bool{}
	for name, c := range conforming {
		t.Run(name, func(t *testing.T) {
			tr := newTriedIn(t)
			l := linkOf(t, c.link(t))
			kinds[l.Kind()] = true
			make := func(t testing.TB) core.Stage {
				link := *l
				m, err := tr.link(context.Background(), &link, "../../sdk/samples/employee-id", core.Deps{Name: l.Name, State: state.NewMemory(state.Options{}), Now: time.Now})
				require.NoError(t, err)
				return m.Link.Stage
			}
			held := make(t) // a module that is in use is not compiled again
			if s, ok := held.(core.Closer); ok {
				defer func() { require.NoError(t, s.Close(context.Background())) }()
			}
			stagetest.Conform(t, stagetest.Suite{
				New:    make,
				Texts:  []string{"ask EMP-123456 and EMP-654321, or bob@example.com", "EMP-12345", "nothing", "é EMP-123456é bob@example.com\n"},
				Phases: c.phases,
			})
		})
	}
	for kind := range tryAdapters {
		require.True(t, kinds[kind], "links of the kind %q are held against nothing: add one to conforming", kind)
	}
}

// newTriedIn compiles modules in this process: this program is not the one that compiles for others.
func newTriedIn(t *testing.T) *tried {
	tr, err := newTried(new(flags), testWriter{t})
	require.NoError(t, err)
	tr.cache = ""
	return tr
}

type testWriter struct{ t testing.TB }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Log(string(p))
	return len(p), nil
}
