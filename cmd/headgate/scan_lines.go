package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
)

// scanLine is one line on which the detectors run.
type scanLine struct {
	ID   json.RawMessage `json:"id"`
	Text *string         `json:"text"`
	Hint struct {
		Region string `json:"region"`
	} `json:"hint"`

	Guard  string          `json:"guard"`  // one detector to run instead of the configured ones
	Config json.RawMessage `json:"config"` // its settings
}

// scanLines reads JSON lines from r and writes the result of judge for each to w as a line. A bad line ends it with an
// error that contains its number.
func scanLines(r io.Reader, w io.Writer, judge func(scanLine) (any, error)) (err error) {
	in, out := bufio.NewReaderSize(r, 1<<20), bufio.NewWriter(w)
	defer func() { err = errors.Join(err, out.Flush()) }()
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for n := 1; ; n++ {
		line, readErr := in.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			l, err := parseScanLine(line)
			if err != nil {
				return fmt.Errorf("standard input, line %d: %w", n, err)
			}
			answer, err := judge(l)
			if err != nil {
				return fmt.Errorf("standard input, line %d: %w", n, err)
			}
			if err := enc.Encode(answer); err != nil {
				return fmt.Errorf("write line %d: %w", n, err)
			}
		}
		if errors.Is(readErr, io.EOF) {
			return nil
		}
		if readErr != nil {
			return fmt.Errorf("standard input, line %d: %w", n, readErr)
		}
	}
}

// parseScanLine parses one line. Its errors name the problem and never the content.
func parseScanLine(line []byte) (l scanLine, err error) {
	if err := json.Unmarshal(line, &l); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) && wrong.Field != "" {
			want := "string"
			if wrong.Type.Kind() != reflect.String {
				want = "JSON object"
			}
			return l, fmt.Errorf("the field %q is not a %s", wrong.Field, want)
		}
		return l, errors.New(`not a JSON object such as {"id": "1", "text": "..."}`)
	}
	if len(l.ID) == 0 || l.ID[0] == '{' || l.ID[0] == '[' || string(l.ID) == "null" {
		return l, errors.New(`the field "id" is missing; write a string or a number`)
	}
	if l.Text == nil {
		return l, errors.New(`the field "text" is missing; write a string`)
	}
	return l, nil
}
