package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testPlan returns a short load of one connection on a URL.
func testPlan(t *testing.T, base string, stream bool) *loadPlan {
	t.Helper()
	u, err := url.Parse(base + "/v1/chat/completions")
	require.NoError(t, err)
	body, err := buildPrompt("1k", stream, promptEmail)
	require.NoError(t, err)
	p := &loadPlan{
		url: u, body: body, renumber: renumberAll, connections: 2, measure: 50 * time.Millisecond, timeout: 20 * time.Second,
		stream: stream, first: `"content":"the`, forbid: placeholderOpen, want: noPlaceholder, tail: `"usage"`, core: -1,
	}
	if stream {
		p.tail = "[DONE]"
	}
	return p
}

func TestLoadPassesThroughTheFloorsWithoutAnError(t *testing.T) {
	for _, kind := range []string{"direct", "revproxy", "raw"} {
		for _, size := range []string{"1k", "100k"} {
			for _, stream := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s %s stream %t", kind, size, stream), func(t *testing.T) {
					m, base := startTestMock(t)
					if kind != "direct" {
						up, err := url.Parse(base)
						require.NoError(t, err)
						h, err := newFloorHandler(kind, up, nil)
						require.NoError(t, err)
						s := httptest.NewServer(h)
						t.Cleanup(s.Close)
						base = s.URL
					}
					p := testPlan(t, base, stream)
					var err error
					p.body, err = buildPrompt(size, stream, promptEmail)
					require.NoError(t, err)
					p.pid = os.Getpid()
					rep := runLoad(t.Context(), p)
					assert.Zero(t, rep.Errors, "%v", rep.ErrorKinds)
					assert.Positive(t, rep.Answered)
					assert.GreaterOrEqual(t, rep.Answered, rep.Requests)
					assert.Equal(t, m.readStats().Requests, rep.Answered, "each request reached the mock once")
					assert.Equal(t, stream && rep.Requests > 0, rep.FirstToken != nil) // a busy machine may answer none within the measured time
					assert.Equal(t, rep.Answered*int64(len(p.body)), m.readStats().BytesIn, "bodies arrive whole")
				})
			}
		}
	}
}

func TestAnswersThatTakeLongerThanTheMeasuredTimeAreMeasured(t *testing.T) {
	_, base := startTestMock(t)
	up, err := url.Parse(base)
	require.NoError(t, err)
	h, err := newFloorHandler("revproxy", up, nil)
	require.NoError(t, err)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(300 * time.Millisecond): // longer than the load is measured
		case <-r.Context().Done():
		}
		for began, now := time.Now(), usedCPU(t); usedCPU(t)-now < 30*time.Millisecond && time.Since(began) < 10*time.Second; {
			continue // the kernel counts time in steps of 10 ms, and on a busy machine an answer takes less
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(slow.Close)
	p := testPlan(t, slow.URL, false)
	p.measure, p.pid = 200*time.Millisecond, os.Getpid()
	rep := runLoad(t.Context(), p)
	assert.Zero(t, rep.Errors, "%v", rep.ErrorKinds)
	assert.Positive(t, rep.Requests)
	assert.GreaterOrEqual(t, rep.Latency.p50(), 300e3, "an answer counts with its whole time")
	assert.Positive(t, rep.Server.CPUMicros)
}

