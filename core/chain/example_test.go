package chain_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// hide is a stage that replaces a word in requests and objects to another one.
type hide struct{ word, refuse string }

func (h hide) Check(_ context.Context, x *core.Exchange, _ core.Phase, _ any) (core.Verdict, error) {
	v := core.Verdict{Action: core.Pass}
	for i := range x.Request.Segments {
		text := x.Request.ReadText(i)
		if h.refuse != "" && strings.Contains(text, h.refuse) {
			v.Action = core.Block
			v.Err = &core.Error{Kind: core.ContentFiltered, Code: core.CodeContentFilter, Public: "that word is not allowed"}
			return v, nil
		}
		if at := strings.Index(text, h.word); at >= 0 && h.word != "" {
			v.Action = core.Rewrite
			v.Edits = append(v.Edits, core.Edit{Segment: i, Start: at, End: at + len(h.word), With: "***"})
			v.Findings = append(v.Findings, core.Finding{Label: "WORD", Segment: i, Start: at, End: at + len(h.word)})
		}
	}
	return v, nil
}

// Stream opens a filter for an answer that arrives in pieces.
func (h hide) Stream(context.Context, *core.Exchange, any) (core.StreamFilter, error) {
	return h.filter(), nil
}

func (h hide) filter() core.StreamFilter {
	return filterFunc(func(w core.Window) (core.Verdict, int, error) {
		v := core.Verdict{Action: core.Pass}
		if at := strings.Index(w.Text[w.Sent:], h.word); at >= 0 {
			start := w.Sent + at
			v.Action = core.Rewrite
			v.Edits = []core.Edit{{Start: start, End: start + len(h.word), With: "***"}}
		}
		if w.Last {
			return v, 0, nil
		}
		for n := min(len(h.word)-1, len(w.Text)-w.Sent); n > 0; n-- {
			if strings.HasSuffix(w.Text, h.word[:n]) {
				return v, n, nil // the word may go on in the next event
			}
		}
		return v, 0, nil
	})
}

// request returns an exchange whose request was read by the dialect.
func request(text string) *core.Exchange {
	x := new(core.Exchange)
	x.Request.Raw = []byte(`{"model":"m",  "messages":[{"role":"user","content":"` + text + `"}]}`)
	if e := (openai.Chat{}).Scan(x); e != nil {
		panic(e)
	}
	return x
}

// Links run in order, and each sees the texts as the one before it has left them. The body is
// written once, at the end of the phase.
func ExampleChain_RunRequest() {
	c, err := chain.New([]chain.Link{
		{Name: "names", Stage: hide{word: "Anna"}, Phases: core.NewPhaseSet(core.Request), Mode: chain.Enforce},
		{Name: "verbs", Stage: hide{word: "*** called"}, Phases: core.NewPhaseSet(core.Request), Mode: chain.Enforce},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := request("Anna called")
	d := c.RunRequest(context.Background(), x)
	fmt.Println(d.Action, len(x.Findings))
	fmt.Println(string(x.Request.Raw))
	// Output:
	// pass 2
	// {"model":"m",  "messages":[{"role":"user","content":"***"}]}
}

// A link that blocks ends the phase. Its error is the client's.
func ExampleChain_RunRequest_block() {
	c, err := chain.New([]chain.Link{
		{Name: "words", Stage: hide{refuse: "secret"}, Phases: core.NewPhaseSet(core.Request), Mode: chain.Enforce},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	d := c.RunRequest(context.Background(), request("a secret"))
	fmt.Println(d.Action, d.Link, d.Err.HTTPStatus(), d.Err.Public)
	// Output: block words 400 that word is not allowed
}

// A link in shadow mode is recorded and changes nothing.
func ExampleMode() {
	c, err := chain.New([]chain.Link{
		{Name: "trial", Stage: hide{refuse: "secret"}, Phases: core.NewPhaseSet(core.Request), Mode: chain.Shadow},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := request("a secret")
	d := c.RunRequest(context.Background(), x)
	fmt.Println(d.Action, x.Visits[0].Link, x.Visits[0].Action, x.Visits[0].Shadow)
	// Output: pass trial block true
}

// failing is a stage that is out of order.
type failing struct{}

func (failing) Check(context.Context, *core.Exchange, core.Phase, any) (core.Verdict, error) {
	panic("out of order")
}

// The fault rule of a link says what happens when its stage fails.
func ExampleOnFault() {
	for _, rule := range []chain.OnFault{chain.FaultBlocks, chain.FaultPasses} {
		c, err := chain.New([]chain.Link{
			{Name: "guard", Stage: failing{}, Phases: core.NewPhaseSet(core.Request), Mode: chain.Enforce, OnFault: rule},
		}, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		x := request("hello")
		d := c.RunRequest(context.Background(), x)
		fmt.Println(d.Action, d.Fault, x.Visits[0].Fault)
	}
	// Output:
	// block true panic
	// pass false panic
}

// A Filter narrows a link to some tenants, keys, models or dialects.
func ExampleFilter_Matches() {
	f := chain.Filter{Tenants: []string{"acme", "beta-*"}, Models: []string{"gpt-*"}}
	x := &core.Exchange{Principal: &core.Principal{Tenant: "beta-2"}, Head: core.Head{Model: "gpt-4o"}}
	fmt.Println(f.Matches(x))
	x.Head.Model = "claude-sonnet"
	fmt.Println(f.Matches(x))
	// Output:
	// true
	// false
}

// A stream passes text on as soon as every link has cleared it. The word is cut into two
// events here, so its beginning waits for its end.
func ExampleChain_Stream() {
	ctx := context.Background()
	c, err := chain.New([]chain.Link{
		{Name: "names", Stage: hide{word: "Anna"}, Phases: core.NewPhaseSet(core.Response), Mode: chain.Enforce},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := request("who called?")
	c.RunRequest(ctx, x)
	s, e := c.Stream(ctx, x, openai.Chat{})
	if e != nil {
		fmt.Println(e)
		return
	}
	defer s.Close(ctx)
	for _, piece := range []string{"It was An", "na again"} {
		var ev core.Event
		ev.Reset([]byte(`data: {"choices":[{"index":0,"delta":{"content":"` + piece + `"}}]}` + "\n\n"))
		if err := (openai.Chat{}).ScanEvent(x, &ev); err != nil {
			fmt.Println(err)
			return
		}
		out, e := s.RunEvent(ctx, &ev, nil)
		if e != nil {
			fmt.Println(e)
			return
		}
		fmt.Println(strings.TrimSpace(string(out)))
	}
	// Output:
	// data: {"choices":[{"index":0,"delta":{"content":"It was "}}]}
	// data: {"choices":[{"index":0,"delta":{"content":"*** again"}}]}
}
