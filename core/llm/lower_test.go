package llm

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func call(c Call) Part     { return Part{Kind: CallPart, Call: &c} }
func result(r Result) Part { return Part{Kind: ResultPart, Result: &r} }
func picture() Part {
	return Part{Kind: ImagePart, Image: &Image{MediaType: "image/png", Data: "AAAA"}}
}

func patch() Tool {
	return Tool{
		Kind:        CustomTool,
		Name:        "apply_patch",
		Description: "Edits files.",
		Grammar:     &Grammar{Syntax: "lark", Definition: `start: "x"`},
	}
}

func TestNothingToLowerCostsNoCopy(t *testing.T) {
	r := &Request{Tools: []Tool{{Name: "f"}, patch()}, Messages: []Message{{Role: User, Parts: []Part{NewText("x")}}}}
	l := Lower(r, Target{CustomTools: true})
	assert.Same(t, r, l.Request)
	a := &Response{Choices: []Answer{{Parts: []Part{call(Call{Name: "f"})}}}}
	assert.Same(t, a, l.RestoreResponse(a))
	var none *Lowered
	assert.Same(t, a, none.RestoreResponse(a))
	ev := &Event{Kind: Delta, Text: "x"}
	assert.NoError(t, none.Stream()(ev, func(e *Event) error { assert.Same(t, ev, e); return nil }))
}

func TestACustomToolBecomesAFunctionWithOneInput(t *testing.T) {
	r := &Request{Tools: []Tool{patch()}, Messages: []Message{
		{Role: Assistant, Parts: []Part{call(Call{ID: "1", Name: "apply_patch", Kind: CustomTool, Input: "a <b> \"c\"\n"})}},
		{Role: ToolRole, Parts: []Part{result(Result{CallID: "1", Kind: CustomTool, Parts: []Part{NewText("done")}})}},
	}}
	got := Lower(r, Target{}).Request
	require.Len(t, got.Tools, 1)
	assert.Equal(t, FunctionTool, got.Tools[0].Kind)
	assert.Nil(t, got.Tools[0].Grammar)
	assert.Equal(t, "Edits files.\n\nThe input is text that this lark grammar describes:\nstart: \"x\"", got.Tools[0].Description)
	assert.JSONEq(
		t,
		`{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`,
		string(got.Tools[0].Schema),
	)
	assert.JSONEq(t, `{"input":"a <b> \"c\"\n"}`, got.Messages[0].Parts[0].Call.Input)
	assert.Contains(t, got.Messages[0].Parts[0].Call.Input, "<b>", "nothing is escaped that need not be")
	assert.Equal(t, FunctionTool, got.Messages[0].Parts[0].Call.Kind)
	assert.Equal(t, FunctionTool, got.Messages[1].Parts[0].Result.Kind)
	assert.Equal(t, patch(), r.Tools[0], "the request itself stays")
	assert.Equal(t, CustomTool, r.Messages[0].Parts[0].Call.Kind)
	assert.Equal(t, CustomTool, r.Messages[1].Parts[0].Result.Kind)
}

func TestTheCallOfACustomToolComesBackAsItsText(t *testing.T) {
	l := Lower(&Request{Tools: []Tool{patch()}}, Target{})
	for _, c := range []struct{ args, want string }{
		{`{"input":"a\nb \u00e9"}`, "a\nb é"},
		{`{"input":""}`, ""},
		{`{"input":5}`, `{"input":5}`},
		{`{}`, `{}`},
		{`*** Begin`, `*** Begin`},
		{``, ``},
	} {
		a := l.RestoreResponse(&Response{Choices: []Answer{{Parts: []Part{NewText("t"), call(Call{ID: "1", Name: "apply_patch", Input: c.args})}}}})
		assert.Equal(t, &Call{ID: "1", Name: "apply_patch", Kind: CustomTool, Input: c.want}, a.Choices[0].Parts[1].Call)
	}
}

