package proxy_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/socket"
)

// frame is a client's frame, masked with zeros, which leave the payload as it is. first holds the flags and the type.
func frame(first byte, payload string) string {
	b := []byte{first}
	switch n := len(payload); {
	case n < 126:
		b = append(b, 0x80|byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 0x80|126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 0x80|127), uint64(n))
	}
	return string(append(b, 0, 0, 0, 0)) + payload
}

// The first bytes of frames: a whole text, the first piece of one, and so on.
const (
	fin         = 0x80
	textFrame   = 1
	binaryFrame = 2
	closeFrame  = 8
	pingFrame   = 9
	pongFrame   = 10
)

const echoTurn = `{"type":"response.create","model":"mock-echo","input":"x"}`

// spoiltFrames are bytes that a client sends after the handshake, by name.
func spoiltFrames() map[string]string {
	whole := frame(fin|textFrame, echoTurn)
	out := map[string]string{
		"nothing at all":                    "",
		"a frame without a mask":            "\x81\x02{}",
		"half a head":                       "\x81",
		"half a length":                     "\x81\xfe\x01",
		"half a mask":                       "\x81\x82\x00\x00",
		"half a payload":                    whole[:len(whole)/2],
		"a length of 2^63":                  "\x81\xff\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
		"a length of 2^62":                  "\x81\xff\x40\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
		"a length of 4 GiB and one byte":    "\x81\xff\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00{",
		"a text that is too large":          frame(fin|textFrame, `{"x":"`+strings.Repeat("a", 2<<20)+`"}`),
		"fragments that are too large":      frame(textFrame, strings.Repeat(" ", 600<<10)) + frame(fin, strings.Repeat(" ", 600<<10)),
		"a binary message":                  frame(fin|binaryFrame, echoTurn),
		"binary fragments":                  frame(binaryFrame, echoTurn[:9]) + frame(fin, echoTurn[9:]),
		"a fragment that never ends":        frame(textFrame, echoTurn[:9]) + frame(0, echoTurn[9:]),
		"1,000 empty fragments":             frame(textFrame, "") + strings.Repeat(frame(0, ""), 1000),
		"a continuation of nothing":         frame(fin, echoTurn),
		"a text within a fragmented one":    frame(textFrame, echoTurn[:9]) + whole,
		"a ping of 126 bytes":               frame(fin|pingFrame, strings.Repeat("p", 126)),
		"a ping in fragments":               frame(pingFrame, "p") + frame(fin, "q"),
		"1,000 pings":                       strings.Repeat(frame(fin|pingFrame, "p"), 1000),
		"unsolicited pongs":                 strings.Repeat(frame(fin|pongFrame, "p"), 100),
		"a close of one byte":               frame(fin|closeFrame, "\x03"),
		"a close of 126 bytes":              frame(fin|closeFrame, "\x03\xe8"+strings.Repeat("r", 124)),
		"a close with a text that is not":   frame(fin|closeFrame, "\x03\xe8\xff\xfe"),
		"a close in fragments":              frame(closeFrame, "\x03\xe8"),
		"a second close":                    frame(fin|closeFrame, "\x03\xe8") + frame(fin|closeFrame, "\x03\xe8"),
		"a turn after the close":            frame(fin|closeFrame, "\x03\xe8") + whole,
		"a close in the middle of a text":   frame(textFrame, echoTurn[:9]) + frame(fin|closeFrame, "\x03\xe8"),
		"a close in the middle of a turn":   whole + frame(fin|closeFrame, "\x03\xe8"),
		"bytes that are no UTF-8":           frame(fin|textFrame, "\xff\xfe\xfd"),
		"a request":                         "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"a request with a key":              "POST /v1/responses HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}",
		"lines":                             "hello\nhello\n",
		"NUL bytes":                         strings.Repeat("\x00", 5000),
		"ones":                              strings.Repeat("\xff", 5000),
		"a TLS hello":                       "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
		"a frame of HTTP/2":                 "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"1,000 turns":                       strings.Repeat(whole, 1000),
		"20 turns and a text cut short":     strings.Repeat(whole, 20) + whole[:20],
		"a text of 100,000 opened brackets": frame(fin|textFrame, strings.Repeat("[", 100_000)),
	}
	for _, op := range []byte{3, 4, 5, 6, 7, 11, 12, 13, 14, 15} {
		out["a frame of type "+strconv.Itoa(int(op))] = frame(fin|op, echoTurn)
	}
	for _, bit := range []byte{0x40, 0x20, 0x10} {
		out["reserved bit "+strconv.Itoa(int(bit))] = frame(fin|bit|textFrame, echoTurn)
	}
	for _, code := range []uint16{0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535} {
		out["a close with "+strconv.Itoa(int(code))] = frame(fin|closeFrame, string(binary.BigEndian.AppendUint16(nil, code)))
	}
	return out
}

