package openai

import (
	"errors"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// Embeddings is the embeddings API. It is never translated: client and provider both use
// it.
type Embeddings struct{}

var _ core.Dialect = Embeddings{}

// EmbeddingsName is the name of the embeddings shape.
const EmbeddingsName = "openai.embeddings"

// embeddingModels is the prefix of embedding models.
const embeddingModels = "text-embedding"

// Name returns EmbeddingsName.
func (Embeddings) Name() string { return EmbeddingsName }

// CheckModel rejects a model whose name is not that of an embedding model. model is the routed name, without a
// provider's prefix. Do not call it for models that the catalogue lists.
func (Embeddings) CheckModel(model string) *core.Error {
	if strings.HasPrefix(model, embeddingModels) {
		return nil
	}
	return scan.NewInvalid("model", `the model is not known to create embeddings: its name must start with "`+embeddingModels+
		`" or be one that the gateway's model catalogue lists for embeddings; route such a name to other models with model_override`)
}

// AppendForwardCuts inserts the target's model name. All other bytes stay.
func (Embeddings) AppendForwardCuts(x *core.Exchange, t core.Traits, dst []splice.Cut) ([]splice.Cut, *core.Error) {
	if t.Model != x.Head.Model {
		dst = append(dst, splice.Cut{Span: x.Request.Marks[markModel], With: string(splice.AppendEscaped(nil, t.Model))})
	}
	return dst, nil
}

// ScanResponse validates an answer and reads its usage. It contains no text.
func (Embeddings) ScanResponse(x *core.Exchange) error {
	s, doc := &x.Scanner, x.Response.Raw
	if err := scan.OpenObject(s, doc, errAnswerNotObject); err != nil {
		return err
	}
	for s.Next() {
		if string(s.Key()) != "usage" {
			s.Skip()
			continue
		}
		if u, ok := readUsage(s, doc); ok {
			x.Usage = u
		}
	}
	s.End()
	return s.Err()
}

// ScanEvent fails: embeddings are not streamed.
func (Embeddings) ScanEvent(*core.Exchange, *core.Event) error {
	return errors.New("embeddings are not streamed")
}

// AppendDelta appends nothing: embeddings are not streamed.
func (Embeddings) AppendDelta(dst, _ []byte, _ core.Part, _ string) []byte { return dst }

// AppendEnd appends nothing: embeddings are not streamed.
func (Embeddings) AppendEnd(dst, _, _ []byte, _ *core.Error) []byte { return dst }

// AppendError appends an error body in OpenAI's shape.
func (Embeddings) AppendError(dst []byte, e *core.Error) []byte { return Chat{}.AppendError(dst, e) }

// ReadError returns the code and message of a provider's error body.
func (Embeddings) ReadError(body []byte) (code, message string) { return Chat{}.ReadError(body) }
