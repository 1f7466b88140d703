package console

import (
	"errors"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/policies"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// statusNotices are the notices after a change of status.
var statusNotices = map[string]string{
	policydoc.Draft:    "The policy is a draft. It has no effect.",
	policydoc.Shadow:   "The policy runs in shadow mode: it changes nothing and records what it would have done.",
	policydoc.Active:   "The policy is active.",
	policydoc.Archived: "The policy is archived. It has no effect.",
}

func (h *policyHandlers) setPolicyStatus(r *request) error {
	f, err := r.parseForm()
	if err != nil {
		return err
	}
	a, err := r.service().Policies().SetStatus(r.ctx(), r.who, r.Param("id"), f.readText("status"), admin.Match(f.Values.Get("tag")))
	if err != nil {
		return err
	}
	return r.redirectWithNotice(buildPolicyPath(r.Param("id")), statusNotices[a.Status]+describeWarnings(len(a.Warnings)))
}

// describeWarnings points to the warnings of an activation on the page.
func describeWarnings(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return " It conflicts with another rule: see below."
	}
	return " There are " + strconv.Itoa(n) + " warnings: see below."
}

func (h *policyHandlers) promotePolicy(r *request) error {
	f, err := r.parseForm()
	if err != nil {
		return err
	}
	p, err := r.service().Policies().Promote(r.ctx(), r.who, r.Param("id"), admin.Match(f.Values.Get("tag")))
	if err != nil {
		return err
	}
	return r.redirectWithNotice(buildPolicyPath(r.Param("id")), "Policy promoted. It is active as version "+strconv.FormatInt(p.Version,
		10)+"."+describeWarnings(len(p.Warnings)))
}

func (h *policyHandlers) deletePolicy(r *request) error {
	f, err := r.parseForm()
	if err != nil {
		return err
	}
	if err := r.service().Policies().Delete(r.ctx(), r.who, r.Param("id"), admin.Match(f.Values.Get("tag"))); err != nil {
		return err
	}
	return r.redirectWithNotice("/policies", "Policy deleted, with its versions.")
}

func (h *policyHandlers) rollbackPolicy(r *request) error {
	f, err := r.parseForm()
	if err != nil {
		return err
	}
	version := f.readNumber("version")
	if err := f.reportErrors(); err != nil {
		return &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: "The version must be a number.", Err: err}
	}
	p, err := r.service().Policies().Rollback(r.ctx(), r.who, r.Param("id"), version, admin.Match(f.Values.Get("tag")))
	if err != nil {
		return err
	}
	return r.redirectWithNotice(buildPolicyPath(r.Param("id"))+"/versions", "Version "+strconv.FormatInt(version,
		10)+" restored as version "+strconv.FormatInt(p.Version, 10)+".")
}

// shadowPage is the data of the page of shadow results.
type shadowPage struct {
	policyPage
	Stats    policies.Stats
	Diverged bool
	Events   []admin.ShadowEvent
}

// Percent returns the share of divergent evaluations.
func (p shadowPage) Percent() string {
	return strconv.FormatFloat(p.Stats.Rate*100, 'f', 1, 64) + " %"
}

// maxShadowEvents limits the evaluations that the page lists.
const maxShadowEvents = 50

func (h *policyHandlers) showPolicyShadow(r *request) error {
	own, err := h.readPolicyPage(r, "shadow")
	if err != nil {
		return err
	}
	p := shadowPage{policyPage: *own, Diverged: r.Query("all") == ""}
	if p.Stats, err = r.service().Policies().CountShadowDecisions(r.ctx(), r.who, own.Policy.ID, r.Query("period")); err != nil {
		return err
	}
	events, err := r.service().Policies().ListShadowEvents(r.ctx(), r.who, own.Policy.ID, p.Diverged, maxShadowEvents)
	if p.Events, err = readAll(events, err, maxShadowEvents); err != nil {
		return err
	}
	return r.show("policy-shadow", own.Policy.Name, p)
}

// readPolicyPage reads the data that all pages of a policy show.
func (h *policyHandlers) readPolicyPage(r *request, tab string) (*policyPage, error) {
	p := &policyPage{Tab: tab, Names: r.openWorkspaceNames()}
	var err error
	if p.Policy, err = r.service().Policies().Get(r.ctx(), r.who, r.Param("id")); err != nil {
		return nil, err
	}
	p.Now = admin.ComputeTag(p.Policy)
	p.Tag = p.Now
	return p, nil
}

// versionsPage is the data of the page of versions.
type versionsPage struct {
	policyPage
	Versions []admin.PolicyVersion
	From, To int64
	Diff     *diff // nil if there is only one version
}

// maxVersions limits the list. The store retains fewer.
const maxVersions = 1000

func (h *policyHandlers) showPolicyVersions(r *request) error {
	own, err := h.readPolicyPage(r, "versions")
	if err != nil {
		return err
	}
	p := versionsPage{policyPage: *own}
	l, err := r.service().Policies().ListVersions(r.ctx(), r.who, own.Policy.ID, admin.Page{})
	if p.Versions, err = readAll(l, err, maxVersions); err != nil {
		return err
	}
	if len(p.Versions) > 1 {
		p.From, p.To = p.Versions[1].Version, p.Versions[0].Version
		if err := errors.Join(parseVersion(r.Query("from"), &p.From), parseVersion(r.Query("to"), &p.To)); err != nil {
			return &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: "A version must be a number.", Err: err}
		}
		var texts [2]string
		for _, v := range p.Versions {
			for i, n := range []int64{p.From, p.To} {
				if v.Version == n {
					texts[i] = composePolicy(v.Name, v.Description, v.DSL)
				}
			}
		}
		for _, text := range texts {
			if text == "" {
				return &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "The policy has no such version, or it was deleted."}
			}
		}
		d := diffTexts(texts[0], texts[1])
		p.Diff = &d
	}
	return r.show("policy-versions", own.Policy.Name, p)
}

// Choices returns the versions as options, with version n chosen.
func (p versionsPage) Choices(n int64) []Option {
	out := make([]Option, len(p.Versions))
	for i, v := range p.Versions {
		text := strconv.FormatInt(v.Version, 10)
		out[i] = Option{Value: text, Label: "Version " + text, Chosen: v.Version == n}
	}
	return out
}

// parseVersion parses a version number into n, unless the text is empty.
func parseVersion(text string, n *int64) (err error) {
	if text != "" {
		*n, err = strconv.ParseInt(text, 10, 64)
	}
	return err
}
