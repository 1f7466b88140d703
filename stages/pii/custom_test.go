package pii

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/headgate-dev/headgate/stages/pii/piitest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const ownTypes = `{custom: [
  {name: EMPLOYEE_ID, regex: 'EMP-\d{4,}', score: 0.9},
  {name: PROJECT, words: [Blue Heron, heron, Zürich-7]},
  {name: GREEDY, regex: 'BEGIN .* END'}
], allow: {values: [4111 1111 1111 1111, kim@open.example], domains: [corp.example]}}`

func TestAnOperatorsOwnTypesAreRedacted(t *testing.T) {
	b := newBench(t, ownTypes)
	got := b.Redact("EMP-12345 works on blue heron and ZÜRICH-7, not herons; BEGIN a\nb END. EMP-99999@b.example")[0]
	assert.Regexp(
		t,
		`^\{\{PII_EMPLOYEE_ID_\w+\}\} works on \{\{PII_PROJECT_\w+\}\} and ZÜRICH-7, not herons; BEGIN a\nb END\. \{\{PII_EMAIL_\w+\}\}$`,
		got,
	)
	assert.Regexp(t, `^\{\{PII_PROJECT_\w+\}\}$`, b.Redact("zürich-7")[0], "only letters of ASCII have no case")
}

func TestWhatIsAllowedIsNoFinding(t *testing.T) {
	b := newBench(t, ownTypes)
	text := "card " + ownCard + ", KIM@open.example, a@corp.example, b@mail.corp.example"
	assert.Equal(t, text, b.Redact(text)[0])
	assert.NotContains(t, b.Redact("a@notcorp.example")[0], "@")
	assert.NotContains(t, b.Redact("card " + hisCard)[0], hisCard)
}

func TestMistakesInOwnTypesAreNamed(t *testing.T) {
	for config, says := range map[string]string{
		`custom: [{name: a, regex: x}]`:                                   "capitals",
		`custom: [{name: EMAIL, regex: x}]`:                               "built-in",
		`custom: [{name: A}]`:                                             "regex",
		`custom: [{name: A, regex: '(?=x)'}]`:                             "RE2",
		`custom: [{name: A, regex: 'x*'}]`:                                "empty text",
		`custom: [{name: A, words: ['']}]`:                                "word 1",
		`custom: [{name: A, regex: x, score: 2}]`:                         "score",
		`custom: [{name: A, regex: x}, {name: A, regex: y}]`:              "duplicate name",
		`custom: [{name: A, regex: '` + strings.Repeat("x", 1001) + `'}]`: "1000",
		`allow: {domains: ['*.corp.example']}`:                            "plain name",
		`allow: {values: ['']}`:                                           "value 1",
		`{custom: [{name: A, regex: x}], actions: {B: mask}}`:             `"B"`,
	} {
		_, err := New(block(config), nil)
		assert.ErrorContains(t, err, says, config)
	}
}

func TestAStreamOfOwnTypesIsCutAsTheWhole(t *testing.T) {
	o, err := ParseOptions(block(ownTypes))
	require.NoError(t, err)
	e := engine(t, o)
	r := rand.New(rand.NewPCG(5, 5))
	parts := []string{
		"EMP-1234",
		"EMP-",
		"5",
		"heron",
		" Blue ",
		"BEGIN ",
		" END",
		"\n",
		"x",
		" ",
		"a@b.example",
		"4555",
		"é",
		strings.Repeat("long ", 900),
		"-----BEGIN EC PRIVATE KEY-----\nabcdefghijklmnopqrst\n",
		"\n\n",
	}
	for range 60 {
		var text strings.Builder
		for range 1 + r.IntN(40) {
			text.WriteString(parts[r.IntN(len(parts))])
		}
		want := e.Detect(nil, text.String())
		checkMatches(t, want, text.String())
		require.Equal(t, want, feed(t, e, piitest.SplitPieces(r, text.String(), 1+r.IntN(300))))
	}
}

func TestCodedDataIsLeftAlone(t *testing.T) {
	e := engine(t, Options{Packs: []string{packAll}})
	r := rand.New(rand.NewPCG(3, 3))
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	coded := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = digits[r.IntN(64)]
		}
		return string(b)
	}
	for range 200 {
		for _, text := range []string{
			"see data:image/png;base64," + coded(3000) + "==", "data:image/png;base64," + "4111111111111111/" + coded(300),
			coded(100) + "/4111111111111111/" + coded(200), coded(100) + "+4930901820",
		} {
			for _, m := range e.Detect(nil, text) {
				assert.Less(t, m.Start, 100, "%s in %q", m.Type, text)
				assert.NotContains(t, text[m.Start:m.End], "4111")
			}
		}
	}
}

func TestCustomTypesAreLookedForInEveryLineUpToTheLimit(t *testing.T) {
	e, err := NewEngine(Options{
		Types:  []string{"EMAIL"},
		Custom: []Custom{{Name: "CONTACT", Regex: `\S+@example\.com`}, {Name: "TICKET", Regex: `TCK-\d{6}`}},
	})
	require.NoError(t, err)
	const text = "a1@example.com b2@example.com\nplease look at TCK-123456 today"
	for limit, want := range map[int]int{3: 3, 2: 2, 1: 1} {
		found, err := e.DetectWithin(context.Background(), nil, text, 0, limit)
		if limit < 3 {
			require.ErrorIs(t, err, errTooMany, "the third value is beyond the limit, and must not be overlooked")
		} else {
			require.NoError(t, err)
			require.Len(t, found, want)
		}
	}
}
