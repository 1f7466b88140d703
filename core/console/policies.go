package console

import (
	"crypto/sha256"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/admin"
	"github.com/headgate-dev/headgate/core/auth"
)

// policies mounts policies.
func (c *Console) policies() {
	c.get("/policies", auth.PoliciesRead, c.listPolicies)
	c.get("/policies/new", auth.PoliciesDryRun, c.newPolicy)
	c.post("/policies", auth.PoliciesWrite, c.createPolicy)
	c.post("/policies/check", auth.PoliciesDryRun, c.checkPolicy)
	c.post("/policies/try", auth.PoliciesDryRun, c.tryPolicy)
	c.get("/policies/:id", auth.PoliciesRead, c.showPolicy)
	c.post("/policies/:id", auth.PoliciesWrite, c.updatePolicy)
	c.post("/policies/:id/check", auth.PoliciesDryRun, c.checkPolicy)
	c.post("/policies/:id/try", auth.PoliciesDryRun, c.tryPolicy)
	c.post("/policies/:id/status", auth.PoliciesWrite, c.setPolicyStatus)
	c.post("/policies/:id/promote", auth.PoliciesWrite, c.promotePolicy)
	c.post("/policies/:id/delete", auth.PoliciesWrite, c.deletePolicy)
	c.get("/policies/:id/shadow", auth.PoliciesShadow, c.policyShadow)
	c.get("/policies/:id/versions", auth.PoliciesRead, c.policyVersions)
	c.post("/policies/:id/rollback", auth.PoliciesWrite, c.rollbackPolicy)
}

func policyPath(id string) string { return "/policies/" + url.PathEscape(id) }

// policyList is what the list shows.
type policyList struct {
	Policies   list[policyRow]
	Names      *names
	Filter     *Form
	Workspaces []Option
	Asked      bool // the list is narrowed
	Conflicts  []core.PolicyIssue
}

// policyRow is a policy, and how many conflicts it has a part in.
type policyRow struct {
	admin.Policy
	Conflicts int
}

func (c *Console) listPolicies(r *request) error {
	f := newForm("tenant", r.Query("tenant"), "status", r.Query("status"))
	workspaces, err := r.workspaceChoices("All")
	if err != nil {
		return err
	}
	data := policyList{Names: r.names(), Filter: f, Workspaces: workspaces, Asked: f.text("tenant")+f.text("status") != ""}
	l, err := r.service().ListPolicies(r.ctx(), r.who, "", admin.Page{}) // all: conflicts are between any of them
	if err != nil {
		return err
	}
	var active []admin.Policy
	after, full := r.Query("after"), false
	data.Policies.First = after == ""
	for p, err := range l.All {
		if err != nil {
			return err
		}
		if p.Status == core.PolicyActive {
			active = append(active, p)
		}
		switch {
		case f.text("status") != "" && p.Status != f.text("status"), f.text("tenant") != "" && p.TenantID != f.text("tenant"), full:
		case after != "":
			if p.ID == after {
				after = ""
			}
		case len(data.Policies.Rows) == most:
			full, data.Policies.After = true, data.Policies.Rows[most-1].ID
		default:
			data.Policies.Rows = append(data.Policies.Rows, policyRow{Policy: p})
		}
	}
	if r.who.Can(auth.PoliciesWrite) {
		if data.Conflicts, err = c.conflicts.of(r, active); err != nil {
			return err
		}
	}
	for i := range data.Policies.Rows {
		row := &data.Policies.Rows[i]
		if row.Status != core.PolicyActive {
			continue
		}
		for _, issue := range data.Conflicts {
			other, _, _ := strings.Cut(issue.Other, "/")
			if calledBy(row.Policy, issue.Policy) || calledBy(row.Policy, other) {
				row.Conflicts++
			}
		}
	}
	return r.show("policies", "Policies", data)
}

var nameInText = regexp.MustCompile(`(?m)^\s*-?\s*name:\s*["']?([^"'#\n]+?)["']?\s*(?:#.*)?$`)

// calledBy reports whether issues mean the policy by a name: that of its record, or one that its text gives.
func calledBy(p admin.Policy, name string) bool {
	if name == "" || p.Name == name {
		return name != ""
	}
	return slices.ContainsFunc(nameInText.FindAllStringSubmatch(p.DSL, -1), func(m []string) bool { return m[1] == name })
}

// conflictMemo keeps what is at odds between the active policies until one of them is another: to find it takes longer
// than a page may.
type conflictMemo struct {
	mu    sync.Mutex
	key   [sha256.Size]byte
	found []core.PolicyIssue
}

// of finds what is at odds between the policies that are active.
func (m *conflictMemo) of(r *request, active []admin.Policy) ([]core.PolicyIssue, error) {
	h := sha256.New()
	for _, p := range active {
		h.Write([]byte(p.ID + "\x00" + p.TenantID + "\x00" + p.Name + "\x00" + p.DSL + "\x00"))
	}
	key := [sha256.Size]byte(h.Sum(nil))
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.key == key {
		return m.found, nil
	}
	found, err := r.service().PolicyConflicts(r.ctx(), r.who)
	if err != nil {
		return nil, err
	}
	m.key, m.found = key, slices.DeleteFunc(found, func(i core.PolicyIssue) bool { return i.Level == core.IssueInfo })
	return m.found, nil
}
