package clients

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"math"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"google.golang.org/genai"
)

// answers plays one body for one path.
func answers(t *testing.T, path, body string) func(*received) (string, []byte) {
	return func(r *received) (string, []byte) {
		assert.Equal(t, path, r.path)
		return "application/json", []byte(body)
	}
}

func TestAnthropicsClientCountsTokens(t *testing.T) {
	s := newScripted(t)
	addr := serveWith(t, everyProvider+personal, s.URL)
	for _, root := range []string{"/", "/anthropic"} {
		c, _ := anthropics(addr, root)
		count := func(model string) int64 {
			r, err := c.Messages.CountTokens(context.Background(), anthropic.MessageCountTokensParams{
				Model: model, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(prompt))},
			})
			require.NoError(t, err, model)
			return r.InputTokens
		}
		s.answer(answers(t, "/anthropic/v1/messages/count_tokens", `{"input_tokens":2095}`))
		assert.EqualValues(t, 2095, count("claude-sonnet-4-5"))
		assert.NotContains(t, string(s.take(t).body), card)
		s.answer(func(*received) (string, []byte) {
			assert.Fail(t, "a model was called to count")
			return "", nil
		})
		for _, x := range targets {
			if x.dir != "anthropic" {
				assert.Positive(t, count(x.model), x.model)
			}
		}
	}
}

func TestGooglesClientCountsTokens(t *testing.T) {
	s := newScripted(t)
	addr := serveWith(t, everyProvider+personal, s.URL)
	for _, root := range []string{"/v1/gen", "/"} {
		c, _ := googles(t, addr, root)
		count := func(model string) int32 {
			r, err := c.Models.CountTokens(context.Background(), model, genai.Text(prompt), nil)
			require.NoError(t, err, model)
			return r.TotalTokens
		}
		s.answer(
			answers(
				t,
				"/gemini/v1beta/models/gemini-2.5-pro:countTokens",
				`{"totalTokens":31,"promptTokensDetails":[{"modality":"TEXT","tokenCount":31}]}`,
			),
		)
		assert.EqualValues(t, 31, count("gemini-2.5-pro"))
		assert.NotContains(t, string(s.take(t).body), card)
		s.answer(func(*received) (string, []byte) {
			assert.Fail(t, "a model was called to count")
			return "", nil
		})
		for _, x := range targets {
			if x.dir != "gemini" {
				assert.Positive(t, count(x.model), x.model)
			}
		}
	}
}

func TestEachClientListsModels(t *testing.T) {
	s := newScripted(t)
	addr := serveWith(t, everyProvider, s.URL)
	s.answer(func(*received) (string, []byte) { return "", nil })
	ctx := context.Background()

	o, _ := official(addr, gatewayKey)
	var names []string
	for list := o.Models.ListAutoPaging(ctx); list.Next(); {
		m := list.Current()
		names = append(names, m.ID)
		assert.EqualValues(t, "model", m.Object)
		assert.NotEmpty(t, m.OwnedBy)
	}
	assert.Subset(t, names, []string{"gpt-4o", "grok-4", "claude-sonnet-4-5", "gemini-2.5-pro", "llama3.2", "mock-echo"})

	for _, root := range []string{"/", "/anthropic"} {
		names = nil
		a, _ := anthropics(addr, root)
		list := a.Models.ListAutoPaging(ctx, anthropic.ModelListParams{})
		for list.Next() {
			m := list.Current()
			names = append(names, m.ID)
			assert.EqualValues(t, "model", m.Type)
			assert.NotEmpty(t, m.DisplayName)
		}
		require.NoError(t, list.Err())
		assert.Equal(t, []string{"claude-sonnet-4-5"}, names, root)
	}
	for _, root := range []string{"/v1/gen", "/"} {
		names = nil
		g, _ := googles(t, addr, root)
		for m, err := range g.Models.All(ctx) {
			require.NoError(t, err)
			names = append(names, m.Name)
		}
		assert.Contains(t, names, "models/gemini-2.5-pro", root)
	}
}

// vector is 0.5, -0.25 and 1 as providers send them when base64 is asked for.
func vector() string {
	var b []byte
	for _, f := range []float32{0.5, -0.25, 1} {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return base64.StdEncoding.EncodeToString(b)
}

func TestOpenAIsClientEmbeds(t *testing.T) {
	s := newScripted(t)
	c, _ := official(serveWith(t, everyProvider+personal, s.URL), gatewayKey)
	s.answer(
		answers(
			t,
			"/openai/v1/embeddings",
			`{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5,-2.5e-1,1.0]},{"object":"embedding","index":1,"embedding":[0.5,-2.5e-1,1.0]}],"model":"text-embedding-3-small","usage":{"prompt_tokens":8,"total_tokens":8}}`,
		),
	)
	r, err := c.Embeddings.New(context.Background(), openai.EmbeddingNewParams{
		Model: "text-embedding-3-small", Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{prompt, "two"}},
	})
	require.NoError(t, err)
	require.Len(t, r.Data, 2)
	assert.Equal(t, []float64{0.5, -0.25, 1}, r.Data[1].Embedding)
	assert.EqualValues(t, 8, r.Usage.TotalTokens)
	got := s.take(t).body
	assert.NotContains(t, string(got), card)
	assert.Equal(t, prompt, token.ReplaceAllString(gjson.GetBytes(got, "input.0").String(), card))
}

