package wasm

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// httpSample is one of the modules of http-wasm itself.
func httpSample(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "http-wasm", name+".wasm"))
	require.NoError(t, err)
	return b
}

func loadHTTP(t testing.TB, source []byte, settings string, change ...func(*LoadOptions)) (*Version, error) {
	t.Helper()
	o := LoadOptions{Source: source, Name: "x.wasm", Config: []byte(settings), Limits: Limits{Timeout: 30 * time.Second}}
	for _, c := range change {
		c(&o)
	}
	v, err := Load(context.Background(), o)
	if err == nil {
		t.Cleanup(func() { v.Release(context.Background()) })
	}
	return v, err
}

func newHTTPStage(t testing.TB, v *Version, change ...func(*Options)) *FullStage {
	t.Helper()
	require.True(t, v.Acquire())
	o := Options{
		Link: "edge",
		Answer: func(_ *core.Exchange, text string) (*core.Payload, error) {
			return &core.Payload{Raw: []byte(text)}, nil
		},
		Services: foreign.Services{Reply: func(_ *core.Exchange, b []byte) (*core.Payload, error) { return &core.Payload{Raw: b}, nil }},
	}
	for _, c := range change {
		c(&o)
	}
	st, err := NewPlugin(v, o)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, st.Close(context.Background())) })
	return st.(*FullStage)
}

// chatExchange is a request with one text and its answer with another.
func chatExchange(asked, said string) *core.Exchange {
	x := NewRehearsal("rehearsal")
	x.Request.Path, x.Request.Peer = "/v1/chat/completions", "192.0.2.7"
	fill := func(p *core.Payload, before, text, after string, role core.Role) {
		status := p.Status
		p.Reset()
		p.Status, p.Raw = status, []byte(before+text+after)
		at := splice.Span{Start: len(before), End: len(before) + len(text)}
		p.Segments = []core.Segment{{Role: role, Kind: core.KindText, Depth: 1, Part: -1, Field: "content", Span: at}}
	}
	fill(&x.Request, `{"model":"rehearsal","messages":[{"role":"user","content":"`, asked, `"}]}`, core.RoleUser)
	x.Request.Path, x.Request.Peer = "/v1/chat/completions", "192.0.2.7"
	fill(&x.Response, `{"choices":[{"message":{"role":"assistant","content":"`, said, `"}}]}`, core.RoleAssistant)
	return x
}

func TestTheSampleModulesOfHTTPWasmLoadOrAreRefusedForAReason(t *testing.T) {
	for name, c := range map[string]struct{ settings, refused string }{
		"auth": {}, "log": {}, "wasi": {}, "tinygo-log": {}, "tinygo-features": {}, "e2e-handle_response": {}, "e2e-header_names": {},
		"e2e-protocol_version": {}, "bench-write_body": {}, "bench-set_status_code": {}, "tinygo-bench-write_body": {},
		"config":                              {settings: `{"config":"\u0003\u0000\u0000\u0000\u0000\u0000\u0000\u0000"}`},
		"redact":                              {settings: `{"config":"open sesame"}`},
		"router":                              {refused: "imports http_handler.set_uri: the gateway routes a request by its model, not by its path"},
		"e2e-uri":                             {refused: "imports http_handler.set_uri"},
		"bench-set_uri":                       {refused: "imports http_handler.set_uri"},
		"e2e-method":                          {refused: "imports http_handler.set_method: the gateway calls providers by their own methods"},
		"bench-log":                           {refused: "it answers with nothing"},
		"bench-get_uri":                       {refused: "it answers with nothing"},
		"bench-read_body":                     {refused: "it answers with nothing"},
		"bench-read_body_stream":              {refused: "it answers with nothing"},
		"bench-get_header_names":              {refused: "it answers with nothing"},
		"bench-get_header_values":             {refused: "it answers with nothing"},
		"bench-add_header_value":              {refused: "it sets a header that is neither x-… nor age"},
		"bench-set_header_value":              {refused: "it answers with nothing"},
		"bench-remove_header":                 {refused: "it answers with nothing"},
		"tinygo-bench-read_body":              {refused: "it answers with nothing"},
		"tinygo-bench-add_header_value":       {refused: "it sets a header that is neither x-… nor age"},
		"tinygo-bench-get_header_values":      {refused: "it answers with nothing"},
		"tinygo-handle_response":              {refused: "it writes a body that differs from the one it was shown in more than texts"},
		"e2e-header_value":                    {refused: "it changes a header of the request, which goes no further than the gateway"},
		"error-set_request_header_after_next": {refused: "it changes a header of the request"},
		"error-panic_on_start":                {refused: "unreachable"},
		"error-panic_on_handle_request":       {refused: "unreachable"},
		"error-panic_on_handle_response":      {refused: "unreachable"},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := loadHTTP(t, httpSample(t, name), c.settings)
			if c.refused != "" {
				require.ErrorContains(t, err, c.refused)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, abi.KindHTTP, v.Manifest.Kind, "recognised without a manifest")
		})
	}
	files, err := filepath.Glob(filepath.Join("testdata", "http-wasm", "*.wasm"))
	require.NoError(t, err)
	assert.Len(t, files, 35, "a module that was added needs a row")
}

