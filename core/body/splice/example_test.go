package splice_test

import (
	"fmt"

	"github.com/headgate-dev/headgate/core/body/splice"
)

// A Scanner reports where a value lies, and Apply replaces it. All other bytes stay as they
// were: the odd spacing and the spelling of the number.
func ExampleApply() {
	doc := []byte(`{ "model":"gpt-4o",  "temperature":1.0e0 }`)
	var s splice.Scanner
	s.Reset(doc)
	var model splice.Span
	s.Enter()
	for s.Next() {
		if string(s.Key()) == "model" {
			model, _ = s.String()
			continue
		}
		s.Skip()
	}
	if !s.End() {
		fmt.Println(s.Err())
		return
	}
	out, err := splice.Apply(doc, []splice.Cut{{Span: model, With: "gpt-4o-mini"}})
	fmt.Println(string(out), err)
	// Output: { "model":"gpt-4o-mini",  "temperature":1.0e0 } <nil>
}

// A detector sees decoded text, and its edits are offsets in that text. Cuts translates them
// to the raw bytes, and escapes the replacement as its place demands.
func ExampleAppendCuts() {
	doc := []byte(`{"content":"She said \"hi\" to Anna\u0021"}`)
	content := splice.Span{Start: len(`{"content":"`), End: len(doc) - len(`"}`)}
	text, _ := splice.ReadText(doc, content, 1, nil)
	fmt.Println(string(text))

	start := len(`She said "hi" to `)
	cuts, err := splice.AppendCuts(nil, doc, content, 1, []splice.Edit{{Start: start, End: start + len("Anna"), With: `"A."`}})
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := splice.Apply(doc, cuts)
	fmt.Println(string(out), err)
	// Output:
	// She said "hi" to Anna!
	// {"content":"She said \"hi\" to \"A.\"\u0021"} <nil>
}

// The arguments of a tool call are JSON text inside a JSON string: a text in it has depth 2.
func ExampleReadText() {
	doc := []byte(`{"arguments":"{\"to\":\"O\\u0027Neil\"}"}`)
	start := len(`{"arguments":"{\"to\":\"`)
	at := splice.Span{Start: start, End: start + len(`O\\u0027Neil`)}
	text, aliased := splice.ReadText(doc, at, 2, nil)
	fmt.Println(string(text), aliased)

	plain, aliased := splice.ReadText(doc, splice.Span{Start: 2, End: 11}, 1, nil)
	fmt.Println(string(plain), aliased) // without escapes it is not copied
	// Output:
	// O'Neil false
	// arguments true
}

// A Scanner refuses what two parsers could read differently: duplicate keys, for instance,
// however they are spelled.
func ExampleScanner() {
	var s splice.Scanner
	for _, doc := range []string{`{"a":1,"b":[true,null]}`, `{"a":1,"\u0061":2}`, `{"a":1} x`} {
		s.Reset([]byte(doc))
		s.Skip()
		fmt.Println(s.End(), s.Err() != nil)
	}
	// Output:
	// true false
	// false true
	// false true
}

// Integers are the same however they are spelled.
func ExampleParseInteger() {
	for _, number := range []string{"128", "1.28e2", "128.5"} {
		n, ok := splice.ParseInteger([]byte(number))
		fmt.Println(n, ok)
	}
	// Output:
	// 128 true
	// 128 true
	// 0 false
}
