package wasm

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// loadHTTPScript loads the guest that does what the text of the request says; see testdata/http.c.
func loadHTTPScript(t testing.TB, m *Manifest) (*Version, *[]string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "http.wasm"))
	require.NoError(t, err)
	said := new([]string)
	v, err := loadHTTP(t, b, "", func(o *LoadOptions) {
		o.Manifest, o.Limits.LogLines = m, 1000
		o.Log = func(_ abi.Level, text string, _ int) { *said = append(*said, text) }
	})
	require.NoError(t, err)
	return v, said
}

// runHTTPScript runs a script in handle_request and, if the request passes, in handle_response.
func runHTTPScript(st *FullStage, script, answer string) (request, response core.Verdict, err error) {
	x := chatExchange(script, answer)
	x.Response.Status = http.StatusOK
	request, err = st.Check(context.Background(), x, core.Request, nil)
	if err == nil && (request.Action == core.Pass || request.Action == core.Rewrite) {
		response, err = st.Check(context.Background(), x, core.Response, request.Keep)
	}
	st.Finish(context.Background(), x, request.Keep)
	return request, response, err
}

func TestAnHTTPWasmModuleChangesOnlyWhatTheChainCanCarryOut(t *testing.T) {
	v, _ := loadHTTPScript(t, nil)
	st := newHTTPStage(t, v)
	for name, c := range map[string]struct{ script, fault string }{
		"a result of handle_request that is not a bit":  {"n2;", "which is neither 0 nor 1"},
		"nothing as an answer":                          {"n0;", "it answers with nothing"},
		"a redirect":                                    {"s302;n0;", "neither 200 nor an error"},
		"a status that no answer has":                   {"s99;n0;", "a status that no answer can have"},
		"an answer beside the request that passes":      {"whello;", "it wrote an answer and let the request pass"},
		"a status beside the request that passes":       {"s403;", "it wrote an answer and let the request pass"},
		"a header of the request":                       {"rx-a=b;", "a header of the request"},
		"a trailer":                                     {"tx-a=b;", "it sets a trailer"},
		"a header of the gateway":                       {"hx-gateway-link=b;", "a header that the gateway itself sets"},
		"a header that is not a token":                  {"hx a=b;", "not a token"},
		"a cookie":                                      {"hset-cookie=a;", "neither x-… nor age"},
		"an encoding of the body":                       {"hcontent-encoding=gzip;", "neither x-… nor age"},
		"a redirect beside the answer":                  {"s403;hlocation=http://a;n0;", "neither x-… nor age"},
		"an origin that may read the answer":            {"|aaccess-control-allow-origin=*;", "neither x-… nor age"},
		"a switch of the protocol":                      {"hupgrade=h2c;", "neither x-… nor age"},
		"a header whose name is x- alone":               {"hx-=b;", "neither x-… nor age"},
		"another model without the capability":          {"mother;", "which needs the capability patch"},
		"another member of the body":                    {"umessages=massages;", "in more than texts"},
		"a body that is not JSON":                       {"u{=;", "not JSON"},
		"an answer's status without buffer_response":    {"|s500;", "enable buffer_response"},
		"an answer's body without buffer_response":      {"|uhi=ho;", "enable buffer_response"},
		"an answer's structure":                         {"c2;|uchoices=choice;", "in more than texts"},
		"an answer's status that is not an error":       {"c2;|s201;", "not an error"},
		"a header removed that is set with the request": {"hx-a=b;|xx-a;", "it has set with the request"},
		"a header of the gateway, on the way back":      {"|hx-trace-id=b;", "a header that the gateway itself sets"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := runHTTPScript(st, c.script, "hi")
			var fault *Error
			require.ErrorAs(t, err, &fault)
			assert.Equal(t, core.FaultABI, fault.Kind)
			assert.Contains(t, fault.Reason, c.fault)
		})
	}
}

