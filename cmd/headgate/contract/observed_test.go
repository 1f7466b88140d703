package contract_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// observations compare the examples of successful answers in the OpenAPI documents with the answers that gateways gave
// while the rows ran. One answer need not have every member, as empty ones are left out; all answers together must.
type observations struct {
	at place // answers of other places are not observed: some of them are false on purpose
	mu sync.Mutex
	of map[string]*observation // by the operation's id
}

// observation has the JSON types of the members of an operation's example and of its answers, by their paths.
type observation struct {
	answers          int
	example, members map[string]string
}

var observed = observations{of: map[string]*observation{}}

// add compares one more answer of an operation with its example.
func (s *observations) add(id string, example, body any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.of[id]
	if o == nil {
		o = &observation{example: map[string]string{}, members: map[string]string{}}
		s.of[id] = o
		listMembers(o.example, "", example)
	}
	o.answers++
	listMembers(o.members, "", body)
}

// listMembers adds the type of each member of a value. The elements of an array share a path. A member that is null has
// no type: it says nothing about the others.
func listMembers(to map[string]string, path string, value any) {
	switch v := value.(type) {
	case m:
		to[path] = "object"
		for name, of := range v {
			listMembers(to, path+"."+name, of)
		}
	case []any:
		to[path] = "array"
		for _, of := range v {
			listMembers(to, path+"[]", of)
		}
	case nil:
	default:
		to[path] = fmt.Sprintf("%T", value)
	}
}

// openMembers hold what callers or other versions name: their members are not in the examples.
var openMembers = regexp.MustCompile(`^\.(agents|budgets|guardrail_plugins|mcp_servers|policies|prices|routes|schemas|tenants|virtual_servers|webhooks)\b|\.(changes|counts|eventCountByType|metadata|payload|perTier\w+|schema|settings|subject|tags)\b`)

// unseen are members of examples that no row provokes, with the reason.
var unseen = []struct{ members, why string }{
	{
		`calls|candidate|faults|file|instances|meanMicros|memoryBytes|outOfService|process|state|trust|agreed|labels|live|liveMeanMicros|` +
			`since|skipped|busyMs|restarts|links|link|sharedWith|sharedWith\[\]`,
		"the gateways of the contract run no plugins; the tests of plugins read these members",
	},
	{`anomalies\[\]|baselineDailyRate|currentDailyRate|detectedAt|deviationPct|thresholdPct`, "an anomaly takes costs of several days"},
	{
		`last_sign_in_at|invited_until|added|config|` +
			`note|problem|column|witness|unknown|unknown_inputs\[\]|error|cases|cases\[\]|faults\[\]|passed|warnings\[\]|phases|phases\[\]`,
		"a state that the rows do not bring about; the tests of the package have it",
	},
}

func isUnseen(name string) bool {
	for _, u := range unseen {
		if regexp.MustCompile(`^(` + u.members + `)$`).MatchString(name) {
			return true
		}
	}
	return false
}

// check requires that each member of an answer is in the example of its operation, with the same type, and that each
// member of an example occurred in an answer: the same operation's, or another's, as an operation that returns the same
// record may be tried with fewer of its members. It returns the number of operations that it compared.
func (s *observations) check(t *testing.T) (compared int) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	anywhere := map[string]bool{}
	for _, o := range s.of {
		for path := range o.members {
			anywhere[path[strings.LastIndex(path, ".")+1:]] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.of)) {
		o := s.of[id]
		compared++
		for path, typ := range o.members {
			if !openMembers.MatchString(path) {
				assert.Equal(t, o.example[path], typ, "%s: the example has another type or nothing at %s", id, path)
			}
		}
		for path := range o.example {
			name := path[strings.LastIndex(path, ".")+1:]
			assert.True(t, anywhere[name] || isUnseen(name) || openMembers.MatchString(path), "%s: the example has %s, which no answer has", id, path)
		}
	}
	return compared
}
