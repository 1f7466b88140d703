package chain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// finding reports and, if it says so, redacts every place of a word.
func finding(word, typ string) *guard {
	return &guard{check: func(x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
		v, b := core.Verdict{Action: core.Rewrite}, payload(x, p)
		for i := 0; i < len(b.Segments); {
			r := b.FindRun(i)
			i += r.N
			for at := 0; ; {
				n := strings.Index(r.Text[at:], word)
				if n < 0 {
					break
				}
				start, end := at+n, at+n+len(word)
				at = end
				v.Findings = append(v.Findings, core.Finding{Label: word, Segment: r.First, Start: start, End: end})
				if typ != "" {
					v.Edits = b.AppendEdits(v.Edits, r, start, end, "", typ)
				}
			}
		}
		return v, nil
	}}
}

func TestFindingsMoveWithTheirText(t *testing.T) {
	c := newChain(t, vault{},
		link("look", finding("eve", "")), link("redact", finding("bob", "NAME")), link("again", rewriting("ann", "a")))
	x := newRequest(t, `{"model":"m","messages":[{"role":"user","content":"ann bob eve bob"},{"role":"user","content":"eve"}]}`)
	require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	var got []string
	for _, f := range x.Findings {
		got = append(got, f.Link+" "+x.Request.ReadText(f.Segment)[f.Start:f.End])
	}
	bob := x.Request.ReadText(0)[2:31]
	require.Regexp(t, `^\{\{PII_NAME_\w{16}\}\}$`, bob)
	assert.Equal(t, []string{"look eve", "look eve", "redact " + bob, "redact " + bob}, got)
}

func TestFindingsInARunOfPartsMoveWithTheirText(t *testing.T) {
	x := newRequest(
		t,
		`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"ann b"},{"type":"text","text":"ob ann"},{"type":"text","text":" eve"}]}]}`,
	)
	c := newChain(t, vault{}, link("look", finding("eve", "")), link("redact", finding("bob", "NAME")), link("again", rewriting("ann", "a")))
	require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	run := x.Request.FindRun(0).Text
	require.Len(t, x.Findings, 2)
	assert.Equal(t, "eve", run[x.Findings[0].Start:x.Findings[0].End])
	assert.Regexp(t, `^\{\{PII_NAME_\w{16}\}\}$`, run[x.Findings[1].Start:x.Findings[1].End])
	assert.Regexp(t, `^a \{\{PII_NAME_\w{16}\}\} a eve$`, run)
}

func TestAValueSplitOverTwoPartsIsRedactedWhole(t *testing.T) {
	tokens := vault{}
	c := newChain(t, tokens, link("redact", finding("4111 1111", "CARD")))
	x := newRequest(
		t,
		`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"card 41"},{"type":"text","text":"11 "},{"type":"text","text":"1111."},{"type":"image_url","image_url":{"url":"x"}},{"type":"text","text":"4111"},{"type":"text","text":" 1111"}]},{"role":"user","content":"4111"},{"role":"user","content":" 1111"}]}`,
	)
	require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	require.Len(t, tokens, 1)
	for token, value := range tokens {
		assert.Equal(t, "4111 1111", value)
		got, ok := x.Minted.FindValue(token)
		assert.True(t, ok)
		assert.Equal(t, value, got)
		var v struct{ Messages []struct{ Content any } }
		require.NoError(t, json.Unmarshal(x.Request.Raw, &v))
		parts := fmt.Sprint(v.Messages[0].Content)
		assert.Contains(t, parts, "text:card  ")
		assert.Contains(t, parts, "text:"+token+" ")
		assert.Contains(t, parts, "text:. ")
		assert.Contains(t, parts, "text:… ", "no part is empty: there are providers that refuse it")
		assert.Equal(t, 2, strings.Count(parts, token), "parts on both sides of an image are two runs")
		assert.Equal(t, "4111", v.Messages[1].Content, "two messages are not a run")
	}
}

