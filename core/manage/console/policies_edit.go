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

// policyPage is the data of the editor.
type policyPage struct {
	Policy     admin.Policy // ID is "" for a new policy
	Tab        string
	Tag, Now   string // of the version that the form was opened with, and of the stored one
	Against    *diff  // the difference from the stored version, if it changed since the form was opened
	Names      *names
	Workspaces []Option
	For        []Option // workspaces of the dry run
	Form       *Form
	Found      *policyFound
	Result     *policydoc.Result
	Removal    confirmation // of a stored policy
}

// Path returns the address of the policy, or of the list for a new one.
func (p policyPage) Path() string {
	if p.Policy.ID == "" {
		return "/policies"
	}
	return buildPolicyPath(p.Policy.ID)
}

// Changeable reports whether the policy can be changed. Policies of the configuration file cannot.
func (p policyPage) Changeable() bool { return p.Policy.Source != "file" }

// firstPolicy is the initial text of a new policy.
const firstPolicy = `version: 1
name: retired-models
rules:
  - id: no-old-models
    conditions:
      model.denylist: ["gpt-3.5*"]
    action: DENY
    deny_message: "This model is retired. Use gpt-5-mini."
`

func (h *policyHandlers) showNewPolicy(r *request) error {
	p, err := h.newPolicyPage(r, newForm("dsl", firstPolicy, "tenant_id", r.who.Tenant))
	if err != nil {
		return err
	}
	return r.show("policy", p.title(), p)
}

func (p *policyPage) title() string { return cmp.Or(p.Policy.Name, "New policy") }

// newPolicyPage reads the data of the editor. f is the sent form, or nil to show the stored policy.
func (h *policyHandlers) newPolicyPage(r *request, f *Form) (*policyPage, error) {
	p := &policyPage{Tab: "text", Names: r.openWorkspaceNames(), Form: f}
	var err error
	if p.Workspaces, err = r.listWorkspaceChoices("The platform: all workspaces"); err != nil {
		return nil, err
	}
	if p.For = slices.Clone(p.Workspaces); len(p.For) > 0 && p.For[0].Value == "" {
		p.For[0].Label = "Workspace of the policy"
	}
	if id := r.Param("id"); id != "" {
		if p.Policy, err = r.service().Policies().Get(r.ctx(), r.who, id); err != nil {
			return nil, err
		}
		p.Now = admin.ComputeTag(p.Policy)
		p.Tag = p.Now
		p.Removal = r.newTypedConfirmation(confirmation{
			Opens: "Delete policy…", Says: "This deletes the policy with its versions and shadow records. This cannot be undone.",
			Action: p.Path() + "/delete", Button: "Delete " + p.Policy.Name, Hidden: [][2]string{{"tag", p.Now}}, Left: true,
		}, p.Policy.Name)
	}
	if f == nil {
		p.Form = newForm("name", p.Policy.Name, "tenant_id", p.Policy.TenantID, "description", p.Policy.Description, "dsl", p.Policy.DSL)
	} else if tag := f.Values.Get("tag"); tag != "" {
		p.Tag = tag
	}
	switch {
	case !r.who.Can(auth.PoliciesDryRun):
	case f == nil:
		err = h.checkStored(r, p)
	case p.Policy.ID != "" || f.Values.Has("name"): // a sent form
		err = h.checkForm(r, p)
	}
	return p, err
}

// checkStored checks the stored text. It includes the cached conflicts of an active policy; for other policies the script
// requests them later.
func (h *policyHandlers) checkStored(r *request, p *policyPage) error {
	checked, err := r.service().Policies().Check(r.ctx(), r.who, admin.PolicyCheck{
		ID: p.Policy.ID, Name: p.Policy.Name,
		TenantID: p.Policy.TenantID, DSL: p.Policy.DSL, Alone: true,
	})
	if err == nil && p.Policy.Status == policydoc.Active && r.who.Can(auth.PoliciesWrite) {
		var all []policydoc.Issue
		if all, err = h.listActiveConflicts(r); err == nil {
			checked.Conflicts = filterConflicts(p.Policy, all)
		}
	}
	p.Found = newPolicyFound(checked)
	return err
}

// checkForm checks the text in the form.
func (h *policyHandlers) checkForm(r *request, p *policyPage) error {
	checked, err := r.service().Policies().Check(r.ctx(), r.who, admin.PolicyCheck{
		ID: p.Policy.ID, Name: p.Form.readText("name"), TenantID: p.Form.readText("tenant_id"), DSL: p.Form.Values.Get("dsl"),
	})
	if err != nil {
		return err
	}
	p.Found = newPolicyFound(checked)
	return nil
}

func (h *policyHandlers) showPolicy(r *request) error {
	p, err := h.newPolicyPage(r, nil)
	if err != nil {
		return err
	}
	return r.show("policy", p.title(), p)
}

