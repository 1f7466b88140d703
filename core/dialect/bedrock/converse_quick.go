package bedrock

import (
	"strconv"

	"github.com/headgate-dev/headgate/core/splice"
)

// quick reads a delta that holds nothing but more text, which is what most of them are,
// at a tenth of the allocations. ok is false for any other delta, and for one that is
// not quite so: it is then read in full.
func (s *events) quick(body []byte) (index int, text string, ok bool) {
	scan := &s.scan
	scan.Reset(body)
	if !s.started || scan.Kind() != splice.Object {
		return 0, "", false
	}
	said := false
	scan.Enter()
	for scan.Next() {
		switch string(scan.Key()) {
		case "contentBlockIndex":
			if scan.Kind() != splice.Number {
				return 0, "", false
			}
			at := scan.Number()
			v, err := strconv.Atoi(string(body[at.Start:at.End]))
			if err != nil {
				return 0, "", false
			}
			index = v
		case "p": // padding, so that the length tells nothing
			scan.Skip()
		case "delta":
			if text, said = s.more(body); !said {
				return 0, "", false
			}
		default:
			return 0, "", false
		}
	}
	return index, text, scan.End() && said
}

// more reads a delta that is a text alone.
func (s *events) more(body []byte) (text string, ok bool) {
	scan := &s.scan
	if scan.Kind() != splice.Object {
		return "", false
	}
	scan.Enter()
	for scan.Next() {
		if string(scan.Key()) != "text" || scan.Kind() != splice.String {
			return "", false
		}
		at, escaped := scan.String()
		if scan.Err() != nil {
			return "", false
		}
		if text, ok = string(body[at.Start:at.End]), true; escaped {
			text = string(splice.AppendText(nil, body[at.Start:at.End]))
		}
	}
	return text, ok
}
