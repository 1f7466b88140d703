//go:build !wasip1

package guest_test

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/sdk/guest"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// A detector says where something is. The configuration of its link says what happens to it.
func ExampleDetector() {
	guest.Detector(func(text []byte, _ guest.Flags, emit func(guest.Span)) {
		const word = "secret"
		for at := 0; ; {
			i := bytes.Index(text[at:], []byte(word))
			if i < 0 {
				return
			}
			emit(guest.Span{Start: at + i, End: at + i + len(word), Score: 1})
			at += i + len(word)
		}
	})
	defer guest.Detector(nil)

	for _, span := range guest.Run([]byte("a secret and a secret"), 0) {
		fmt.Println(span.Start, span.End)
	}
	// Output:
	// 2 8
	// 15 21
}

// While an answer streams, a match that touches the end of the text is not reported: more may follow.
func ExampleFlags_After() {
	guest.Detector(func(text []byte, f guest.Flags, emit func(guest.Span)) {
		digits := len(text) - len(bytes.TrimRight(text, "0123456789"))
		if digits >= 4 && !f.After() {
			emit(guest.Span{Start: len(text) - digits, End: len(text), Score: 1})
		}
	})
	defer guest.Detector(nil)

	fmt.Println("more follows:", guest.Run([]byte("id 1234"), guest.Flags(abi.DetectAfter)))
	fmt.Println("the end:", guest.Run([]byte("id 1234"), 0))
	// Output:
	// more follows: []
	// the end: [{3 7 0 1}]
}

// Settings come from the link's `config`, as JSON.
func ExampleConfigure() {
	guest.Configure(func(settings []byte) error {
		if !strings.Contains(string(settings), `"words"`) {
			return fmt.Errorf("`words` is required")
		}
		return nil
	})
	defer guest.Configure(nil)

	fmt.Println(guest.RunConfigure([]byte(`{}`)))
	fmt.Println(guest.RunConfigure([]byte(`{"words": ["atlas"]}`)))
	// Output:
	// `words` is required
	// <nil>
}

// A stage decides for itself. Trial stands in for the gateway in ordinary tests.
func ExampleStage() {
	guest.Stage(func(guest.Phase) error {
		if model, _ := guest.Field(abi.FieldModel); strings.HasPrefix(model, "preview-") {
			guest.Deny(abi.CodeContentFilter, "preview models are not for production", time.Minute)
		}
		return nil
	})
	defer guest.Stage(nil)

	x := &guest.Trial{Fields: map[abi.Field]string{abi.FieldModel: "preview-7"}}
	fmt.Println(x.Run(guest.Request), x.Denied.Code, x.Denied.Message)
	// Output: <nil> content_filter preview models are not for production
}

// An edit replaces bytes of one text; every other byte of the body leaves as it came.
func ExampleEdit() {
	guest.Stage(func(guest.Phase) error {
		for i := range guest.Texts() {
			if at := bytes.Index(guest.Read(i), []byte("Atlas")); at >= 0 {
				guest.Edit(i, at, at+len("Atlas"), "the project")
			}
		}
		return nil
	})
	defer guest.Stage(nil)

	x := &guest.Trial{Texts: []guest.TrialText{{Value: "How is Atlas going?"}}}
	err := x.Run(guest.Request)
	fmt.Printf("%v %+v\n", err, x.Edits)
	// Output: <nil> [{Text:0 Start:7 End:12 With:the project}]
}
