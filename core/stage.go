package core

import (
	"context"
)

// Stage is one guard of the chain. Check looks at the exchange in phase p and
// answers with a verdict; it may read x, and must neither change nor keep it,
// nor any text of it: both are reused when the exchange has ended. kept is what
// the stage's last verdict for this exchange asked to keep.
//
// An error says that the stage failed, not that it objects. A stage is called
// from many goroutines, for different exchanges, at once.
type Stage interface {
	Check(ctx context.Context, x *Exchange, p Phase, kept any) (Verdict, error)
}

// StreamStage is a stage that can look at an answer while it streams. A stage
// with a response phase that is not a StreamStage cannot guard streams, and the
// chain treats a stream as its fault.
type StreamStage interface {
	Stage
	// Stream opens a filter for one answer. A nil filter lets it pass unseen.
	Stream(ctx context.Context, x *Exchange, kept any) (StreamFilter, error)
}

// Selective is a stage that may have nothing to do for an exchange. Applies is asked once, before any phase, and when
// it is false the chain continues without the link: an answer that no other link judges is copied through. It must be
// quick.
type Selective interface {
	Stage
	Applies(x *Exchange) bool
}

// StreamFilter judges text while it arrives. It is used by one goroutine.
type StreamFilter interface {
	// Check looks at the window. hold is the number of bytes at the end of
	// w.Text that must wait for more text; they are shown again. Edits of the
	// verdict have offsets in w.Text, lie in [w.Sent, len(w.Text)-hold) and
	// leave Segment at 0. When w.Last is set nothing more comes and hold must
	// be 0. Any way of cutting a text into windows must give the same result. A
	// Header of the verdict is of use until something of the answer was sent.
	Check(ctx context.Context, w Window) (v Verdict, hold int, err error)
	// Close is called once, also when the stream was cut.
	Close(ctx context.Context) error
}

// Withholder is a StreamFilter that judges an answer as a whole: nothing of the
// stream is sent before its end, so that a late objection is an HTTP status and a
// Retry can be carried out. It may clear text as it comes, or hold as much as 8 MiB of
// one text.
type Withholder interface {
	StreamFilter
	// Withholds reports whether this answer is to wait.
	Withholds() bool
}

// Window is what a filter sees of a part's text: some text that was already
// sent, for context, then what was held, then what is new.
type Window struct {
	Part Part
	Text string
	Sent int  // where text that can still be edited begins
	New  int  // where unseen text begins
	Last bool // the part ends here
	// Found is what links that looked at the answer before have found in the text that can still be edited, in order,
	// for an Informed filter. Offsets are those of Text, as these links have left it. One that ends behind Text
	// continues in text that has not arrived. One without length was found too late: its text was sent, or its link
	// does not know its place.
	Found []Finding
}

// Informed is a StreamFilter that wants to be told what the links before it have
// found in its window.
type Informed interface {
	StreamFilter
	// Informed is called once, before the first window. late is true when a link
	// before it may find something in text that it has let go.
	Informed(late bool)
}

// LateFinder is a StreamFilter that may find something in text that it has let go,
// because it holds none back. What no link could take out does not count: its label is
// no type of a placeholder.
type LateFinder interface {
	StreamFilter
	FindsLate() bool
}

// Ender is a StreamFilter that has a last word when the whole answer has come and
// its finish reason is known, as far as it ever is. Its verdict is a Pass, or a Block:
// of what was not withheld, that takes nothing back.
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
	Form   uint8 // the dialect's own: which of its fields the text is in, where one kind has several
}

// Tapper is a stage that looks at a streamed answer event by event, not at its
// text: a cache. It is asked for a tap in place of a filter.
type Tapper interface {
	Stage
	// Tap opens a tap for one answer. A nil tap lets it pass unseen. When the answer
	// is asked for again there is another tap for the next one.
	Tap(ctx context.Context, x *Exchange, kept any) (Tap, error)
}

// Tap sees the events of one answer as they leave its place of the chain: as the
// links behind it have made them, and before the links that stand in front of it.
// Whether the answer came to its end, the exchange's Outcome tells. It is used by
// one goroutine.
type Tap interface {
	// Event sees one whole event, which is valid during the call.
	Event(raw []byte)
}

// Finisher is a stage that wants to know how an exchange ended. Finish is
// called once for each exchange in which the stage was asked, on every path:
// blocked, failed, cut or completed. ctx outlives the client.
type Finisher interface {
	Finish(ctx context.Context, x *Exchange, kept any)
}

// Closer is a stage that holds resources. Close is called when the last
// exchange that could use the stage has ended.
type Closer interface {
	Close(ctx context.Context) error
}

// Tokens makes reversible placeholders and turns them back. Who may read a
// value back follows from the exchange's principal.
type Tokens interface {
	// Mint gives the placeholder of a value. The same tenant, type and value give the same placeholder. One minted in a
	// request is bound to the caller; one minted in an answer is not: a value that was redacted in an answer must not
	// be restored in a later one.
	Mint(ctx context.Context, x *Exchange, p Phase, typ, value string) (token string, err error)
	// Resolve gives the value of a placeholder, if it was minted in this
	// exchange or is bound to the caller.
	Resolve(ctx context.Context, x *Exchange, token string) (value string, ok bool, err error)
}

// Settings is a stage's own block of the configuration. Decode is strict: a key
// that into does not know is an error that names the file and the line.
type Settings interface {
	Decode(into any) error
}

// ModelChecker is a stage that can say whether a principal may use a model
// without seeing the request: the lines of a batch are asked about so.
type ModelChecker interface {
	// CheckModel is asked with the model's name as the client spells it, and where
	// it is sent. The error is the client's.
	CheckModel(ctx context.Context, p *Principal, model string, t TargetRef) *Error
}
