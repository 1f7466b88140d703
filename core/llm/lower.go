package llm

import (
	"encoding/json"
	"slices"
	"strings"
)

// Target says what the provider's shape takes. What it does not take, Lower says
// in other words.
type Target struct {
	CustomTools  bool // tools with free text
	Namespaces   bool // tools in groups
	SearchTools  bool // tool_search run by the client
	ResultImages bool // images in tool results
	DistinctIDs  bool // nothing but ids that differ, for all calls of a conversation
	PlainNames   bool // nothing but letters, digits, - and _ in the names of tools
}

// Lowered is a request in words that the target takes, and the way back for its
// answer. A nil one changes nothing.
type Lowered struct {
	// Request is what to send: the request that was lowered when nothing had to
	// change, else a copy that shares what stays.
	Request *Request

	names names
}

// Lower says r in what t takes: a custom tool becomes a function with one string
// "input", a client-run tool search a function, a tool in a namespace one with a
// joined name, and images of tool results move into a user message after them.
// r stays as it is.
func Lower(r *Request, t Target) *Lowered {
	l := &Lowered{Request: r}
	tools, images := t.findLacking(r)
	messages := r.Messages
	if t.DistinctIDs {
		messages = makeIDsDistinct(messages)
	}
	if !tools && !images && (len(messages) == 0 || &messages[0] == &r.Messages[0]) {
		return l
	}
	c := *r
	c.Messages = messages
	l.Request, c.Dropped = &c, slices.Clone(r.Dropped)
	if tools {
		l.names.fill(r, t)
		c.Tools = l.lowerTools(r.Tools, t)
		c.Choice.Names = l.lowerChoices(r.Choice.Names)
		c.Messages = l.lowerMessages(c.Messages, t)
	}
	if images {
		c.Messages = moveImages(c.Messages)
	}
	return l
}

// findLacking returns which parts of r must be expressed differently.
func (t Target) findLacking(r *Request) (tools, images bool) {
	for i := range r.Tools {
		tools = tools || t.changes(r.Tools[i].Kind, r.Tools[i].Namespace) || t.renames(r.Tools[i].Name)
	}
	for i := range r.Messages {
		for _, p := range r.Messages[i].Parts {
			switch p.Kind {
			case CallPart:
				tools = tools || t.changes(p.Call.Kind, p.Call.Namespace) || t.renames(p.Call.Name)
			case ResultPart:
				tools = tools || t.changes(p.Result.Kind, "")
				images = images || !t.ResultImages && slices.ContainsFunc(p.Result.Parts, isImage)
			}
		}
	}
	return tools, images
}

func (t Target) changes(k ToolKind, namespace string) bool {
	return k == CustomTool && !t.CustomTools || k == SearchTool && !t.SearchTools || namespace != "" && !t.Namespaces
}

// renames reports whether the target refuses a tool for its name.
func (t Target) renames(name string) bool {
	return t.PlainNames && strings.ContainsFunc(name, isOddCharacter)
}

// lowerKind returns how a tool travels.
func (t Target) lowerKind(k ToolKind) ToolKind {
	if t.changes(k, "") {
		return FunctionTool
	}
	return k
}

var (
	inputSchema = json.RawMessage(
		`{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`,
	)
	searchSchema = json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`)
)

func (l *Lowered) lowerTools(from []Tool, t Target) []Tool {
	to := slices.Clone(from)
	for i := range to {
		u := &to[i]
		u.Name = l.names.findWireName(u.Kind, u.Namespace, u.Name)
		if !t.Namespaces {
			u.Namespace = ""
		}
		kind := t.lowerKind(u.Kind)
		switch {
		case kind == u.Kind:
		case u.Kind == CustomTool:
			u.Schema, u.Strict = inputSchema, nil
			if g := u.Grammar; g != nil {
				u.Description = joinText(u.Description, "The input is text that this "+g.Syntax+" grammar describes:\n"+g.Definition)
				u.Grammar = nil
			}
		case u.Schema == nil:
			u.Schema = searchSchema
		}
		u.Kind = kind
	}
	return to
}

func joinText(a, b string) string {
	if a == "" {
		return b
	}
	return a + "\n\n" + b
}

func (l *Lowered) lowerChoices(from []string) []string {
	to := slices.Clone(from)
	for i, n := range to {
		if s, ok := l.names.chosen[n]; ok {
			to[i] = s
		}
	}
	return to
}

// lowerMessages sets on the calls and results of a conversation the names and kinds that their tools have now.
func (l *Lowered) lowerMessages(from []Message, t Target) []Message {
	to, called := slices.Clone(from), map[string]string{}
	for i := range to {
		parts := to[i].Parts
		if !slices.ContainsFunc(parts, func(p Part) bool { return p.Kind == CallPart || p.Kind == ResultPart }) {
			continue
		}
		parts = slices.Clone(parts)
		to[i].Parts = parts
		for j := range parts {
			switch p := &parts[j]; p.Kind {
			case CallPart:
				c := *p.Call
				c.Name = l.names.findWireName(c.Kind, c.Namespace, c.Name)
				called[c.ID] = c.Name
				if !t.Namespaces {
					c.Namespace = ""
				}
				if c.Kind == CustomTool && !t.CustomTools {
					c.Input = wrapInput(c.Input)
				}
				c.Kind, p.Call = t.lowerKind(c.Kind), &c
			case ResultPart:
				r := *p.Result
				if s := called[r.CallID]; r.CallID != "" && s != "" && r.Name != "" {
					r.Name = s
				}
				r.Kind, p.Result = t.lowerKind(r.Kind), &r
			}
		}
	}
	return to
}
