// Package tokens counts tokens in the gateway itself, for count endpoints whose
// provider has none, and for estimates before a call. What a provider bills is
// counted by the provider.
package tokens

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core/llm"
)

// Overheads of OpenAI's chat format in tokens: each message is wrapped in three,
// and three begin the answer. Source: OpenAI Cookbook, "How to count tokens with
// tiktoken". Other vendors' are of that order.
const (
	perMessage = 3
	perAnswer  = 3
	// perImage is what a picture of 512 x 512 or at low detail costs with GPT-4o:
	// https://platform.openai.com/docs/guides/images-vision. The size of a picture is not looked at.
	perImage = 85
)

// o200k is GPT-4o's vocabulary, loaded when it is first needed.
var o200k = sync.OnceValues(loadVocabulary)

// ErrTooLong is the error of a text that would take too long to count.
var ErrTooLong = errors.New("the text is too long to be counted")

// longest is the length in bytes of the longest text that is counted: a second's work.
const longest = 4 << 20

// CountText counts the tokens of a text by GPT-4o's vocabulary (o200k_base).
func CountText(s string) (int64, error) {
	if len(s) > longest {
		return 0, ErrTooLong
	}
	v, err := o200k()
	if err != nil {
		return 0, fmt.Errorf("count tokens: %w", err)
	}
	if !utf8.ValidString(s) {
		s = string([]rune(s)) // as it would be sent: each wrong byte as U+FFFD
	}
	m := merger{vocabulary: v}
	n := 0
	for len(s) > 0 {
		cut := scanPiece(s)
		n += m.count(s[:cut])
		s = s[cut:]
	}
	return int64(n), nil
}

// CountRequest counts what a call would send: an estimate for models that do not
// share the vocabulary.
func CountRequest(r *llm.Request) (int64, error) {
	var text strings.Builder
	fixed := int64(perAnswer)
	var parts func(ps []llm.Part)
	parts = func(ps []llm.Part) {
		for i := range ps {
			p := &ps[i]
			text.WriteString(p.Text)
			switch {
			case p.Image != nil:
				fixed += perImage
			case p.Call != nil:
				text.WriteString(p.Call.Name)
				text.WriteString(p.Call.Input)
			case p.Result != nil:
				parts(p.Result.Parts)
			case p.Reasoning != nil:
				text.WriteString(p.Reasoning.Text)
			}
			text.WriteByte('\n')
		}
	}
	for i := range r.Messages {
		fixed += perMessage
		text.WriteString(r.Messages[i].Name)
		parts(r.Messages[i].Parts)
	}
	for i := range r.Tools {
		t := &r.Tools[i]
		fixed += perMessage
		text.WriteString(t.Name)
		text.WriteString(t.Description)
		text.Write(t.Schema)
		if t.Grammar != nil {
			text.WriteString(t.Grammar.Definition)
		}
	}
	if f := r.Format; f != nil {
		text.Write(f.Schema)
	}
	n, err := CountText(text.String())
	return n + fixed, err
}
