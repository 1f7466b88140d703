package chain_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

const token = "{{PII_EMAIL_0a1b2c3d4e5f6a7b}}"

var streamedTexts = []string{
	"",
	"plain text without anything",
	"write to " + token + ", please",
	token,
	token + token,
	"{{{" + token + "}}} and {{PII_ and {{PII_EMAIL_0a1b",
	"card 4111111111111111 and 12345678",
	"é 😀 " + token + " 😀\n\"quoted\" \\ back\\u0041slash 99999999",
	"ends in digits 123456789",
	"1234567 is too short, 12345678 is not",
}

// choppings are ways to cut a text between runes.
func choppings(s string) [][]string {
	all := [][]string{{s}, strings.Split(s, "")}
	for i := range s {
		if i > 0 {
			all = append(all, []string{s[:i], s[i:]})
		}
	}
	for _, n := range []int{2, 3, 5, 7} {
		all = append(all, cutText(s, func() int { return n }))
	}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		all = append(all, cutText(s, func() int { return r.IntN(12) }))
	}
	return all
}

func cutText(s string, size func() int) (out []string) {
	for len(s) > 0 {
		n := min(size(), len(s))
		for n < len(s) && !utf8.RuneStart(s[n]) {
			n++
		}
		out, s = append(out, s[:n]), s[n:]
	}
	return out
}

// chains are the stages whose streams must give what their whole answers give.
func chains(t testing.TB) map[string]*chain.Chain {
	values := map[string]string{token: `eve "e" \ 1@example.com é`}
	return map[string]*chain.Chain{
		"restoring": newChain(t, vault{}, link("restore", restoring(values).stage())),
		"redacting": newChain(t, vault{}, link("redact", redacting().stage())),
		"blocking":  newChain(t, vault{}, link("block", blocking("12345678").stage())),
		"restoring, then what it brought": newChain(
			t,
			vault{},
			link("redact", redacting().stage()),
			link("restore", restoring(map[string]string{token: "87654321"}).stage()),
		),
		"redacting, then restoring": newChain(t, vault{}, link("restore", restoring(values).stage()), link("redact", redacting().stage())),
	}
}

// wholeText is what a whole answer with the text becomes.
func wholeText(t testing.TB, c *chain.Chain, text string) (string, *core.Error) {
	x := newRequest(t, helloRequest)
	require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	setAnswer(t, x, `{"choices":[{"index":0,"message":{"role":"assistant","content":`+quote(text)+`}}]}`)
	d := c.RunResponse(context.Background(), x)
	if d.Action == core.Block {
		return "", d.Err
	}
	if len(x.Response.Segments) == 0 {
		return "", nil
	}
	return x.Response.ReadText(0), nil
}

func TestAnyChoppingOfATextGivesWhatTheWholeGives(t *testing.T) {
	for name, c := range chains(t) {
		t.Run(name, func(t *testing.T) {
			for _, text := range streamedTexts {
				want, refused := wholeText(t, c, text)
				for _, pieces := range choppings(text) {
					r := stream(t, c, chunks(pieces...))
					if refused != nil {
						require.NotNil(t, r.err, "%q", pieces)
						assert.Equal(t, refused.Code, r.err.Code)
						assert.NotContains(t, r.parts["0.content"], "12345678", "nothing of what is refused was sent")
						continue
					}
					require.Nil(t, r.err, "%q", pieces)
					require.Equal(t, want, r.parts["0.content"], "%q", pieces)
					for _, so := range r.texts {
						require.True(t, strings.HasPrefix(want, so), "what was sent is a beginning of the end: %q of %q", so, want)
					}
				}
			}
		})
	}
}

func TestNoByteOfARedactedSpanIsEverSent(t *testing.T) {
	c := newChain(t, vault{}, link("redact", redacting().stage()))
	const text = "number: 4567456745674567."
	for _, pieces := range choppings(text) {
		r := stream(t, c, chunks(pieces...))
		require.Nil(t, r.err)
		for _, so := range r.texts {
			at, _, _ := strings.Cut(so, "{{PII_NUMBER_")
			require.NotContains(t, at, "4", "%q", pieces)
		}
	}
}

func TestAnEventWithoutTextOfItsOwnIsNotSentWhileTextIsHeld(t *testing.T) {
	c := newChain(t, vault{}, link("redact", redacting().stage()))
	r := stream(t, c, chunks("a 1", "2", "3", "4 b"))
	require.Nil(t, r.err)
	assert.Equal(t, []string{"a ", "a ", "a ", "a 1234 b", "a 1234 b", "a 1234 b"}, r.texts)
	assert.Equal(t, r.after[0], r.after[1])
	assert.Equal(t, r.after[0], r.after[2])
	assert.NotContains(t, r.out, `"content":""`)
}

func TestAVeryLongTextIsHeldInBoundedMemory(t *testing.T) {
	longest := 0
	c := newChain(t, nil, link("look", &guard{filter: func(*core.Exchange, any) (core.StreamFilter, error) {
		return filterFunc(func(w core.Window) (core.Verdict, int, error) {
			longest = max(longest, len(w.Text))
			if w.Sent > 0 && w.Sent < 64 && w.New > 2000 {
				t.Errorf("only %d bytes of context", w.Sent)
			}
			return core.Verdict{Action: core.Pass}, 0, nil
		}), nil
	}}))
	pieces := make([]string, 3000)
	for i := range pieces {
		pieces[i] = "some words é "
	}
	r := stream(t, c, append([]string{contentOf(0, strings.Repeat("x", 5000))}, chunks(pieces[:200]...)...))
	require.Nil(t, r.err)
	assert.Less(t, longest, 5000+1024)
}