func TestAnHTTPWasmModuleThatAnswersRefusesOrReplies(t *testing.T) {
	for _, c := range []struct {
		module string
		check  func(t *testing.T, got core.Verdict)
	}{
		{"auth", func(t *testing.T, got core.Verdict) {
			require.Equal(t, core.Block, got.Action)
			assert.Equal(t, http.StatusUnauthorized, got.Err.HTTPStatus())
			assert.Equal(t, core.CodeUnauthorized, got.Err.Code)
			assert.Equal(t, []core.Field{{Name: "Www-Authenticate", Value: `Basic realm="test"`}}, got.Header)
		}},
		{"bench-set_status_code", func(t *testing.T, got core.Verdict) {
			require.Equal(t, core.Block, got.Action)
			assert.Equal(t, http.StatusNotFound, got.Err.HTTPStatus())
			assert.Equal(t, `the guard "edge" does not let this request pass`, got.Err.Public)
		}},
		{"tinygo-bench-write_body", func(t *testing.T, got core.Verdict) {
			require.Equal(t, core.Answer, got.Action)
			assert.Equal(t, "hello world", string(got.Reply.Raw))
		}},
		{"tinygo-features", func(t *testing.T, got core.Verdict) {
			require.Equal(t, core.Answer, got.Action)
			assert.Equal(t, "buffer_request|buffer_response", string(got.Reply.Raw))
		}},
	} {
		t.Run(c.module, func(t *testing.T) {
			v, err := loadHTTP(t, httpSample(t, c.module), "")
			require.NoError(t, err)
			x := chatExchange("hello", "hi")
			x.Request.Header = http.Header{"Authorization": {"Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="}}
			got, err := newHTTPStage(t, v).Check(context.Background(), x, core.Request, nil)
			require.NoError(t, err)
			c.check(t, got)
		})
	}
}

func TestTheRedactSampleChangesTextsOfRequestsAnswersAndStreams(t *testing.T) {
	v, err := loadHTTP(t, httpSample(t, "redact"), `{"config":"open sesame"}`)
	require.NoError(t, err)
	st := newHTTPStage(t, v)
	x := chatExchange("say open sesame to the door", "open sesame!")
	got, err := st.Check(context.Background(), x, core.Request, nil)
	require.NoError(t, err)
	require.Equal(t, core.Rewrite, got.Action)
	assert.Equal(t, []core.Edit{{Segment: 0, Start: 4, End: 15, With: "###########"}}, got.Edits)
	kept := got.Keep
	got, err = st.Check(context.Background(), x, core.Response, kept)
	require.NoError(t, err)
	assert.Equal(t, []core.Edit{{Segment: 0, Start: 0, End: 11, With: "###########"}}, got.Edits)

	f, err := st.Stream(context.Background(), x, kept)
	require.NoError(t, err)
	assert.True(t, f.(core.Withholder).Withholds(), "it enables buffer_response")
	got, hold, err := f.Check(context.Background(), core.Window{Part: core.Part{Kind: core.KindText}, Text: "an open sesame", Last: true})
	require.NoError(t, err)
	assert.Zero(t, hold)
	assert.Equal(t, []core.Edit{{Start: 3, End: 14, With: "###########"}}, got.Edits)
	require.NoError(t, f.Close(context.Background()))
	st.Finish(context.Background(), x, kept)
}

func TestAnHTTPWasmModuleThatBuffersNothingLetsStreamsPass(t *testing.T) {
	v, err := loadHTTP(t, httpSample(t, "wasi"), "")
	require.NoError(t, err)
	log, err := loadHTTP(t, httpSample(t, "tinygo-log"), "")
	require.NoError(t, err)
	for want, v := range map[bool]*Version{true: v, false: log} {
		st := newHTTPStage(t, v)
		x := chatExchange("hello", "hi")
		got, err := st.Check(context.Background(), x, core.Request, nil)
		require.NoError(t, err)
		f, err := st.Stream(context.Background(), x, got.Keep)
		require.NoError(t, err)
		assert.Equal(t, want, f.(core.Withholder).Withholds())
		_, hold, err := f.Check(context.Background(), core.Window{Part: core.Part{Kind: core.KindText}, Text: "hi", Last: true})
		require.NoError(t, err)
		assert.Zero(t, hold)
		require.NoError(t, f.Close(context.Background()))
		st.Finish(context.Background(), x, got.Keep)
	}
}

func TestAnHTTPWasmModuleSeesNeitherCredentialsNorTheQuery(t *testing.T) {
	var said []string
	v, err := loadHTTP(t, httpSample(t, "wasi"), "", func(o *LoadOptions) {
		o.Limits.LogLines = 100
		o.Log = func(_ abi.Level, text string, _ int) { said = append(said, text) }
	})
	require.NoError(t, err)
	said = nil
	st := newHTTPStage(t, v)
	x := chatExchange("hello", "hi")
	x.Request.Header = http.Header{
		"Content-Type": {"application/json"}, "User-Agent": {"test"}, "Authorization": {"Bearer s3cret"}, "X-Api-Key": {"s3cret"}, "X-Team": {"red"},
	}
	got, err := st.Check(context.Background(), x, core.Request, nil)
	require.NoError(t, err)
	_, err = st.Check(context.Background(), x, core.Response, got.Keep)
	require.NoError(t, err)
	all := strings.Join(said, "\n")
	assert.Contains(t, all, "POST /v1/chat/completions HTTP/1.1")
	assert.Contains(t, all, "content-type: application/json")
	assert.Contains(t, all, "user-agent: test")
	assert.Contains(t, all, `"content":"hello"`)
	assert.Contains(t, all, "HTTP/1.1 200")
	assert.Contains(t, all, `"content":"hi"`)
	assert.NotContains(t, all, "s3cret")
	assert.NotContains(t, all, "x-team", "its manifest does not name it")
}
