package proxy_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

func TestAValueInJSONInsideToolArgumentsComesBackEscapedTwice(t *testing.T) {
	const value = "O\"Neil \\ S\u00f6hne\n2nd line"
	token := regexp.MustCompile(`\{\{PII_PERSON_[0-9a-f]{16}\}\}`)
	chain := func(tok core.Tokens) []chain.Link {
		return append(redacting(t, "")(tok), link("finds", finds{value, "PERSON"}, core.Request))
	}
	check := func(args string) {
		t.Helper()
		var outer struct{ Body string }
		require.NoError(t, json.Unmarshal([]byte(args), &outer), args)
		var inner map[string]any
		require.NoError(t, json.Unmarshal([]byte(outer.Body), &inner), outer.Body)
		assert.Equal(t, map[string]any{"to": value, "n": 1.0}, inner)
	}
	spell := func(body string) string { return `{"body":` + quote(`{"to":"`+token.FindString(body)+`","n":1}`) + `}` }
	t.Run("whole", func(t *testing.T) {
		client := &pieces{contentType: "application/json", next: func(body string) []string { return []string{toolCompletion(spell(body))} }}
		a := open(t, setup{client: client, chain: chain}).post("dev", chat("ask "+value+" please"))
		require.Equal(t, 200, a.status, a.body)
		_, args := parseWhole(t, a.body)
		check(args)
	})
	t.Run("streamed, cut at every place", func(t *testing.T) {
		cut, size := 0, 1
		client := &pieces{contentType: "text/event-stream", next: func(body string) []string {
			args := spell(body)
			size = len(args)
			first, rest := quote(args[:cut]), quote(args[cut:])
			return []string{
				callEvent,
				argsEvent(first[1 : len(first)-1]),
				argsEvent(rest[1 : len(rest)-1]),
				strings.Replace(stopEvent, "stop", "tool_calls", 1),
				doneEvent,
			}
		}}
		g := open(t, setup{client: client, chain: chain})
		for ; cut <= size; cut++ {
			h := listen(t, g.post("dev", chatBody("ask "+value+" please", true)).body)
			require.True(t, h.done)
			check(h.args)
		}
	})
}
