// Package cli holds what the commands of headgate share: how they fail, and how they print.
package cli

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"
)

// ErrReported ends the program with status 1 and prints nothing: the command has already printed the error.
var ErrReported = errors.New("reported")

// StatusError is ErrReported with a different exit status.
type StatusError int

// Error returns the exit status as text.
func (e StatusError) Error() string { return "status " + strconv.Itoa(int(e)) }

// PrintJSON writes a value as indented JSON, without the escapes that HTML needs.
func PrintJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
