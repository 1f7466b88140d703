package gemini

import (
	"strconv"

	"github.com/headgate-dev/headgate/core/body/splice"
)

// Model is one entry of the list of models.
type Model struct {
	Name        string // as a client sends it
	DisplayName string // the default is the name
	Description string
	InputLimit  int64 // tokens; 0: not known
	OutputLimit int64
}

// AppendModels appends the answer to a list of models.
func AppendModels(dst []byte, list []Model) []byte {
	dst = append(dst, `{"models":[`...)
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendModel(dst, &list[i])
	}
	return append(dst, "]}"...)
}

// AppendModel appends one model.
func AppendModel(dst []byte, m *Model) []byte {
	display := m.DisplayName
	if display == "" {
		display = m.Name
	}
	dst = append(dst, `{"name":"models/`...)
	dst = splice.AppendEscaped(dst, m.Name)
	dst = append(dst, `","displayName":"`...)
	dst = append(splice.AppendEscaped(dst, display), '"')
	if m.Description != "" {
		dst = append(dst, `,"description":"`...)
		dst = append(splice.AppendEscaped(dst, m.Description), '"')
	}
	dst = appendLimit(dst, `,"inputTokenLimit":`, m.InputLimit)
	dst = appendLimit(dst, `,"outputTokenLimit":`, m.OutputLimit)
	return append(dst, `,"supportedGenerationMethods":["`+MethodGenerate+`","`+MethodStream+`","`+MethodCountTokens+`"]}`...)
}

func appendLimit(dst []byte, name string, n int64) []byte {
	if n <= 0 {
		return dst
	}
	return strconv.AppendInt(append(dst, name...), n, 10)
}
