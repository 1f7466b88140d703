package openai

import (
	"errors"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// Compact is the operation of the Responses API that shortens a conversation: the answer repeats the user's messages and
// adds an item that only the provider can read. It is never translated.
type Compact struct{ Responses }

var _ core.Dialect = Compact{}

// CompactName is the name of the shape.
const CompactName = "openai.responses_compact"

// Bounds of what a provider writes to shorten a conversation. The API has no limit of its own: an item of a short
// conversation is longer than the conversation, and that of a long one is much shorter.
const (
	minCompacted = 4 << 10
	maxCompacted = 32 << 10
)

// Name returns CompactName.
func (Compact) Name() string { return CompactName }

// Scan validates a request as that of an answer, and refuses a stream, which the API does not have. Links for the
// Responses shape apply.
func (Compact) Scan(x *core.Exchange) *core.Error {
	if e := (Responses{}).Scan(x); e != nil {
		return e
	}
	if x.Head.Stream {
		return scan.NewUnsupportedError("stream", `"stream" is not supported here: a compacted conversation is sent as a whole; leave it out`)
	}
	x.RelatedDialect, x.Head.Task = ResponsesName, llm.TaskCompact
	x.Head.MaxUsage.Output = min(max(int64(len(x.Request.Raw)), minCompacted), maxCompacted)
	return nil
}

// AppendForwardCuts inserts the target's model name. All other bytes stay: the API has neither a limit of tokens nor
// store.
func (Compact) AppendForwardCuts(x *core.Exchange, t core.Traits, dst []splice.Cut) ([]splice.Cut, *core.Error) {
	if t.Model != x.Head.Model {
		dst = append(dst, splice.Cut{Span: x.Request.Marks[markModel], With: string(splice.AppendEscaped(nil, t.Model))})
	}
	return dst, nil
}

// ScanEvent fails: a compacted conversation is not streamed.
func (Compact) ScanEvent(*core.Exchange, *core.Event) error {
	return errors.New("compacted conversations are not streamed")
}
