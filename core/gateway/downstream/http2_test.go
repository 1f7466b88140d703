package downstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// offering is the certificate of a server that offers both protocols.
func offering(t testing.TB) *tls.Config {
	c := newCertificate(t).Clone()
	c.NextProtos = []string{"h2", "http/1.1"}
	return c
}

// exchanged is what a client of any protocol is told.
type exchanged struct {
	status int
	header string
	body   string
	failed bool
}

// sendOver sends a request and reads its answer.
func sendOver(t *testing.T, rt http.RoundTripper, method, url, body string) exchanged {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), generous)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	require.NoError(t, err)
	r.Host = "x.example"
	r.Header.Set("X-One", "1")
	r.Header.Set("User-Agent", "test")
	res, err := rt.RoundTrip(r)
	if err != nil {
		return exchanged{failed: true}
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	for _, name := range []string{"Date", "Connection", "Content-Length"} { // each protocol has its own ways to say them
		res.Header.Del(name)
	}
	return exchanged{res.StatusCode, fmt.Sprint(res.Header), string(b), err != nil}
}

// The same conversations as over both loops, as far as HTTP/2 can spell them. net/http removes a 204's length and a 304's type in
// HTTP/1.1 only.
func TestAClientOfHTTP2IsAnsweredAsOthers(t *testing.T) {
	far := strings.Repeat("b", 300_000)
	conversations := map[string][3]string{
		"a body is echoed":                   {"POST", "/echo", "hello"},
		"a query and escapes":                {"GET", "/echo?alt=sse&key=a%20b%2F", ""},
		"another method":                     {"PUT", "/echo", "hi"},
		"the request's header":               {"GET", "/header", ""},
		"a declared length":                  {"POST", "/declared", "{}"},
		"a declared length of zero":          {"POST", "/declared", ""},
		"a long body with a length":          {"POST", "/declared", far},
		"a detected content type":            {"GET", "/untyped", ""},
		"nothing written":                    {"GET", "/nothing", ""},
		"a status set by the handler":        {"GET", "/status", ""},
		"a stream":                           {"GET", "/stream", ""},
		"a long answer of unknown length":    {"GET", "/large", ""},
		"a huge answer of known length":      {"GET", "/huge", ""},
		"the handler closes":                 {"GET", "/close", ""},
		"less than declared":                 {"GET", "/short", ""},
		"a status twice":                     {"GET", "/twice", ""},
		"an interim answer":                  {"GET", "/early", ""},
		"a panic":                            {"GET", "/panic", ""},
		"half an answer":                     {"GET", "/half", ""},
		"an encoded answer":                  {"GET", "/encoded", ""},
		"an unread body":                     {"POST", "/nothing", "unread"},
		"an unread body that is long":        {"POST", "/nothing", far},
		"a body that is not read to its end": {"POST", "/some", "hello"},
		"a panic in a stream":                {"GET", "/torn", ""},
		"a panic before an answer is sent":   {"GET", "/unsent", ""},
	}
	plain := &http.Transport{DisableCompression: true}
	defer plain.CloseIdleConnections()
	_, ref, _ := startServer(t, http.HandlerFunc(script), Options{NetHTTP: true})
	servers := map[string]func(path string) (http.RoundTripper, string){}
	_, fast, _ := startServer(t, http.HandlerFunc(script), Options{})
	servers["fast"] = func(path string) (http.RoundTripper, string) { return plain, "http://" + fast + path }
	for loop, netHTTP := range loops {
		for _, send := range []time.Duration{0, generous} {
			_, addr, _ := startServer(t, http.HandlerFunc(script), Options{TLS: offering(t), HTTP2: true, NetHTTP: netHTTP, Send: send, Body: send})
			two := newHTTP2Client(t)
			servers[fmt.Sprint("HTTP/2 ", loop, " ", send)] = func(path string) (http.RoundTripper, string) { return two, "https://" + addr + path }
		}
	}
	for name, c := range conversations {
		want := sendOver(t, plain, c[0], "http://"+ref+c[1], c[2])
		for server, at := range servers {
			t.Run(name+"/"+server, func(t *testing.T) {
				rt, url := at(c[1])
				got := sendOver(t, rt, c[0], url, c[2])
				if want.failed { // where a broken answer ends depends on the protocol
					assert.True(t, got.failed, "%+v", got)
					return
				}
				assert.Equal(t, want, got)
			})
		}
	}
}

