package proxy_test

import (
	"context"
	"encoding/json"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/stages/cache"
	"github.com/headgate-dev/headgate/stages/pii"
	"github.com/headgate-dev/headgate/stages/schema"
)

// wantsAge is a schema stage, with the number of retries.
func wantsAge(retries string) string {
	return `{schemas: [{modelPattern: "*", maxRetries: ` + retries + `, correctionPrompt: "Again.", schema: {type: object, required: [age]}}]}`
}

func schemaLink(t testing.TB, config string) chain.Link {
	st, err := schema.New(block(config), nil)
	require.NoError(t, err)
	return link("schema", st, core.Response)
}

func TestAnAnswerThatALinkDoesNotTakeIsAskedForAgain(t *testing.T) {
	for _, s := range speakers {
		for _, streamed := range []bool{false, true} {
			t.Run(s.name+", "+streamedName(streamed), func(t *testing.T) {
				up := newFake(t, s.inTurns(streamed, ageless, aged))
				g := open(t, setup{provider: newProvider(t, s.provider, up.url), links: []chain.Link{schemaLink(t, wantsAge("2"))}})
				path, body := s.request(streamed)
				a := g.callPath(path, body)
				require.Equal(t, 200, a.status, a.body)
				assert.NotContains(t, a.body, "Ann", "the client receives nothing of the first answer")
				assert.Contains(t, strings.ReplaceAll(a.body, `\`, ``), `{"age":5}`)

				asked := up.requests()
				require.Len(t, asked, 2)
				if s.more != "" {
					at := strings.Index(asked[0].body, s.before) + len(s.before)
					require.True(t, strings.HasPrefix(asked[1].body, asked[0].body[:at]), asked[1].body)
					rest := asked[0].body[at:]
					if strings.HasPrefix(s.more, "[") { // it replaces a text
						rest = rest[strings.Index(rest, `",`)+1:]
					}
					require.True(t, strings.HasSuffix(asked[1].body, rest), "all other bytes are unchanged")
					added := asked[1].body[at : len(asked[1].body)-len(rest)]
					prompt := "Again.\n\nWhat is wrong:\n- #/required: missing age\n\nJSON Schema:\n" + `{"required":["age"],"type":"object"}`
					assert.JSONEq(
						t,
						strings.NewReplacer("WRONG", quote(ageless), "AGAIN", quote(prompt)).Replace("["+strings.Trim(s.more, "[],")+"]"),
						"["+strings.Trim(added, "[],")+"]",
					)
				} else {
					assert.Contains(t, asked[1].body, "Ann")
					assert.Contains(t, asked[1].body, "What is wrong")
				}
				assert.True(t, json.Valid([]byte(asked[1].body)))

				res := g.outcome()
				assert.Equal(t, "served", res["outcome"])
				assert.InDelta(t, 20, res["tokens_total"], 0, "both answers are charged")
				u := g.usage()
				assert.EqualValues(t, 14, u.Input)
				assert.EqualValues(t, 6, u.Output)
			})
		}
	}
}

func TestAnAnswerThatIsNeverTakenIsRefused(t *testing.T) {
	for _, s := range speakers {
		for _, streamed := range []bool{false, true} {
			t.Run(s.name+", "+streamedName(streamed), func(t *testing.T) {
				up := newFake(t, s.inTurns(streamed, ageless))
				g := open(t, setup{provider: newProvider(t, s.provider, up.url), links: []chain.Link{schemaLink(t, wantsAge("2"))}})
				path, body := s.request(streamed)
				a := g.callPath(path, body)
				assert.Equal(t, 502, a.status, "a stream is refused with a status too")
				assert.Contains(t, a.body, "3 answers")
				assert.NotContains(t, a.body, "Ann")
				asked := up.requests()
				require.Len(t, asked, 3)
				assert.Equal(t, 2, strings.Count(asked[2].body, "What is wrong"))
				res := g.outcome()
				assert.Equal(t, "blocked", res["outcome"])
				assert.Equal(t, "schema", res["by"])
				assert.Equal(t, "output_schema_mismatch", res["code"])
				assert.InDelta(t, 30, res["tokens_total"], 0, "every answer is charged")
			})
		}
	}
}

func TestEveryAttemptIsBooked(t *testing.T) {
	for _, streamed := range []bool{false, true} {
		var attempts []core.Attempt
		var total llm.Usage
		end := looks(func(x *core.Exchange) {
			attempts, total = append(attempts, x.Attempts...), x.Usage
		})
		s := speakers[0]
		up := newFake(t, inTurn("", s.answer(ageless, streamed), buildWhole(503, "application/json", "{}"), s.answer(aged, streamed)))
		g := open(t, setup{url: up.url, runtime: eager, links: []chain.Link{schemaLink(t, wantsAge("1")), link("end", end, core.Request)}})
		path, body := s.request(streamed)
		require.Equal(t, 200, g.callPath(path, body).status)
		g.outcome()
		require.Len(t, attempts, 4)
		var tokens []int64
		var status []int
		for _, a := range attempts {
			tokens, status = append(tokens, a.Usage.Total()), append(status, a.Status)
		}
		assert.Equal(t, []int{0, 200, 503, 200}, status)
		assert.Equal(t, []int64{8, 10, 0, 0}, tokens, "a lost call is estimated, and the accepted answer makes up the rest of the sum")
		assert.EqualValues(t, 28, total.Total())
	}
}

