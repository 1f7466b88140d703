package hosted

import (
	"slices"

	"github.com/headgate-dev/headgate/core/body/splice"
)

// AppendWithoutTools appends the body without the given tools, and without what refers to them: a choice of one of
// them, and the members for tools if no tool is left. Each tool's span is an element or a member of the body.
func AppendWithoutTools(dst, doc []byte, tools []Tool) []byte {
	s := stripper{
		doc: doc, types: make(map[string]bool, len(tools)), names: map[string]bool{}, spans: make([]splice.Span, 0, len(tools)+2),
	}
	for i := range tools {
		s.spans = append(s.spans, tools[i].Span)
		s.types[tools[i].Type] = true
		if tools[i].Name != "" {
			s.names[tools[i].Name] = true
		}
	}
	s.s.Reset(doc)
	s.readBody(false)
	return appendRemaining(dst, doc, s.spans)
}

// stripper finds what refers to tools that are removed: a body may list many, and choose among as many.
type stripper struct {
	s            splice.Scanner
	doc          []byte
	types, names map[string]bool
	spans        []splice.Span
}

// readBody reads the members of a request. A request to count tokens may hold a whole one, and that is inner.
func (s *stripper) readBody(inner bool) {
	s.s.Enter()
	var list, choice splice.Span
	typ, chosen := "", false
	for s.s.Next() {
		start := s.s.Pos()
		switch key := string(s.s.Key()); {
		case key == "tools":
			s.s.Skip()
			list = splice.Span{Start: start, End: s.s.Pos()}
		case key == "tool_choice" || key == "toolConfig" || key == "tool_config":
			typ, chosen = s.readChoice()
			choice = splice.Span{Start: start, End: s.s.Pos()}
		case !inner && (key == "generateContentRequest" || key == "generate_content_request") && s.s.Kind() == splice.Object:
			s.readBody(true)
		default:
			s.s.Skip()
		}
	}
	switch {
	case list.Len() == 0:
		chosen = chosen || messagesChoices[typ] // of tools that servers offered
	case !hasElements(appendRemaining(nil, s.doc[list.Start:list.End], shiftSpans(s.spans, list))):
		s.spans, chosen = append(s.spans, list), true
	}
	if chosen && choice.Len() > 0 {
		s.spans = append(s.spans, choice)
	}
}

// messagesChoices are the types of a choice in Messages requests. Those of other APIs may choose among tools that the
// provider keeps.
var messagesChoices = map[string]bool{"auto": true, "any": true, "tool": true, "none": true}

// readChoice reads the choice of tools: {"type": …, "name": …, "tools": […]}, or a word. It reports whether only removed
// tools could serve it.
func (s *stripper) readChoice() (typ string, chosen bool) {
	if s.s.Kind() != splice.Object {
		s.s.Skip()
		return "", false
	}
	typ, name := s.readTool(func() { chosen = s.readAllowed() })
	return typ, chosen || s.isRemoved(typ, name)
}

// readAllowed reads the list of allowed tools, and reports whether all of them are removed.
func (s *stripper) readAllowed() bool {
	if s.s.Kind() != splice.Array {
		s.s.Skip()
		return false
	}
	left, removed := 0, 0
	s.s.Enter()
	for s.s.Next() {
		if s.s.Kind() != splice.Object {
			s.s.Skip()
			left++
			continue
		}
		start := s.s.Pos()
		typ, name := s.readTool(func() { s.s.Skip() })
		if !s.isRemoved(typ, name) {
			left++
			continue
		}
		removed++
		s.spans = append(s.spans, splice.Span{Start: start, End: s.s.Pos()})
	}
	return removed > 0 && left == 0
}

// readTool reads an object that says which tool is chosen, by type and perhaps by name. readTools reads a member "tools",
// if there is one.
func (s *stripper) readTool(readTools func()) (typ, name string) {
	s.s.Enter()
	for s.s.Next() {
		switch string(s.s.Key()) {
		case "type":
			typ = s.readWord()
		case "name":
			name = s.readWord()
		case "tools":
			readTools()
		default:
			s.s.Skip()
		}
	}
	return typ, name
}

// isRemoved reports whether a choice is of a removed tool. Functions may bear the names of hosted tools.
func (s *stripper) isRemoved(typ, name string) bool {
	return s.types[typ] || s.names[name] && typ != "function" && typ != "custom"
}

// readWord reads a string; "" stands for any other value.
func (s *stripper) readWord() string {
	if s.s.Kind() != splice.String {
		s.s.Skip()
		return ""
	}
	at, escaped := s.s.String()
	if s.s.Err() != nil {
		return ""
	}
	return splice.ReadTextAt(s.doc, at, escaped)
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

// appendRemaining appends a document without some of its elements and members, each with one comma beside it.
func appendRemaining(dst, doc []byte, spans []splice.Span) []byte {
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