// newHTTP2Client returns a client of HTTP/2 alone.
func newHTTP2Client(t *testing.T) *http.Transport {
	rt := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableCompression: true, Protocols: new(http.Protocols)} // of a test
	rt.Protocols.SetHTTP2(true)
	t.Cleanup(rt.CloseIdleConnections)
	return rt
}

func TestAClientOverTLSChoosesItsProtocol(t *testing.T) {
	said := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) })
	for loop, netHTTP := range loops {
		_, addr, _ := startServer(t, said, Options{TLS: offering(t), HTTP2: true, NetHTTP: netHTTP})
		for _, c := range []struct{ offers, want string }{{"h2", "HTTP/2.0"}, {"http/1.1", "HTTP/1.1"}, {"", "HTTP/1.1"}} {
			t.Run(loop+" "+c.offers, func(t *testing.T) {
				if c.offers == "h2" {
					assert.Equal(t, c.want, sendOver(t, newHTTP2Client(t), "GET", "https://"+addr, "").body)
					return
				}
				conf := &tls.Config{InsecureSkipVerify: true} // of a test
				if c.offers != "" {
					conf.NextProtos = []string{c.offers}
				}
				nc, err := tls.Dial("tcp", addr, conf)
				require.NoError(t, err)
				require.NoError(t, nc.SetDeadline(time.Now().Add(generous)))
				assert.Contains(t, spokenOn(t, nc, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), c.want)
			})
		}
	}
}

// frames is a client that sends what it likes.
type frames struct {
	t  *testing.T
	nc *tls.Conn
	*http2.Framer
	enc  *hpack.Encoder
	head strings.Builder
}

func openFrames(t *testing.T, addr string, settings ...http2.Setting) *frames {
	nc, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}}) // of a test
	require.NoError(t, err)
	t.Cleanup(func() { _ = nc.Close() })
	require.NoError(t, nc.SetDeadline(time.Now().Add(generous)))
	_, err = io.WriteString(nc, http2.ClientPreface)
	require.NoError(t, err)
	f := &frames{t: t, nc: nc, Framer: http2.NewFramer(nc, nc)}
	f.enc = hpack.NewEncoder(&f.head)
	require.NoError(t, f.WriteSettings(settings...))
	return f
}

// begin sends the head of a request.
func (f *frames) begin(stream uint32, end bool, more ...string) error {
	f.head.Reset()
	fields := append([]string{":method", "POST", ":scheme", "https", ":authority", "x", ":path", "/hold"}, more...)
	for i := 0; i < len(fields); i += 2 {
		require.NoError(f.t, f.enc.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]}))
	}
	return f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: []byte(f.head.String()), EndHeaders: true, EndStream: end})
}

// readUntil reads frames until one is what the caller waits for, or the connection ends.
func (f *frames) readUntil(is func(http2.Frame) bool) http2.Frame {
	for {
		fr, err := f.ReadFrame()
		if err != nil {
			return nil
		}
		if is(fr) {
			return fr
		}
	}
}

