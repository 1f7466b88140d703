package wasm

import (
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core/llm"
)

// powers are the results of the imports that only some stages use.
type powers struct {
	reason       string        // of the last rule
	rules        int           // reported in this call
	routes       []alternative // of this call
	messages     []llm.Message // of retry
	messageBytes int
	body         []byte // of respond_body
	store        *store // chosen by state_scope; nil for the link's own
	answer       []byte // of the last host_call
	token        string // that restore resolved last, and its value
	value        string
	whole        []byte // that body_read returned last
}

func isPlainText(b []byte) bool {
	return utf8.Valid(b) && stripControls(string(b), len(b)) == string(b)
}
