package outside

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/outside/outsidetest"
	"github.com/headgate-dev/headgate/plugins/remote"
	"github.com/headgate-dev/headgate/sdk/stagetest"
)

const secret = outsidetest.Secret

// fake is a fake with its names as these tests use them.
type fake struct {
	outsidetest.Fake
	vendor, path  string
	canTellPlaces bool
	answer        func(body map[string]any) any
}

var fakes = func() (list []fake) {
	for _, f := range outsidetest.Fakes {
		list = append(list, fake{f, f.Vendor, f.Path, f.CanTellPlaces, f.Answer})
	}
	return list
}()

// served is a running fake and the calls it received.
type served struct {
	*httptest.Server
	fake
	mu     sync.Mutex
	bodies []map[string]any
	paths  []string
}

// serve starts a fake.
func serve(t testing.TB, f fake) *served {
	s := &served{fake: f}
	f.Answer = f.answer // a test may have changed it
	s.Server = httptest.NewServer(f.NewHandler(func(body map[string]any, path string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.bodies, s.paths = append(s.bodies, body), append(s.paths, path)
	}))
	t.Cleanup(s.Close)
	return s
}

func completion(text string) any { return outsidetest.NewCompletion(text) }

// callAt returns options of a link that calls a fake at an address.
func callAt(f fake, url string) Options {
	o := Options{
		Vendor: f.vendor, Link: "the-guard", Secret: secret, AllowPrivate: true, Timeout: 20 * time.Second,
		Settings: Settings{URL: url + f.path, Remember: DefaultRemember},
	}
	if f.vendor == Judge {
		o.Secret, o.Settings.URL, o.Settings.Model, o.Settings.Template = "", "", "guard", "llama_guard"
		o.Chat = chatAt(url + f.path)
	}
	return o
}

// chatAt stands in for the gateway: it sends a chat to a server.
func chatAt(url string) Chat {
	c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return func(ctx context.Context, by *remote.Caller, link string, body []byte) (int, []byte, error) {
		if link != "the-guard" {
			return http.StatusTeapot, nil, nil
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
		if err != nil {
			return 0, nil, err
		}
		r.Header.Set("Authorization", "Bearer "+secret)
		r.Header.Set("X-Tenant", by.Tenant)
		res, err := c.Do(r)
		if err != nil {
			return 0, nil, err
		}
		defer func() { _ = res.Body.Close() }()
		b, err := io.ReadAll(res.Body)
		return res.StatusCode, b, err
	}
}

// link returns a link that calls the fake.
func (s *served) link(t testing.TB, change ...func(*Options)) *remote.Stage {
	o := callAt(s.fake, s.URL)
	for _, f := range change {
		f(&o)
	}
	st, err := New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, st.Close(context.Background())) })
	return st
}

func ask(s *remote.Stage, text string) (core.Verdict, error) {
	return s.Check(context.Background(), stagetest.Text{Text: text}.Exchange(), core.Request, nil)
}