// looks is a stage that inspects the end of exchanges.
type looks func(x *core.Exchange)

func (looks) Check(context.Context, *core.Exchange, core.Phase, any) (core.Verdict, error) {
	return pass, nil
}

func (f looks) Finish(_ context.Context, x *core.Exchange, _ any) { f(x) }

func TestWhatWasRestoredDoesNotGoBackToTheProvider(t *testing.T) {
	for _, streamed := range []bool{false, true} {
		t.Run(streamedName(streamed), func(t *testing.T) {
			n := 0
			up := newFake(t, func(c net.Conn, r sent) {
				text := aged
				if n++; n == 1 {
					text = `{"card":"` + cardToken.FindString(r.body) + `"}`
				}
				_, _ = c.Write([]byte(chatSays(text, streamed)))
			})
			// In front of PII the values in the answer are restored.
			g := open(t, setup{url: up.url, chain: func(tok core.Tokens) []chain.Link {
				return append([]chain.Link{schemaLink(t, wantsAge("1"))}, redacting(t, "")(tok)...)
			}})
			require.Equal(t, 200, g.post("dev", chatBody("mine is "+card, streamed)).status)
			second := up.last(t).body
			assert.NotContains(t, second, "4111")
			assert.Len(t, cardToken.FindAllString(second, -1), 2, "in the question and in the answer")
		})
	}
}

func TestOnlyTheAnswerThatWasTakenIsKept(t *testing.T) {
	for _, streamed := range []bool{false, true} {
		for _, order := range []string{"schema, cache", "cache, schema"} {
			t.Run(order+", "+streamedName(streamed), func(t *testing.T) {
				s, state := speakers[0], new(kept)
				up := newFake(t, s.inTurns(streamed, ageless, aged))
				g := open(t, setup{url: up.url, chain: func(core.Tokens) []chain.Link {
					st, err := cache.New(block("store: shared"), cache.Deps{State: onlyValues{Values: state}, Now: time.Now})
					require.NoError(t, err)
					both := []chain.Link{schemaLink(t, wantsAge("1")), link("cache", st, core.Request, core.Response)}
					if order == "cache, schema" {
						both[0], both[1] = both[1], both[0]
					}
					return both
				}})
				path, body := s.request(streamed)
				first := g.callPath(path, body)
				require.Equal(t, 200, first.status, first.body)
				require.Eventually(t, func() bool { return state.joinValues() != "" }, generous, time.Millisecond)
				assert.NotContains(t, state.joinValues(), "Ann")
				second := g.callPath(path, body)
				assert.Equal(t, first.body, second.body)
				assert.Len(t, up.requests(), 2)
			})
		}
	}
}

func TestWhatCannotBeAskedAgainIsRefused(t *testing.T) {
	always := func(action core.Verdict) chain.Link {
		return link(
			"the-stage",
			streams{
				acts{
					check:  runInPhase(core.Response, func() (core.Verdict, error) { return action, nil }),
					window: func(core.Window) (core.Verdict, int, error) { return action, 0, nil },
				},
			},
			core.Response,
		)
	}
	retry := core.Verdict{
		Action: core.Retry,
		Err:    objection().Err,
		Append: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.NewText("again")}}},
	}
	t.Run("without end", func(t *testing.T) {
		up := newFake(t, says(buildWhole(200, "application/json", completion("x"))))
		g := open(t, setup{url: up.url, links: []chain.Link{always(retry)}})
		assert.Equal(t, 400, g.post("dev", chat("hi")).status)
		assert.Len(t, up.requests(), 11, "the number of retries is limited")
		assert.Equal(t, "the-stage", g.outcome()["by"])
	})
	t.Run("embeddings", func(t *testing.T) {
		g := open(t, setup{links: []chain.Link{always(retry)}})
		assert.Equal(t, 400, g.callPath("/v1/embeddings", `{"model":"mock/text-embedding-3","input":"x"}`).status)
	})
	t.Run("several prompts", func(t *testing.T) {
		g := open(t, setup{links: []chain.Link{always(retry)}})
		assert.Equal(t, 400, g.callPath("/v1/completions", `{"model":"mock-echo","prompt":["a","b"]}`).status)
		assert.Equal(
			t,
			502,
			open(
				t,
				setup{links: []chain.Link{schemaLink(t, wantsAge("1"))}},
			).callPath(
				"/v1/completions",
				`{"model":"mock-echo","prompt":["a","b"],"stream":true}`,
			).status,
		)
	})
	t.Run("a stream that is not withheld", func(t *testing.T) {
		up := newFake(t, says(stream(roleEvent, textEvent("x"), stopEvent, doneEvent)))
		g := open(t, setup{url: up.url, links: []chain.Link{always(retry)}})
		h := listen(t, g.post("dev", chatStream("hi")).body)
		assert.Equal(t, "content_filter", h.finish)
		assert.Len(t, up.requests(), 1)
	})
	t.Run("another stage's answer", func(t *testing.T) {
		other := link("answers", streams{acts{check: reply(200, completion("x"))}}, core.Request)
		g := open(t, setup{links: []chain.Link{always(retry), other}})
		assert.Equal(t, 400, g.post("dev", chat("hi")).status)
		assert.Equal(t, "the-stage", g.outcome()["by"])
	})
	t.Run("the provider fails on the retry", func(t *testing.T) {
		up := newFake(t, inTurn(chatSays(ageless, false), buildWhole(400, "application/json", "{}")))
		g := open(t, setup{url: up.url, links: []chain.Link{schemaLink(t, wantsAge("1"))}})
		assert.Equal(t, 400, g.post("dev", chat("hi")).status)
		res := g.outcome()
		assert.Equal(t, "upstream_error", res["outcome"])
		assert.InDelta(t, 10, res["tokens_total"], 0, "the first answer is charged")
	})
}

