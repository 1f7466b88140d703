package openai

import (
	"crypto/rand"
	"strconv"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/llm"
)

// encodedAnswer is an answer to be written for a client.
type encodedAnswer struct {
	r       *llm.Request
	id      string
	model   string
	created int64
	items   []encodedItem
	usage   llm.Usage
	finish  llm.Finish
	failure *llm.Failure
}

// setIdentity sets id, model and time, and creates those that the provider did not send.
func (a *encodedAnswer) setIdentity(id, model string, created int64) {
	if id == "" {
		id = strings.ToLower(rand.Text())
	}
	if !strings.HasPrefix(id, "resp_") {
		id = "resp_" + id
	}
	if model == "" {
		model = a.r.Model
	}
	if created == 0 {
		created = time.Now().Unix()
	}
	a.id, a.model, a.created = id, model, created
}

// makeItemID derives the id of an item from that of the answer.
func (a *encodedAnswer) makeItemID(prefix string) string {
	return prefix + strings.TrimPrefix(a.id, "resp_") + "_" + strconv.Itoa(len(a.items))
}

// findStatus returns the status, and the reason if the answer is incomplete.
func (a *encodedAnswer) findStatus() (status, reason string) {
	switch {
	case a.failure != nil:
		return "failed", ""
	case a.finish == llm.FinishLength:
		return "incomplete", "max_output_tokens"
	case a.finish == llm.FinishFiltered:
		return "incomplete", "content_filter"
	}
	return "completed", ""
}

// appendNumberOr appends a number of the request. Clients require one where the request has none: the default of the API.
func appendNumberOr(dst []byte, n llm.Number, standard string) []byte {
	if n == "" {
		return append(dst, standard...)
	}
	return append(dst, n...)
}

// append appends the answer. With the status "in_progress" it has no usage.
func (a *encodedAnswer) append(dst []byte, status, reason string) []byte {
	dst = appendMember(append(dst, '{'), "id", a.id)
	dst = append(dst, `,"object":"response","created_at":`...)
	dst = strconv.AppendInt(dst, a.created, 10)
	dst = append(dst, `,"completed_at":null`...) // no other shape has it
	dst = appendMember(append(dst, ','), "status", status)
	dst = append(dst, `,"background":false,"error":`...)
	dst = a.appendFailure(dst)
	dst = append(dst, `,"incomplete_details":`...)
	if reason != "" {
		dst = append(appendMember(append(dst, '{'), "reason", reason), '}')
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(dst, `,"frequency_penalty":`...)
	dst = appendNumberOr(dst, a.r.FrequencyPenalty, "0")
	dst = append(dst, `,"instructions":null,"max_output_tokens":`...)
	if a.r.MaxTokens > 0 {
		dst = strconv.AppendInt(dst, a.r.MaxTokens, 10)
	} else {
		dst = append(dst, "null"...)
	}
	dst = appendMember(append(dst, `,"max_tool_calls":null,`...), "model", a.model)
	dst = append(dst, `,"output":[`...)
	for i := range a.items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = a.items[i].append(dst, "completed")
	}
	dst = append(dst, `],"parallel_tool_calls":`...)
	dst = strconv.AppendBool(dst, a.r.Parallel == nil || *a.r.Parallel)
	dst = append(dst, `,"presence_penalty":`...)
	dst = appendNumberOr(dst, a.r.PresencePenalty, "0")
	dst = append(dst, `,"previous_response_id":null,"prompt_cache_key":null,"reasoning":{"effort":`...)
	dst = appendStringOrNull(dst, string(a.r.Effort))
	dst = append(dst, `,"summary":null},"safety_identifier":null,"service_tier":"default","store":false,"temperature":`...)
	dst = appendNumberOr(dst, a.r.Temperature, "1")
	dst = append(dst, `,"text":{"format":`...)
	dst = appendFormat(dst, a.r.Format)
	dst = append(dst, `},"tool_choice":`...)
	dst = appendChoice(dst, a.r)
	dst = append(dst, `,"tools":[],"top_logprobs":`...)
	dst = appendNumberOr(dst, a.r.TopLogprobs, "0")
	dst = append(dst, `,"top_p":`...)
	dst = appendNumberOr(dst, a.r.TopP, "1")
	dst = append(dst, `,"truncation":"disabled","usage":`...)
	if status == "in_progress" {
		dst = append(dst, "null"...)
	} else {
		dst = appendResponsesUsage(dst, a.usage)
	}
	return append(dst, `,"user":null,"metadata":{}}`...)
}

func (a *encodedAnswer) appendFailure(dst []byte) []byte {
	if a.failure == nil {
		return append(dst, "null"...)
	}
	code := a.failure.Code
	if code == "" {
		code = mapStatus(a.failure.Status)
	}
	dst = appendMember(append(dst, '{'), "code", code)
	return append(appendMember(append(dst, ','), "message", a.failure.Message), '}')
}

func appendResponsesUsage(dst []byte, u llm.Usage) []byte {
	if !u.Reported {
		return append(dst, "null"...)
	}
	for _, f := range []struct {
		name string
		n    int64
	}{
		{`{"input_tokens":`, u.Input},
		{`,"input_tokens_details":{"cached_tokens":`, u.Cached},
		{`,"cache_write_tokens":`, u.Written},
		{`},"output_tokens":`, u.Output},
		{`,"output_tokens_details":{"reasoning_tokens":`, u.Reasoning},
		{`},"total_tokens":`, u.Total()},
	} {
		dst = strconv.AppendInt(append(dst, f.name...), f.n, 10)
	}
	return append(dst, '}')
}
