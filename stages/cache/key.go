package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/payload"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/recall"
)

// key identifies an answer. It is the SHA-256 of everything that the answer depends on.
type key [sha256.Size]byte

// unsaid are the members of a body that do not change the answer, by shape. They are omitted from the key if no answer
// repeats them. The Responses shape repeats all of its members, so only the wish for a stream is omitted there; it is a
// separate part of the key.
//
// stream_options remains, because it affects the events of a stream.
var unsaid = map[string][]string{
	"openai.chat":        {"stream", "user", "metadata", "safety_identifier", "prompt_cache_key", "prompt_cache_retention"},
	"openai.completions": {"stream", "user"},
	"openai.embeddings":  {"user"},
	"openai.responses":   {"stream"},
	"anthropic.messages": {"stream", "metadata"},
}

// telling are the header fields of a request that affect how a provider reads it or answers. They are part of the key.
var telling = []string{"Anthropic-Version", "Anthropic-Beta", "Msgapi-Version", "Msgapi-Beta", "Openai-Beta"}

// work contains the buffers for one key. It is reused.
type work struct {
	canonical canonical
	body      []byte
	hash      hash.Hash
	text      []byte
	edited    recall.Sums
	scan      splice.Scanner
}

// computeKey returns the key of a request as changed by the links before. With a memory, sums replace the long texts: the
// key is only valid in this process, and the history that other stages remember is not hashed again.
func (w *work) computeKey(x *core.Exchange, generation string, h recall.Memory, edited *recall.Part) (k key, err error) {
	body, v := w.body[:0], byte(version)
	if h == nil {
		body, err = x.Request.AppendBody(body)
	} else {
		v = versionDigested
		w.edited = edited.NewSums(x)
		body, err = x.Request.AppendDigested(body, h, &w.edited)
	}
	if err != nil {
		return k, err
	}
	if len(body) > 0 && len(x.Request.Raw) > 0 && &body[0] != &x.Request.Raw[0] {
		w.body = body
	}
	if err := w.canonical.write(body, unsaid[x.Dialect]); err != nil {
		return k, err
	}
	w.hash.Reset()
	w.text = append(w.text[:0], v, chooseForm(x.Head.Stream))
	w.add(generation, x.Principal.Tenant, x.Dialect, x.Head.Model, x.Model(), x.Head.Effort)
	w.text = binary.AppendVarint(w.text, x.TokenCap())
	for _, name := range telling {
		v := x.Request.Header[name]
		w.text = binary.AppendUvarint(w.text, uint64(len(v)))
		w.add(v...)
	}
	if h != nil { // the sums in it are of this hash already; SHA-256 of all of it was 3 % of an agent's turn
		sum := h.Hash(payload.DomainBody, w.canonical.out)
		w.text = append(w.text, sum[:]...)
	}
	_, _ = w.hash.Write(w.text) // a hash accepts any write
	if h == nil {
		_, _ = w.hash.Write(w.canonical.out)
	}
	w.text = w.hash.Sum(w.text[:0])
	copy(k[:], w.text)
	return k, nil
}

// The versions change when the way to compute keys changes.
const (
	version         = 1
	versionTool     = 64
	versionDigested = 128
)

// chooseForm distinguishes whole answers from streams, in keys and in the shared store.
func chooseForm(stream bool) byte {
	if stream {
		return 1
	}
	return 0
}

// add adds texts with their lengths, so that two different lists never look the same.
func (w *work) add(texts ...string) {
	for _, s := range texts {
		w.text = append(binary.AppendUvarint(w.text, uint64(len(s))), s...)
	}
}

// large is the size in bytes above which buffers are not reused.
const large = 256 << 10

// isReusable reports whether the buffers are small enough to be reused.
func (w *work) isReusable() bool {
	return cap(w.body) <= large && cap(w.canonical.out) <= large && cap(w.canonical.moved) <= large
}
