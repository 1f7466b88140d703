package console

import (
	"errors"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/policies"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// stateTold is what is told when a policy has a new state.
var stateTold = map[string]string{
	policydoc.Draft:    "The policy is a draft again. It does nothing.",
	policydoc.Shadow:   "The policy runs in shadow: it changes nothing, and what it would have done is noted.",
	policydoc.Active:   "The policy is active.",
	policydoc.Archived: "The policy is archived. It does nothing.",
}

func (h *policyHandlers) setPolicyStatus(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	a, err := r.service().Policies().SetStatus(r.ctx(), r.who, r.Param("id"), f.text("status"), admin.Match(f.Values.Get("tag")))
	if err != nil {
		return err
	}
	return r.done(policyPath(r.Param("id")), stateTold[a.Status]+warned(len(a.Warnings)))
}

// warned tells of the warnings of an activation, which stand on the policy's page.
func warned(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return " It is at odds with another rule: see below."
	}
	return " There are " + strconv.Itoa(n) + " warnings: see below."
}

func (h *policyHandlers) promotePolicy(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	p, err := r.service().Policies().Promote(r.ctx(), r.who, r.Param("id"), admin.Match(f.Values.Get("tag")))
	if err != nil {
		return err
	}
	return r.done(policyPath(r.Param("id")), "The policy is promoted: it is active as version "+strconv.FormatInt(p.Version, 10)+"."+warned(len(p.Warnings)))
}

func (h *policyHandlers) deletePolicy(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	if err := r.service().Policies().Delete(r.ctx(), r.who, r.Param("id"), admin.Match(f.Values.Get("tag"))); err != nil {
		return err
	}
	return r.done("/policies", "The policy and its versions are deleted.")
}

func (h *policyHandlers) rollbackPolicy(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	version := f.number("version")
	if err := f.ok(); err != nil {
		return &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: "The version must be a number.", Err: err}
	}
	p, err := r.service().Policies().Rollback(r.ctx(), r.who, r.Param("id"), version, admin.Match(f.Values.Get("tag")))
	if err != nil {
		return err
	}
	return r.done(policyPath(r.Param("id"))+"/versions", "Version "+strconv.FormatInt(version, 10)+" is restored as version "+strconv.FormatInt(p.Version, 10)+".")
}

// shadowPage is what a policy came to in shadow.
type shadowPage struct {
	policyPage
	Stats    policies.Stats
	Diverged bool
	Events   []admin.ShadowEvent
}

// Percent is the share of evaluations that diverged.
func (p shadowPage) Percent() string {
	return strconv.FormatFloat(p.Stats.Rate*100, 'f', 1, 64) + " %"
}

// mostEvents is how many evaluations the page lists.
const mostEvents = 50

func (h *policyHandlers) policyShadow(r *request) error {
	own, err := h.policyOf(r, "shadow")
	if err != nil {
		return err
	}
	p := shadowPage{policyPage: *own, Diverged: r.Query("all") == ""}
	if p.Stats, err = r.service().Policies().ShadowStats(r.ctx(), r.who, own.Policy.ID, r.Query("period")); err != nil {
		return err
	}
	events, err := r.service().Policies().ListShadowEvents(r.ctx(), r.who, own.Policy.ID, p.Diverged, mostEvents)
	if p.Events, err = all(events, err, mostEvents); err != nil {
		return err
	}
	return r.show("policy-shadow", own.Policy.Name, p)
}

// policyOf reads what every page of a policy shows.
func (h *policyHandlers) policyOf(r *request, tab string) (*policyPage, error) {
	p := &policyPage{Tab: tab, Names: r.names()}
	var err error
	if p.Policy, err = r.service().Policies().Get(r.ctx(), r.who, r.Param("id")); err != nil {
		return nil, err
	}
	p.Now = admin.Tag(p.Policy)
	p.Tag = p.Now
	return p, nil
}

// versionsPage are the versions of a policy.
type versionsPage struct {
	policyPage
	Versions []admin.PolicyVersion
	From, To int64
	Diff     *diff // nil: there is but one
}

// mostVersions bounds the list: the store keeps fewer.
const mostVersions = 1000

func (h *policyHandlers) policyVersions(r *request) error {
	own, err := h.policyOf(r, "versions")
	if err != nil {
		return err
	}
	p := versionsPage{policyPage: *own}
	l, err := r.service().Policies().ListVersions(r.ctx(), r.who, own.Policy.ID, admin.Page{})
	if p.Versions, err = all(l, err, mostVersions); err != nil {
		return err
	}
	if len(p.Versions) > 1 {
		p.From, p.To = p.Versions[1].Version, p.Versions[0].Version
		if err := errors.Join(chosen(r.Query("from"), &p.From), chosen(r.Query("to"), &p.To)); err != nil {
			return &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: "A version must be a number.", Err: err}
		}
		var texts [2]string
		for _, v := range p.Versions {
			for i, n := range []int64{p.From, p.To} {
				if v.Version == n {
					texts[i] = policyText(v.Name, v.Description, v.DSL)
				}
			}
		}
		for _, text := range texts {
			if text == "" {
				return &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "The policy has no such version, or none any more."}
			}
		}
		d := diffOf(texts[0], texts[1])
		p.Diff = &d
	}
	return r.show("policy-versions", own.Policy.Name, p)
}

// Choices are the versions, with the one chosen that n names.
func (p versionsPage) Choices(n int64) []Option {
	out := make([]Option, len(p.Versions))
	for i, v := range p.Versions {
		text := strconv.FormatInt(v.Version, 10)
		out[i] = Option{Value: text, Label: "Version " + text, Chosen: v.Version == n}
	}
	return out
}

// chosen reads a number that an address names, where it names one.
func chosen(text string, n *int64) (err error) {
	if text != "" {
		*n, err = strconv.ParseInt(text, 10, 64)
	}
	return err
}
