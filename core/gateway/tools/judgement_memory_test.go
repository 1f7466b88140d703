package tools_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// refuse notes that one link has refused definitions for callers under some links.
func refuse(s *tools.Server, judges, link string, names ...string) {
	j := tools.Judgement{Judges: judges}
	for _, name := range names {
		j.Refused = append(j.Refused, tools.Refusal{Tool: name, Link: link})
	}
	s.RecordJudgement(&j)
}

// pass notes that links have let tools pass.
func pass(s *tools.Server, judges string, links []string, names ...string) {
	s.RecordJudgement(&tools.Judgement{Judges: judges, Links: links, Passed: names})
}

func adoptServers(before tools.Servers) tools.Servers {
	all := tools.Servers{"s": {Name: "s"}}
	all.Adopt(before)
	return all
}

func TestAJudgementCountsForCallersUnderTheSameLinks(t *testing.T) {
	for name, c := range map[string]struct {
		then func(s *tools.Server)
		by   string
		want bool
	}{
		"for those whom the guard judges":      {nil, "guard+pii", true},
		"not for those whom it does not judge": {nil, "pii", false},
		"nor once the guard was removed":       {nil, "", false},
		"others cannot lift it":                {func(s *tools.Server) { pass(s, "pii", []string{"pii"}, "evil") }, "guard+pii", true},
		"a list that the guard did not judge cannot": {func(s *tools.Server) {
			pass(s, "guard+pii", []string{"pii"}, "evil")
		}, "guard+pii", true},
		"the guard itself can": {func(s *tools.Server) {
			pass(s, "guard+pii", []string{"guard", "pii"}, "evil")
		}, "guard+pii", false},
		"two guards must both": {func(s *tools.Server) {
			refuse(s, "guard+pii", "pii", "evil")
			pass(s, "guard+pii", []string{"guard"}, "evil")
		}, "guard+pii", true},
	} {
		before := adoptServers(nil)
		s := before["s"]
		refuse(s, "guard+pii", "guard", "evil")
		if c.then != nil {
			c.then(s)
		}
		assert.Equal(t, c.want, s.IsRefusedByGuard(c.by, "evil"), name)
		assert.Equal(t, c.want, adoptServers(before)["s"].IsRefusedByGuard(c.by, "evil"), name+", after a reload too")
		assert.False(t, s.IsRefusedByGuard(c.by, "good"), name)
	}
}

func TestRefusalsThatCannotBeRememberedStayRefused(t *testing.T) {
	s := adoptServers(nil)["s"]
	for i := range 1100 {
		refuse(s, "guard", "guard", fmt.Sprint("evil_", i))
	}
	pass(s, "guard", []string{"guard"}, "good")
	pass(s, "guard", []string{"pii"}, "unjudged")
	for name, want := range map[string]bool{"evil_0": true, "evil_1099": true, "good": false, "unjudged": true, "unlisted": true} {
		assert.Equal(t, want, s.IsRefusedByGuard("guard", name), name)
	}
	assert.False(t, s.IsRefusedByGuard("pii", "evil_0"), "others are not concerned")
	refuse(s, "guard", "guard", "good")
	assert.True(t, s.IsRefusedByGuard("guard", "good"))

	s = adoptServers(nil)["s"]
	for i := range 70 {
		refuse(s, fmt.Sprint("links_", i), "guard", "evil")
	}
	assert.True(t, s.IsRefusedByGuard("links_0", "evil"), "what was dropped is not allowed")
	assert.True(t, s.IsRefusedByGuard("links_69", "evil"))
	pass(s, "links_0", []string{"guard"}, "evil")
	assert.False(t, s.IsRefusedByGuard("links_0", "evil"))
}