// usedCPU returns the time that this process has computed.
func usedCPU(t *testing.T) time.Duration {
	var u syscall.Rusage
	assert.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestLoadAtAFixedRateReportsItsOwnLag(t *testing.T) {
	_, base := startTestMock(t)
	p := testPlan(t, base, false)
	p.rate = 200
	rep := runLoad(t.Context(), p)
	assert.Zero(t, rep.Errors, "%v", rep.ErrorKinds)
	assert.Positive(t, rep.Answered)
	assert.NotNil(t, rep.ClockLag)
}

func TestLoadStopsWhenItsContextEnds(t *testing.T) {
	_, base := startTestMock(t)
	p := testPlan(t, base, false)
	p.measure = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rep := runLoad(ctx, p)
	assert.Less(t, rep.Seconds, p.measure.Seconds())
}

func TestLoadTellsBadAnswersApart(t *testing.T) {
	const good = `{"choices":[{"message":{"content":"the anna.lindqvist@example.com"}}],"usage":{}}`
	tests := map[string]struct {
		status int
		body   string
		stream bool
		want   error
	}{
		"a good answer":                     {200, good, false, nil},
		"a placeholder is left":             {200, strings.Replace(good, "the", testPlaceholder, 1), false, errPlaceholder},
		"the value did not come back":       {200, strings.Replace(good, "anna", "otto", 1), false, errNotRestored},
		"the end is missing":                {200, strings.TrimSuffix(good, `,"usage":{}}`), false, errTail},
		"a stream without a first token":    {200, "data: anna.lindqvist@example.com\n\ndata: \"usage\"\n\n", true, errNoToken},
		"a status other than 200":           {503, good, false, errors.New("status 503")},
		"an answer cut short by the server": {0, good, false, errAnswerBody},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				assert.Equal(t, "Bearer gw_test", r.Header.Get("Authorization"))
				if tc.status == 0 {
					w.Header().Set("Content-Length", "1000")
				} else {
					w.WriteHeader(tc.status)
				}
				_, _ = io.WriteString(w, tc.body)
			}))
			defer s.Close()
			p := testPlan(t, s.URL, tc.stream)
			p.headers, p.want, p.tail = []string{"Authorization: Bearer gw_test"}, promptEmail, `"usage"`
			w := newLoadWorker(p)
			defer w.closeConn()
			_, err := w.sendExchange(1, time.Now())
			if tc.want == nil {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tc.want.Error())
		})
	}
}

func TestLoadReadsAnswersInWhateverPiecesTheyCome(t *testing.T) {
	const token = `data: {"delta":{"content":"the quick"}}` + "\n\n"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for i := range len(token) {
			_, _ = io.WriteString(w, token[i:i+1])
			w.(http.Flusher).Flush()
		}
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}))
	defer s.Close()
	p := testPlan(t, s.URL, true)
	p.want = ""
	w := newLoadWorker(p)
	defer w.closeConn()
	got, err := w.sendExchange(1, time.Now())
	require.NoError(t, err)
	assert.Positive(t, got.firstToken)
	assert.Equal(t, token+"data: [DONE]\n\n", string(w.answer))
}

func TestWantedTextIsRenumberedWithThePrompt(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body) // the prompt is its own answer
	}))
	defer s.Close()
	p := testPlan(t, s.URL, false)
	email := "anna." + seqMark + "@example.com"
	var err error
	p.body, err = buildPrompt("1k", false, email)
	require.NoError(t, err)
	p.want, p.tail = email, ""
	w := newLoadWorker(p)
	defer w.closeConn()
	_, err = w.sendExchange(77, time.Now())
	require.NoError(t, err)
	assert.Contains(t, string(w.answer), "anna.SEQ0000000077@example.com")
}

func TestTheKeyComesFromItsFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(name, []byte("gw_test\n"), 0o600))
	f := loadFlags{
		target:  "http://127.0.0.1:1/x",
		size:    "1k",
		email:   promptEmail,
		marking: "all",
		keyFile: name,
		plan:    loadPlan{connections: 1},
	}
	p, err := f.buildPlan()
	require.NoError(t, err)
	req := p.buildRequest()
	assert.Contains(t, string(req), "\r\nAuthorization: Bearer gw_test\r\n")
	assert.True(t, bytes.HasSuffix(req, p.body))

	f.marking = "some"
	_, err = f.buildPlan()
	assert.ErrorContains(t, err, "-renumber")
}

func TestLoadPassesThroughReverseProxyWithTLSOnBothSides(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, writeCertificate(dir))
	listen := func() (net.Listener, string) {
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(t, err)
		secure, err := wrapListener(l, dir, "h2", "http/1.1")
		require.NoError(t, err)
		return secure, "https://" + l.Addr().String()
	}
	upstream, base := listen()
	m := newMock(streamChunks, 20)
	ended := make(chan error, 1)
	ctx, stop := context.WithCancel(t.Context())
	go func() { ended <- m.serve(ctx, upstream) }()
	trust, err := loadClientTLS(dir)
	require.NoError(t, err)
	up, err := url.Parse(base)
	require.NoError(t, err)
	h, err := newFloorHandler("revproxy", up, trust)
	require.NoError(t, err)
	front, base := listen()
	s := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() { _ = s.Serve(front) }()
	p := testPlan(t, base, false)
	p.trust = trust
	rep := runLoad(t.Context(), p)
	assert.Zero(t, rep.Errors, "%v", rep.ErrorKinds)
	assert.Positive(t, rep.Answered)
	assert.Equal(t, m.readStats().Requests, rep.Answered)
	require.NoError(t, s.Close())
	stop()
	require.NoError(t, <-ended)
}
