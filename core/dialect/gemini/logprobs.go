package gemini

import (
	"encoding/json"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// token is an entry of chat's log probabilities.
type token struct {
	Token   string      `json:"token"`
	Logprob json.Number `json:"logprob"`
	Bytes   []int       `json:"bytes"`
	Top     []token     `json:"top_logprobs,omitempty"`
}

// appendLogprobs appends a comma and chat's logprobs object as logprobsResult.
func appendLogprobs(dst []byte, chat json.RawMessage) []byte {
	var v struct {
		Content []token `json:"content"`
	}
	if len(chat) == 0 || json.Unmarshal(chat, &v) != nil || len(v.Content) == 0 {
		return dst
	}
	dst = append(dst, `,"logprobsResult":{"topCandidates":[`...)
	for i := range v.Content {
		dst = append(appendCommaAt(dst, i), `{"candidates":[`...)
		for k := range v.Content[i].Top {
			dst = appendToken(appendCommaAt(dst, k), &v.Content[i].Top[k])
		}
		dst = append(dst, "]}"...)
	}
	dst = append(dst, `],"chosenCandidates":[`...)
	for i := range v.Content {
		dst = appendToken(appendCommaAt(dst, i), &v.Content[i])
	}
	return append(dst, "]}"...)
}

func appendToken(dst []byte, t *token) []byte {
	dst = append(splice.AppendEscaped(append(dst, `{"token":"`...), t.Token), `","logProbability":`...)
	return append(append(dst, t.Logprob...), '}')
}

// readChatLogprobs converts a logprobsResult into chat's logprobs object. It returns nil if
// it is empty.
func readChatLogprobs(s *splice.Scanner, doc []byte) json.RawMessage {
	var chosen []token
	var top [][]token
	o := openObject(s)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		switch f {
		case fChosenCandidates:
			chosen = readTokens(s, doc)
		case fTopCandidates:
			for l := openList(s); l.moveToNext(); {
				var t []token
				p := openObject(s)
				for g, ok := p.readField(); ok; g, ok = p.readField() {
					if g == fCandidates {
						t = readTokens(s, doc)
					} else {
						s.Skip()
					}
				}
				top = append(top, t)
			}
		default:
			s.Skip()
		}
	}
	if len(chosen) == 0 || s.Err() != nil {
		return nil
	}
	for i := range chosen {
		if i < len(top) {
			chosen[i].Top = top[i]
		}
	}
	out, err := json.Marshal(struct {
		Content []token `json:"content"`
	}{chosen})
	if err != nil {
		return nil
	}
	return out
}

func readTokens(s *splice.Scanner, doc []byte) (list []token) {
	for l := openList(s); l.moveToNext(); {
		t := token{Logprob: "0"}
		o := openObject(s)
		for f, ok := o.readField(); ok; f, ok = o.readField() {
			switch {
			case f == fToken:
				t.Token = scan.ReadText(s, doc)
			case f == fLogProbability && s.Kind() == splice.Number:
				t.Logprob = json.Number(scan.ReadRaw(s, doc))
			default:
				s.Skip()
			}
		}
		for _, b := range []byte(t.Token) {
			t.Bytes = append(t.Bytes, int(b))
		}
		list = append(list, t)
	}
	return list
}
