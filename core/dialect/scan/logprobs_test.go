package scan

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/body/splice"
)

func TestLogProbabilitiesRepeatATextOnlyIfTheySpellIt(t *testing.T) {
	const top = `,"top_logprobs":[{"token":" dog","logprob":-2,"bytes":[32,100,111,103]},{"token":"\\xf0\\x9f","logprob":-3,"bytes":[240,159]}]`
	for _, c := range []struct {
		name, value, text string
		want              bool
	}{
		{"chat", `{"content":[{"token":"A","logprob":-1,"bytes":[65]` + top + `},{"token":" cat","logprob":-1}],"refusal":null}`, `A cat`, true},
		{"the beginning of a text", `{"content":[{"token":"A","logprob":-1}]}`, `A cat`, true},
		{"escapes", `{"content":[{"token":"\n\u00e9","logprob":-1}]}`, `\né`, true},
		{"parts of a character", `{"content":[{"token":"\\xf0\\x9f","logprob":-1},{"token":"\\x98\\x80","logprob":-1}]}`, `😀`, true},
		{"responses", `[{"token":"A","logprob":-1,"bytes":[65]` + top + `}]`, `A`, true},
		{"legacy completions", `{"tokens":["A"," cat"],"token_logprobs":[-1,null],"top_logprobs":[{" dog":-1},null],"text_offset":[0,1]}`, `A cat`, true},
		{"generateContent", `{"chosenCandidates":[{"token":"A","tokenId":7,"logProbability":-1}],"topCandidates":[{"candidates":[{"token":"B","tokenId":8}]}]}`, `A`, true},
		{"empty", `{"content":[]}`, ``, true},
		{"bytes before their token", `{"content":[{"bytes":[65],"token":"A"}]}`, `A`, true},
		{"no bytes", `{"content":[{"token":"A","bytes":null}]}`, `A`, true},
		{"bytes of a character that a token replaces", `{"content":[{"token":"A","top_logprobs":[{"token":" �","bytes":[32,240,159]}]}]}`, `A`, true},
		{"an alternative with an @", `{"content":[{"token":"A","top_logprobs":[{"token":" @","bytes":[32,64]},{"token":"@gmail"},{"token":"@"}]}]}`, `A`, true},
		{"bytes of another token", `{"content":[{"token":"A","bytes":[66]}]}`, `A`, false},
		{"bytes of more than a token", `{"content":[{"token":"A","bytes":[65,32,99,97,116]}]}`, `A`, false},
		{"bytes of another alternative", `{"content":[{"token":"A","top_logprobs":[{"token":"B","bytes":[67]}]}]}`, `A`, false},
		{"bytes of text behind a character that a token replaces", `{"content":[{"token":"A","top_logprobs":[{"token":"�","bytes":[240,99,97,116]}]}]}`, `A`, false},
		{"bytes of no token", `{"content":[{"token":"A"}],"bytes":[99,97,116]}`, `A`, false},
		{"bytes that are none", `{"content":[{"token":"A","bytes":[65,3000]}]}`, `A`, false},
		{"bytes in bytes", `{"content":[{"token":"A","bytes":[65,[99,97,116]]}]}`, `A`, false},
		{"an address as an alternative", `{"content":[{"token":"A","top_logprobs":[{"token":"jo@example"}]}]}`, `A`, false},
		{"another text", `{"content":[{"token":"B","logprob":-1}]}`, `A cat`, false},
		{"more text", `{"content":[{"token":"A","logprob":-1},{"token":" cat","logprob":-1},{"token":"s","logprob":-1}]}`, `A cat`, false},
		{"several words", `{"content":[{"token":"A","top_logprobs":[{"token":"no such cat"}]}]}`, `A`, false},
		{"a number", `{"content":[{"token":"A","top_logprobs":[{"token":"12345678"}]}]}`, `A`, false},
		{"several words as a name", `{"tokens":["A"],"top_logprobs":[{"no such cat":-1}]}`, `A`, false},
		{"an unknown member", `{"content":[{"token":"A","note":"no such cat"}]}`, `A`, false},
		{"an unknown name", `{"content":[{"token":"A","no such cat":1}]}`, `A`, false},
		{"a string in its place", `"no such cat"`, `A`, false},
	} {
		doc := []byte(`"` + c.text + `"` + c.value)
		n := len(c.text) + 2
		assert.Equal(t, c.want, Repeats(doc, splice.Span{Start: n, End: len(doc)}, splice.Span{Start: 1, End: n - 1}), c.name)
	}
}

func TestTokensOfVocabulariesAreOneWord(t *testing.T) {
	for _, token := range []string{
		"", " the", "ing", "\n\n", "                ", "--------------------------------", ".com", " don't", "123", " 2024", "://", "</div", "_id",
		"@", " @", "@@", "@gmail", " Überraschung", "不知道", "\\xe2\\x80", "�", "I'm", "(x", " disproportionately", "');\n", "U.S",
	} {
		assert.True(t, isOneWord(token), token)
	}
	for _, token := range []string{"12345", "a b", "a@b", "4111-1111", "one.two.three", "averyveryveryveryveryveryveryverylongword00"} {
		assert.False(t, isOneWord(token), token)
	}
}
