package contract_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostileRequests is the maximum number of requests to each operation. Every run sends the same ones.
const hostileRequests = 60

// Values of the wrong kind.
var (
	hostileTexts = []string{
		"",
		" ",
		"nothing",
		"' OR 1=1 --",
		"\"; DROP TABLE tenant; --",
		"$(id)",
		"{{7*7}}",
		"<script>alert(1)</script>",
		"../../../etc/passwd",
		"%00",
		"\u0000",
		"\ufeffx",
		"株式会社 ü 🙂",
		"\u202eabc",
		"a/b",
		"a\\b",
		"null",
		"-1",
		"NaN",
		"1e309",
		"9223372036854775808",
		strings.Repeat("x", 5000),
		"\r\nX-Injected: 1",
		"2026-02-30T00:00:00Z",
		"0000-00-00T00:00:00Z",
		"9999-12-31T23:59:59.999999999Z",
		"-292277022399-01-01T00:00:00Z",
		"http://127.0.0.1/",
		"file:///etc/passwd",
	}
	hostileValues = []any{
		nil,
		true,
		0,
		-1,
		1e308,
		1.5,
		json.Number("9223372036854775808"),
		json.Number("-0"),
		json.Number("1e400"),
		[]any{},
		m{},
		[]any{nil},
		m{"": m{"": []any{}}},
		deep(60),
	}
	hostileBodies = []string{
		"",
		"null",
		"[]",
		"0",
		"\"text\"",
		"{",
		"{}",
		"{}{}",
		"[{}]",
		"{\"name\":\"a\",\"name\":\"b\"}",
		"{\"name\":\"\xff\"}",
		"\xef\xbb\xbf{}",
		strings.Repeat("[", 100_000),
		strings.Repeat(
			"{\"a\":",
			20_000,
		) + "1" + strings.Repeat(
			"}",
			20_000,
		),
		"{\"a\":\"" + strings.Repeat("x", 1<<20+100_000) + "\"}",
		"<xml/>",
		"name=x&status=active",
		"{\"__proto__\":{}}",
	}
	hostileTypes = []string{
		"",
		"text/plain",
		"application/xml",
		"application/json; charset=latin1",
		"multipart/form-data",
		"multipart/form-data; boundary=x",
		"*/*",
		"application/json;;;",
		"\t",
	}
)

// deep returns nested objects.
func deep(n int) any {
	if n == 0 {
		return "end"
	}
	return m{"a": deep(n - 1)}
}

func TestNoRequestMakesTheGatewayFail(t *testing.T) {
	p := onSQLite(t, program)
	start := &T{judge: t, place: p, variant: licensed}
	tenant := start.tenant()
	known := map[string]string{ // existing ids, so that the operations behind them are reached
		"tenant": tenant, "key": start.id(start.key(tenant)), "route": start.id(start.route()),
	}
	for _, name := range []string{"internal", "public"} {
		doc := start.book(start.client().base, name)
		require.NotNil(t, doc)
		for _, op := range operations(doc) {
			t.Run(op.OperationID, func(t *testing.T) {
				h := &hostility{
					T:     &T{judge: t, place: p, variant: licensed},
					op:    op,
					known: known,
					rnd:   rand.New(rand.NewPCG(7, uint64(len(op.path)))),
				} // the same in each run
				for range hostileRequests {
					h.send()
				}
			})
		}
	}
	start.client().get("/status").is(200)
	start.anybody().chat("mock-echo", "the gateway still serves")
}

// hostility creates requests to one operation.
type hostility struct {
	*T
	op    located
	known map[string]string
	rnd   *rand.Rand
}

func pick[V any](rnd *rand.Rand, of []V) V { return of[rnd.IntN(len(of))] }

// send sends one request, whose answer must be a success or a refusal that the document describes.
func (h *hostility) send() {
	h.Helper()
	c := h.credential()
	path := h.path()
	if h.rnd.IntN(3) == 0 {
		c = c.addHeader("If-Match", pick(h.rnd, []string{`"stale"`, "*", "W/\"x\"", "\"", strings.Repeat("x", 3000)}))
	}
	if h.op.method == http.MethodPost && h.rnd.IntN(3) == 0 {
		c = c.addHeader("Idempotency-Key", pick(h.rnd, []string{"again", "again", "ü", strings.Repeat("k", 300), " "}))
	}
	var body any
	if h.op.RequestBody != nil {
		var media string
		body, media = h.body()
		if h.rnd.IntN(8) == 0 {
			media = pick(h.rnd, hostileTypes)
		}
		c = c.addHeader("Content-Type", media)
	}
	a := c.do(h.op.method, path, body)
	assert.Less(h, a.status, http.StatusInternalServerError, "%s: %.300s answers %.300s", a.asked, describe(body), a.body)
	assert.NotEmpty(h, a.header.Get("X-Trace-Id"), a.asked)
	for _, leak := range []string{"goroutine ", "SQLSTATE", "sqlite", "/root/", ".go:"} {
		assert.NotContains(h, string(a.body), leak, a.asked)
	}
}

