package console

import (
	"cmp"
	"errors"
	"net/http"
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// policyPage is what the editor of a policy shows.
type policyPage struct {
	Policy     admin.Policy // its ID is "" for a new one
	Tab        string
	Tag, Now   string // of the version that the form began with, and of that which is stored
	Against    *diff  // what of the form differs from what is stored, when somebody has stored another version since
	Names      *names
	Workspaces []Option
	For        []Option // whose request a dry run is about
	Form       *Form
	Found      *policyFound
	Result     *policydoc.Result
}

// Path is the address of the policy, or of those that are made.
func (p policyPage) Path() string {
	if p.Policy.ID == "" {
		return "/policies"
	}
	return policyPath(p.Policy.ID)
}

// Changeable reports whether the policy is not one of the configuration file.
func (p policyPage) Changeable() bool { return p.Policy.Source != "file" }

// firstPolicy is what the editor of a new policy begins with.
const firstPolicy = `version: 1
name: retired-models
rules:
  - id: no-old-models
    conditions:
      model.denylist: ["gpt-3.5*"]
    action: DENY
    deny_message: "This model is retired. Use gpt-5-mini."
`

func (h *policyHandlers) newPolicy(r *request) error {
	p, err := h.policyPage(r, newForm("dsl", firstPolicy, "tenant_id", r.who.Tenant))
	if err != nil {
		return err
	}
	return r.show("policy", p.title(), p)
}

func (p *policyPage) title() string { return cmp.Or(p.Policy.Name, "New policy") }

// policyPage reads what the editor shows. f is what was sent; nil: what is stored.
func (h *policyHandlers) policyPage(r *request, f *Form) (*policyPage, error) {
	p := &policyPage{Tab: "text", Names: r.names(), Form: f}
	var err error
	if p.Workspaces, err = r.workspaceChoices("The platform: all workspaces"); err != nil {
		return nil, err
	}
	if p.For = slices.Clone(p.Workspaces); len(p.For) > 0 && p.For[0].Value == "" {
		p.For[0].Label = "That of the policy"
	}
	if id := r.Param("id"); id != "" {
		if p.Policy, err = r.service().Policies().Get(r.ctx(), r.who, id); err != nil {
			return nil, err
		}
		p.Now = admin.Tag(p.Policy)
		p.Tag = p.Now
	}
	if f == nil {
		p.Form = newForm("name", p.Policy.Name, "tenant_id", p.Policy.TenantID, "description", p.Policy.Description, "dsl", p.Policy.DSL)
	} else if tag := f.Values.Get("tag"); tag != "" {
		p.Tag = tag
	}
	switch {
	case !r.who.Can(auth.PoliciesDryRun):
	case f == nil:
		err = h.foundStored(r, p)
	case p.Policy.ID != "" || f.Values.Has("name"): // it was sent
		err = h.found(r, p)
	}
	return p, err
}

// foundStored checks the text as it is stored. Conflicts of one that is active are known; those that another would have
// are looked for when the page asks for them.
func (h *policyHandlers) foundStored(r *request, p *policyPage) error {
	checked, err := r.service().Policies().Check(r.ctx(), r.who, admin.PolicyCheck{ID: p.Policy.ID, Name: p.Policy.Name, TenantID: p.Policy.TenantID, DSL: p.Policy.DSL, Alone: true})
	if err == nil && p.Policy.Status == policydoc.Active && r.who.Can(auth.PoliciesWrite) {
		var all []policydoc.Issue
		if all, err = h.activeConflicts(r); err == nil {
			checked.Conflicts = conflictsOf(p.Policy, all)
		}
	}
	p.Found = newPolicyFound(checked)
	return err
}

// found checks the text of the form.
func (h *policyHandlers) found(r *request, p *policyPage) error {
	checked, err := r.service().Policies().Check(r.ctx(), r.who, admin.PolicyCheck{
		ID: p.Policy.ID, Name: p.Form.text("name"), TenantID: p.Form.text("tenant_id"), DSL: p.Form.Values.Get("dsl"),
	})
	if err != nil {
		return err
	}
	p.Found = newPolicyFound(checked)
	return nil
}

func (h *policyHandlers) showPolicy(r *request) error {
	p, err := h.policyPage(r, nil)
	if err != nil {
		return err
	}
	return r.show("policy", p.title(), p)
}

// policyChange are the fields that a form sends of a policy.
func policyChange(f *Form) admin.PolicyChange {
	name, tenant, description, dsl := f.text("name"), f.text("tenant_id"), f.text("description"), plainBreaks(f.Values.Get("dsl"))
	return admin.PolicyChange{Name: &name, TenantID: &tenant, Description: &description, DSL: &dsl}
}

func (h *policyHandlers) createPolicy(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	change := policyChange(f)
	if err = admin.Bounded(change); err == nil {
		var made admin.Policy
		if made, err = r.service().Policies().Create(r.ctx(), r.who, change); err == nil {
			return r.done(policyPath(made.ID), "The policy is stored as a draft. It does nothing yet: run it in shadow, or activate it.")
		}
	}
	return h.policyAgain(r, f, err)
}

func (h *policyHandlers) updatePolicy(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	change := policyChange(f)
	if err = admin.Bounded(change); err == nil {
		m := admin.Match(cmp.Or(f.Values.Get("over"), f.Values.Get("tag")))
		if _, err = r.service().Policies().Update(r.ctx(), r.who, r.Param("id"), change, m); err == nil {
			return r.done(policyPath(r.Param("id")), "The policy is stored as a new version.")
		}
	}
	return h.policyAgain(r, f, err)
}

// policyAgain shows what was sent, and what is wrong with it.
func (h *policyHandlers) policyAgain(r *request, f *Form, err error) error {
	p, unread := h.policyPage(r, f)
	if unread != nil {
		return unread
	}
	var e *core.Error
	switch {
	case !errors.As(err, &e):
	case e.HTTPStatus() == http.StatusPreconditionFailed:
		d := diffOf(policyText(p.Policy.Name, p.Policy.Description, p.Policy.DSL), policyText(f.text("name"), f.text("description"), f.Values.Get("dsl")))
		p.Against = &d
		err = f.blame("The policy is not stored: somebody has stored another version since you began.")
	case e.Param == "dsl" && p.Found != nil && p.Found.Faulty():
		f.wrong("dsl", "The text has faults. They stand below it.")
		err = f.ok()
	}
	return r.again("policy", p.title(), p, f, err)
}

// checkPolicy tells what is wrong with a text: the script asks for that part alone, while one types.
func (h *policyHandlers) checkPolicy(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	if r.GetHeader(fragmentHeader) != "" {
		p := &policyPage{Form: f}
		if id := r.Param("id"); id != "" {
			p.Policy.ID = id
		}
		if err := h.found(r, p); err != nil {
			return err
		}
		return r.show("policy", "Policy", p)
	}
	p, err := h.policyPage(r, f)
	if err == nil && p.Found == nil {
		err = h.found(r, p)
	}
	if err != nil {
		return err
	}
	return r.show("policy", p.title(), p)
}

// tryPolicy evaluates the text for a request that is described.
func (h *policyHandlers) tryPolicy(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	p, err := h.policyPage(r, f)
	if err == nil && p.Found == nil {
		err = h.found(r, p)
	}
	if err != nil {
		return err
	}
	d := admin.DryRun{DSL: f.Values.Get("dsl"), TenantID: cmp.Or(f.text("for"), f.text("tenant_id")), Model: f.text("model")}
	if text := f.text("context"); text != "" {
		if says := readJSON(f.Values.Get("context"), &d.Context); says != "" {
			f.wrong("context", says)
		}
	}
	if p.Found.Faulty() {
		f.wrong("dsl", "The text has faults. They stand below it.")
	}
	if err = f.ok(); err == nil {
		err = admin.Bounded(d)
	}
	var result policydoc.Result
	if err == nil {
		result, err = r.service().Policies().DryRun(r.ctx(), r.who, d)
	}
	if err != nil {
		var e *core.Error
		if errors.As(err, &e) && e.Param == "dsl" { // of a text without faults it is about the request
			f.wrong("context", sentence(e.Public))
			err = f.ok()
		}
		return r.again("policy", p.title(), p, f, err)
	}
	p.Result = &result
	return r.show("policy", p.title(), p)
}

// Rules are the rules of a trace, each with its conditions behind it.
func (p policyPage) Rules() []tracedRule {
	var out []tracedRule
	var before []policydoc.Step
	for _, s := range p.Result.Trace {
		if s.Condition != "" {
			before = append(before, s)
			continue
		}
		out = append(out, tracedRule{Step: s, Conditions: before, Matched: slices.Contains(p.Result.Matched, s.Rule)})
		before = nil
	}
	return out
}

// tracedRule is how a rule came to its result.
type tracedRule struct {
	policydoc.Step
	Conditions []policydoc.Step
	Matched    bool
}
