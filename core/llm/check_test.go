package llm

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWhatNoProviderCouldReadIsFound(t *testing.T) {
	picture := func(data string) Part {
		return Part{Kind: ImagePart, Image: &Image{MediaType: "image/png", Data: data}}
	}
	call := Message{Role: Assistant, Parts: []Part{{Kind: CallPart, Call: &Call{ID: "a"}}}}
	result := func(id string, parts ...Part) Message {
		return Message{Role: ToolRole, Parts: []Part{{Kind: ResultPart, Result: &Result{CallID: id, Parts: parts}}}}
	}
	user := func(p Part) Message { return Message{Role: User, Parts: []Part{p}} }
	large := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\xff\xfe0", 10000)))
	for _, c := range []struct {
		name     string
		messages []Message
		ok       bool
	}{
		{"a picture", []Message{user(picture("iVBORw=="))}, true},
		{"a picture without padding", []Message{user(picture("iVBORw"))}, true},
		{"a picture in the other alphabet", []Message{user(picture("-_-_"))}, true},
		{"a picture with line breaks", []Message{user(picture("iVBO\r\nRw==\n"))}, true},
		{"a picture with text behind its padding", []Message{user(picture("iVBORw==iVBO"))}, false},
		{"a picture of an impossible length", []Message{user(picture("iVBOR"))}, false},
		{"a large picture", []Message{user(picture(large))}, true},
		{"a picture by URL", []Message{user(Part{Kind: ImagePart, Image: &Image{URL: "https://x/y.png"}})}, true},
		{"a picture that is not base64", []Message{user(picture("@@@"))}, false},
		{"a picture with a fault far behind", []Message{user(picture(large[:len(large)-4] + "*AAA"))}, false},
		{"an empty picture", []Message{user(picture(""))}, false},
		{"a bad picture in a result", []Message{call, result("a", picture("@@@"))}, false},
		{"a call and its result", []Message{call, result("a", NewText("x"))}, true},
		{"a result for each of two calls", []Message{{Role: Assistant, Parts: []Part{call.Parts[0], {Kind: CallPart, Call: &Call{ID: "b"}}}}, result("b"), result("a")}, true},
		{"an id used again in another turn", []Message{call, result("a"), call, result("a")}, true},
		{"calls without ids", []Message{{Role: Assistant, Parts: []Part{{Kind: CallPart, Call: &Call{}}, {Kind: CallPart, Call: &Call{}}}}, result(""), result("")}, true},
		{"a call without a result", []Message{call, user(NewText("x"))}, false},
		{"a call at the end", []Message{user(NewText("x")), call}, false},
		{"one result for two calls", []Message{{Role: Assistant, Parts: []Part{call.Parts[0], {Kind: CallPart, Call: &Call{ID: "b"}}}}, result("b")}, false},
		{"two calls of one id", []Message{{Role: Assistant, Parts: []Part{call.Parts[0], call.Parts[0]}}, result("a"), result("a")}, false},
		{"two results of one call", []Message{call, result("a"), result("a")}, false},
		{"a picture of the longest length", []Message{user(picture(strings.Repeat("A", 60000)))}, true},
		{"a picture that is too long", []Message{user(picture(strings.Repeat("A", 60004)))}, false},
		{"a long picture in a result", []Message{call, result("a", picture(strings.Repeat("A", 60004)))}, false},
		{"a result without a call", []Message{result("a")}, false},
		{"a result before its call", []Message{result("a"), call}, false},
		{"the result of another call", []Message{call, result("b")}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := (&Request{Messages: c.messages}).Check(60000)
			assert.Equal(t, c.ok, f == "", f)
		})
	}
}
