package hosted

import (
	"slices"

	"github.com/headgate-dev/headgate/core/body/splice"
)

// AppendWithout appends the body without the given tools, and without what refers to them: a choice of one of
// them, and the members for tools if no tool is left.
func AppendWithout(dst, doc []byte, tools []Tool) []byte {
	var spans []splice.Span
	for i := range tools {
		spans = append(spans, tools[i].Span)
	}
	s := stripper{doc: doc, removed: make(map[string]bool, len(tools))}
	for i := range tools {
		s.removed[tools[i].Type] = true
		if tools[i].Name != "" {
			s.removed[tools[i].Name] = true
		}
	}
	s.s.Reset(doc)
	s.s.Enter()
	var list, choice splice.Span
	for s.s.Next() {
		start := s.s.Pos()
		switch string(s.s.Key()) {
		case "tools":
			s.s.Skip()
			list = splice.Span{Start: start, End: s.s.Pos()}
		case "tool_choice", "toolConfig", "tool_config":
			s.readChoice()
			choice = splice.Span{Start: start, End: s.s.Pos()}
		default:
			s.s.Skip()
		}
	}
	spans = append(spans, s.spans...)
	if list.Len() > 0 && !hasElements(cut(nil, doc[list.Start:list.End], shiftSpans(spans, list))) {
		spans, s.chosen = append(spans, list), true
	}
	if s.chosen && choice.Len() > 0 {
		spans = append(spans, choice)
	}
	return cut(dst, doc, spans)
}

// stripper finds what refers to tools that are removed.
type stripper struct {
	s       splice.Scanner
	doc     []byte
	removed map[string]bool // types and names of the tools: a body may list many, and choose among as many
	chosen  bool            // the choice holds for removed tools only
	spans   []splice.Span
}

// readChoice reads the choice of tools: {"type": …, "name": …, "tools": […]}, or a word.
func (s *stripper) readChoice() {
	if s.s.Kind() != splice.Object {
		s.s.Skip()
		return
	}
	s.s.Enter()
	for s.s.Next() {
		switch string(s.s.Key()) {
		case "type", "name", "server_label":
			s.chosen = s.isRemoved() || s.chosen
		case "tools":
			s.readAllowed()
		default:
			s.s.Skip()
		}
	}
}

// readAllowed reads the list of allowed tools.
func (s *stripper) readAllowed() {
	if s.s.Kind() != splice.Array {
		s.s.Skip()
		return
	}
	left, removed := 0, 0
	s.s.Enter()
	for s.s.Next() {
		if s.s.Kind() != splice.Object {
			s.s.Skip()
			left++
			continue
		}
		start, gone := s.s.Pos(), false
		s.s.Enter()
		for s.s.Next() {
			switch string(s.s.Key()) {
			case "type", "name":
				gone = s.isRemoved() || gone
			default:
				s.s.Skip()
			}
		}
		if !gone {
			left++
			continue
		}
		removed++
		s.spans = append(s.spans, splice.Span{Start: start, End: s.s.Pos()})
	}
	s.chosen = s.chosen || removed > 0 && left == 0
}

// isRemoved reads a string and reports whether it names a removed tool.
func (s *stripper) isRemoved() bool {
	if s.s.Kind() != splice.String {
		s.s.Skip()
		return false
	}
	at, escaped := s.s.String()
	if s.s.Err() != nil {
		return false
	}
	word := s.doc[at.Start:at.End]
	if escaped {
		word = splice.AppendText(nil, word)
	}
	return s.removed[string(word)]
}

// hasElements reports whether a member such as "tools":[…] still lists something.
func hasElements(member []byte) bool {
	open := slices.Index(member, '[')
	if open < 0 {
		return slices.Contains(member, '{')
	}
	return len(trimSpace(member[open+1:len(member)-1])) > 0
}

func shiftSpans(spans []splice.Span, in splice.Span) (out []splice.Span) {
	for _, at := range spans {
		if at.Start >= in.Start && at.End <= in.End {
			out = append(out, splice.Span{Start: at.Start - in.Start, End: at.End - in.Start})
		}
	}
	return out
}

// cut appends a document without some of its elements and members, each with one comma beside it.
func cut(dst, doc []byte, spans []splice.Span) []byte {
	slices.SortFunc(spans, func(a, b splice.Span) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	from := 0
	for _, at := range spans {
		if at.Start < from { // inside one that was removed
			continue
		}
		dst = append(dst, doc[from:at.Start]...)
		from = at.End
		rest := doc[at.End:]
		if after := skipSpace(rest); after < len(rest) && rest[after] == ',' {
			from += after + 1
			continue
		}
		if kept := trimSpace(dst); len(kept) > 0 && kept[len(kept)-1] == ',' {
			dst = kept[:len(kept)-1]
		}
	}
	return append(dst, doc[from:]...)
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// skipSpace returns the number of leading white space characters.
func skipSpace(b []byte) (n int) {
	for n < len(b) && isSpace(b[n]) {
		n++
	}
	return n
}

// trimSpace returns b without trailing white space.
func trimSpace(b []byte) []byte {
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}
