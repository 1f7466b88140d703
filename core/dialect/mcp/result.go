package mcp

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// readResult reads the result of the call's method.
func (r *response) readResult() {
	if r.S.Kind() != splice.Object {
		r.addLeaves([]byte("result"), core.KindToolResult, -1)
		r.fail(errNoResult)
		return
	}
	r.S.Enter()
	for r.S.Next() {
		r.readResultMember(r.S.Key())
	}
}

func (r *response) readResultMember(key []byte) {
	m := r.c.method
	switch name := string(key); {
	case name == "resultType":
		r.resultType = r.readWord(name)
	case name == m.list && m.list != "":
		r.hasList = r.S.Kind() == splice.Array
		switch {
		case !r.hasList:
			r.addLeaves(key, core.KindToolResult, -1)
		case m.defines:
			r.readDefinitions()
		default:
			r.readContents()
		}
	case name == "structuredContent":
		r.addJSON(name)
	case name == "isError":
		on := scan.ReadFlag(r.S)
		r.c.Answer.IsError = on != nil && *on
	case name == "cacheScope":
		from := r.S.Pos()
		r.c.Answer.cacheScope = r.S.Skip()
		r.addOddStrings(from, name)
	case name == "protocolVersion" && r.c.Method == MethodInitialize:
		r.c.Answer.Protocol = r.readWord(name)
	case name == "inputRequests":
		r.hasState = true
		r.addLeaves(key, core.KindToolResult, -1)
	case name == "requestState":
		r.hasState = true
		r.addLeaves(key, core.KindOther, -1)
	case name == "instructions", name == "serverInfo", name == "capabilities": // they go into prompts
		r.addLeaves(key, core.KindDefinition, -1)
	default:
		r.addLeaves(key, core.KindToolResult, -1)
	}
}

// Definition is an element of a list: a tool, a prompt, a resource or a template.
type Definition struct {
	// Name is the name of a tool or prompt, or the address of a resource or template.
	Name string
	// At is the place of the whole object in the scanned body, and NameAt that of the content of its name.
	At, NameAt splice.Span
}

// readDefinitions reads a list of tools, prompts, resources or templates.
func (r *response) readDefinitions() {
	r.S.Enter()
	for n := int32(0); r.S.Next(); n++ {
		if r.S.Kind() != splice.Object {
			r.addLeaves([]byte(r.c.method.list), core.KindDefinition, n)
			r.fail(listError(r.c.method.list))
			continue
		}
		start := r.S.Pos()
		name, nameAt := r.readDefinition(n)
		if name == "" {
			r.fail(listError(r.c.method.list))
		}
		r.c.Answer.Definitions = append(r.c.Answer.Definitions, Definition{
			Name: name, At: splice.Span{Start: start, End: r.S.Pos()}, NameAt: nameAt,
		})
	}
}

// chooseNameMember returns the member that names an element of a list.
func (c *Call) chooseNameMember() string {
	switch c.Method {
	case MethodListResources:
		return "uri"
	case MethodListTemplates:
		return "uriTemplate"
	}
	return "name"
}

func (r *response) readDefinition(n int32) (name string, at splice.Span) {
	r.S.Enter()
	for r.S.Next() {
		key := r.S.Key()
		if string(key) != r.c.chooseNameMember() || r.S.Kind() != splice.String {
			r.addLeaves(key, core.KindDefinition, n)
			continue
		}
		from := r.S.Pos()
		at, _ = r.S.String()
		if r.S.Err() == nil {
			name = string(splice.AppendText(make([]byte, 0, at.Len()), r.Doc[at.Start:at.End]))
		}
		r.addOddStrings(from, string(key))
	}
	return name, at
}

// HideDefinitions appends the cuts that remove the elements from a list for which keep is false. A filtered list
// depends on the caller, so the cuts also mark it as private to caches. The spans are those of the last ScanResponse,
// and doc is the body that it read.
func (c *Call) HideDefinitions(dst []splice.Cut, doc []byte, keep func(name string) bool) []splice.Cut {
	list, kept, hidden := c.Answer.Definitions, false, false
	for i := range list {
		at := list[i].At
		if keep(list[i].Name) {
			kept = true
			continue
		}
		hidden = true
		switch { // with the comma before or after it
		case kept:
			at.Start = list[i-1].At.End
		case i+1 < len(list):
			at.End = list[i+1].At.Start
		}
		dst = append(dst, splice.Cut{Span: at})
	}
	const private = `"private"`
	if at := c.Answer.cacheScope; hidden && at.Len() > 0 && string(doc[at.Start:at.End]) != private {
		dst = append(dst, splice.Cut{Span: at, With: private})
	}
	return dst
}