// spoiltEvents are texts of whole messages, each of which is answered with an error.
var spoiltEvents = []string{
	"", " ", "{", "}", "[]", "null", "1", `"response.create"`, `{}`, `{"type":null}`, `{"type":1}`, `{"type":"response.create"`, `{"type":"response.create"}x`,
	`{"type":"response.create","type":"response.create"}`, `{"type":"response.cancel"}`, `{"type":"response.steer"}`, `{"type":"session.update"}`,
	`{"type":"RESPONSE.CREATE","model":"mock-echo","input":"x"}`, `{"type":"\ud800"}`, `{"type":"response.create","model":"mock-echo","input":"\udc00"}`,
	`{"type":"response.create","model":"mock-echo","input":7}`, `{"type":"response.create","model":"mock-echo","input":{}}`,
	`{"type":"response.create","model":"mock-echo","input":[7]}`, `{"type":"response.create","model":["mock-echo"],"input":"x"}`,
	`{"type":"response.create","model":"","input":"x"}`, `{"type":"response.create","model":"mock-echo","input":"x","stream_id":"` + strings.Repeat("l", 129) + `"}`,
	`{"type":"response.create","model":"mock-echo","input":"x","previous_response_id":7}`,
	`{"type":"response.create","model":"mock-echo","input":"x","previous_response_id":"resp_1"}`,
	`{"type":"response.create","model":"mock-echo","input":"x","previous_response_id":"` + strings.Repeat("r", 10_000) + `"}`,
	`{"type":"response.create","model":"mock-echo","input":"x","background":1}`, `{"type":"response.create","model":"mock-echo","input":"x","conversation":"c"}`,
	`{"type":"response.create","model":"mock-echo","input":"x","temperature":"hot"}`, `{"type":"response.create","model":"mock-echo","input":"x","tools":[{"type":"web_search"}]}`,
	`{"type":"response.create","model":"mock-echo","input":"x","x":` + strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2000) + `}`,
	"{\"type\":\"response.create\",\"model\":\"mock-echo\",\"input\":\"a\x01b\"}", "\ufeff" + echoTurn, echoTurn + echoTurn,
	`{"type":"response.create","stream":false,"stream":true,"model":"mock-echo","input":"x"}`,
	`{"type":"response.create","response":{"model":"mock-echo","input":"x"}}`,
}

// shake opens a socket on a new connection.
func (g *gate) shake(t *testing.T) (net.Conn, *bufio.Reader) {
	t.Helper()
	return g.shakeAt(t, "/v1/responses")
}

func (g *gate) shakeAt(t *testing.T, path string) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(g.url, "http://"))
	require.NoError(t, err)
	require.NoError(t, c.SetDeadline(time.Now().Add(generous)))
	_, err = io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer "+g.key["dev"]+"\r\n\r\n")
	require.NoError(t, err)
	r := bufio.NewReader(c)
	res, err := http.ReadResponse(r, nil)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, 101, res.StatusCode)
	return c, r
}

func TestSocketsSurviveClientsThatBreakTheProtocol(t *testing.T) {
	frames := spoiltFrames()
	require.GreaterOrEqual(t, len(frames)+len(spoiltEvents), 100)
	for loop, netHTTP := range map[string]bool{"fast": false, "net/http": true} {
		t.Run(loop, func(t *testing.T) {
			g := open(t, setup{listens: true, netHTTP: netHTTP, sockets: socket.Limits{PerKey: 1000}})
			good := g.dial(t, "other")
			for name, bytes := range frames {
				c, r := g.shake(t)
				go func() { // the gateway may have closed the connection
					_, _ = io.WriteString(c, bytes)
					_ = c.(*net.TCPConn).CloseWrite()
				}()
				_, err := io.Copy(io.Discard, r)
				if n, ok := err.(net.Error); ok {
					assert.False(t, n.Timeout(), "%s: the socket stays open", name)
				}
				require.NoError(t, c.Close())
			}
			for _, event := range spoiltEvents {
				c := g.dial(t, "dev")
				say(t, c, event)
				events, err := hearTurn(t, c)
				require.NoError(t, err, "%.100q", event)
				require.Len(t, events, 1, "%.100q", event)
				assert.Equal(t, "error", findAt(events[0], "type").text(), "%.100q", event)
				assert.NotEmpty(t, findAt(events[0], "error.message").text(), "%.100q", event)
				assert.Less(t, len(events[0]), 1000, "%.100q", event)
				say(t, c, echoTurn) // the socket goes on
				events, err = hearTurn(t, c)
				require.NoError(t, err, "%.100q", event)
				assert.Equal(t, "response.completed", findAt(events[len(events)-1], "type").text(), "%.100q", event)
				require.NoError(t, c.CloseNow())
			}
			say(t, good, echoTurn)
			_, err := hearTurn(t, good)
			require.NoError(t, err, "a socket beside all of them goes on")
			assert.NotContains(t, g.lines.String(), "panic")
			assert.Equal(t, 200, g.post("dev", `{"model":"mock-echo","messages":[{"role":"user","content":"x"}]}`).status)
		})
	}
}