func TestNamespacesAreJoinedAndGivenBack(t *testing.T) {
	long := strings.Repeat("n", 60)
	r := &Request{
		Tools: []Tool{
			{Namespace: "a", Name: "b__c"},
			{Namespace: "a__b", Name: "c"},
			{Name: "crm__find"},
			{Namespace: "crm", Name: "find"},
			{Namespace: long, Name: "one"},
			{Namespace: long, Name: "two"},
		},
		Choice: Choice{Mode: ChooseNamed, Names: []string{JoinName(long, "one"), long + "__two", "crm__find"}},
		Messages: []Message{
			{Role: Assistant, Parts: []Part{call(Call{ID: "1", Namespace: "crm", Name: "find"}), call(Call{ID: "2", Namespace: "gone", Name: "x"})}},
			{Role: ToolRole, Parts: []Part{result(Result{CallID: "1", Name: "find"}), result(Result{CallID: "2"})}},
		},
	}
	l := Lower(r, Target{})
	seen := map[string]bool{}
	for i, u := range l.Request.Tools {
		assert.Empty(t, u.Namespace)
		assert.LessOrEqual(t, len(u.Name), 64)
		assert.False(t, seen[u.Name], u.Name)
		seen[u.Name] = true
		a := l.RestoreResponse(&Response{Choices: []Answer{{Parts: []Part{call(Call{Name: u.Name})}}}})
		back := a.Choices[0].Parts[0].Call
		assert.Equal(t, r.Tools[i].Name, back.Name)
		assert.Equal(t, r.Tools[i].Namespace, back.Namespace)
	}
	assert.Equal(t, "a__b__c", l.Request.Tools[0].Name)
	assert.Equal(t, "crm__find", l.Request.Tools[2].Name, "a tool without a namespace keeps its name")
	assert.Equal(t, []string{l.Request.Tools[4].Name, l.Request.Tools[5].Name, "crm__find"}, l.Request.Choice.Names)
	parts := l.Request.Messages[0].Parts
	assert.Equal(t, l.Request.Tools[3].Name, parts[0].Call.Name)
	assert.Equal(t, "gone__x", parts[1].Call.Name)
	assert.Equal(t, l.Request.Tools[3].Name, l.Request.Messages[1].Parts[0].Result.Name)
	assert.Equal(t, l.Request, Lower(r, Target{}).Request, "the same names every time")
}

func TestAToolSearchBecomesAFunction(t *testing.T) {
	r := &Request{Tools: []Tool{{Name: "tool_search"}, {Kind: SearchTool, Description: "Finds tools."}}, Messages: []Message{
		{Role: Assistant, Parts: []Part{call(Call{ID: "1", Kind: SearchTool, Input: `{"query":"x"}`})}},
		{Role: ToolRole, Parts: []Part{result(Result{CallID: "1", Kind: SearchTool})}},
	}}
	l := Lower(r, Target{})
	u := l.Request.Tools[1]
	assert.Equal(t, FunctionTool, u.Kind)
	assert.True(t, json.Valid(u.Schema))
	assert.NotEqual(t, "tool_search", u.Name, "the client has a function of that name")
	assert.Equal(t, u.Name, l.Request.Messages[0].Parts[0].Call.Name)
	assert.JSONEq(t, `{"query":"x"}`, l.Request.Messages[0].Parts[0].Call.Input)
	a := l.RestoreResponse(&Response{Choices: []Answer{{Parts: []Part{call(Call{Name: u.Name, Input: `{"query":"y"}`})}}}})
	assert.Equal(t, &Call{Kind: SearchTool, Input: `{"query":"y"}`}, a.Choices[0].Parts[0].Call)
}

func TestWhatTheTargetTakesTravelsAsItIs(t *testing.T) {
	r := &Request{Tools: []Tool{patch(), {Kind: SearchTool}, {Namespace: "ns", Name: "f"}}}
	got := Lower(r, Target{SearchTools: true, Namespaces: true}).Request
	assert.Equal(t, FunctionTool, got.Tools[0].Kind)
	assert.Equal(t, r.Tools[1:], got.Tools[1:])
}

func TestImagesOfResultsFollowInAUserMessage(t *testing.T) {
	r := &Request{Messages: []Message{
		{Role: ToolRole, Parts: []Part{result(Result{CallID: "1", Parts: []Part{NewText("a"), picture()}})}},
		{
			Role:  ToolRole,
			Parts: []Part{result(Result{CallID: "2", Parts: []Part{picture()}}), result(Result{CallID: "3", Parts: []Part{NewText("c")}})},
		},
		{Role: User, Parts: []Part{NewText("go on")}},
		{Role: ToolRole, Parts: []Part{result(Result{CallID: "4", Parts: []Part{picture()}})}},
	}}
	got := Lower(r, Target{}).Request.Messages
	require.Len(t, got, 6)
	assert.Equal(t, []Part{NewText("a")}, got[0].Parts[0].Result.Parts)
	assert.Equal(t, []Part{NewText(movedImage)}, got[1].Parts[0].Result.Parts, "no result is empty")
	assert.Equal(t, []Part{NewText("c")}, got[1].Parts[1].Result.Parts)
	assert.Equal(t, Message{Role: User, Parts: []Part{picture(), picture()}}, got[2])
	assert.Equal(t, r.Messages[2], got[3])
	assert.Equal(t, Message{Role: User, Parts: []Part{picture()}}, got[5])
	assert.Len(t, r.Messages[0].Parts[0].Result.Parts, 2, "the request itself stays")
	assert.Same(t, r, Lower(r, Target{ResultImages: true}).Request)
}
