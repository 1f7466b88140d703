package console

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/proxy"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// The limits of a conversation: messages, bytes of text, and the highest temperature that a provider accepts.
const (
	maxMessages    = 100
	maxPromptBytes = 256 << 10
	maxTemperature = 2
)

// message is a message of a conversation.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// prompt is a message with its conversation, model and workspace.
type prompt struct {
	form  *Form
	talk  []message
	model string
	grant proxy.Grant
	// system, temperature and limit are optional: what is empty is not sent.
	system      string
	temperature *float64
	limit       *int64
}

// parsePrompt reads the form and checks the permissions of the user.
func (r *request) parsePrompt() (*prompt, error) {
	if !canTry(r.who) {
		return nil, admin.NewMissingRoleError(auth.KeysCreate)
	}
	f, err := r.parseForm()
	if err != nil {
		return nil, err
	}
	if r.c.Playground == nil {
		return nil, &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "This node serves no traffic, so it cannot call models."}
	}
	a := &prompt{form: f, model: f.readText("model"), grant: proxy.Grant{
		Tenant: f.readText("tenant"), Actor: r.who.ID,
		Down:   f.readText("down"),
		Shadow: slices.Compact(slices.Sorted(slices.Values(f.Values["shadow"]))),
	}}
	if r.who.Tenant != "" && a.grant.Tenant == "" {
		a.grant.Tenant = r.who.Tenant
	}
	if _, err := r.service().Tenants().Get(r.ctx(), r.who, a.grant.Tenant); err != nil { // checks that the user may see it
		return nil, err
	}
	if len(a.grant.Shadow) > 0 && !r.who.Can(auth.ChainWrite) {
		return nil, admin.NewMissingRoleError(auth.ChainWrite)
	}
	return a, a.read()
}

// read reads the conversation and the new message.
func (a *prompt) read() error {
	roles, texts := a.form.Values["role"], a.form.Values["content"]
	size := 0
	for i := range min(len(roles), len(texts)) {
		if roles[i] != "user" && roles[i] != "assistant" {
			continue
		}
		a.talk = append(a.talk, message{roles[i], texts[i]})
		size += len(texts[i])
	}
	if a.model == "" {
		a.form.addError("model", "Write the name of a model.")
	}
	text := a.form.readText("message")
	if text == "" {
		a.form.addError("message", "Write a message.")
	}
	a.system = a.form.readText("system")
	a.readParameters()
	if size+len(text)+len(a.system) > maxPromptBytes || len(a.talk) >= maxMessages {
		a.form.addError("message", "The conversation is too long. Start a new one.")
	}
	return a.form.reportErrors()
}

// readParameters reads the parameters of the model. A field that is empty leaves the default of the provider.
func (a *prompt) readParameters() {
	if v := a.form.readText("temperature"); v != "" {
		t, err := strconv.ParseFloat(v, 64)
		if err != nil || math.IsNaN(t) || t < 0 || t > maxTemperature {
			a.form.addError("temperature", "Write a number from 0 to 2, such as 0.7.")
		}
		a.temperature = &t
	}
	if a.limit = a.form.readOptionalNumber("max_tokens"); a.limit != nil && *a.limit < 1 {
		a.form.addError("max_tokens", "Write a number of at least 1.")
	}
}

// chatRequest is the body of a call.
type chatRequest struct {
	Model       string    `json:"model"`
	Stream      bool      `json:"stream"`
	Messages    []message `json:"messages"`
	Temperature *float64  `json:"temperature,omitempty"`
	// MaxTokens has the newer of its two names. The gateway sends it under the name that the target accepts.
	MaxTokens *int64 `json:"max_completion_tokens,omitempty"`
}

// buildRequest returns the call of the gateway.
func (a *prompt) buildRequest(r *request, stream bool) (*http.Request, error) {
	var messages []message
	if a.system != "" {
		messages = append(messages, message{"system", a.system})
	}
	messages = append(append(messages, a.talk...), message{"user", a.form.readText("message")})
	body, err := json.Marshal(chatRequest{
		Model: a.model, Stream: stream, Messages: messages, Temperature: a.temperature, MaxTokens: a.limit,
	})
	if err != nil {
		return nil, err
	}
	q, err := http.NewRequestWithContext(r.ctx(), http.MethodPost, "/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	q.RemoteAddr = r.Request.RemoteAddr
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("X-Server-Timing", "on")
	return q, nil
}
