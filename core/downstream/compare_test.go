package downstream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lines is a log that can be read.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// started is a server of this package for a handler.
func started(t testing.TB, h http.Handler, o Options) (*Server, string, *lines) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	said := new(lines)
	o.Handler, o.MaxHeader, o.Log = h, 64<<10, log.New(said, "", 0)
	s := New(l, o)
	served := make(chan error, 1)
	go func() { served <- s.Serve() }()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		err := <-served
		assert.True(t, errors.Is(err, http.ErrServerClosed) || errors.Is(err, net.ErrClosed), "%v", err)
	})
	return s, l.Addr().String(), said
}

// spoken sends bytes, waits for the server to close the connection, and gives what it has said.
func spoken(t *testing.T, addr string, sent string) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer func() { _ = c.Close() }()
	require.NoError(t, c.SetDeadline(time.Now().Add(generous)))
	go func() { _, _ = io.WriteString(c, sent) }()
	b, err := io.ReadAll(c)
	if err != nil {
		require.ErrorContains(t, err, "reset")
	}
	return regexp.MustCompile(`Date: [^\r]*`).ReplaceAllString(string(b), "Date: now")
}

// script is a handler that does what the path says, as handlers do it.
func script(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	body := func() string { b, _ := io.ReadAll(r.Body); return string(b) }
	say := func(s string) { _, _ = w.Write([]byte(s)) }
	switch r.URL.Path {
	case "/echo":
		say(r.Method + " " + r.RequestURI + " " + r.URL.RawQuery + " " + r.Host + " " + fmt.Sprint(r.ContentLength) + " " + body())
	case "/header":
		for _, name := range []string{"Accept", "Authorization", "X-One", "Content-Type", "Content-Length", "Host", "User-Agent"} {
			say(fmt.Sprintf("%s=%q\n", name, r.Header[name]))
		}
	case "/declared":
		b := body()
		h["Content-Type"], h["Content-Length"], h["X-B"], h["X-A"] = []string{"application/json"}, []string{fmt.Sprint(len(b))}, []string{"2"}, []string{"1", "one"}
		w.WriteHeader(201)
		say(b)
	case "/untyped":
		h.Set("Content-Length", "6")
		say("<html>")
	case "/nothing":
	case "/status":
		w.WriteHeader(499)
	case "/204":
		h.Set("Content-Length", "3")
		w.WriteHeader(204)
		say("abc")
	case "/304":
		h.Set("Content-Type", "text/plain")
		h.Set("Etag", `"x"`)
		w.WriteHeader(304)
	case "/stream":
		h.Set("Content-Type", "text/event-stream")
		for i := range 3 {
			say(fmt.Sprintf("data: %d\n\n", i))
			w.(http.Flusher).Flush()
		}
	case "/large":
		h.Set("Content-Type", "text/plain")
		for range 30 {
			_, _ = io.WriteString(w, strings.Repeat("x", 300))
		}
	case "/huge":
		h.Set("Content-Type", "text/plain")
		h.Set("Content-Length", "100000")
		say(strings.Repeat("y", 50_000))
		say(strings.Repeat("z", 50_000))
	case "/close":
		h.Set("Connection", "close")
		say("bye")
	case "/short":
		h.Set("Content-Length", "10")
		say("short")
	case "/long":
		h.Set("Content-Length", "3")
		_, err := io.WriteString(w, "long")
		if errors.Is(err, http.ErrContentLength) {
			say("err")
		}
	case "/twice":
		w.WriteHeader(202)
		w.WriteHeader(500)
		h.Set("X-Late", "1")
		say("ok")
	case "/odd":
		h.Set("X-Lines", " a\r\nb ")
		h["X Not A Name"] = []string{"x"}
		h.Set("Date", "yesterday")
		say("ok")
	case "/early":
		h.Set("Link", "</x>")
		w.WriteHeader(103)
		h.Set("Content-Type", "text/plain")
		say("later")
	case "/panic":
		panic("hidden-words")
	case "/half":
		h.Set("Content-Length", "10")
		say("half")
		panic(http.ErrAbortHandler)
	case "/first": // answers, then reads
		h.Set("Content-Type", "text/plain")
		_, _ = w.Write(bytes.Repeat([]byte("x"), 3000))
		b, err := io.ReadAll(r.Body)
		say(fmt.Sprint(len(b), " ", err))
	case "/torn":
		say("one")
		w.(http.Flusher).Flush()
		say("two")
		panic(http.ErrAbortHandler)
	case "/whole":
		h.Set("Content-Length", "2")
		say("ok")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	case "/unsent":
		h.Set("Content-Type", "text/plain")
		h.Set("Content-Length", "2")
		say("ok")
		panic(http.ErrAbortHandler)
	case "/pieces":
		h.Set("Content-Length", "13")
		say("<ht")
		say("ml>hello yo")
	case "/some":
		b := make([]byte, 3)
		n, err := io.ReadFull(r.Body, b)
		say(fmt.Sprintf("%q %v", b[:n], err))
	case "/shut":
		_ = r.Body.Close()
		b, err := io.ReadAll(r.Body)
		say(fmt.Sprint(len(b), " ", err))
	case "/encoded":
		h.Set("Content-Encoding", "gzip")
		say("\x1f\x8b")
	}
}