func TestWhatAnHTTPWasmModuleDoesIsCarriedOut(t *testing.T) {
	v, said := loadHTTPScript(t, nil)
	st := newHTTPStage(t, v)
	for name, c := range map[string]struct {
		script, answer string
		check          func(t *testing.T, request, response core.Verdict)
	}{
		"a refusal with its text, headers and the time to wait": {"s429;hx-plan=free;hretry-after=7;wslow down;n0;", "", func(t *testing.T, v, _ core.Verdict) {
			require.Equal(t, core.Block, v.Action)
			assert.Equal(t, core.Error{
				Kind: core.RateLimited, Code: core.CodeRateLimit, Public: "slow down", Status: 429, RetryAfter: 7 * time.Second,
			}, *v.Err)
			assert.Equal(t, []core.Field{{Name: "X-Plan", Value: "free"}}, v.Header)
		}},
		"an answer as text": {"hcontent-type=text/plain;whello;n0;", "", func(t *testing.T, v, _ core.Verdict) {
			require.Equal(t, core.Answer, v.Action)
			assert.Equal(t, "hello", string(v.Reply.Raw))
			assert.Empty(t, v.Header, "the gateway says what its body is")
		}},
		"headers of the answer, joined by name": {"hx-a=1;ax-a=2;hx-b=3;xx-b;", "hi", func(t *testing.T, v, _ core.Verdict) {
			assert.Equal(t, []core.Field{{Name: "X-A", Value: "1, 2"}}, v.Header)
		}},
		"headers of refusals only with a refusal": {"hretry-after=7;hwww-authenticate=Basic;hage=1;", "hi", func(t *testing.T, v, _ core.Verdict) {
			assert.Equal(t, []core.Field{{Name: "Age", Value: "1"}}, v.Header)
		}},
		"headers set on the way back": {"|hx-a=1;", "hi", func(t *testing.T, _, v core.Verdict) {
			assert.Equal(t, []core.Field{{Name: "X-A", Value: "1"}}, v.Header)
		}},
		"texts of the request": {"umagic=m****;", "hi", func(t *testing.T, v, _ core.Verdict) {
			require.Equal(t, core.Rewrite, v.Action)
			assert.Equal(t, []core.Edit{{Segment: 0, Start: 2, End: 6, With: "****"}}, v.Edits)
		}},
		"texts of the answer": {"c2;|usecret=***;", "a secret", func(t *testing.T, _, v core.Verdict) {
			assert.Equal(t, []core.Edit{{Segment: 0, Start: 2, End: 8, With: "***"}}, v.Edits)
		}},
		"an answer is refused": {"c2;|s451;wnot here;", "a secret", func(t *testing.T, _, v core.Verdict) {
			require.Equal(t, core.Block, v.Action)
			assert.Equal(t, 451, v.Err.HTTPStatus())
			assert.Equal(t, "not here", v.Err.Public)
		}},
		"the client's address, with the port unknown": {"g;", "hi", func(t *testing.T, _, _ core.Verdict) {
			assert.Equal(t, "192.0.2.7:0", (*said)[len(*said)-1])
		}},
	} {
		t.Run(name, func(t *testing.T) {
			request, response, err := runHTTPScript(st, c.script, c.answer)
			require.NoError(t, err)
			c.check(t, request, response)
		})
	}
}

func TestAnHTTPWasmModuleWithTheCapabilityPatchMayChangeTheModel(t *testing.T) {
	m := httpScriptManifest()
	m.Capabilities = []string{abi.CapabilityPatch}
	v, _ := loadHTTPScript(t, m)
	st := newHTTPStage(t, v)
	got, _, err := runHTTPScript(st, "mmodel-2;", "hi")
	require.NoError(t, err)
	assert.Equal(t, core.Patch{Model: "model-2"}, got.Patch)
}

func httpScriptManifest() *Manifest {
	return &Manifest{Name: "script", Kind: abi.KindHTTP, Reads: Reads{
		Fields: []string{"headers", "address"},
		Text:   []string{"system", "user", "assistant", "tool_args", "tool_result", "reasoning", "definition", "other"},
	}}
}