func TestOpenAIsClientEmbedsAsBase64(t *testing.T) {
	s := newScripted(t)
	c, _ := official(serveWith(t, everyProvider+personal, s.URL), gatewayKey)
	for path, model := range map[string]string{
		"/openai/v1/embeddings": "text-embedding-3-small", "/azure-openai/v1/embeddings": "azure-openai/text-embedding-3-small",
		"/mistral/v1/embeddings": "mistral/text-embedding-own", "/qwen/compatible-mode/v1/embeddings": "qwen/text-embedding-v4", "/zhipu/api/paas/v4/embeddings": "zhipu/text-embedding-own",
	} {
		s.answer(
			answers(
				t,
				path,
				`{"object":"list","data":[{"object":"embedding","index":0,"embedding":"`+vector()+`"}],"model":"m","usage":{"prompt_tokens":8,"total_tokens":8}}`,
			),
		)
		var raw []byte
		_, err := c.Embeddings.New(context.Background(), openai.EmbeddingNewParams{
			Model:          model,
			Input:          openai.EmbeddingNewParamsInputUnion{OfString: openai.String(prompt)},
			EncodingFormat: openai.EmbeddingNewParamsEncodingFormatBase64,
		}, option.WithResponseBodyInto(&raw))
		require.NoError(t, err, path)
		assert.Equal(t, vector(), gjson.GetBytes(raw, "data.0.embedding").String(), path)
		got := s.take(t)
		assert.Equal(t, path, got.path)
		assert.Equal(t, "base64", gjson.GetBytes(got.body, "encoding_format").String())
		assert.NotContains(t, string(got.body), card)
	}
	// The mock makes its own vectors, in the form that is asked for.
	var raw []byte
	_, err := c.Embeddings.New(context.Background(), openai.EmbeddingNewParams{
		Model:          "mock/text-embedding-3",
		Input:          openai.EmbeddingNewParamsInputUnion{OfString: openai.String(prompt)},
		EncodingFormat: openai.EmbeddingNewParamsEncodingFormatBase64,
	}, option.WithResponseBodyInto(&raw))
	require.NoError(t, err)
	b, err := base64.StdEncoding.DecodeString(gjson.GetBytes(raw, "data.0.embedding").String())
	require.NoError(t, err)
	assert.Zero(t, len(b)%4, "floats of 32 bits")
	assert.NotEmpty(t, b)
}

func TestOpenAIsClientCompletesOnEveryProvider(t *testing.T) {
	s := newScripted(t)
	c, _ := official(serveWith(t, everyProvider+personal, s.URL), gatewayKey)
	ctx := context.Background()
	for _, x := range targets {
		p := openai.CompletionNewParams{
			Model: openai.CompletionNewParamsModel(
				x.model,
			),
			Prompt:    openai.CompletionNewParamsPromptUnion{OfString: openai.String(prompt)},
			MaxTokens: openai.Int(64),
		}
		t.Run(x.dir+", whole", func(t *testing.T) {
			r, err := c.Completions.New(ctx, p)
			require.NoError(t, err)
			require.Len(t, r.Choices, 1)
			assert.EqualValues(t, "text_completion", r.Object)
			assert.Equal(t, answerText, r.Choices[0].Text)
			assert.EqualValues(t, "stop", r.Choices[0].FinishReason)
			assert.Equal(t, []int64{19, 23, 42}, []int64{r.Usage.PromptTokens, r.Usage.CompletionTokens, r.Usage.TotalTokens})
			got := s.take(t)
			assert.Equal(t, x.dir, called[got.path])
			assert.Equal(t, prompt, hear(x.dir, got.body).user)
		})
		t.Run(x.dir+", streamed", func(t *testing.T) {
			text, finish := "", ""
			list := c.Completions.NewStreaming(ctx, p)
			for list.Next() {
				for _, choice := range list.Current().Choices {
					text += choice.Text
					finish += string(choice.FinishReason)
				}
			}
			require.NoError(t, list.Err())
			assert.Equal(t, answerText, text)
			assert.Equal(t, "stop", finish)
			s.take(t)
		})
	}
}
