package clients

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"regexp"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/genai"
)

// fileInBody finds the bytes of a file in what a provider was sent.
var fileInBody = regexp.MustCompile(`[A-Za-z0-9+/]{40,}={0,2}`)

// TestFilesOfTheVendorsClientsPassTheGuards sends files as each vendor's client writes them.
func TestFilesOfTheVendorsClientsPassTheGuards(t *testing.T) {
	s := newScripted(t)
	addr := serveWith(t, everyProvider+personal, s.URL)
	ctx := context.Background()
	own, _ := official(addr, gatewayKey)
	claude, _ := anthropics(addr, "/")
	google, _ := googles(t, addr, "/v1/gen")
	for name, send := range map[string]func(media, content string) error{
		"chat": func(media, content string) error {
			_, err := own.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
				Model: "gpt-4o",
				Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
					openai.TextContentPart("Sum up."),
					openai.FileContentPart(openai.ChatCompletionContentPartFileFileParam{
						Filename: openai.String("a"), FileData: openai.String(dataURL(media, content)),
					}),
				})},
			})
			return err
		},
		"responses": func(media, content string) error {
			_, err := own.Responses.New(ctx, responses.ResponseNewParams{
				Model: "gpt-4o",
				Input: responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{
					responses.ResponseInputItemParamOfMessage(responses.ResponseInputMessageContentListParam{{
						OfInputFile: &responses.ResponseInputFileParam{
							Filename: openai.String("a"), FileData: openai.String(dataURL(media, content)),
						},
					}}, responses.EasyInputMessageRoleUser),
				}},
			})
			return err
		},
		"generateContent": func(media, content string) error {
			_, err := google.Models.GenerateContent(ctx, "gemini-2.5-pro", []*genai.Content{
				genai.NewContentFromParts([]*genai.Part{genai.NewPartFromBytes([]byte(content), media), genai.NewPartFromText("Sum up.")}, genai.RoleUser),
			}, nil)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, send("text/csv", "name,card\nJo,"+card+"\nnothing else stands in this file\n"))
			body := string(s.take(t).body)
			text, err := base64.StdEncoding.DecodeString(fileInBody.FindString(body))
			require.NoError(t, err, body)
			assert.Regexp(t, `^name,card\nJo,\{\{PII_CREDIT_CARD_[0-9a-f]{16}\}\}\nnothing else`, string(text))
			assertRefused(t, send("application/pdf", "%PDF-1.7 "+card))
		})
	}
	_, err := claude.Messages.New(ctx, anthropic.MessageNewParams{
		Model: "claude-sonnet-4-5", MaxTokens: 64,
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewDocumentBlock(anthropic.Base64PDFSourceParam{
			Data: base64.StdEncoding.EncodeToString([]byte("%PDF-1.7 " + card)),
		}))},
	})
	assertRefused(t, err)
	_, err = claude.Messages.New(ctx, anthropic.MessageNewParams{
		Model: "claude-sonnet-4-5", MaxTokens: 64,
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewDocumentBlock(anthropic.PlainTextSourceParam{Data: "Jo pays with " + card}))},
	})
	require.NoError(t, err)
	assert.NotContains(t, string(s.take(t).body), card)
}

func dataURL(media, content string) string {
	return "data:" + media + ";base64," + base64.StdEncoding.EncodeToString([]byte(content))
}

// assertRefused expects the error of the client for a request that the gateway refused.
func assertRefused(t *testing.T, err error) {
	t.Helper()
	var ofOpenAI *openai.Error
	var ofAnthropic *anthropic.Error
	var ofGoogle genai.APIError
	status, message := 0, ""
	switch {
	case errors.As(err, &ofOpenAI):
		status, message = ofOpenAI.StatusCode, ofOpenAI.Message
	case errors.As(err, &ofAnthropic):
		status, message = ofAnthropic.StatusCode, ofAnthropic.Error()
	case errors.As(err, &ofGoogle):
		status, message = ofGoogle.Code, ofGoogle.Message
	}
	assert.Equal(t, http.StatusBadRequest, status, err)
	assert.Contains(t, message, "files: pass")
}
