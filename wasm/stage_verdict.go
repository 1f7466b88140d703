package wasm

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/placeholder"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// finishVerdict completes the verdict with the guest's results.
func (c *talk) finishVerdict(v core.Verdict) (core.Verdict, error) {
	v.Findings, v.Header = c.findings, c.header
	c.applyAlternative()
	switch {
	case c.decided == core.Block:
		v.Action, v.Err = core.Block, c.refusal
	case c.decided == core.Retry:
		v.Action, v.Append, v.Err = core.Retry, c.more.messages, c.newRefusal("", "", 0, false)
	case c.decided == core.Answer:
		reply, err := c.makeReply()
		if err != nil {
			return v, err
		}
		v.Action, v.Reply = core.Answer, reply
	case len(c.edits) > 0 || c.patch != core.Patch{}:
		v.Action, v.Edits, v.Patch = core.Rewrite, c.edits, c.patch
	}
	return v, nil
}

// setAction records that the guest has decided. A guest decides at most once, in a phase that allows such a verdict.
func (c *talk) setAction(a core.Action) {
	if c.decided != 0 {
		endWithBreach("it decided twice: call only one of deny, respond, respond_body and retry")
	}
	c.decided = a
}

// codes maps the codes of deny to kinds of refusals.
var codes = map[string]core.Kind{
	abi.CodeContentFilter: core.ContentFiltered, abi.CodeInvalidValue: core.InvalidRequest, abi.CodePolicyDenied: core.Forbidden,
	abi.CodeRateLimit: core.RateLimited, abi.CodeQuota: core.RateLimited, abi.CodeOverloaded: core.Unavailable,
}

func handleDeny(c *talk, i *instance, stack []uint64) {
	c.charge(i, 0)
	if c.phase == abi.PhaseFinish {
		endWithBreach("it denied an exchange that has ended")
	}
	code, message := readBytes(i, stack[0], stack[1]), readBytes(i, stack[2], stack[3])
	retry := time.Duration(uint32(stack[4])&^abi.NoRetry) * time.Millisecond
	c.setAction(core.Block)
	if _, ok := codes[string(code)]; len(code) > 0 && !ok && (len(code) > abi.MaxCode || !plainCode(code)) {
		endWithBreach("it denied with a code that is not of small letters, digits and underscores")
	}
	c.refusal = c.newRefusal(string(code), string(message[:min(len(message), abi.MaxMessage)]), retry, uint32(stack[4])&abi.NoRetry != 0)
}

// newRefusal returns the error for the client. An empty code is that of content filters. An empty message is the reason
// of the rule that was reported last, or a default. never says that the same request can never pass.
func (c *talk) newRefusal(code, message string, retry time.Duration, never bool) *core.Error {
	e := &core.Error{Kind: core.ContentFiltered, Code: core.CodeContentFilter, RetryAfter: retry}
	if code != "" {
		e.Code = code
		if kind, ok := codes[code]; ok {
			e.Kind = kind
		}
	}
	e.NoRetry = e.Code == core.CodeQuota || never
	if e.Public = strings.TrimSpace(stripControls(message, abi.MaxMessage)); e.Public == "" {
		e.Public = c.more.reason
	}
	if e.Public == "" {
		what := "this request"
		if c.phase >= abi.PhaseResponse {
			what = "the answer"
		}
		e.Public = fmt.Sprintf("the guard %q does not let %s pass", c.s.link, what)
	}
	return e
}

// makeReply returns the reply of respond or respond_body.
func (c *talk) makeReply() (*core.Payload, error) {
	if len(c.more.body) > 0 {
		reply, err := c.s.services.Reply(c.x, c.more.body)
		if err != nil {
			return nil, c.s.v.newABIFault("it responds with a body: %s", err)
		}
		return reply, nil
	}
	reply, err := c.s.answer(c.x, c.reply)
	if err != nil {
		return nil, c.s.v.newABIFault("it responds with a text: %s", err)
	}
	return reply, nil
}

func plainCode(code []byte) bool {
	return !slices.ContainsFunc(code, func(b byte) bool { return !('a' <= b && b <= 'z' || '0' <= b && b <= '9' || b == '_') })
}

func handleRespond(c *talk, i *instance, stack []uint64) {
	switch {
	case c.phase != abi.PhaseRequest:
		endWithBreach("it responded in a phase other than the request's")
	case uint32(stack[1]) > abi.MaxAnswer:
		endWithBreach("it responded with more than it may")
	}
	text := readBytes(i, stack[0], stack[1])
	c.charge(i, len(text))
	switch {
	case !utf8.Valid(text):
		endWithBreach("it responded with a text that is not UTF-8")
	case c.s.answer == nil:
		endWithBreach("it responded where nothing can make an answer of a text")
	}
	c.setAction(core.Answer)
	c.reply = string(text)
}

func handleEdit(c *talk, i *instance, stack []uint64) {
	with := readBytes(i, stack[3], stack[4])
	c.charge(i, len(with))
	if !utf8.Valid(with) {
		endWithBreach("an edit puts in a text that is not UTF-8")
	}
	c.addEdit(stack, core.Edit{With: string(with)})
}

func handleRedact(c *talk, i *instance, stack []uint64) {
	typ := readBytes(i, stack[3], stack[4])
	c.charge(i, len(typ))
	switch {
	case len(typ) > abi.MaxKeyLen || !placeholder.IsValidType(string(typ)):
		endWithBreach("a placeholder's type is not of capitals, digits and underscores, or is too long")
	case uint32(stack[1]) == uint32(stack[2]):
		endWithBreach("it redacted nothing: a placeholder stands for a text")
	}
	c.addEdit(stack, core.Edit{Type: string(typ)})
}

