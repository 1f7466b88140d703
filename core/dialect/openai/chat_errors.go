package openai

import (
	"encoding/json"
	"strconv"
)

// ReadError returns the code and message of a provider's error body. Providers of this
// dialect put them in "error", which can be a plain string, or at the top level; the
// code is in "code", or in "type" if that is null or a number; without a type the number is. Mistral's validation
// returns a list of problems.
func (Chat) ReadError(body []byte) (code, message string) {
	if code, message = readChatError(body); message == "" {
		return readChatDetail(body, code)
	}
	return code, message
}

func readChatError(body []byte) (code, message string) {
	var v struct {
		errorBody
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &v) != nil {
		return "", ""
	}
	e := v.errorBody
	if len(v.Error) > 0 && string(v.Error) != "null" {
		if json.Unmarshal(v.Error, &message) == nil {
			return e.findCode(), message
		}
		e = errorBody{}
		if json.Unmarshal(v.Error, &e) != nil {
			return "", ""
		}
	}
	return e.findCode(), e.findText()
}

// errorBody holds the fields of an error as any, so that one of an unexpected type does
// not hide the others.
type errorBody struct {
	Message any `json:"message"`
	Type    any `json:"type"`
	Code    any `json:"code"`
}

func (e *errorBody) findCode() string {
	if c, ok := e.Code.(string); ok && c != "" {
		return c
	}
	if t, ok := e.Type.(string); ok && t != "" {
		return t
	}
	if n, ok := e.Code.(float64); ok && n >= 600 { // and no HTTP status
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return ""
}

func (e *errorBody) findText() string {
	m, _ := e.Message.(string)
	return m
}

// readChatDetail reads the member "detail": a string, or a list of problems with their
// locations.
func readChatDetail(body []byte, code string) (string, string) {
	var v struct {
		Detail  json.RawMessage `json:"detail"`
		Message json.RawMessage `json:"message"`
	}
	if json.Unmarshal(body, &v) != nil {
		return code, ""
	}
	if v.Detail == nil && len(v.Message) > 0 && v.Message[0] == '{' {
		_ = json.Unmarshal(v.Message, &v) // cannot fail: it was decoded above
	}
	message := ""
	if json.Unmarshal(v.Detail, &message) == nil {
		return code, message
	}
	var list []struct {
		Type string `json:"type"`
		Loc  []any  `json:"loc"`
		Msg  string `json:"msg"`
	}
	_ = json.Unmarshal(v.Detail, &list) // keep the fields that decode
	for i, d := range list {
		at := ""
		for _, l := range d.Loc {
			if s, ok := l.(string); ok && s != "body" {
				at += s + ": "
			}
		}
		if i > 0 {
			message += "; "
		} else if code == "" {
			code = d.Type
		}
		message += at + d.Msg
	}
	return code, message
}
