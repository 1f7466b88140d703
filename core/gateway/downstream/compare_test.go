package downstream

import (
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func get(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: x.example:80\r\n\r\n" }

// loops are the values of `server.loop`, and whether net/http then reads all requests.
var loops = map[string]bool{"fast": false, "net/http": true}

// end is a request after which both servers close the connection.
const end = "GET /close HTTP/1.1\r\nHost: x\r\n\r\n"

// Requests that are refused though net/http would serve them are in smuggling_test.go.
func TestAClientIsAnsweredWithTheBytesOfNetHTTP(t *testing.T) {
	ref := &http.Server{Handler: http.HandlerFunc(script), ErrorLog: log.New(io.Discard, "", 0)} // of a test
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = ref.Serve(l) }()
	defer func() { _ = ref.Close() }()
	far := strings.Repeat("b", 300_000)
	conversations := map[string]string{
		"a body is echoed":                                  post("/echo", "hello"),
		"a query and escapes":                               get("/echo?alt=sse&key=a%20b%2F#x"),
		"an escaped path":                                   get("/e%63ho"),
		"a path of two slashes":                             get("//echo"),
		"no body":                                           post("/echo", ""),
		"the request's header":                              "GET /header HTTP/1.1\r\nhost: x\r\naccept:  a/b \t\r\nAUTHORIZATION: Bearer x\r\nx-one:\r\nuser-agent: \xc3\xa9\r\n\r\n",
		"a repeated field":                                  "GET /header HTTP/1.1\r\nHost: x\r\nX-One: 1\r\nX-One: 2\r\n\r\n",
		"a declared length":                                 post("/declared", "{}"),
		"a declared length of zero":                         post("/declared", ""),
		"a long body with a declared length":                post("/declared", far),
		"a detected content type":                           get("/untyped"),
		"nothing written":                                   get("/nothing"),
		"a status set by the handler":                       get("/status"),
		"a status without a body":                           get("/204"),
		"not modified":                                      get("/304"),
		"a stream":                                          get("/stream"),
		"a long answer of unknown length":                   get("/large"),
		"a huge answer of known length":                     get("/huge"),
		"the handler closes":                                get("/close"),
		"less than declared":                                get("/short"),
		"more than declared":                                get("/long"),
		"a status twice":                                    get("/twice"),
		"odd headers":                                       get("/odd"),
		"an interim answer":                                 get("/early"),
		"a panic":                                           get("/panic"),
		"half an answer":                                    get("/half"),
		"an encoded answer":                                 get("/encoded"),
		"an unread body":                                    post("/nothing", "unread"),
		"a long unread body":                                post("/large", far[:200_000]),
		"an unread body that is too long to drop":           post("/nothing", far),
		"an answer before its request's body":               post("/first", "hello") + get("/echo"),
		"an answer before a long body":                      post("/first", far[:200_000]) + get("/echo"),
		"an answer before a body that is too long":          post("/first", far) + get("/echo"),
		"a body that ends at the drop limit":                post("/nothing", far[:maxDropped]),
		"a body that is not read to its end":                post("/some", "hello") + get("/echo"),
		"a body that is closed":                             post("/shut", "hello") + get("/echo"),
		"a content type that the first piece does not show": get("/pieces"),
		"a panic in a stream":                               get("/torn") + get("/echo"),
		"a panic behind a whole answer":                     get("/whole") + get("/echo"),
		"a panic before a whole answer is sent":             get("/unsent") + get("/echo"),
		"a long target":                                     get("/echo?"+far[:12_000]) + get("/echo"),
		"a target longer than what is read":                 get("/echo?"+far[:20_000]) + get("/echo"),
		"several at once": post(
			"/echo",
			"1",
		) + get(
			"/stream",
		) + post(
			"/declared",
			"2",
		) + post(
			"/nothing",
			"3",
		) + get(
			"/204",
		) + get(
			"/echo",
		),
		"a request that is not plain among others": post(
			"/echo",
			"1",
		) + "PUT /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi" + post(
			"/echo",
			"2",
		),
		"a chunked body after another": post(
			"/echo",
			"1",
		) + "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n" + get(
			"/echo",
		),
		"no host":                         "GET /echo HTTP/1.1\r\n\r\n",
		"two hosts":                       "GET /echo HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
		"an invalid host":                 "GET /echo HTTP/1.1\r\nHost: a b\r\n\r\n",
		"an old version":                  "GET /echo HTTP/1.0\r\nHost: x\r\n\r\n",
		"an unknown version":              "GET /echo HTTP/1.7\r\nHost: x\r\n\r\n",
		"an invalid target":               "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n",
		"a target of another host":        "GET http://y/echo HTTP/1.1\r\nHost: x\r\n\r\n",
		"the client says close":           "GET /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
		"the client keeps it alive":       "GET /echo HTTP/1.1\r\nHost: x\r\nConnection: Keep-Alive\r\n\r\n",
		"the client expects 100 Continue": "POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi",
		"a head of the largest size":      "GET /echo HTTP/1.1\r\nHost: x\r\nX-One: " + strings.Repeat("v", 40_000) + "\r\n\r\n",
		"a head that is too long":         "GET /echo HTTP/1.1\r\nHost: x\r\nX-One: " + strings.Repeat("v", 2_000_000) + "\r\n\r\n",
		"many fields":                     "GET /echo HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("X-One: v\r\n", 200) + "\r\n",
		"only line ends":                  "\r\n\r\n",
		"line ends after a body":          post("/echo", "1") + "\r\n" + get("/echo"),
		"two line ends after a body":      post("/echo", "1") + "\r\n\r\n" + get("/echo"),
		"three line ends":                 post("/echo", "1") + "\r\n\r\n\r\n" + get("/echo"),
		"a request line of two words":     "GET /echo\r\nHost: x\r\n\r\n",
		"a request line of four words":    "GET /echo x HTTP/1.1\r\nHost: x\r\n\r\n",
	}
	servers := map[string]func(sent string) string{}
	for loop, netHTTP := range loops {
		_, addr, _ := startServer(t, http.HandlerFunc(script), Options{NetHTTP: netHTTP})
		servers[loop] = func(sent string) string { return sendBytes(t, addr, sent) }
	}
	_, secureAddr, _ := startServer(t, http.HandlerFunc(script), Options{TLS: newCertificate(t)})
	servers["fast over TLS"] = func(sent string) string { return spokenOn(t, dial(t, secureAddr, true), sent) }
	for loop, ask := range servers {
		for name, sent := range conversations {
			t.Run(loop+"/"+name, func(t *testing.T) {
				want := sendBytes(t, l.Addr().String(), sent+end)
				got := ask(sent + end)
				if want != got {
					t.Errorf("want %.900q\n got %.900q", want, got)
				}
			})
		}
	}
}
