package cohere

import (
	"strconv"

	"github.com/headgate-dev/headgate/core/splice"
)

// quick reads an event that holds nothing but more text, which is what most of them
// are, at a tenth of the allocations. ok is false for any other event, and for one that
// is not quite so: it is then read in full.
func (d *decoder) quick(data []byte) (index int, text string, ok bool) {
	s := &d.scan
	s.Reset(data)
	if !d.started || s.Kind() != splice.Object {
		return 0, "", false
	}
	typed, said := false, false
	s.Enter()
	for s.Next() {
		switch string(s.Key()) {
		case "type":
			if s.Kind() != splice.String {
				return 0, "", false
			}
			at, escaped := s.String()
			if typed = !escaped && string(data[at.Start:at.End]) == "content-delta"; !typed {
				return 0, "", false
			}
		case "index":
			if s.Kind() != splice.Number {
				return 0, "", false
			}
			at := s.Number()
			v, err := strconv.Atoi(string(data[at.Start:at.End]))
			if err != nil {
				return 0, "", false
			}
			index = v
		case "delta":
			if text, said = d.within(data, "message", "content", "text"); !said {
				return 0, "", false
			}
		default:
			return 0, "", false
		}
	}
	return index, text, s.End() && typed && said
}

// within reads a string that lies in objects of one member each.
func (d *decoder) within(data []byte, path ...string) (text string, ok bool) {
	s := &d.scan
	if len(path) == 0 {
		if s.Kind() != splice.String {
			return "", false
		}
		at, escaped := s.String()
		if s.Err() != nil {
			return "", false
		}
		if escaped {
			return string(splice.AppendText(nil, data[at.Start:at.End])), true
		}
		return string(data[at.Start:at.End]), true
	}
	if s.Kind() != splice.Object {
		return "", false
	}
	s.Enter()
	for s.Next() {
		if string(s.Key()) != path[0] {
			return "", false
		}
		if text, ok = d.within(data, path[1:]...); !ok {
			return "", false
		}
	}
	return text, ok
}
