// Package cli holds what the verbs of headgate share: how they fail, and how they print.
package cli

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"
)

// ErrReported ends the program with status 1 and prints nothing: the verb has already printed what is wrong.
var ErrReported = errors.New("reported")

// StatusError is ErrReported with a status of its own.
type StatusError int

// Error names the status.
func (e StatusError) Error() string { return "status " + strconv.Itoa(int(e)) }

// PrintJSON writes a value as indented JSON, without the escapes that HTML needs.
func PrintJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
