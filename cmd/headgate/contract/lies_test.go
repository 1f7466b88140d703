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
	alter   func(v any) (lied any, ok bool) // returns what replaces an answer, and whether that is another content
	changes bool                            // the answers to administrative changes are replaced instead, but for ids and secrets
	paused  int                             // > 0: a helper prepares what the row needs, or the row waits for it
	told    []string                        // the requests whose answers were replaced
}

// lies are the ways in which every row is lied to, one after the other.
var lies = []struct {
	name  string
	alter func(v any) (any, bool)
}{{"empty_lists", emptyList}, {"other_records", func(v any) (any, bool) { return another(v, nil), true }}}

// What rows hold that read nothing that can be replaced.
const (
	refusals = "statuses, headers and refusals, which stay true"
	files    = "a file or a stream, whose text is not JSON"
	ids      = "ids, which stay so that what a row needs can be prepared"
	order    = "the order of times or numbers of one record, which is the same in any other"
	outside  = "what another server is sent"
)

// unread are the rows that read nothing that can be replaced.
var unread = map[string]string{
	"admin.budgets.delete": refusals, "admin.chargeback.delete": refusals, "admin.policies.delete": refusals, "admin.pricing.delete": refusals,
	"admin.reports.delete": refusals, "admin.routes.delete": refusals, "admin.schemas.delete": refusals, "admin.tenants.delete": refusals,
	"auth.data.2": refusals, "decision.actuator_closed": refusals, "decision.mcp_a2a": refusals, "decision.no_422": refusals, "decision.org_admin": refusals,
	"decision.rotation_end": refusals, "decision.unknown_field": refusals,
	"error.audit_date": refusals, "error.both_limits": refusals, "error.budget_not_found": refusals, "error.chargeback_not_available": refusals,
	"error.chargeback_not_found": refusals, "error.compliance_not_available": refusals, "error.cross_tenant": refusals, "error.forbidden": refusals,
	"error.missing_field": refusals, "error.not_found": refusals, "error.pricing_not_found": refusals, "error.promote": refusals,
	"error.report_not_found": refusals, "error.shape": refusals, "error.unauthorized": refusals,
	"pricing.required": refusals, "refusal.5": refusals,
	"unlicensed.chargeback": refusals, "unlicensed.detokenize": refusals, "unlicensed.reports": refusals, "unlicensed.schemas": refusals,
	"admin.chargeback.pdf": files, "admin.reports.pdf": files, "decision.bundle": files, "site.root": files, "site.try": files, "v1.stream_generate": files,
	"key.id": ids, "policy.id": ids, "policy.tenant_id": ids, "record.ids": ids, "route.id": ids, "tenant.id": ids,
	"internal.version": order, "policy.times": order, "route.times": order,
	"state.policy.status": "that there are warnings, in the form of any warning",
	"event.webhook":       outside,
}

func TestNoRowHoldsOnAGatewayThatAnswersSomethingElse(t *testing.T) {
	p, here, wait := onSQLite(t, program), tests(t), listAwaited(t)
	for _, l := range lines(t) {
		if here[l.id] == nil || wait[l.id] != "" {
			continue
		}
		told := 0
		for _, way := range lies {
			t.Run(l.id+"/"+way.name, func(t *testing.T) {
				one := &lie{alter: way.alter}
				failed, _ := attempt(t, &T{place: p, variant: licensed, lie: one}, l.id, here[l.id])
				told += len(one.told)
				assert.True(t, failed || len(one.told) == 0, "the test of this row passes although these answers were replaced: %v", one.told)
			})
		}
		if told > 0 {
			continue
		}
		// The row reads only the answers to its own changes, or none at all.
		t.Run(l.id+"/other_changes", func(t *testing.T) {
			one := &lie{alter: func(v any) (any, bool) { return another(v, isKept), true }, changes: true}
			failed, _ := attempt(t, &T{place: p, variant: licensed, lie: one}, l.id, here[l.id])
			if unread[l.id] != "" {
				assert.False(t, failed, "the row looks at answers: take it out of the exceptions")
				return
			}
			assert.True(t, failed, "the test of this row passes although these answers were replaced: %v", one.told)
		})
	}
}

// isKept reports whether a member of a record stays, so that what a row needs can be prepared.
func isKept(name string) bool {
	switch name {
	case "id", "key", "token", "secret", "code", "email", "username":
		return true
	}
	return strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "Id")
}

// tell replaces the body of an answer.
func (l *lie) tell(method, path string, a *answer) {
	if l == nil || a.status/100 != 2 || !l.isAbout(method, path) {
		return
	}
	var v any
	head, rows, isTable := strings.Cut(string(a.body), "\n")
	if isTable = isTable && strings.HasPrefix(a.header.Get("Content-Type"), "text/csv"); isTable {
		v = []any{rows}
	} else if json.Unmarshal(a.body, &v) != nil {
		return // such as a stream or another file
	}
	v, ok := l.alter(v)
	text, err := json.Marshal(v)
	if list, _ := v.([]any); isTable && err == nil {
		text = []byte(head + "\n")
		for _, rows := range list {
			text = append(text, rows.(string)...)
		}
	}
	if !ok || err != nil || bytes.Equal(text, a.body) {
		return
	}
	a.body = text
	l.told = append(l.told, method+" "+path)
}

// isAbout reports whether the answer to a request is replaced.
func (l *lie) isAbout(method, path string) bool {
	isRead := method == http.MethodGet || strings.HasPrefix(path, "/v1/")
	if l.changes {
		return !isRead
	}
	return isRead && l.paused == 0
}

// emptyList returns a list without its elements. For a list that is already empty it returns false.
func emptyList(v any) (any, bool) {
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
// choices. A list that is empty gets an element. Members that isKept names stay; nil: none.
func another(v any, isKept func(name string) bool) any {
	switch v := v.(type) {
	case []any:
		if len(v) == 0 {
			return []any{m{"id": "another"}}
		}
		for i := range v {
			v[i] = another(v[i], isKept)
		}
	case m:
		for name, of := range v {
			if name != "object" && (isKept == nil || !isKept(name)) {
				v[name] = another(of, isKept)
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