func TestAClientOfHTTP2IsBounded(t *testing.T) {
	hold := make(chan struct{})
	var mu sync.Mutex
	now, most, long := 0, 0, false
	held := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		now++
		most = max(most, now)
		long = long || r.Header.Get("X-One") != ""
		mu.Unlock()
		select {
		case <-r.Context().Done():
		case <-hold:
		}
		mu.Lock()
		now--
		mu.Unlock()
	})
	t.Cleanup(func() { close(hold) })
	_, addr, _ := startServer(t, held, Options{TLS: offering(t), HTTP2: true})
	// isRead finds the end of what the server has read: it gives up, or answers the ping behind all.
	isRead := func(f http2.Frame) bool {
		_, gone := f.(*http2.GoAwayFrame)
		p, ok := f.(*http2.PingFrame)
		return gone || ok && p.IsAck()
	}

	t.Run("it must not open more streams than announced", func(t *testing.T) {
		f := openFrames(t, addr)
		for i := range uint32(maxStreams + 1) {
			require.NoError(t, f.begin(2*i+1, true))
		}
		fr := f.readUntil(func(f http2.Frame) bool { _, ok := f.(*http2.RSTStreamFrame); return ok })
		require.NotNil(t, fr)
		assert.Equal(t, http2.ErrCodeRefusedStream, fr.(*http2.RSTStreamFrame).ErrCode)
	})
	t.Run("it must not open and reset streams endlessly", func(t *testing.T) {
		f := openFrames(t, addr)
		go func() {
			for i := range uint32(20 * maxStreams) {
				if f.begin(2*i+1, true) != nil || f.WriteRSTStream(2*i+1, http2.ErrCodeCancel) != nil {
					return
				}
			}
			_ = f.WritePing(false, [8]byte{1}) // the connection may have ended
		}()
		f.readUntil(isRead)
		mu.Lock()
		defer mu.Unlock()
		assert.LessOrEqual(t, most, 2*maxStreams, "handlers at a time, of both connections")
	})
	t.Run("its heads are short", func(t *testing.T) {
		f := openFrames(t, addr)
		f.head.Reset()
		for range 200 {
			require.NoError(t, f.enc.WriteField(hpack.HeaderField{Name: "x-one", Value: strings.Repeat("v", 1000), Sensitive: true}))
		}
		block := []byte(f.head.String())
		_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block[:16000]})
		for block = block[16000:]; len(block) > 0; block = block[min(len(block), 16000):] {
			if f.WriteContinuation(1, len(block) <= 16000, block[:min(len(block), 16000)]) != nil {
				break
			}
		}
		_ = f.WritePing(false, [8]byte{1}) // as above
		f.readUntil(isRead)
		mu.Lock()
		defer mu.Unlock()
		assert.False(t, long, "no handler ran for it")
	})
}

func TestAStreamThatStallsEndsAlone(t *testing.T) {
	const short = 50 * time.Millisecond
	ended := make(chan string, 4)
	answering := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			_, err := io.ReadAll(r.Body)
			ended <- fmt.Sprint("body ", err)
			return
		}
		var err error
		for range 100 {
			if _, err = w.Write(make([]byte, 16<<10)); err != nil {
				break
			}
		}
		ended <- fmt.Sprint("answer ", err != nil)
	})
	_, addr, _ := startServer(t, answering, Options{TLS: offering(t), HTTP2: true, Send: short, Body: short})

	f := openFrames(t, addr)
	require.NoError(t, f.begin(1, true))
	assert.Equal(t, "answer true", <-ended, "its window stays shut")
	require.NoError(t, f.begin(3, false, "content-length", "10"))
	assert.Equal(t, "body i/o timeout", <-ended, "its body does not come")
	require.NoError(t, f.WritePing(false, [8]byte{1}))
	assert.NotNil(t, f.readUntil(func(f http2.Frame) bool { p, ok := f.(*http2.PingFrame); return ok && p.IsAck() }), "the connection goes on")
}

// The end of an answer is sent when its handler has returned.
func TestAnAnswerWhoseEndIsNotTakenIsReset(t *testing.T) {
	said := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "short") })
	_, addr, _ := startServer(t, said, Options{TLS: offering(t), HTTP2: true, Send: 50 * time.Millisecond})
	f := openFrames(t, addr, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
	require.NoError(t, f.begin(1, true))
	assert.NotNil(t, f.readUntil(func(f http2.Frame) bool { r, ok := f.(*http2.RSTStreamFrame); return ok && r.StreamID == 1 }))
}

