package scan

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

func TestIdentifiersArePlainAndTextIsNot(t *testing.T) {
	for _, s := range []string{
		"", "send_mail", "call_9pw1qnYScqvGrCH58HWCvFH6", "toolu_01A09q90qw90lq917835lq9", "gpt-4.1-2025-04-14", "bash_20250124", "$ref", "#/$defs/a",
		"fc_67ca09c6bedc8190a7abfec07b1a1332096610f474011cc0", "application/json", "crm.get", "123-4567", "claude-sonnet-4-5-20250929",
	} {
		assert.True(t, IsPlain([]byte(s)), s)
	}
	for _, s := range []string{
		"ann.lee@example.com", "to ann", "4111111111111111", "card_4111111111111111", "123-45-6789", "DE89370400440532013000", "Straße", `\u0061`,
		"a\tb", `x"y`, strings.Repeat("a", 129), "f(x)", "100%25",
	} {
		assert.False(t, IsPlain([]byte(s)), s)
	}
}

// listTexts lists what the guards are shown of a value.
func listTexts(t *testing.T, doc string) (texts []string) {
	leaves := Leaves{IsQuiet: func(name string) bool { return name == "id" || name == "url" }, IsSealed: IsSealed}
	var s splice.Scanner
	s.Reset([]byte(doc))
	s.Enter()
	for s.Next() {
		leaves.VisitTexts(&s, []byte(doc), zerocopy.String(s.Key()), func(_ string, at splice.Span) { texts = append(texts, doc[at.Start:at.End]) })
	}
	assert.True(t, s.End(), "%v", s.Err())
	return texts
}

func TestNamesAndIdentifiersThatAreNotPlainAreShown(t *testing.T) {
	assert.Equal(t, []string{"to ann", "b c", "d e", "x y", "text"}, listTexts(t, `{"to ann":[1,{"b c" : {"d e":null}}],"id":"x y","k":{"id":["call_1"]},"a":"text"}`))
	assert.Empty(t, listTexts(t, `{"id":"call_1","url":"https://example.com/a/very/long/path/`+strings.Repeat("a", 200)+`?b=c"}`))
	assert.Len(t, listTexts(t, `{"url":"https://example.com/?to=ann%20lee"}`), 1, "an address can spell any text")
	assert.Len(t, listTexts(t, `{"id":"`+strings.Repeat("a b", 200)+`"}`), 1)
	assert.Equal(t, []string{"x y"}, listTexts(t, `{"x y":[[1],[2],[3]]}`), "once")
}
