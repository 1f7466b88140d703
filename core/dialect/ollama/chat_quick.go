package ollama

import "github.com/headgate-dev/headgate/core/splice"

// quick reads a line that holds nothing but more text, which is what most of them are,
// at a tenth of the allocations. ok is false for any other line, and for one that is
// not quite so: it is then read in full.
func (d *decoder) quick(line []byte) (text string, ok bool) {
	s := &d.scan
	s.Reset(line)
	if !d.started || s.Kind() != splice.Object {
		return "", false
	}
	open, said := false, false
	s.Enter()
	for s.Next() {
		switch string(s.Key()) {
		case "model", "created_at":
			s.Skip()
		case "done":
			if open = s.Kind() == splice.False; !open {
				return "", false
			}
			s.Skip()
		case "message":
			if text, said = d.content(line); !said {
				return "", false
			}
		default:
			return "", false
		}
	}
	return text, s.End() && open && said
}

// content reads a message that has a role and a text alone.
func (d *decoder) content(line []byte) (text string, ok bool) {
	s := &d.scan
	if s.Kind() != splice.Object {
		return "", false
	}
	s.Enter()
	for s.Next() {
		switch string(s.Key()) {
		case "role":
			s.Skip()
		case "content":
			if s.Kind() != splice.String {
				return "", false
			}
			at, escaped := s.String()
			if s.Err() != nil {
				return "", false
			}
			if text, ok = string(line[at.Start:at.End]), true; escaped {
				text = string(splice.AppendText(nil, line[at.Start:at.End]))
			}
		default:
			return "", false
		}
	}
	return text, ok
}