func describe(body any) string {
	if s, ok := body.(string); ok {
		return s
	}
	text, _ := json.Marshal(body) // it was sent
	return string(text)
}

// credential is usually the right one.
func (h *hostility) credential() *client {
	switch {
	case h.rnd.IntN(12) == 0:
		return pick(h.rnd, []*client{h.client(), h.bearer("wrong"), h.owner(), h.anybody(), h.bearer(strings.Repeat("x", 9000))})
	case strings.HasPrefix(h.op.path, "/internal/"):
		return h.node()
	case strings.HasPrefix(h.op.path, "/admin/"):
		return h.owner()
	}
	return h.anybody()
}

// path returns the operation's path with its parameters filled in, and a query.
func (h *hostility) path() string {
	parts := strings.Split(h.op.path, "/")
	for i, part := range parts {
		switch {
		case part == "{call}":
			parts[i] = pick(
				h.rnd,
				[]string{
					"mock-echo:generateContent",
					"mock-echo:streamGenerateContent",
					"mock-echo:countTokens",
					"mock-echo:nothing",
					":",
					"a:b:c:generateContent",
				},
			)
		case strings.HasPrefix(part, "{") && h.rnd.IntN(2) == 0 && i > 0:
			parts[i] = h.known[strings.TrimSuffix(parts[i-1], "s")]
			if parts[i] == "" {
				parts[i] = "nothing"
			}
		case strings.HasPrefix(part, "{"):
			parts[i] = url.PathEscape(pick(h.rnd, hostileTexts))
		}
	}
	query := url.Values{}
	for _, p := range h.op.Parameters {
		if p.Value.In == openapi3.ParameterInQuery && h.rnd.IntN(2) == 0 {
			query.Add(p.Value.Name, pick(h.rnd, append([]string{h.known["tenant"], "1", "1000"}, hostileTexts...)))
		}
	}
	if h.rnd.IntN(10) == 0 {
		query.Add(pick(h.rnd, []string{"no_such", "limit", "cursor", "tenant_id"}), pick(h.rnd, hostileTexts))
	}
	path := strings.Join(parts, "/")
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

// body returns the operation's example with an error in it, or something else entirely.
func (h *hostility) body() (body any, media string) {
	content := h.op.RequestBody.Value.Content
	media = pick(h.rnd, slices.Sorted(maps.Keys(content)))
	if h.rnd.IntN(4) == 0 || content[media].Example == nil {
		return pick(h.rnd, hostileBodies), media
	}
	text, err := json.Marshal(content[media].Example)
	require.NoError(h, err)
	var example any
	require.NoError(h, json.Unmarshal(text, &example))
	if o, ok := example.(m); ok {
		if _, has := o["model"]; has && strings.HasPrefix(h.op.path, "/v1/") {
			o["model"] = "mock-echo"
		}
		if _, has := o["tenantId"]; has {
			o["tenantId"] = h.known["tenant"]
		}
		if _, has := o["tenant_id"]; has {
			o["tenant_id"] = h.known["tenant"]
		}
	}
	return h.spoil(example), media
}

// spoil changes a part of a value.
func (h *hostility) spoil(v any) any {
	switch v := v.(type) {
	case m:
		if len(v) == 0 || h.rnd.IntN(8) == 0 {
			return h.wrong()
		}
		switch name := pick(h.rnd, slices.Sorted(maps.Keys(v))); h.rnd.IntN(6) {
		case 0:
			delete(v, name)
		case 1:
			v[pick(h.rnd, append([]string{"no_such_field", "id", "source"}, hostileTexts...))] = h.wrong()
		case 2: // unchanged
		default:
			v[name] = h.spoil(v[name])
		}
		return v
	case []any:
		if len(v) == 0 || h.rnd.IntN(3) == 0 {
			return h.wrong()
		}
		if h.rnd.IntN(4) == 0 {
			for len(v) < 3000 {
				v = append(v, v[0])
			}
			return v
		}
		v[0] = h.spoil(v[0])
		return v
	}
	return h.wrong()
}

// wrong returns a value that is usually of the wrong kind.
func (h *hostility) wrong() any {
	if h.rnd.IntN(2) == 0 {
		return pick(h.rnd, hostileTexts)
	}
	return pick(h.rnd, hostileValues)
}
