package providers

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/bedrock"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// bedrockVersion is the version of the Messages API on Bedrock. It goes into the body.
const bedrockVersion = "bedrock-2023-05-31"

// Models of Anthropic and OpenAI by their ids, by the inference profile of a region, or by an ARN that names either. An
// application's inference profile does not tell whose model it is, so it is called through Converse.
var (
	ofAnthropic = regexp.MustCompile(`(^|[./])anthropic\.`)
	ofOpenAI    = regexp.MustCompile(`(^|[./])openai\.`)
)

func pickBedrockWire(shape, model string) string {
	switch {
	case shape == anthropicMessages && ofAnthropic.MatchString(model), shape == openAIChat && ofOpenAI.MatchString(model):
		return shape
	case shape == openAIEmbeddings && (titanEmbed.names.MatchString(model) || cohereEmbed.names.MatchString(model)):
		return shape
	}
	return pickWire(shape, []string{bedrockConverse})
}

// betas is the header field in which clients of the Messages API ask for what is not final yet.
var betas = forwardedHeader{name: "Anthropic-Beta", aliases: []string{"Msgapi-Beta"}, list: true}

// adaptBedrock moves out of a Messages body what Bedrock reads in the path, and into it what others read in the header.
func adaptBedrock(p *hosted, x *core.Exchange, r *upstream.Request) (err error) {
	switch x.Target.Wire {
	case anthropicMessages:
	case openAIEmbeddings:
		if cohereEmbed.names.MatchString(x.Target.Model) {
			return cohereEmbed.write(x, r)
		}
		return titanEmbed.write(x, r)
	default:
		return nil
	}
	drop := []string{"model", "stream"}
	add := []member{{"anthropic_version", `"` + bedrockVersion + `"`}}
	asked := betas.readValue(x.Request.Header)
	if i := slices.IndexFunc(p.s.Header, func(f upstream.Field) bool { return strings.EqualFold(f.Name, betas.name) }); i >= 0 {
		asked = p.s.Header[i].Value // the operator's setting takes precedence
		r.Header = dropField(r.Header, betas.name)
		drop = append(drop, "anthropic_beta")
	}
	if asked != "" {
		list := strings.FieldsFunc(asked, func(c rune) bool { return c == ',' || c == ' ' })
		if text, err := json.Marshal(list); err == nil && len(list) > 0 {
			add = append(add, member{"anthropic_beta", string(text)})
		}
	}
	r.Body, err = rewriteMembers(r.Body, drop, add...)
	return err
}

// invokeClient is a client that hands over the stream of an invoked model as the server-sent events that it holds.
type invokeClient struct{ upstream.Client }

const invokedStream = "/invoke-with-response-stream"

// Do makes the call.
func (c *invokeClient) Do(ctx context.Context, r *upstream.Request) (*upstream.Response, error) {
	res, err := c.Client.Do(ctx, r)
	if err != nil || res.Status != 200 || !strings.HasSuffix(r.URL.Path, invokedStream) ||
		!strings.HasPrefix(res.Get("Content-Type"), bedrock.StreamType) {
		return res, err
	}
	res.Header = append(dropField(slices.Clone(res.Header), "Content-Type"), upstream.Field{Name: "Content-Type", Value: "text/event-stream"})
	res.ContentLength, res.Body = -1, &unframedBody{Body: res.Body}
	return res, nil
}

// unframedBody is the body of such a stream.
type unframedBody struct {
	upstream.Body
	stream  bedrock.InvokeStream
	in, out []byte
	at      int
	err     error
}

// frameRead is how much is read at once.
const frameRead = 16 << 10

// Read returns events as soon as their frames are whole.
func (b *unframedBody) Read(p []byte) (int, error) {
	for b.at == len(b.out) && b.err == nil {
		if b.in == nil {
			b.in = make([]byte, frameRead)
		}
		n, err := b.Body.Read(b.in)
		b.out, b.at = b.out[:0], 0
		b.out, b.err = b.stream.Append(b.out, b.in[:n])
		if b.err == nil {
			b.err = err
		}
	}
	n := copy(p, b.out[b.at:])
	b.at += n
	if n > 0 || len(p) == 0 {
		return n, nil
	}
	return 0, b.err
}

// Buffered returns how many bytes the next Read returns without waiting.
func (b *unframedBody) Buffered() int { return len(b.out) - b.at }
