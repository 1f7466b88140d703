package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// readJSON reads a text that somebody has written, and says what is wrong with it and where; "": nothing.
func readJSON(text string, into any) string {
	dec := json.NewDecoder(strings.NewReader(text))
	err := dec.Decode(into)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			return place(text, dec.InputOffset()) + ": there is more behind the end of the JSON. Write one value."
		}
		return ""
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return place(text, syntax.Offset) + ": this is not valid JSON: " + syntax.Error() + "."
	case errors.As(err, &kind):
		return place(text, kind.Offset) + ": write " + jsonKind(kind) + " here."
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return place(text, int64(len(text))+1) + ": the JSON ends too early. A bracket or a quotation mark is not closed."
	}
	return "This is not valid JSON."
}

func jsonKind(e *json.UnmarshalTypeError) string {
	switch e.Type.Kind().String() {
	case "map", "struct":
		return "a JSON object, as {\"name\": …},"
	case "slice":
		return "a list, as […],"
	}
	return "another kind of value"
}

// place is the line and the column of a byte that offset counts from 1.
func place(text string, offset int64) string {
	before := text[:max(min(int(offset)-1, len(text)), 0)]
	line := strings.Count(before, "\n") + 1
	column := len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
	return fmt.Sprintf("Line %d, column %d", line, column)
}
