package webhook

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headgate-dev/headgate/plugins/remote"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/sdk/webhook"
)

const secret = "0123456789abcdef0123456789abcdef"

// receiver is a real receiver on loopback, which finds project names.
type receiver struct {
	*httptest.Server
	verifier *webhook.Verifier
	calls    atomic.Int64
	requests chan webhook.Request // the last calls
}

var project = regexp.MustCompile(`PROJECT-[A-Z]{3,20}`)

// finds returns a judge that takes an action if it finds a project name.
func finds(action webhook.Action) webhook.Judge {
	return func(_ context.Context, r *webhook.Request) (*webhook.Verdict, error) {
		v := &webhook.Verdict{Action: webhook.Pass}
		for i, s := range r.Segments {
			for _, at := range project.FindAllStringIndex(s.Text, -1) {
				v.Action = action
				v.Findings = append(v.Findings, webhook.Finding{Segment: i, Start: at[0], End: at[1], Label: "project"})
			}
		}
		return v, nil
	}
}

func says(v webhook.Verdict) webhook.Judge {
	return func(context.Context, *webhook.Request) (*webhook.Verdict, error) { return &v, nil }
}

func receives(t testing.TB, judge webhook.Judge) *receiver {
	r := &receiver{verifier: &webhook.Verifier{Secrets: []string{secret}}, requests: make(chan webhook.Request, 1000)}
	handler := webhook.Handler(r.verifier, func(ctx context.Context, in *webhook.Request) (*webhook.Verdict, error) {
		r.calls.Add(1)
		select {
		case r.requests <- *in:
		default:
		}
		return judge(ctx, in)
	})
	return serves(t, r, handler)
}

func serves(t testing.TB, r *receiver, h http.Handler) *receiver {
	r.Server = httptest.NewServer(h)
	t.Cleanup(r.Close)
	return r
}

// link returns a stage that calls the receiver.
func (r *receiver) link(t testing.TB, change ...func(*Options)) *remote.Stage {
	o := Options{Link: "the-guard", URL: r.URL + "/check?token=hidden", Secret: secret, AllowPrivate: true, Timeout: 20 * time.Second}
	for _, f := range change {
		f(&o)
	}
	s, err := New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	return s
}
