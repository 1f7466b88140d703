package console

import (
	"crypto/sha256"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// policyHandlers serve policies.
type policyHandlers struct {
	conflicts conflictMemo
}

func (h *policyHandlers) mount(c *Console) {
	c.mountGet("/policies", auth.PoliciesRead, h.listPolicies)
	c.mountGet("/policies-rule", auth.PoliciesRead, h.openRule)
	c.mountGet("/policies/new", auth.PoliciesDryRun, h.showNewPolicy)
	c.mountPost("/policies", auth.PoliciesWrite, h.createPolicy)
	c.mountPost("/policies/check", auth.PoliciesDryRun, h.checkPolicy)
	c.mountPost("/policies/try", auth.PoliciesDryRun, h.tryPolicy)
	c.mountGet("/policies/:id", auth.PoliciesRead, h.showPolicy)
	c.mountPost("/policies/:id", auth.PoliciesWrite, h.updatePolicy)
	c.mountPost("/policies/:id/check", auth.PoliciesDryRun, h.checkPolicy)
	c.mountPost("/policies/:id/try", auth.PoliciesDryRun, h.tryPolicy)
	c.mountPost("/policies/:id/status", auth.PoliciesWrite, h.setPolicyStatus)
	c.mountPost("/policies/:id/promote", auth.PoliciesWrite, h.promotePolicy)
	c.mountTyped("/policies/:id/delete", auth.PoliciesWrite, func(r *request) (string, error) {
		p, err := r.service().Policies().Get(r.ctx(), r.who, r.Param("id"))
		return p.Name, err
	}, h.deletePolicy, h.showPolicy)
	c.mountGet("/policies/:id/shadow", auth.PoliciesShadow, h.showPolicyShadow)
	c.mountGet("/policies/:id/versions", auth.PoliciesRead, h.showPolicyVersions)
	c.mountPost("/policies/:id/rollback", auth.PoliciesWrite, h.rollbackPolicy)
}

// openRule leads to the policy of a rule, which refusals name by its label: the policy's name, a slash and the rule's id.
func (h *policyHandlers) openRule(r *request) error {
	label := r.Query("label")
	l, err := r.service().Policies().List(r.ctx(), r.who, "", admin.Page{})
	if err != nil {
		return err
	}
	for p, err := range l.All {
		if err != nil {
			return err
		}
		if rule, ok := strings.CutPrefix(label, p.Name+"/"); ok && p.Name != "" && p.Status == "ACTIVE" {
			r.Redirect(http.StatusSeeOther, buildPolicyPath(p.ID)+"#rule="+url.QueryEscape(rule))
			return nil
		}
	}
	return &core.Error{
		Kind: core.NotFound, Code: core.CodeNotFound, Public: "No active policy has this rule. The policy was changed or removed since.",
	}
}

func buildPolicyPath(id string) string { return "/policies/" + url.PathEscape(id) }

// policyList is the data of the list.
type policyList struct {
	Policies   list[policyRow]
	Names      *names
	Filter     *Form
	Workspaces []Option
	Asked      bool // the list is filtered
	Conflicts  []policydoc.Issue
}

// policyRow is a policy with the number of its conflicts.
type policyRow struct {
	admin.Policy
	Conflicts int
}

func (h *policyHandlers) listPolicies(r *request) error {
	f := newForm("tenant", r.Query("tenant"), "status", r.Query("status"))
	workspaces, err := r.listWorkspaceChoices("All")
	if err != nil {
		return err
	}
	data := policyList{
		Names: r.openWorkspaceNames(), Filter: f, Workspaces: workspaces,
		Asked: f.readText("tenant")+f.readText("status") != "",
	}
	l, err := r.service().Policies().List(r.ctx(), r.who, "", admin.Page{}) // all, since any two can conflict
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
		case f.readText("status") != "" && p.Status != f.readText("status"), f.readText("tenant") != "" && p.TenantID != f.readText("tenant"),
			full:
		case after != "":
			if p.ID == after {
				after = ""
			}
		case len(data.Policies.Rows) == pageSize:
			full, data.Policies.After = true, data.Policies.Rows[pageSize-1].ID
		default:
			data.Policies.Rows = append(data.Policies.Rows, policyRow{Policy: p})
		}
	}
	if r.who.Can(auth.PoliciesWrite) {
		if data.Conflicts, err = h.conflicts.find(r, active); err != nil {
			return err
		}
	}
	for i := range data.Policies.Rows {
		if row := &data.Policies.Rows[i]; row.Status == policydoc.Active {
			row.Conflicts = len(filterConflicts(row.Policy, data.Conflicts))
		}
	}
	return r.show("policies", "Policies", data)
}

var nameInText = regexp.MustCompile(`(?m)^\s*-?\s*name:\s*["']?([^"'#\n]+?)["']?\s*(?:#.*)?$`)

// filterConflicts returns the conflicts of a policy. They refer to it by the name of its record or the name in its text.
func filterConflicts(p admin.Policy, all []policydoc.Issue) (out []policydoc.Issue) {
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

// listActiveConflicts returns the conflicts between active policies.
func (h *policyHandlers) listActiveConflicts(r *request) ([]policydoc.Issue, error) {
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
	return h.conflicts.find(r, active)
}

// conflictMemo caches the conflicts between the active policies until one of them changes. Finding them takes longer than a
// page may.
type conflictMemo struct {
	mu    sync.Mutex
	key   [sha256.Size]byte
	found []policydoc.Issue
}

// find returns the conflicts between the active policies.
func (m *conflictMemo) find(r *request, active []admin.Policy) ([]policydoc.Issue, error) {
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
