package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// readJSON parses a JSON text of a user. It returns the error with its position, or "".
func readJSON(text string, into any) string {
	dec := json.NewDecoder(strings.NewReader(text))
	err := dec.Decode(into)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			return describePosition(text, dec.InputOffset()) + ": unexpected text after the end of the JSON value."
		}
		return ""
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return describePosition(text, syntax.Offset) + ": this is not valid JSON: " + syntax.Error() + "."
	case errors.As(err, &kind):
		return describePosition(text, kind.Offset) + ": write " + nameJSONKind(kind) + " here."
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return describePosition(text, int64(len(text))+1) + ": the JSON ends too early: a bracket or a quotation mark is not closed."
	}
	return "This is not valid JSON."
}

func nameJSONKind(e *json.UnmarshalTypeError) string {
	switch e.Type.Kind().String() {
	case "map", "struct":
		return "a JSON object, as {\"name\": …},"
	case "slice":
		return "a list, as […],"
	}
	return "another kind of value"
}

// describePosition returns the line and column of a byte. offset counts from 1.
func describePosition(text string, offset int64) string {
	before := text[:max(min(int(offset)-1, len(text)), 0)]
	line := strings.Count(before, "\n") + 1
	column := len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
	return fmt.Sprintf("Line %d, column %d", line, column)
}
