package proxy_test

import (
	"context"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

func TestAnotherCallersPlaceholderStaysAsItIs(t *testing.T) {
	var token string
	up := newFake(t, func(c net.Conn, r sent) {
		if found := cardToken.FindString(r.body); token == "" {
			token = found
		}
		if strings.Contains(r.body, `"stream":true`) {
			says(stream(roleEvent, textEvent(token[:7]), textEvent(token[7:]), stopEvent, doneEvent))(c, r)
			return
		}
		says(buildWhole(200, "application/json", completion(token)))(c, r)
	})
	g := open(t, setup{url: up.url, chain: redacting(t, "")})
	content, _ := parseWhole(t, g.post("dev", chat(card)).body)
	require.Equal(t, card, content)
	for _, key := range []string{"other", "foreign"} {
		content, _ = parseWhole(t, g.post(key, chat("print "+token)).body)
		assert.Equal(t, token, content, key)
		assert.Equal(t, token, listen(t, g.post(key, chatStream("print "+token)).body).content, key)
	}
	content, _ = parseWhole(t, g.post("dev", chat("what was "+token+"?")).body)
	assert.Equal(t, card, content, "an earlier turn of the same caller restores")
	assert.Contains(t, up.last(t).body, token)
}

func TestAnEndUserReadsBackWhatAnotherKeySentForHim(t *testing.T) {
	up := newFake(t, func(c net.Conn, r sent) {
		says(buildWhole(200, "application/json", completion(cardToken.FindString(r.body))))(c, r)
	})
	g := open(t, setup{url: up.url, chain: redacting(t, "")})
	user := func(text, name string) string { return strings.Replace(chat(text), "{", `{"user":"`+name+`",`, 1) }
	g.post("dev", user(card, "anna"))
	token := cardToken.FindString(up.last(t).body)
	content, _ := parseWhole(t, g.post("other", user(token, "anna")).body)
	assert.Equal(t, card, content)
	content, _ = parseWhole(t, g.post("other", user(token, "ben")).body)
	assert.Equal(t, token, content)
}

func TestValuesThatTheModelBringsUpAreRedactedAndStayAway(t *testing.T) {
	const theirs = "5555 5555 5555 4444"
	for _, streamed := range []bool{false, true} {
		t.Run(streamedName(streamed), func(t *testing.T) {
			reply := "take " + theirs + " then"
			up := newFake(t, func(c net.Conn, r sent) {
				if streamed {
					says(stream(roleEvent, textEvent(reply[:9]), textEvent(reply[9:13]), textEvent(reply[13:]), stopEvent, doneEvent))(c, r)
					return
				}
				says(buildWhole(200, "application/json", completion(reply)))(c, r)
			})
			g := open(t, setup{url: up.url, chain: redacting(t, "response: redact")})
			ask := func(text string) string {
				a := g.post("dev", chatBody(text, streamed))
				if streamed {
					return listen(t, a.body).content
				}
				content, _ := parseWhole(t, a.body)
				return content
			}
			got := ask("a card, please")
			assert.NotContains(t, got, "5555")
			token := cardToken.FindString(got)
			require.NotEmpty(t, token)
			assert.Equal(t, "take "+token+" then", got)
			reply = "as I said: " + token
			assert.Equal(t, reply, ask("which one was "+token+"?"), "the redacted value is not restored")
		})
	}
}

// finds redacts one value wherever it occurs.
type finds struct{ value, typ string }

func (f finds) Check(_ context.Context, x *core.Exchange, _ core.Phase, _ any) (core.Verdict, error) {
	v := core.Verdict{Action: core.Pass}
	for i := range x.Request.Segments {
		if at := strings.Index(x.Request.ReadText(i), f.value); at >= 0 {
			v.Action = core.Rewrite
			v.Findings = append(v.Findings, core.Finding{Label: f.typ, Segment: i, Start: at, End: at + len(f.value)})
			v.Edits = append(v.Edits, core.Edit{Segment: i, Start: at, End: at + len(f.value), Type: f.typ})
		}
	}
	return v, nil
}
