package contract_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// m is a JSON object.
type m = map[string]any

// client sends requests to one gateway with one credential.
type client struct {
	t      *T
	base   string
	header http.Header
}

// addHeader returns the same client with one more header. An empty value removes the header.
func (c *client) addHeader(name, value string) *client {
	h := c.header.Clone()
	if h.Del(name); value != "" {
		h.Set(name, value)
	}
	return &client{c.t, c.base, h}
}

var wire = &http.Client{
	Timeout:       2 * patience,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport:     &http.Transport{MaxIdleConnsPerHost: 8, DisableCompression: true},
}

// answer is the response of a gateway.
type answer struct {
	t      *T
	asked  string
	status int
	header http.Header
	body   []byte
}

// do sends a request. A string or bytes are sent as they are, any other body as JSON.
func (c *client) do(method, path string, body any) *answer {
	c.t.Helper()
	var out io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		out = strings.NewReader(b)
	case []byte:
		out = bytes.NewReader(b)
	default:
		text, err := json.Marshal(b)
		require.NoError(c.t, err)
		out = bytes.NewReader(text)
	}
	r, err := http.NewRequest(method, c.base+path, out)
	require.NoError(c.t, err)
	r.Header = c.header.Clone()
	if out != nil && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	res, err := wire.Do(r)
	require.NoError(c.t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	require.NoError(c.t, err)
	a := &answer{c.t, method + " " + path, res.StatusCode, res.Header, text}
	c.t.checkAnswer(c.base, method, path, a)
	c.t.lie.tell(method, path, a)
	return a
}

func (c *client) get(path string) *answer { c.t.Helper(); return c.do(http.MethodGet, path, nil) }

func (c *client) delete(path string) *answer { c.t.Helper(); return c.do(http.MethodDelete, path, nil) }

func (c *client) post(path string, body any) *answer {
	c.t.Helper()
	return c.do(http.MethodPost, path, body)
}

func (c *client) put(path string, body any) *answer {
	c.t.Helper()
	return c.do(http.MethodPut, path, body)
}

// is requires a status.
func (a *answer) is(status int) *answer {
	a.t.Helper()
	require.Equal(a.t, status, a.status, "%s: %s", a.asked, a.body)
	return a
}

// json returns the decoded body.
func (a *answer) json() (v any) {
	a.t.Helper()
	require.NoError(a.t, json.Unmarshal(a.body, &v), "%s: %s", a.asked, a.body)
	return v
}

// object returns the body, which must be an object.
func (a *answer) object() m {
	a.t.Helper()
	o, ok := a.json().(m)
	require.True(a.t, ok, "%s answers no object: %s", a.asked, a.body)
	return o
}

// array returns the body, which must be an array without a wrapper.
func (a *answer) array() []any {
	a.t.Helper()
	l, ok := a.json().([]any)
	require.True(a.t, ok, "%s answers no bare array: %s", a.asked, a.body)
	return l
}

// list returns the elements of {object: "list", data: [...]}.
func (a *answer) list() []any {
	a.t.Helper()
	o := a.object()
	require.Equal(a.t, "list", o["object"], "%s: %s", a.asked, a.body)
	l, ok := o["data"].([]any)
	require.True(a.t, ok, "%s has no array in data: %s", a.asked, a.body)
	return l
}

// requireRefusal requires an error of that status, type and code, in the common format of errors. An empty type or code matches any.
func (a *answer) requireRefusal(status int, typ, code string) string {
	a.t.Helper()
	a.is(status)
	e, ok := a.object()["error"].(m)
	require.True(a.t, ok, "%s answers no error: %s", a.asked, a.body)
	for name, want := range map[string]string{"type": typ, "code": code} {
		got, _ := e[name].(string)
		assert.NotEmpty(a.t, got, "%s: the error has no %s: %s", a.asked, name, a.body)
		if want != "" {
			assert.Equal(a.t, want, got, "%s: %s", a.asked, a.body)
		}
	}
	says, _ := e["message"].(string)
	assert.NotEmpty(a.t, says, "%s: the error has no message: %s", a.asked, a.body)
	return says
}

// sees requires that a client reads what the owner reads there: a whole record, or a list with the owner's first element.
func (c *client) sees(path string) {
	c.t.Helper()
	again := c.t.honest()
	want := c.t.owner().get(path).is(200).json()
	again()
	elements := func(v any) []any {
		if o, ok := v.(m); ok && o["object"] == "list" {
			v = o["data"]
		}
		if l, ok := v.([]any); ok {
			return l
		}
		return []any{v}
	}
	got := elements(c.get(path).is(200).json())
	if first := elements(want); len(first) == 0 {
		require.Empty(c.t, got, path)
	} else {
		require.Contains(c.t, got, first[0], path)
	}
}

// text returns a string member of a record, which must exist.
func (t *T) text(o m, field string) string {
	t.Helper()
	s, ok := o[field].(string)
	require.True(t, ok && s != "", "%s is no text: %v", field, o)
	return s
}

// number returns a numeric member of a record, which must exist.
func (t *T) number(o m, field string) float64 {
	t.Helper()
	n, ok := o[field].(float64)
	require.True(t, ok, "%s is not a number: %v", field, o)
	return n
}

// fields requires that a record has members; null counts as a value.
func (t *T) fields(o m, names ...string) {
	t.Helper()
	for _, name := range names {
		require.Contains(t, o, name)
	}
}

// time returns a time in the format of the contract: ISO 8601, in UTC.
func (t *T) time(o m, field string) time.Time {
	t.Helper()
	s := t.text(o, field)
	at, err := time.Parse(time.RFC3339Nano, s)
	require.NoError(t, err, field)
	require.True(t, strings.HasSuffix(s, "Z"), "%s is not in UTC: %s", field, s)
	return at
}

// recent requires a time of the last minute or two: of what was created just now.
func (t *T) recent(o m, field string) {
	t.Helper()
	require.WithinDuration(t, time.Now(), t.time(o, field), 2*time.Minute, field)
}

// find returns the record of a list whose member has a value, or nil.
func find(list []any, field string, value any) m {
	for _, v := range list {
		if o, ok := v.(m); ok && o[field] == value {
			return o
		}
	}
	return nil
}

// requireRecord requires a record of a list whose member has a value.
func (t *T) requireRecord(list []any, field string, value any) m {
	t.Helper()
	o := find(list, field, value)
	require.NotNil(t, o, "nothing in the list has %s %v", field, value)
	return o
}