func TestAStreamThatIsTooLongToBeJudgedIsRefused(t *testing.T) {
	long := textEvent(strings.Repeat("x", 1<<20))
	up := newFake(t, says(stream(roleEvent, long, long, long, long, long, long, long, long, long, stopEvent, doneEvent)))
	g := open(t, setup{url: up.url, links: []chain.Link{schemaLink(t, wantsAge("1"))}})
	a := g.post("dev", chatStream("hi"))
	assert.Equal(t, 502, a.status)
	assert.Contains(t, a.body, "too long")
}

func TestAWithheldStreamThatFailsIsAStatus(t *testing.T) {
	for name, answer := range map[string]string{
		"it breaks off":       streamHead + chunk(roleEvent+textEvent(`{`)),
		"it ends in an error": stream(roleEvent, textEvent(`{`), errorEvent),
	} {
		t.Run(name, func(t *testing.T) {
			g := open(t, setup{url: newFake(t, says(answer)).url, links: []chain.Link{schemaLink(t, wantsAge("0"))}})
			a := g.post("dev", chatStream("hi"))
			assert.GreaterOrEqual(t, a.status, 500, a.body)
			assert.Equal(t, "upstream_error", errorOf(t, a)["code"])
			assert.Equal(t, "upstream_error", g.outcome()["outcome"])
		})
	}
}

func TestASchemaHoldsForARoute(t *testing.T) {
	up := newFake(t, says(chatSays(ageless, false)))
	byRoute := schemaLink(t, `{schemas: [{routeId: strict, schema: {type: object, required: [age]}}]}`)
	g := open(t, setup{url: up.url, links: []chain.Link{byRoute}, runtime: func(rt *snapshot.Runtime) {
		var err error
		rt.Router, err = route.New([]route.Route{
			{ID: "strict", Pattern: "a", Targets: []route.Target{{Provider: "openai"}}},
			{ID: "loose", Pattern: "b", Targets: []route.Target{{Provider: "openai"}}},
		}, map[string][]string{"openai": {"gpt-"}})
		require.NoError(t, err)
	}})
	ask := func(model string) int { return g.post("dev", strings.Replace(chat("hi"), "gpt-test", model, 1)).status }
	assert.Equal(t, 502, ask("a"))
	assert.Equal(t, 200, ask("b"))
	assert.Equal(t, 200, ask("openai/x"))
}

func TestPlaceholdersInAnAnswerAreRestoredAfterARetry(t *testing.T) {
	up := newFake(t, func() func(net.Conn, sent) {
		n := 0
		return func(c net.Conn, r sent) {
			text := ageless
			if n++; n == 2 {
				text = `{"age":5,"card":"` + cardToken.FindString(r.body) + `"}`
			}
			_, _ = c.Write([]byte(chatSays(text, false)))
		}
	}())
	g := open(t, setup{url: up.url, chain: func(tok core.Tokens) []chain.Link {
		st, err := pii.New(nil, tok)
		require.NoError(t, err)
		return []chain.Link{link("pii", st, core.Request, core.Response), schemaLink(t, wantsAge("1"))}
	}})
	content, _ := parseWhole(t, g.post("dev", chat("mine is "+card)).body)
	assert.JSONEq(t, `{"age":5,"card":"`+card+`"}`, content)
}
