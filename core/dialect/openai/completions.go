package openai

import (
	"errors"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/wire"
)

// Completions is the legacy completions API, for clients only. Each prompt goes to a
// chat model as a user message.
type Completions struct{}

var _ wire.Batcher = Completions{}

// CompletionsName is the name of the legacy completions shape.
const CompletionsName = "openai.completions"

// completionsObject is the "object" of an answer and of its chunks.
const completionsObject = "text_completion"

// Name returns CompletionsName.
func (Completions) Name() string { return CompletionsName }

// AppendForwardCuts fails: legacy completions are always translated.
func (Completions) AppendForwardCuts(_ *core.Exchange, _ core.Traits, dst []splice.Cut) ([]splice.Cut, *core.Error) {
	return dst, core.ConvertError(errors.New("legacy completions are always translated"))
}

// AppendError appends an error body in OpenAI's shape.
func (Completions) AppendError(dst []byte, e *core.Error) []byte { return Chat{}.AppendError(dst, e) }

// ReadError finds code and message in an error body of OpenAI's shape.
func (Completions) ReadError(body []byte) (code, message string) { return Chat{}.ReadError(body) }