// A client that takes a little now and then does not hold an answer longer than one that takes nothing.
func TestAnAnswerThatIsTakenInCrumbsIsReset(t *testing.T) {
	ended := make(chan error, 1)
	said := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 200)); err != nil {
				ended <- err
				return
			}
			w.(http.Flusher).Flush()
		}
	})
	_, addr, _ := startServer(t, said, Options{TLS: offering(t), HTTP2: true, Send: 100 * time.Millisecond})
	f := openFrames(t, addr, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
	require.NoError(t, f.begin(1, true))
	crumbs := time.NewTicker(20 * time.Millisecond)
	defer crumbs.Stop()
	for {
		select {
		case err := <-ended:
			assert.Error(t, err)
			return
		case <-crumbs.C:
			_ = f.WriteWindowUpdate(1, 200) // the stream may have ended
		case <-time.After(generous):
			require.FailNow(t, "the answer goes on")
		}
	}
}

// Timers of a stream whose handler has returned must not touch it: net/http's streams crash then.
func TestTimersOfAStreamEndWithItsHandler(t *testing.T) {
	const step = time.Millisecond
	said := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = r.Body.Read(make([]byte, 1)) // one byte of two, so that the timer runs on
		for began := time.Now(); time.Since(began) < step; {
			runtime.Gosched() // so that the handler ends about when the timer fires
		}
		_, _ = io.WriteString(w, "x")
	})
	_, addr, _ := startServer(t, said, Options{TLS: offering(t), HTTP2: true, Send: step, Body: step})
	client := newHTTP2Client(t)
	for range 200 {
		sendOver(t, client, "POST", "https://"+addr, "ab") // it may be answered or reset
	}
	assert.Eventually(t, func() bool { return !sendOver(t, newHTTP2Client(t), "GET", "https://"+addr, "").failed }, generous, time.Millisecond)
}

// A client that pings its idle connection has not begun a request, so the timeout of heads does not count.
func TestAnIdleConnectionOfHTTP2MayPing(t *testing.T) {
	s, addr, _ := startServer(t, http.HandlerFunc(script), Options{TLS: offering(t), HTTP2: true, Head: 40 * time.Millisecond, Idle: time.Hour})
	f := openFrames(t, addr)
	ack := func(f http2.Frame) bool { p, ok := f.(*http2.PingFrame); return ok && p.IsAck() }
	require.NoError(t, f.WritePing(false, [8]byte{1}))
	require.NotNil(t, f.readUntil(ack))
	from := s.clients.clock.Load()
	require.Eventually(t, func() bool { return s.clients.clock.Load() > from+20 }, generous, time.Millisecond)
	require.NoError(t, f.WritePing(false, [8]byte{2}))
	require.NotNil(t, f.readUntil(ack), "the connection is open")
}

func TestAShutdownLetsStreamsEnd(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	s, addr, _ := startServer(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(begun)
		<-goOn
		_, _ = io.WriteString(w, "whole")
	}), Options{TLS: offering(t), HTTP2: true})
	got := make(chan exchanged, 1)
	client := newHTTP2Client(t)
	go func() {
		var x exchanged
		if res, err := client.RoundTrip(httptest.NewRequest(http.MethodGet, "https://"+addr, nil)); err == nil {
			b, err := io.ReadAll(res.Body)
			x = exchanged{status: res.StatusCode, body: string(b), failed: errors.Join(err, res.Body.Close()) != nil}
		}
		got <- x
	}()
	<-begun
	down := make(chan error, 1)
	go func() { down <- s.Shutdown(context.Background()) }()
	require.Eventually(t, s.closing.Load, generous, time.Millisecond)
	close(goOn)
	assert.Equal(t, exchanged{status: http.StatusOK, body: "whole"}, <-got)
	if err := <-down; err != nil && !errors.Is(err, context.Canceled) {
		require.NoError(t, err)
	}
}
