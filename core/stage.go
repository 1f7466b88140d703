package core

import (
	"context"
)

// Stage is one guard of the chain. Check judges the exchange in phase p and returns a verdict. It may read x, but must
// not modify or retain x or any of its texts: both are reused after the exchange. kept is the Keep of the stage's last
// verdict for this exchange.
//
// An error means that the stage failed, not that it objects. Many goroutines call a stage concurrently, for different
// exchanges.
type Stage interface {
	Check(ctx context.Context, x *Exchange, p Phase, kept any) (Verdict, error)
}

// StreamStage is a stage that can judge an answer while it streams. A stage with a response phase that is not a
// StreamStage cannot guard streams, and the chain treats a stream as its fault.
type StreamStage interface {
	Stage
	// Stream opens a filter for one answer. A nil filter lets it pass unseen.
	Stream(ctx context.Context, x *Exchange, kept any) (StreamFilter, error)
}

// ConditionalStage is a stage that may have nothing to do for an exchange. The chain calls Applies once, before any phase. If
// it returns false, the chain continues without the link: an answer that no other link judges is copied through. It
// must be quick.
type ConditionalStage interface {
	Stage
	Applies(x *Exchange) bool
}

// StreamFilter judges text while it arrives. It is used by one goroutine.
type StreamFilter interface {
	// Check judges the window. hold is the number of bytes at the end of w.Text that must wait for more text; the next
	// window repeats them. Edits of the verdict have offsets in w.Text, lie in [w.Sent, len(w.Text)-hold) and leave
	// Segment at 0. If w.Last is set, no text follows and hold must be 0. Every way of cutting a text into windows must
	// have the same result. A Header of the verdict has an effect only until a part of the answer was sent.
	Check(ctx context.Context, w Window) (v Verdict, hold int, err error)
	// Close is called once, even if the stream was cut off.
	Close(ctx context.Context) error
}

// Withholder is a StreamFilter that judges an answer as a whole: nothing of the stream is sent before its end, so that
// a late objection is an HTTP status and a Retry can be carried out. It may clear text as it arrives, or hold back up
// to 8 MiB of one text.
type Withholder interface {
	StreamFilter
	// Withholds reports whether this answer must wait.
	Withholds() bool
}

// Window is what a filter sees of a part's text: some text that was already
// sent, for context, then what was held, then what is new.
type Window struct {
	Part Part
	Text string // valid during the call only: another stream may use its memory afterwards
	Sent int    // where text that can still be edited begins
	New  int    // where unseen text begins
	Last bool   // the part ends here
	// Found holds, in order, the findings of earlier links in the text that can still be edited, for an Informed
	// filter. Offsets are those of Text after the edits of these links. One that ends behind Text continues in text
	// that has not arrived. One without length was found too late: its text was sent, or its link does not know its
	// place.
	Found []Finding
}

// FindingsReader is a StreamFilter that receives what the links before it have found in its window.
type FindingsReader interface {
	StreamFilter
	// Inform is called once, before the first window. late is true if a link before it may find something in text
	// that it has already released.
	Inform(late bool)
}

// LateFinder is a StreamFilter that may find something in text that it has already released, because it holds none
// back. Findings that cannot be redacted do not count: their labels are not types of placeholders.
type LateFinder interface {
	StreamFilter
	FindsLate() bool
}

// Ender is a StreamFilter that judges once more when the whole answer has arrived, with its finish reason if known. Its
// verdict is a Pass or a Block; a Block cannot take back text that was not withheld.
type Ender interface {
	StreamFilter
	End(ctx context.Context) (Verdict, error)
}

// Part names one run of streamed text: a choice's content, or the arguments of
// one of its tool calls.
type Part struct {
	Kind   SegmentKind
	Choice int32
	Index  int32 // of the tool call or content part
	Form   uint8 // set by the dialect: the field that holds the text, if a kind has several
}

// Tapper is a stage that reads a streamed answer event by event, not its text: a cache. It opens a tap instead of a
// filter.
type Tapper interface {
	Stage
	// Tap opens a tap for one answer. A nil tap lets it pass unseen. If the answer is requested again, another tap is
	// opened for the next one.
	Tap(ctx context.Context, x *Exchange, kept any) (Tap, error)
}

// Tap reads the events of one answer at its place in the chain: after the links behind it, and before the links in
// front of it. The exchange's Outcome says whether the answer was complete. One goroutine uses it.
type Tap interface {
	// AddEvent receives one whole event. raw is valid only during the call.
	AddEvent(raw []byte)
}

// Finisher is a stage that learns how an exchange ended. Finish is called once for each exchange in which the stage was
// called, on every path: blocked, failed, cut off or completed. ctx outlives the client.
type Finisher interface {
	Finish(ctx context.Context, x *Exchange, kept any)
}

// Closer is a stage that holds resources. Close is called when the last
// exchange that could use the stage has ended.
type Closer interface {
	Close(ctx context.Context) error
}

// Tokens creates reversible placeholders and resolves them. The exchange's principal determines who may read a value.
type Tokens interface {
	// Mint returns the placeholder of a value. The same tenant, type and value have the same placeholder. One minted in
	// a request is bound to the caller; one minted in an answer is not: a value that was redacted in an answer must not
	// be restored in a later one.
	Mint(ctx context.Context, x *Exchange, p Phase, typ, value string) (token string, err error)
	// Resolve returns the value of a placeholder, if it was minted in this exchange or is bound to the caller.
	Resolve(ctx context.Context, x *Exchange, token string) (value string, ok bool, err error)
}

// Settings is a stage's own block of the configuration. Decode is strict: a key that into lacks is an error that names
// the file and the line.
type Settings interface {
	Decode(into any) error
}

// ModelChecker is a stage that can decide without the request whether a principal may use a model, as for the lines of
// a batch.
type ModelChecker interface {
	// CheckModel receives the model's name as the client spells it, and its target. Its error is sent to the client.
	CheckModel(ctx context.Context, p *Principal, model string, t TargetRef) *Error
}
