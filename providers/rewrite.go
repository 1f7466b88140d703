package providers

import (
	"errors"
	"fmt"
	"slices"

	"github.com/headgate-dev/headgate/core/body/splice"
)

// member is a member of a JSON object, with its value as JSON.
type member struct{ name, value string }

// cutRoom is spare room for the members that are added.
const cutRoom = 256

// rewriteMembers returns a body without the members in drop, and with those in add that it then lacks. All other bytes stay. It
// does not modify body, which may be the client's.
func rewriteMembers(body []byte, drop []string, add ...member) ([]byte, error) {
	members, open, err := findTopMembers(body)
	if err != nil {
		return nil, err
	}
	kept := -1 // the last member that stays
	for i, m := range members {
		if slices.Contains(drop, m.name) {
			continue
		}
		kept = i
		add = slices.DeleteFunc(slices.Clone(add), func(a member) bool { return a.name == m.name })
	}
	insert := ""
	for i, a := range add {
		if i > 0 {
			insert += ","
		}
		insert += `"` + a.name + `":` + a.value
	}
	if insert != "" && kept >= 0 {
		insert += ","
	}
	var cuts []splice.Cut
	if insert != "" {
		cuts = append(cuts, splice.Cut{Span: splice.Span{Start: open, End: open}, With: insert})
	}
	for i, m := range members[:kept+1] {
		if slices.Contains(drop, m.name) { // another one follows
			cuts = append(cuts, splice.Cut{Span: splice.Span{Start: m.at.Start, End: members[i+1].at.Start}})
		}
	}
	if last := len(members) - 1; kept < last {
		from := members[0].at.Start
		if kept >= 0 {
			from = members[kept].at.End
		}
		cuts = append(cuts, splice.Cut{Span: splice.Span{Start: from, End: members[last].at.End}})
	}
	return splice.Append(make([]byte, 0, len(body)+cutRoom), body, cuts)
}

// memberSpan is a member with its place in the document.
type memberSpan struct {
	name string
	at   splice.Span // from the quote before the name to the end of the value
}

// findTopMembers returns the members of an object, and the offset behind its opening brace.
func findTopMembers(body []byte) (members []memberSpan, open int, err error) {
	var s splice.Scanner
	s.Reset(body)
	if s.Kind() != splice.Object {
		return nil, 0, errors.New("rewrite the body: it is not an object")
	}
	s.Enter()
	open = s.Pos()
	for s.Next() {
		name := string(s.Key())
		key, _ := s.KeySpan()
		members = append(members, memberSpan{name, splice.Span{Start: key.Start - 1, End: s.Skip().End}})
	}
	s.End()
	if err := s.Err(); err != nil {
		return nil, 0, fmt.Errorf("rewrite the body: %w", err)
	}
	return members, open, nil
}
