package ollama

import "github.com/headgate-dev/headgate/core/body/splice"

// readTextLine reads a line that carries only text, like most of them, with a tenth of
// the allocations. ok is false for any other line, which must be read in full.
func (d *decoder) readTextLine(line []byte) (ok bool) {
	s := &d.scan
	s.Reset(line)
	if !d.started || s.Kind() != splice.Object {
		return false
	}
	open, said := false, false
	s.Enter()
	for s.Next() {
		switch string(s.Key()) {
		case "model", "created_at":
			s.Skip()
		case "done":
			if open = s.Kind() == splice.False; !open {
				return false
			}
			s.Skip()
		case "message":
			if said = d.readContent(line); !said {
				return false
			}
		default:
			return false
		}
	}
	return s.End() && open && said
}

// readContent reads a message that has only a role and texts.
func (d *decoder) readContent(line []byte) (ok bool) {
	s := &d.scan
	if s.Kind() != splice.Object {
		return false
	}
	s.Enter()
	for s.Next() {
		to := &d.msg.Content
		switch string(s.Key()) {
		case "role":
			s.Skip()
			continue
		case "content":
		case "thinking":
			to = &d.msg.Thinking
		default:
			return false
		}
		if s.Kind() != splice.String {
			return false
		}
		at, escaped := s.String()
		if s.Err() != nil {
			return false
		}
		*to, ok = splice.ReadTextAt(line, at, escaped), true
	}
	return ok
}
