package scan

import "github.com/headgate-dev/headgate/core/body/splice"

// ReadFinish returns why a whole answer ended, in the words of its shape, or "" if it does not say. With several choices it is the reason of
// the first.
func ReadFinish(s *splice.Scanner, answer []byte) string {
	s.Reset(answer)
	reason := ""
	VisitMembers(s, func(key string) {
		switch key {
		case "stop_reason", "status":
			if v := ReadText(s, answer); reason == "" {
				reason = v
			}
		case "incomplete_details":
			readMember(s, answer, &reason, "reason", "reason")
		case "choices", "candidates":
			if s.Kind() != splice.Array {
				s.Skip()
				return
			}
			s.Enter()
			for first := true; s.Next(); first = false {
				if first {
					readMember(s, answer, &reason, "finish_reason", "finishReason")
				} else {
					s.Skip()
				}
			}
		default:
			s.Skip()
		}
	})
	return reason
}

// readMember reads the member of an object that has one of two names into text.
func readMember(s *splice.Scanner, doc []byte, text *string, name, other string) {
	VisitMembers(s, func(key string) {
		if key == name || key == other {
			*text = ReadText(s, doc)
		} else {
			s.Skip()
		}
	})
}

// VisitMembers calls each with every name of an object, and skips any other value. each must consume the member's value.
func VisitMembers(s *splice.Scanner, each func(key string)) {
	if s.Kind() != splice.Object {
		s.Skip()
		return
	}
	s.Enter()
	for s.Next() {
		each(string(s.Key()))
	}
}