// addEdit adds an edit of [start, end) of a segment.
func (c *talk) addEdit(stack []uint64, e core.Edit) {
	if c.phase > abi.PhaseResponse {
		endWithBreach("it edited in a phase in which texts cannot be changed any more")
	}
	k, text := c.findSegment(stack[0])
	start, end := int(uint32(stack[1])), int(uint32(stack[2]))
	switch {
	case start > end || end > len(text):
		endWithBreach("it edited outside of a segment's text")
	case !isBoundary(text, start) || !isBoundary(text, end):
		endWithBreach("an edit begins or ends inside a character")
	case len(c.edits) == abi.MaxEdits || c.with+len(e.With) > abi.MaxWith:
		endWithBreach("it makes more edits than it may, or puts in too much")
	}
	c.with += len(e.With)
	e.Segment, e.Start, e.End = k, start, end
	at, free := c.findRoom(&e)
	if !free {
		endWithBreach("two of its edits overlap")
	}
	c.edits = slices.Insert(c.edits, at, e)
}

// findRoom returns the index at which an edit keeps the order of the others, and whether it overlaps none of them.
func (c *talk) findRoom(e *core.Edit) (at int, free bool) {
	at, _ = slices.BinarySearchFunc(c.edits, *e, func(a, e core.Edit) int {
		// Equal edits sort before the new one, so that insertions keep their order.
		return cmp.Or(cmp.Compare(a.Segment, e.Segment), cmp.Compare(a.Start, e.Start), cmp.Compare(a.End, e.End), -1)
	})
	free = (at == 0 || c.edits[at-1].Segment != e.Segment || c.edits[at-1].End <= e.Start) &&
		(at == len(c.edits) || c.edits[at].Segment != e.Segment || c.edits[at].Start >= e.End)
	return at, free
}

func handleSetModel(c *talk, i *instance, stack []uint64) {
	name := readBytes(i, stack[0], stack[1])
	c.requirePatch(i)
	if len(name) == 0 || len(name) > abi.MaxModel || !utf8.Valid(name) || stripControls(string(name), abi.MaxModel) != string(name) {
		endWithBreach("the name of a model is empty, too long, or no plain text")
	}
	c.patch.Model = foreign.FindPatchedModel(c.x, string(name))
}

func handleCapTokens(c *talk, i *instance, stack []uint64) {
	c.charge(i, 0)
	if c.phase > abi.PhaseTarget {
		endWithBreach("it limited the answer in a phase in which nothing is sent any more")
	}
	n := int64(stack[0])
	if n < 1 {
		endWithBreach("it caps the answer at less than one token")
	}
	if c.patch.MaxTokens == 0 || n < c.patch.MaxTokens {
		c.patch.MaxTokens = n
	}
}

// requirePatch ends a call that would change a part that was already sent.
func (c *talk) requirePatch(i *instance) {
	c.charge(i, 0)
	if c.phase != abi.PhaseRequest {
		endWithBreach("it changed the call in a phase other than the request's")
	}
}

func handleAnnotate(c *talk, i *instance, stack []uint64) {
	key, value := readBytes(i, stack[0], stack[1]), readBytes(i, stack[2], stack[3])
	c.charge(i, 0)
	switch {
	case c.phase == abi.PhaseFinish:
		endWithBreach("it annotated an exchange that has ended")
	case len(key) == 0 || len(key) > abi.MaxKeyLen || len(value) > abi.MaxAnnotation:
		endWithBreach("an annotation has no key, or a key or a value that is too long")
	case len(c.findings)+len(c.header) == abi.MaxAnnotations:
		endWithBreach("it makes more annotations than it may")
	}
	if key[0] == 'x' && len(key) > 1 && key[1] == '-' || string(key) == "age" {
		c.header = append(c.header, c.buildHeaderField(key, value))
		return
	}
	k := slices.Index(c.s.v.Manifest.Labels, string(key))
	if k < 0 {
		endWithBreach("it annotated with a key that is neither a header's name nor a label of its manifest")
	}
	f := core.Finding{Label: c.s.v.Manifest.Labels[k], Kind: core.FoundDetector, Score: 1} // without a position
	if len(value) > 0 {
		score, err := strconv.ParseFloat(string(value), 32)
		if err != nil || !(score >= 0 && score <= 1) {
			endWithBreach("a label's value is not a number between 0 and 1")
		}
		f.Score = float32(score)
	}
	c.findings = append(c.findings, f)
}

func (c *talk) buildHeaderField(key, value []byte) core.Field {
	if c.phase == abi.PhaseStreamEnd {
		endWithBreach("it set a header when the answer had been sent")
	}
	for _, b := range key {
		if !('a' <= b && b <= 'z' || '0' <= b && b <= '9' || b == '-') {
			endWithBreach("the name of a header is not of small letters, digits and dashes")
		}
	}
	name := string(key)
	if foreign.IsGatewayHeader(name) {
		endWithBreach("it set a header that the gateway itself sets")
	}
	for _, b := range value {
		if b < ' ' || b > '~' {
			endWithBreach("the value of a header is not printable ASCII")
		}
	}
	return core.Field{Name: http.CanonicalHeaderKey(name), Value: string(value)}
}
