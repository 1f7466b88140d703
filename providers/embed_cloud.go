package providers

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// cloudEmbedder is a family of embedding models that a cloud serves in its own wire format, unlike any other vendor's: the
// provider translates the request to it, and the answer to OpenAI's.
type cloudEmbedder struct {
	names *regexp.Regexp // the models
	most  int            // texts in one call
	// encode returns the vendor's body; dimensions 0: the model's default.
	encode func(model string, texts []string, dimensions int, inputType string) any
	// decode returns the vectors of the vendor's answer, and its input tokens; 0 if not reported.
	decode func(body []byte) (vectors [][]float32, tokens int64, err error)
}

// titanEmbed, cohereEmbed and vertexEmbed are described in
// https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html,
// https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html and
// https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api.
var (
	titanEmbed = &cloudEmbedder{
		names: regexp.MustCompile(`(^|[./])amazon\.titan-embed-text`), most: 1,
		encode: func(_ string, texts []string, dimensions int, _ string) any {
			body := map[string]any{"inputText": texts[0]}
			if dimensions > 0 {
				body["dimensions"] = dimensions
			}
			return body
		},
		decode: func(body []byte) ([][]float32, int64, error) {
			var a struct {
				Embedding []float32
				Tokens    int64 `json:"inputTextTokenCount"`
			}
			err := json.Unmarshal(body, &a)
			return [][]float32{a.Embedding}, a.Tokens, err
		},
	}
	cohereEmbed = &cloudEmbedder{
		names: regexp.MustCompile(`(^|[./])cohere\.embed-`), most: 96,
		encode: func(_ string, texts []string, dimensions int, inputType string) any {
			if inputType == "" {
				inputType = "search_document"
			}
			body := map[string]any{"texts": texts, "input_type": inputType, "embedding_types": []string{"float"}}
			if dimensions > 0 {
				body["output_dimension"] = dimensions
			}
			return body
		},
		decode: func(body []byte) ([][]float32, int64, error) {
			var a struct{ Embeddings json.RawMessage }
			if err := json.Unmarshal(body, &a); err != nil {
				return nil, 0, err
			}
			var byType struct{ Float [][]float32 }
			if json.Unmarshal(a.Embeddings, &byType) == nil {
				return byType.Float, 0, nil
			}
			err := json.Unmarshal(a.Embeddings, &byType.Float)
			return byType.Float, 0, err
		},
	}
	vertexEmbed = &cloudEmbedder{
		names: regexp.MustCompile(`^(text-embedding-|text-multilingual-embedding-|gemini-embedding-)[^/]*$`), most: 250,
		encode: func(_ string, texts []string, dimensions int, _ string) any {
			list := make([]map[string]string, len(texts))
			for i, t := range texts {
				list[i] = map[string]string{"content": t}
			}
			body := map[string]any{"instances": list}
			if dimensions > 0 {
				body["parameters"] = map[string]int{"outputDimensionality": dimensions}
			}
			return body
		},
		decode: func(body []byte) (vectors [][]float32, tokens int64, err error) {
			var a struct {
				Predictions []struct {
					Embeddings struct {
						Values     []float32
						Statistics struct {
							Tokens float64 `json:"token_count"`
						}
					}
				}
			}
			err = json.Unmarshal(body, &a)
			for _, p := range a.Predictions {
				vectors, tokens = append(vectors, p.Embeddings.Values), tokens+int64(p.Embeddings.Statistics.Tokens)
			}
			return vectors, tokens, err
		},
	}
)

// embedNote is a header field that passes the form of an embeddings answer to the client of the call. It is never sent.
const embedNote = "X-Headgate-Embed"

// write replaces OpenAI's body of a call by the vendor's.
func (e *cloudEmbedder) write(x *core.Exchange, r *upstream.Request) error {
	var asked struct {
		Input      json.RawMessage
		Dimensions int
		Format     string `json:"encoding_format"`
		InputType  string `json:"input_type"` // Cohere's own, for clients that know it
	}
	if err := json.Unmarshal(r.Body, &asked); err != nil {
		return err
	}
	var texts []string
	if json.Unmarshal(asked.Input, &texts) != nil {
		texts = make([]string, 1)
		if err := json.Unmarshal(asked.Input, &texts[0]); err != nil {
			return err
		}
	}
	if len(texts) > e.most {
		return &core.Error{
			Kind: core.InvalidRequest, Code: core.CodeUnsupported, Param: "input",
			Public: "the model takes no more than " + strconv.Itoa(e.most) + " of the texts in one request; send fewer at once",
		}
	}
	body, err := json.Marshal(e.encode(x.Target.Model, texts, asked.Dimensions, asked.InputType))
	if err != nil {
		return err
	}
	note := strconv.Itoa(len(texts)) + " " + asked.Format + " " + x.Target.Model
	r.Body, r.Header = body, append(r.Header, upstream.Field{Name: embedNote, Value: note})
	return nil
}

// embedding is a client that turns answers with vectors into OpenAI's form.
type embedding struct {
	upstream.Client
	families []*cloudEmbedder
}

// maxVectors is the longest answer with vectors that is read.
const maxVectors = 64 << 20

// Do makes the call.
func (c *embedding) Do(ctx context.Context, r *upstream.Request) (*upstream.Response, error) {
	note := ""
	for _, f := range r.Header {
		if f.Name == embedNote {
			note = f.Value
		}
	}
	if note == "" {
		return c.Client.Do(ctx, r)
	}
	r.Header = dropField(r.Header, embedNote)
	res, err := c.Client.Do(ctx, r)
	if err != nil || res.Status != 200 {
		return res, err
	}
	defer func() { _ = res.Body.Close() }() // it was read
	body, err := io.ReadAll(io.LimitReader(res.Body, maxVectors))
	if err != nil {
		return nil, &upstream.Error{Phase: upstream.PhaseBody, Err: err}
	}
	answer, err := c.convert(body, note, res.Get("X-Amzn-Bedrock-Input-Token-Count"))
	if err != nil { // the proxy refuses what is not an answer of this API
		answer = mockJSON(res.Status, nil)
	}
	return answer, nil
}

var errNoVectors = errors.New("the answer does not contain a vector for each text")

func (c *embedding) convert(body []byte, note, counted string) (*upstream.Response, error) {
	word, rest, _ := strings.Cut(note, " ")
	format, model, _ := strings.Cut(rest, " ")
	n, err := strconv.Atoi(word)
	if err != nil {
		return nil, err
	}
	for _, e := range c.families {
		if !e.names.MatchString(model) {
			continue
		}
		vectors, tokens, err := e.decode(body)
		if err != nil || len(vectors) != n {
			return nil, errors.Join(errNoVectors, err)
		}
		data := make([]any, n)
		for i, v := range vectors {
			var values any = v
			if len(v) == 0 {
				return nil, errNoVectors
			}
			if format == "base64" {
				values = encodeBase64(v)
			}
			data[i] = map[string]any{"object": "embedding", "index": i, "embedding": values}
		}
		answer := map[string]any{"object": "list", "model": model, "data": data}
		if count, err := strconv.ParseInt(counted, 10, 64); err == nil && tokens == 0 {
			tokens = count
		}
		if tokens > 0 {
			answer["usage"] = map[string]int64{"prompt_tokens": tokens, "total_tokens": tokens}
		}
		return mockJSON(200, answer), nil
	}
	return nil, errNoVectors
}
