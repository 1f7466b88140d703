// Package cli holds what the verbs of headgate share: how they fail, and how they print.
package cli

import (
	"encoding/json"
	"errors"
	"io"
)

// ErrReported ends the program with status 1 and prints nothing: the verb has already printed what is wrong.
var ErrReported = errors.New("reported")

// PrintJSON writes a value as indented JSON, without the escapes that HTML needs.
func PrintJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
