package socket

import (
	"context"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// toDeaf is the client of a provider whose sockets take and send nothing.
type toDeaf struct{ upstream.Client }

func (toDeaf) OpenSocket(context.Context, *upstream.Request, int64) (upstream.Socket, *upstream.Response, error) {
	return deaf{}, nil, nil
}

type deaf struct{}

func (deaf) Read(ctx context.Context) ([]byte, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (deaf) Write(ctx context.Context, _ []byte) error {
	<-ctx.Done()
	return ctx.Err()
}

func (deaf) Close() {}

func TestAProviderThatReadsNothingDoesNotHoldATurn(t *testing.T) {
	for name, c := range map[string]struct {
		limits upstream.Timeouts
		leaves bool // the client
	}{
		"a limit between bytes": {upstream.Timeouts{Idle: time.Millisecond}, false},
		"a limit of the call":   {upstream.Timeouts{Total: time.Millisecond}, false},
		"the client leaves":     {upstream.Timeouts{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			if c.leaves {
				cancel()
			}
			l := turnLine{&conn{s: New(Options{HasSockets: func(string, string) bool { return true }}), httpOnly: map[string]bool{}}}
			r := &upstream.Request{URL: &url.URL{Host: "example.com"}, Body: []byte(`{}`), Timeouts: c.limits}
			_, err := l.Do(ctx, toDeaf{}, core.TargetRef{Wire: openai.ResponsesName}, r)
			var e *upstream.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, !c.leaves, e.Timeout)
			assert.Equal(t, upstream.PhaseWrite, e.Phase)
			assert.Nil(t, l.up, "the socket is not used again")
		})
	}
}