func TestASocketThatSendsTooMuchAtOnceIsClosed(t *testing.T) {
	goOn := make(chan struct{})
	up := newFake(t, func(c net.Conn, _ sent) {
		<-goOn
		_, _ = io.WriteString(c, responsesStream("resp_1", "late"))
	})
	t.Cleanup(func() { close(goOn) })
	for name, event := range map[string]string{
		"events": `{"type":"response.processed"}`, "bytes": `{"type":"response.processed","x":"` + strings.Repeat("x", 400<<10) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			g := open(t, setup{provider: newProvider(t, "openai", up.url), listens: true, sockets: socket.Limits{PerKey: 1}})
			c := g.dial(t, "dev")
			say(t, c, `{"type":"response.create","model":"gpt-test","input":"x"}`)
			for range 100 {
				if c.Write(t.Context(), websocket.MessageText, []byte(event)) != nil {
					break // the gateway has closed the socket
				}
			}
			_, err := hearTurn(t, c)
			assert.Equal(t, websocket.StatusPolicyViolation, websocket.CloseStatus(err))
		})
	}
}

func TestWaitingMessagesCountAgainstTheMemoryOfTheirTenant(t *testing.T) {
	goOn := make(chan struct{})
	up := newFake(t, func(c net.Conn, _ sent) {
		<-goOn
		_, _ = io.WriteString(c, responsesStream("resp_1", "late"))
	})
	g := open(t, setup{provider: newProvider(t, "openai", up.url), listens: true, sockets: socket.Limits{PerKey: 1000, Kept: 96 << 10}})
	busy, full := g.dial(t, "dev"), g.dial(t, "dev")
	say(t, busy, `{"type":"response.create","model":"gpt-test","input":"x"}`)
	say(t, busy, `{"type":"response.processed","x":"`+strings.Repeat("x", 64<<10)+`"}`)
	ended := make(chan error, 1)
	go func() {
		for {
			_, b, err := busy.Read(context.Background())
			if err != nil || strings.Contains(string(b), "response.completed") {
				ended <- err
				return
			}
		}
	}()
	require.NoError(t, busy.Ping(t.Context()), "what came before the ping has been read, and waits")
	event := []byte(`{"type":"x","x":"` + strings.Repeat("x", 64<<10) + `"}`)
	_ = full.Write(t.Context(), websocket.MessageText, event) // the gateway may close the socket before it is whole
	_, _, err := full.Read(t.Context())
	assert.Equal(t, websocket.StatusTryAgainLater, websocket.CloseStatus(err))
	close(goOn)
	require.NoError(t, <-ended, "the other socket goes on")
	for { // what was counted is given back
		next := g.dial(t, "dev")
		_ = next.Write(t.Context(), websocket.MessageText, event)
		events, err := hearTurn(t, next)
		if err == nil {
			assert.Equal(t, "error", findAt(events[0], "type").text())
			break
		}
		require.Equal(t, websocket.StatusTryAgainLater, websocket.CloseStatus(err))
	}
}

func TestASocketThatStopsInTheMiddleOfAMessageIsClosed(t *testing.T) {
	g := open(t, setup{listens: true, sockets: socket.Limits{PerKey: 1, Read: 50 * time.Millisecond}})
	c, r := g.shake(t)
	_, err := c.Write([]byte(frame(fin|textFrame, echoTurn))[:20])
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, r)
	assert.NotErrorIs(t, err, os.ErrDeadlineExceeded, "the gateway ends it, not the client's patience")
}