func TestManyPlaceholdersAreAllFoundAgain(t *testing.T) {
	var words []string
	for i := range 60 {
		words = append(words, fmt.Sprintf("w%02d", i))
	}
	tokens := vault{}
	c := newChain(t, tokens, link("redact", &guard{check: func(x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
		v := core.Verdict{Action: core.Rewrite}
		for i := range words {
			v.Edits = append(v.Edits, core.Edit{Start: 4 * i, End: 4*i + 3, Type: "WORD"})
		}
		v.Edits[0], v.Edits[40] = v.Edits[40], v.Edits[0] // any order
		return v, nil
	}}))
	x := newRequest(t, `{"model":"m","messages":[{"role":"user","content":`+quote(strings.Join(words, " "))+`}]}`)
	require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	assert.Equal(t, 60, x.Minted.Len())
	for token, value := range tokens {
		got, ok := x.Minted.FindValue(token)
		assert.True(t, ok)
		assert.Equal(t, value, got)
	}
	_, ok := x.Minted.FindValue("{{PII_WORD_0000000000000000}}")
	assert.False(t, ok)
}

func TestWhatIsMintedInAnAnswerIsNotTheCallersToRestore(t *testing.T) {
	tokens := vault{}
	c := newChain(t, tokens, link("redact", finding("hello", "WORD")))
	x := newRequest(t, `{"model":"m","messages":[{"role":"user","content":"hi"}]}`)
	require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	setAnswer(t, x, helloAnswer)
	require.Equal(t, core.Pass, c.RunResponse(context.Background(), x).Action)
	assert.Len(t, tokens, 1)
	assert.NotContains(t, string(x.Response.Raw), "hello")
	assert.Zero(t, x.Minted.Len())
}

func TestANumberThatWasRedactedIsAnOrdinaryStringToLaterLinks(t *testing.T) {
	c := newChain(
		t,
		vault{},
		link("redact", finding("4111111111111111", "CARD")),
		link("mark", rewriting("{{PII_CARD_", "[[")),
		link("quote", rewriting("[[", `"`)),
	)
	x := newRequest(
		t,
		`{"model":"m","messages":[{"role":"assistant","tool_calls":[{"function":{"arguments":"{\"n\":4111111111111111,\"m\":[1,-2.5e10]}"}}]}]}`,
	)
	require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	var v struct {
		Messages []struct {
			Calls []struct{ Function struct{ Arguments string } } `json:"tool_calls"`
		}
	}
	require.NoError(t, json.Unmarshal(x.Request.Raw, &v))
	var args struct{ N string }
	require.NoError(t, json.Unmarshal([]byte(v.Messages[0].Calls[0].Function.Arguments), &args))
	assert.Regexp(t, `^"\w{16}\}\}$`, args.N)
	assert.False(t, x.Request.Segments[0].Bare)
}

func TestLogProbabilitiesOfAnEditedAnswerAreTakenOut(t *testing.T) {
	c := newChain(t, vault{}, link("redact", finding("secret", "WORD")), link("again", rewriting("and", "or", "fine", "f")))
	x := newRequest(t, helloRequest)
	require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	setAnswer(t, x, `{"choices":[
		{"logprobs":{"content":[{"token":"fine"}]},"message":{"content":"fine"}},
		{"message":{"content":"a secret and"},"logprobs":{"content":[{"token":"secret"}]}},
		{"logprobs":null,"message":{"content":"secret"}},
		{"logprobs":{"content":[{"token":"kept"}]},"message":{"content":"kept"}}]}`)
	require.Equal(t, core.Pass, c.RunResponse(context.Background(), x).Action)
	out := string(x.Response.Raw)
	assert.True(t, json.Valid(x.Response.Raw), out)
	assert.NotContains(t, out, "secret")
	assert.NotContains(t, out, `"fine"`)
	assert.Contains(t, out, `"token":"kept"`)
	assert.Equal(t, 3, strings.Count(out, `"logprobs":null`))
	for i, want := range []string{"f", "", "", "kept"} {
		if want != "" {
			assert.Equal(t, want, x.Response.ReadText(i))
		}
	}
}

func TestPatchesOfSeveralLinksAddUp(t *testing.T) {
	patch := func(p core.Patch) *guard {
		return &guard{check: func(*core.Exchange, core.Phase, any) (core.Verdict, error) {
			return core.Verdict{Action: core.Rewrite, Patch: p}, nil
		}}
	}
	c := newChain(
		t,
		nil,
		link("a", patch(core.Patch{MaxTokens: 50})),
		link("b", patch(core.Patch{Model: "other", MaxTokens: 80})),
		link("c", patch(core.Patch{})),
	)
	x := newRequest(t, helloRequest)
	require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	assert.Equal(t, "other", x.Model())
	assert.Equal(t, int64(50), x.TokenCap(), "the lowest limit holds")
	assert.Equal(t, "m", x.Head.Model)
	assert.Equal(t, helloRequest, string(x.Request.Raw))
}