func TestTheManifestOfAnHTTPWasmModuleMatchesItsImports(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "http.wasm"))
	require.NoError(t, err)
	for want, change := range map[string]func(m *Manifest){
		"imports http_handler.read_body, which sees whole bodies, but its manifest does not list every source": func(m *Manifest) {
			m.Reads.Text = []string{"user"}
		},
		"imports http_handler.get_source_addr, but its manifest does not list address": func(m *Manifest) { m.Reads.Fields = nil },
		"reads.fields of a module of kind http-wasm are headers and address":           func(m *Manifest) { m.Reads.Fields = []string{"tenant"} },
		"reads.headers: Authorization may hold a credential":                           func(m *Manifest) { m.Reads.Headers = []string{"authorization"} },
		"reads.headers: X-Vendor-Key may hold a credential":                            func(m *Manifest) { m.Reads.Headers = []string{"x-vendor-key"} },
		"name 0 of reads.headers is not the name of a header field":                    func(m *Manifest) { m.Reads.Headers = []string{"a b"} },
		"phases of a module of kind http-wasm are request and response":                func(m *Manifest) { m.Phases = []string{"target"} },
		"has no capability but patch":                                                  func(m *Manifest) { m.Capabilities = []string{"state"} },
		"streams is not for modules of kind http-wasm":                                 func(m *Manifest) { m.Streams = "pass" },
		"reads.headers is for modules of kind http-wasm": func(m *Manifest) {
			m.Kind, m.Reads.Fields, m.Reads.Headers = "stage", nil, []string{"x-a"}
		},
	} {
		m := httpScriptManifest()
		change(m)
		_, err := loadHTTP(t, b, "", func(o *LoadOptions) { o.Manifest = m })
		require.ErrorContains(t, err, want)
		_, err = Inspect(b, m)
		require.ErrorContains(t, err, want)
	}
	v, _ := loadHTTPScript(t, httpScriptManifest())
	require.True(t, v.Acquire())
	_, err = NewPlugin(v, Options{Link: "edge", Grant: foreign.Grant{Text: []string{"user"}}})
	require.ErrorContains(t, err, "grant.text must not leave a source out")
	v.Release(context.Background())
}

func TestTheContextOfARequestReachesItsOwnAnswer(t *testing.T) {
	v, err := loadHTTP(t, httpSample(t, "e2e-handle_response"), "") // traps if another request came between
	require.NoError(t, err)
	st := newHTTPStage(t, v)
	var open []*core.Exchange
	var kept []any
	for range 5 {
		x := chatExchange("hello", "hi")
		got, err := st.Check(context.Background(), x, core.Request, nil)
		require.NoError(t, err)
		open, kept = append(open, x), append(kept, got.Keep)
	}
	assert.Equal(t, 5, v.pool.countStreams())
	for k, x := range open {
		_, err := st.Check(context.Background(), x, core.Response, kept[k])
		require.NoError(t, err)
		st.Finish(context.Background(), x, kept[k])
	}
	assert.Zero(t, v.pool.countStreams(), "the instances are back")
}

func TestAnInstanceComesBackFromAnExchangeThatTheChainDrops(t *testing.T) {
	v, err := loadHTTP(t, httpSample(t, "e2e-handle_response"), "")
	require.NoError(t, err)
	st := newHTTPStage(t, v)
	_, err = st.Check(context.Background(), chatExchange("hello", "hi"), core.Request, nil)
	require.NoError(t, err)
	assert.Equal(t, 1, v.pool.countStreams())
	assert.Eventually(t, func() bool {
		runtime.GC()
		return v.pool.countStreams() == 0
	}, 10*time.Second, 10*time.Millisecond)
}

func TestTheInstancesThatExchangesHoldAreLimited(t *testing.T) {
	v, err := loadHTTP(t, httpSample(t, "e2e-handle_response"), "", func(o *LoadOptions) { o.Limits.Streams = 1 })
	require.NoError(t, err)
	st := newHTTPStage(t, v)
	x := chatExchange("hello", "hi")
	got, err := st.Check(context.Background(), x, core.Request, nil)
	require.NoError(t, err)
	_, err = st.Check(context.Background(), chatExchange("hello", "hi"), core.Request, nil)
	var fault *Error
	require.ErrorAs(t, err, &fault)
	assert.Equal(t, core.FaultOverload, fault.Kind)
	st.Finish(context.Background(), x, got.Keep)
	got, err = st.Check(context.Background(), x, core.Request, nil)
	require.NoError(t, err)
	assert.Equal(t, 1, v.pool.countStreams())
	st.Finish(context.Background(), x, got.Keep)
}

