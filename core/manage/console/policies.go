package console

import (
	"crypto/sha256"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// policyHandlers serve policies.
type policyHandlers struct {
	conflicts conflictMemo
}

// policies mounts policies.
func (h *policyHandlers) mount(c *Console) {
	c.get("/policies", auth.PoliciesRead, h.listPolicies)
	c.get("/policies/new", auth.PoliciesDryRun, h.newPolicy)
	c.post("/policies", auth.PoliciesWrite, h.createPolicy)
	c.post("/policies/check", auth.PoliciesDryRun, h.checkPolicy)
	c.post("/policies/try", auth.PoliciesDryRun, h.tryPolicy)
	c.get("/policies/:id", auth.PoliciesRead, h.showPolicy)
	c.post("/policies/:id", auth.PoliciesWrite, h.updatePolicy)
	c.post("/policies/:id/check", auth.PoliciesDryRun, h.checkPolicy)
	c.post("/policies/:id/try", auth.PoliciesDryRun, h.tryPolicy)
	c.post("/policies/:id/status", auth.PoliciesWrite, h.setPolicyStatus)
	c.post("/policies/:id/promote", auth.PoliciesWrite, h.promotePolicy)
	c.post("/policies/:id/delete", auth.PoliciesWrite, h.deletePolicy)
	c.get("/policies/:id/shadow", auth.PoliciesShadow, h.policyShadow)
	c.get("/policies/:id/versions", auth.PoliciesRead, h.policyVersions)
	c.post("/policies/:id/rollback", auth.PoliciesWrite, h.rollbackPolicy)
}

func policyPath(id string) string { return "/policies/" + url.PathEscape(id) }

// policyList is what the list shows.
type policyList struct {
	Policies   list[policyRow]
	Names      *names
	Filter     *Form
	Workspaces []Option
	Asked      bool // the list is narrowed
	Conflicts  []policydoc.Issue
}

// policyRow is a policy, and how many conflicts it has a part in.
type policyRow struct {
	admin.Policy
	Conflicts int
}

func (h *policyHandlers) listPolicies(r *request) error {
	f := newForm("tenant", r.Query("tenant"), "status", r.Query("status"))
	workspaces, err := r.workspaceChoices("All")
	if err != nil {
		return err
	}
	data := policyList{Names: r.names(), Filter: f, Workspaces: workspaces, Asked: f.text("tenant")+f.text("status") != ""}
	l, err := r.service().Policies().List(r.ctx(), r.who, "", admin.Page{}) // all: conflicts are between any of them
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
		if p.Status == policydoc.Active {
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
		if data.Conflicts, err = h.conflicts.of(r, active); err != nil {
			return err
		}
	}
	for i := range data.Policies.Rows {
		if row := &data.Policies.Rows[i]; row.Status == policydoc.Active {
			row.Conflicts = len(conflictsOf(row.Policy, data.Conflicts))
		}
	}
	return r.show("policies", "Policies", data)
}

var nameInText = regexp.MustCompile(`(?m)^\s*-?\s*name:\s*["']?([^"'#\n]+?)["']?\s*(?:#.*)?$`)

// conflictsOf are the conflicts that a policy has a part in: those that name it by its record, or as its text does.
func conflictsOf(p admin.Policy, all []policydoc.Issue) (out []policydoc.Issue) {
	names := []string{p.Name}
	for _, m := range nameInText.FindAllStringSubmatch(p.DSL, -1) {
		names = append(names, m[1])
	}
	for _, i := range all {
		other, _, _ := strings.Cut(i.Other, "/")
		if slices.Contains(names, i.Policy) || other != "" && slices.Contains(names, other) {
			out = append(out, i)
		}
	}
	return out
}

// activeConflicts are the conflicts between all policies that are active.
func (h *policyHandlers) activeConflicts(r *request) ([]policydoc.Issue, error) {
	l, err := r.service().Policies().List(r.ctx(), r.who, "", admin.Page{})
	if err != nil {
		return nil, err
	}
	var active []admin.Policy
	for p, err := range l.All {
		if err != nil {
			return nil, err
		}
		if p.Status == policydoc.Active {
			active = append(active, p)
		}
	}
	return h.conflicts.of(r, active)
}

// conflictMemo keeps what is at odds between the active policies until one of them is another: to find it takes longer
// than a page may.
type conflictMemo struct {
	mu    sync.Mutex
	key   [sha256.Size]byte
	found []policydoc.Issue
}

// of finds what is at odds between the policies that are active.
func (m *conflictMemo) of(r *request, active []admin.Policy) ([]policydoc.Issue, error) {
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
	found, err := r.service().Policies().ListConflicts(r.ctx(), r.who)
	if err != nil {
		return nil, err
	}
	m.key, m.found = key, slices.DeleteFunc(found, func(i policydoc.Issue) bool { return i.Level == policydoc.IssueInfo })
	return m.found, nil
}
