package proxy

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// passedHeaders are the prefixes of provider headers that clients get. Headers that name the gateway's own account,
// such as openai-organization, are not among them.
var passedHeaders = []string{"x-request-id", "x-ratelimit-", "openai-model", "openai-processing-ms", "openai-version", "retry-after"}

// mayPass holds the first letters of passedHeaders.
var mayPass = func() (t [256]bool) {
	for _, p := range passedHeaders {
		t[p[0]] = true
	}
	return t
}()

func (c *call) copyHeader(res *upstream.Response) {
	h := c.w.Header()
	for i := range res.Header {
		f := &res.Header[i]
		if !mayPass[f.Name[0]|0x20] {
			continue
		}
		for _, p := range passedHeaders {
			if len(f.Name) >= len(p) && strings.EqualFold(f.Name[:len(p)], p) {
				h[http.CanonicalHeaderKey(f.Name)] = c.wrapHeaderValue(f.Value)
				break
			}
		}
	}
}

// wrapHeaderValue returns a header value in the call's own memory. net/http copies the header when it sends it.
func (c *call) wrapHeaderValue(s string) []string {
	n := len(c.values)
	c.values = append(c.values, s)
	return c.values[n : n+1 : n+1]
}

// writeAnswer sends a whole answer.
func (c *call) writeAnswer(status int, contentType string, body []byte) {
	c.releaseSlot()
	if status < http.StatusBadRequest {
		c.x.Outcome.Status = status
		if e := c.recordBeforeEnd(c.r.Context()); e != nil {
			c.refuse(e)
			return
		}
		c.conclude()
		c.noteCalls(body)
	}
	h := c.w.Header()
	h["Content-Type"] = c.wrapHeaderValue(contentType)
	h["Content-Length"] = c.wrapHeaderValue(strconv.Itoa(len(body)))
	c.addHeader(h)
	c.x.Outcome.Status = status
	c.state.headOut = true
	c.w.WriteHeader(status)
	n, err := c.w.Write(body)
	if err != nil && c.x.Outcome.Kind == core.Served {
		c.x.Outcome.Kind = core.ClientGone
	}
	c.x.Outcome.Complete = err == nil && n == len(body)
}

func (c *call) addHeader(h http.Header) {
	for i := range c.x.Header {
		h.Set(c.x.Header[i].Name, c.x.Header[i].Value)
	}
	if c.answer.relaxed {
		h["X-Gateway-Strict-Downgraded"] = []string{"true"}
	}
	if v := c.r.Header["X-Server-Timing"]; len(v) > 0 {
		h["Server-Timing"] = []string{formatServerTiming(&c.x)}
	}
}

// refuse answers with an error in the client's dialect.
func (c *call) refuse(e *core.Error) {
	if c.x.Outcome.Kind == 0 {
		c.x.Outcome.Kind = core.Refused
	}
	c.x.Outcome.Err = e
	if c.grant != nil {
		c.grant.refused = e
	}
	if c.state.headOut {
		return
	}
	if e.Kind == core.Canceled {
		c.x.Outcome.Kind, c.x.Outcome.Status = core.ClientGone, e.HTTPStatus()
		c.w.WriteHeader(e.HTTPStatus()) // a client that closed only its half still reads
		c.w.WriteHeaderNow()            // while the header still belongs to this exchange
		return
	}
	c.answer.relaxed = false // the header describes an answer
	h := c.w.Header()
	if e.RetryAfter > 0 {
		h["Retry-After"] = []string{strconv.FormatInt(int64((e.RetryAfter+time.Second-1)/time.Second), 10)}
	}
	if e.Kind == core.Unauthenticated {
		h["Www-Authenticate"] = []string{"Bearer"}
	}
	if e.NoRetry || e.Kind == core.Unauthenticated { // Claude Code repeats a 401 for minutes, and shows nothing meanwhile
		h["X-Should-Retry"] = []string{"false"}
	}
	c.out = c.d.AppendError(c.out[:0], e)
	status := e.HTTPStatus()
	if c.peer != nil {
		status = c.peer.ChooseHTTPStatus(e)
	}
	c.writeAnswer(status, "application/json", c.out)
}

// formatServerTiming returns what each link did, for the page /try.
func formatServerTiming(x *core.Exchange) string {
	b := make([]byte, 0, 32*len(x.Visits))
	for i := range x.Visits {
		v := &x.Visits[i]
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, cleanHeaderToken(v.Link)...)
		b = append(b, ";desc=\""...)
		b = append(b, v.Phase.String()...)
		b = append(b, ' ')
		b = append(b, v.Action.String()...)
		if v.Fault != 0 {
			b = append(append(b, " fault "...), v.Fault.String()...)
		}
		if v.Shadow {
			b = append(b, " shadow"...)
		}
		b = append(b, "\";dur="...)
		b = strconv.AppendFloat(b, float64(v.Duration.Microseconds())/1000, 'f', 3, 64)
	}
	return string(b)
}

// cleanHeaderToken replaces the characters of a link's name that a header token must not contain.
func cleanHeaderToken(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (isTraceByte(byte(r)) && r != ':') {
			return r
		}
		return '_'
	}, s)
}