func get(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: x.example:80\r\n\r\n" }

// end is a request that the connection ends with, on both servers.
const end = "GET /close HTTP/1.1\r\nHost: x\r\n\r\n"

func TestAClientIsAnsweredWithTheBytesOfNetHTTP(t *testing.T) {
	ref := &http.Server{Handler: http.HandlerFunc(script), ErrorLog: log.New(io.Discard, "", 0)} //nolint:gosec // of a test
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = ref.Serve(l) }()
	defer func() { _ = ref.Close() }()
	_, addr, _ := started(t, http.HandlerFunc(script), Options{})

	far := strings.Repeat("b", 300_000)
	for name, sent := range map[string]string{
		"a body is echoed":                       post("/echo", "hello"),
		"a query and escapes":                    get("/echo?alt=sse&key=a%20b%2F#x"),
		"an escaped path":                        get("/e%63ho"),
		"a path of two slashes":                  get("//echo"),
		"no body":                                post("/echo", ""),
		"the request's header":                   "GET /header HTTP/1.1\r\nhost: x\r\naccept:  a/b \t\r\nAUTHORIZATION: Bearer x\r\nx-one:\r\nuser-agent: \xc3\xa9\r\n\r\n",
		"a field that is there twice":            "GET /header HTTP/1.1\r\nHost: x\r\nX-One: 1\r\nX-One: 2\r\n\r\n",
		"a declared length":                      post("/declared", "{}"),
		"a declared length of nothing":           post("/declared", ""),
		"a long body with a declared length":     post("/declared", far),
		"a type that nobody gave":                get("/untyped"),
		"nothing written":                        get("/nothing"),
		"a status of our own":                    get("/status"),
		"a status without a body":                get("/204"),
		"not modified":                           get("/304"),
		"a stream":                               get("/stream"),
		"a long answer of unknown length":        get("/large"),
		"a huge answer of known length":          get("/huge"),
		"the handler closes":                     get("/close"),
		"less than was declared":                 get("/short"),
		"more than was declared":                 get("/long"),
		"a status twice":                         get("/twice"),
		"odd headers":                            get("/odd"),
		"what comes before the answer":           get("/early"),
		"a panic":                                get("/panic"),
		"half an answer":                         get("/half"),
		"an encoded answer":                      get("/encoded"),
		"a body that nobody reads":               post("/nothing", "unread"),
		"a long body that nobody reads":          post("/large", far[:200_000]),
		"a body too long to be read for nothing": post("/nothing", far),
		"an answer before its request's body":    post("/first", "hello") + get("/echo"),
		"an answer before a long body":           post("/first", far[:200_000]) + get("/echo"),
		"an answer before a body too long":       post("/first", far) + get("/echo"),
		"a body that ends at what is dropped":    post("/nothing", far[:mostDropped]),
		"a body that is not read to its end":     post("/some", "hello") + get("/echo"),
		"a body that is closed":                  post("/shut", "hello") + get("/echo"),
		"a type that the first piece hides":      get("/pieces"),
		"a panic in a stream":                    get("/torn") + get("/echo"),
		"a panic behind a whole answer":          get("/whole") + get("/echo"),
		"a panic before a whole answer is sent":  get("/unsent") + get("/echo"),
		"a long target":                          get("/echo?"+far[:12_000]) + get("/echo"),
		"a target longer than what is read":      get("/echo?"+far[:20_000]) + get("/echo"),
		"several at once":                        post("/echo", "1") + get("/stream") + post("/declared", "2") + post("/nothing", "3") + get("/204") + get("/echo"),
		"one that is not plain between others":   post("/echo", "1") + "PUT /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi" + post("/echo", "2"),
		"a chunked body behind another":          post("/echo", "1") + "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n" + get("/echo"),
		"both lengths":                           "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
		"two lengths that differ":                "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nhi",
		"a length with a sign":                   "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: +2\r\n\r\nhi",
		"no host":                                "GET /echo HTTP/1.1\r\n\r\n",
		"two hosts":                              "GET /echo HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
		"a host that is none":                    "GET /echo HTTP/1.1\r\nHost: a b\r\n\r\n",
		"an old version":                         "GET /echo HTTP/1.0\r\nHost: x\r\n\r\n",
		"a version that there is not":            "GET /echo HTTP/1.7\r\nHost: x\r\n\r\n",
		"ends of lines without a return":         "GET /echo HTTP/1.1\nHost: x\n\n",
		"a line that goes on":                    "GET /header HTTP/1.1\r\nHost: x\r\nX-One: a\r\n b\r\n\r\n",
		"a blank before the colon":               "GET /header HTTP/1.1\r\nHost: x\r\nX-One : a\r\n\r\n",
		"a name with a sign that is none":        "GET /header HTTP/1.1\r\nHost: x\r\nX(One: a\r\n\r\n",
		"a control character in a value":         "GET /header HTTP/1.1\r\nHost: x\r\nX-One: a\x01b\r\n\r\n",
		"a return in a value":                    "GET /header HTTP/1.1\r\nHost: x\r\nX-One: a\rb\r\n\r\n",
		"a target that is none":                  "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n",
		"a target of another host":               "GET http://y/echo HTTP/1.1\r\nHost: x\r\n\r\n",
		"the client says close":                  "GET /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
		"the client keeps it alive":              "GET /echo HTTP/1.1\r\nHost: x\r\nConnection: Keep-Alive\r\n\r\n",
		"the client waits to be asked":           "POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi",
		"a head as long as it may be":            "GET /echo HTTP/1.1\r\nHost: x\r\nX-One: " + strings.Repeat("v", 40_000) + "\r\n\r\n",
		"a head that is too long":                "GET /echo HTTP/1.1\r\nHost: x\r\nX-One: " + strings.Repeat("v", 2_000_000) + "\r\n\r\n",
		"many fields":                            "GET /echo HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("X-One: v\r\n", 200) + "\r\n",
		"another protocol":                       "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + strings.Repeat("\x00", 20),
		"nothing but ends of lines":              "\r\n\r\n",
		"ends of lines behind a body":            post("/echo", "1") + "\r\n" + get("/echo"),
	} {
		t.Run(name, func(t *testing.T) {
			want := spoken(t, l.Addr().String(), sent+end)
			got := spoken(t, addr, sent+end)
			if want != got {
				t.Errorf("want %.900q\n got %.900q", want, got)
			}
		})
	}
}
