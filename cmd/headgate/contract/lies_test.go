package contract_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// lie replaces the content of what a real gateway answers to reads and to calls of a model. Statuses, headers, refusals,
// the answers to changes, and what a row only prepares or waits for stay true: so a row notices a lie only by looking at
// the answers that it asks for.
type lie struct {
	alter  func(v any) (lied any, ok bool) // returns what replaces an answer, and whether that is another content
	paused int                             // > 0: a helper prepares what the row needs, or the row waits for it
	told   []string                        // the requests whose answers were replaced
}

// lies are the ways in which every row is lied to.
var lies = map[string]func(v any) (any, bool){
	"empty_lists":   emptied,
	"other_records": func(v any) (any, bool) { return another(v), true },
}

// about are the rows that hold whatever a gateway answers, with what they hold instead.
var about = map[string]string{
	"header.trace_request":  "a header of every answer, refusals included",
	"header.trace_response": "a header of every answer, refusals included",
	"limit.propagation":     "what the gateway sends to a guard",
}

func TestNoRowHoldsOnAGatewayThatAnswersSomethingElse(t *testing.T) {
	p, here, wait := onSQLite(t, program), tests(t), awaited(t)
	for _, l := range lines(t) {
		if here[l.id] == nil || wait[l.id] != "" {
			continue
		}
		for what, alter := range lies {
			t.Run(l.id+"/"+what, func(t *testing.T) {
				one := &lie{alter: alter}
				failed, _ := attempt(t, &T{place: p, variant: licensed, lie: one}, l.id, here[l.id])
				if about[l.id] != "" {
					assert.False(t, failed, "the row looks at answers: take it out of the exceptions")
					return
				}
				assert.True(t, failed || len(one.told) == 0, "the test of this row passes although these answers were replaced: %v", one.told)
			})
		}
	}
}

// tell replaces the body of an answer.
func (l *lie) tell(method, path string, a *answer) {
	if l == nil || l.paused > 0 || a.status/100 != 2 || method != http.MethodGet && !strings.HasPrefix(path, "/v1/") {
		return
	}
	var v any
	if json.Unmarshal(a.body, &v) != nil {
		return // such as a stream or a file
	}
	v, ok := l.alter(v)
	text, err := json.Marshal(v)
	if !ok || err != nil || bytes.Equal(text, a.body) {
		return
	}
	a.body = text
	l.told = append(l.told, method+" "+path)
}

// emptied returns a list without its elements. For a list that is already empty it returns false.
func emptied(v any) (any, bool) {
	if l, ok := v.([]any); ok {
		return []any{}, len(l) > 0
	}
	o, _ := v.(m)
	l, ok := o["data"].([]any)
	if ok {
		o["data"] = []any{}
	}
	return v, len(l) > 0
}

// another returns a value as another record of the same type could have it: other ids, names, numbers, times and
// choices. A list that is empty gets an element.
func another(v any) any {
	switch v := v.(type) {
	case []any:
		if len(v) == 0 {
			return []any{m{"id": "another"}}
		}
		for i := range v {
			v[i] = another(v[i])
		}
	case m:
		for name, of := range v {
			if name != "object" {
				v[name] = another(of)
			}
		}
	case string:
		if at, err := time.Parse(time.RFC3339Nano, v); err == nil {
			return at.Add(-24 * time.Hour).Format(time.RFC3339Nano)
		}
		return strings.Map(func(r rune) rune {
			if r >= '0' && r < '9' || r >= 'a' && r < 'z' || r >= 'A' && r < 'Z' {
				return r + 1
			}
			return r
		}, v)
	case float64:
		return v + 1
	case bool:
		return !v
	}
	return v
}
