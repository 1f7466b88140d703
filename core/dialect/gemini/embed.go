package gemini

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// Embed is the embedContent API, or batchEmbedContents if Batch is set. It is never
// translated: client and provider both use it.
type Embed struct{ Batch bool }

var _ core.Dialect = Embed{}

// Names of the two shapes.
const (
	EmbedName      = "gemini.embed"
	BatchEmbedName = "gemini.batch_embed"
)

// maxBatch limits the texts of one request, as in OpenAI's shape.
const maxBatch = 2048

// embedNotes is what Scan keeps for Forward.
type embedNotes struct {
	models []splice.Span // contents of the model strings in the body, which repeat the path
}

// Name returns EmbedName or BatchEmbedName.
func (d Embed) Name() string {
	if d.Batch {
		return BatchEmbedName
	}
	return EmbedName
}

// CheckModel rejects a model whose name is not that of an embedding model. model is the routed name, without a
// provider's prefix. Do not call it for models that the catalogue lists.
func (Embed) CheckModel(model string) *core.Error {
	if strings.HasPrefix(model, "text-embedding") {
		return nil
	}
	return scan.NewInvalid("model", `the model is not known to create embeddings: its name must start with "text-embedding" or be one that `+
		"the gateway's model catalogue lists for embeddings; route such a name to other models with model_override")
}

// Scan validates a request and finds its texts.
func (d Embed) Scan(x *core.Exchange) *core.Error {
	x.Head.Task = llm.TaskEmbed
	r := embedRequest{newRequest(x), scan.FindNotes[embedNotes](x)}
	r.kept.models = r.kept.models[:0]
	e := r.scanBody(func() {
		if d.Batch {
			r.readBatch()
			return
		}
		r.readRequest(0, "")
	})
	if e != nil {
		e.Param, e.Public = d.replaceTurnNames(e.Param), d.replaceTurnNames(e.Public)
	}
	return e
}

// turnName matches a turn in an error of its scan.
var turnName = regexp.MustCompile(`contents\[([0-9]+)\]`)

// replaceTurnNames renames turns to contents in an error of the scan.
func (d Embed) replaceTurnNames(text string) string {
	if d.Batch {
		return turnName.ReplaceAllString(text, "requests[$1].content")
	}
	return turnName.ReplaceAllString(text, "content")
}

// embedRequest is the state of one scan.
type embedRequest struct {
	request
	kept *embedNotes
}

// readBatch reads the body of batchEmbedContents.
func (r *embedRequest) readBatch() {
	given := false
	o := openObject(r.S)
	for _, ok := o.readField(); ok; _, ok = o.readField() {
		if string(o.key) != "requests" {
			r.readUnknown(zerocopy.String(o.key), core.RoleSystem, core.KindOther, -1, -1)
			continue
		}
		given = true
		if r.S.Kind() != splice.Array {
			r.RejectType("requests", "an array of requests")
			continue
		}
		n := int32(0)
		for l := openList(r.S); l.moveToNext(); n++ {
			at := "requests[" + strconv.Itoa(int(n)) + "]."
			if r.S.Kind() != splice.Object {
				r.RejectType(strings.TrimSuffix(at, "."), "an object")
				continue
			}
			r.readRequest(n, at)
		}
		if n == 0 || n > maxBatch {
			r.Fail(scan.NewInvalid("requests", `"requests" must hold between 1 and `+strconv.Itoa(maxBatch)+" requests"))
		}
	}
	r.rejectRepeated(&o)
	if !given {
		r.Fail(newMissingError("requests"))
	}
}

// readRequest reads one content and its settings. at is its place for errors.
func (r *embedRequest) readRequest(i int32, at string) {
	given := false
	o := openObject(r.S)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		switch {
		case string(o.key) == "content":
			given = true
			r.readTurn(i)
			r.X.Head.Messages++
		case f == fModel && r.S.Kind() == splice.String:
			span, _ := r.S.String()
			r.kept.models = append(r.kept.models, span)
		case f == fModel:
			r.ReadText(at + "model")
		default:
			r.readUnknown(zerocopy.String(o.key), core.RoleSystem, core.KindOther, i, -1)
		}
	}
	r.rejectRepeated(&o)
	if !given {
		r.Fail(newMissingError(at + "content"))
	}
}

// AppendForwardCuts updates the models that the body repeats from the path. All other bytes stay.
func (Embed) AppendForwardCuts(x *core.Exchange, t core.Traits, dst []splice.Cut) ([]splice.Cut, *core.Error) {
	for _, at := range scan.FindNotes[embedNotes](x).models {
		dst = appendModelCut(dst, x.Request.Raw, at, t.Model)
	}
	return dst, nil
}

// ScanResponse validates an answer and reads its usage. It contains no text.
func (Embed) ScanResponse(x *core.Exchange) error {
	s := &x.Scanner
	if err := scan.OpenObject(s, x.Response.Raw, errNoObject); err != nil {
		return err
	}
	for s.Next() {
		if string(s.Key()) != "usageMetadata" {
			s.Skip()
			continue
		}
		if u, ok := readUsage(s, x.Response.Raw); ok {
			x.Usage = u
		}
	}
	s.End()
	return s.Err()
}

// ScanEvent fails: embeddings are not streamed.
func (Embed) ScanEvent(*core.Exchange, *core.Event) error {
	return errors.New("embeddings are not streamed")
}

// AppendDelta appends nothing: embeddings are not streamed.
func (Embed) AppendDelta(dst, _ []byte, _ core.Part, _ string) []byte { return dst }

// AppendEnd appends the error as the body: embeddings are not streamed.
func (d Embed) AppendEnd(dst, _, _ []byte, e *core.Error) []byte { return d.AppendError(dst, e) }

// AppendError appends an error body in Google's shape.
func (Embed) AppendError(dst []byte, e *core.Error) []byte { return Generate{}.AppendError(dst, e) }

// ReadError returns the status name and message of a provider's error body.
func (Embed) ReadError(body []byte) (code, message string) { return Generate{}.ReadError(body) }