func TestOneTenantDoesNotHoldAllInstances(t *testing.T) {
	const most = 6
	v, err := loadHTTP(t, httpSample(t, "e2e-handle_response"), "", func(o *LoadOptions) { o.Limits.Streams = most })
	require.NoError(t, err)
	st := newHTTPStage(t, v)
	var open []*core.Exchange
	var kept []any
	fill := func(tenant string) (n int) {
		for range most + 1 {
			x := chatExchange("hello", "hi")
			x.Principal = &core.Principal{Tenant: tenant, KeyID: "k"}
			got, err := st.Check(context.Background(), x, core.Request, nil)
			if err != nil {
				var fault *Error
				require.ErrorAs(t, err, &fault)
				assert.Equal(t, core.FaultOverload, fault.Kind)
				return n
			}
			open, kept, n = append(open, x), append(kept, got.Keep), n+1
		}
		return n
	}
	var got []int
	for _, tenant := range []string{"a", "b", "c", "d"} {
		got = append(got, fill(tenant))
	}
	assert.Equal(t, []int{3, 2, 1, 0}, got, "each gets half of what the others leave")
	for k, x := range open {
		st.Finish(context.Background(), x, kept[k])
	}
	assert.Zero(t, v.pool.countStreams())
	assert.Empty(t, v.pool.held)
	assert.Equal(t, 3, fill("d"), "what was held is free again")
	for k, x := range open[6:] {
		st.Finish(context.Background(), x, kept[6+k])
	}
}

func TestAnHTTPWasmModuleLearnsThatThereIsNoAnswer(t *testing.T) {
	v, said := loadHTTPScript(t, nil)
	st := newHTTPStage(t, v)
	for script, want := range map[string]int{"n1;": 1, "s403;n0;": 0} {
		x := chatExchange(script, "")
		got, err := st.Check(context.Background(), x, core.Request, nil)
		require.NoError(t, err)
		*said = nil
		st.Finish(context.Background(), x, got.Keep)
		assert.Equal(t, want, strings.Count(strings.Join(*said, "\n"), "no answer"), script)
		assert.Zero(t, v.pool.countStreams())
	}
}

func TestAnHTTPWasmModuleSeesTheBodyWithTheEditsOfEarlierLinks(t *testing.T) {
	v, said := loadHTTPScript(t, nil)
	st := newHTTPStage(t, v)
	x := chatExchange("l-;uapollo=zephyr;z the apollo plan", "hi")
	x.Request.Apply([]core.Edit{{Segment: 0, Start: 1, End: 2, With: "longer than before"}})
	got, err := st.Check(context.Background(), x, core.Request, nil)
	require.NoError(t, err)
	assert.Equal(t, "longer than before", (*said)[len(*said)-1])
	text := x.Request.ReadText(0)
	require.Len(t, got.Edits, 1)
	e := got.Edits[0]
	assert.Equal(t, "llonger than before;uzephyr=zephyr;z the zephyr plan", text[:e.Start]+e.With+text[e.End:])
	assert.Contains(t, string(x.Request.Raw), `"l-;u`, "the body itself is not touched")
}

func TestAnHTTPWasmModuleThatRunsForeverIsCut(t *testing.T) {
	forever := guest{
		manifest: "none", globals: nil,
		funcs: []fn{{typ: typL, code: cat(i32c(0), []byte{0x28, 2, 0}, []byte{0x1a}, loop(nil), i64c(1))}, {typ: typTwo}},
		extra: []export{{"handle_request", 0}, {"handle_response", 1}},
	}
	_, err := loadHTTP(t, forever.bytes(), "", func(o *LoadOptions) { o.Limits = Limits{Start: 50 * time.Millisecond} })
	require.ErrorContains(t, err, "try the module: timeout")
}