// readPolicyChange reads the fields of the form.
func readPolicyChange(f *Form) admin.PolicyChange {
	name, tenant, description, dsl := f.readText("name"), f.readText("tenant_id"), f.readText("description"),
		normalizeBreaks(f.Values.Get("dsl"))
	return admin.PolicyChange{Name: &name, TenantID: &tenant, Description: &description, DSL: &dsl}
}

func (h *policyHandlers) createPolicy(r *request) error {
	f, err := r.parseForm()
	if err != nil {
		return err
	}
	change := readPolicyChange(f)
	if err = admin.CheckBounds(change); err == nil {
		var made admin.Policy
		if made, err = r.service().Policies().Create(r.ctx(), r.who, change); err == nil {
			return r.redirectWithNotice(buildPolicyPath(made.ID), "Draft saved. It has no effect until you run it in shadow mode or activate it.")
		}
	}
	return h.showPolicyAgain(r, f, err)
}

func (h *policyHandlers) updatePolicy(r *request) error {
	f, err := r.parseForm()
	if err != nil {
		return err
	}
	change := readPolicyChange(f)
	if err = admin.CheckBounds(change); err == nil {
		m := admin.Match(cmp.Or(f.Values.Get("over"), f.Values.Get("tag")))
		if _, err = r.service().Policies().Update(r.ctx(), r.who, r.Param("id"), change, m); err == nil {
			return r.redirectWithNotice(buildPolicyPath(r.Param("id")), "Policy saved as a new version.")
		}
	}
	return h.showPolicyAgain(r, f, err)
}

// showPolicyAgain shows a refused form with its errors.
func (h *policyHandlers) showPolicyAgain(r *request, f *Form, err error) error {
	p, unread := h.newPolicyPage(r, f)
	if unread != nil {
		return unread
	}
	var e *core.Error
	switch {
	case !errors.As(err, &e):
	case e.HTTPStatus() == http.StatusPreconditionFailed:
		d := diffTexts(composePolicy(p.Policy.Name, p.Policy.Description, p.Policy.DSL),
			composePolicy(f.readText("name"), f.readText("description"), f.Values.Get("dsl")))
		p.Against = &d
		err = f.newRefusedError("Policy not saved: somebody else saved a version after you opened it.")
	case e.Param == "dsl" && p.Found != nil && p.Found.Faulty():
		f.addError("dsl", "The text has errors, which are listed below.")
		err = f.reportErrors()
	}
	return r.showRefused("policy", p.title(), p, f, err)
}

// checkPolicy shows the findings in a text. The script requests only that part while the user types.
func (h *policyHandlers) checkPolicy(r *request) error {
	f, err := r.parseForm()
	if err != nil {
		return err
	}
	if r.GetHeader(fragmentHeader) != "" {
		p := &policyPage{Form: f}
		if id := r.Param("id"); id != "" {
			p.Policy.ID = id
		}
		if err := h.checkForm(r, p); err != nil {
			return err
		}
		return r.show("policy", "Policy", p)
	}
	p, err := h.newPolicyPage(r, f)
	if err == nil && p.Found == nil {
		err = h.checkForm(r, p)
	}
	if err != nil {
		return err
	}
	return r.show("policy", p.title(), p)
}

// tryPolicy evaluates the text for a described request.
func (h *policyHandlers) tryPolicy(r *request) error {
	f, err := r.parseForm()
	if err != nil {
		return err
	}
	p, err := h.newPolicyPage(r, f)
	if err == nil && p.Found == nil {
		err = h.checkForm(r, p)
	}
	if err != nil {
		return err
	}
	d := admin.DryRun{DSL: f.Values.Get("dsl"), TenantID: cmp.Or(f.readText("for"), f.readText("tenant_id")), Model: f.readText("model")}
	if text := f.readText("context"); text != "" {
		if says := readJSON(f.Values.Get("context"), &d.Context); says != "" {
			f.addError("context", says)
		}
	}
	if p.Found.Faulty() {
		f.addError("dsl", "The text has errors, which are listed below.")
	}
	if err = f.reportErrors(); err == nil {
		err = admin.CheckBounds(d)
	}
	var result policydoc.Result
	if err == nil {
		result, err = r.service().Policies().DryRun(r.ctx(), r.who, d)
	}
	if err != nil {
		var e *core.Error
		if errors.As(err, &e) && e.Param == "dsl" { // the text has no errors, so the error concerns the request
			f.addError("context", capitalizeSentence(e.Public))
			err = f.reportErrors()
		}
		return r.showRefused("policy", p.title(), p, f, err)
	}
	p.Result = &result
	return r.show("policy", p.title(), p)
}

// Rules returns the rules of the trace, each with its conditions.
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

// tracedRule is the evaluation of a rule.
type tracedRule struct {
	policydoc.Step
	Conditions []policydoc.Step
	Matched    bool
}
