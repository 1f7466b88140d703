package console

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/meter"
)

func buildKeyPath(tenant, key string) string {
	return buildWorkspacePath(tenant) + "/keys/" + url.PathEscape(key)
}

// showKey answers with the page of a key.
func (h *workspacePages) showKey(r *request) error {
	k, err := r.service().Keys().Get(r.ctx(), r.who, r.Param("tenant"), r.Param("key"))
	if err != nil {
		return err
	}
	workspace := r.openWorkspaceNames().NameOf(k.TenantID)
	p := &recordPage{
		State:  k.Status,
		Crumbs: []link{{Path: "/workspaces", Text: h.title}, {Path: buildWorkspacePath(k.TenantID), Text: workspace}},
	}
	if admin.SeesTraffic(r.who) {
		p.Head = append(p.Head, part{"link", link{
			Path: "/requests?tenant=" + url.QueryEscape(k.TenantID) + "&key=" + url.QueryEscape(k.ID), Text: "Requests", Class: "button",
		}})
	}
	usage, err := readKeyUsage(r, &k)
	if err != nil {
		return err
	}
	if len(usage) > 0 {
		p.add(part{"cards", usage})
	}
	facts, err := listKeyFacts(r, &k)
	if err != nil {
		return err
	}
	p.add(part{"facts", facts}, part{"actions", []part{newKeyActions(r, k)}})
	if k.Status == "active" {
		p.add(h.newSnippetsPart(r, ""))
	}
	if err := addKeyBudgets(r, p, &k); err != nil {
		return err
	}
	addKeySettings(r, p, &k)
	return r.show("record", k.Name, p)
}

// readKeyUsage returns what a key has used in the last 30 days, for readers of costs.
func readKeyUsage(r *request, k *admin.Key) ([]cardView, error) {
	if !r.who.Can(auth.CostsRead) {
		return nil, nil
	}
	sum, err := r.readKeyUsage(k)
	if err != nil {
		return nil, err
	}
	return []cardView{
		{"Spent in 30 days", formatUSDText(sum.Cost), -1},
		{"Requests in 30 days", formatCount(sum.Requests), -1},
		{"Input tokens", formatCount(sum.InputTokens), -1},
		{"Output tokens", formatCount(sum.OutputTokens), -1},
	}, nil
}

// readKeyUsage sums what a key has used in the last 30 days.
func (r *request) readKeyUsage(k *admin.Key) (meter.Summary, error) {
	from := r.c.Now().UTC().AddDate(0, 0, 1-defaultCostDays).Format(time.DateOnly)
	return r.service().Costs().Summarize(r.ctx(), r.who, admin.CostQuery{Tenant: k.TenantID, Key: k.ID, From: from})
}

func listKeyFacts(r *request, k *admin.Key) ([]fact, error) {
	scopes := "all"
	if len(k.Scopes) > 0 {
		scopes = strings.Join(k.Scopes, ", ")
	}
	facts := []fact{
		{"Id", newCopyPart(k.ID)},
		{"Prefix", newCodePart(k.KeyPrefix + "…")},
		{"Scopes", newTextPart(scopes)},
		{"Tier", newTextPart(k.Tier)},
		{"Models", newTextPart(cmp.Or(joinWords(k.Models), "all"))},
		{"Owner", newTextPart(dashIfEmpty(r.findOwnerName(k)))},
		{"Tags", newTextPart(dashIfEmpty(joinWords(k.Tags)))},
		{"Source", newSourcePart(k.Source)},
		{"Expires", newExpiryPart(k.ExpiresAt)},
		{"Created", newTimePart(k.CreatedAt)},
	}
	if !admin.SeesTraffic(r.who) {
		return facts, nil
	}
	q := admin.ExchangeQuery{Tenant: k.TenantID, Key: k.ID}
	last, err := r.service().Exchanges().List(r.ctx(), r.who, q, admin.Page{Limit: 1})
	switch {
	case err != nil:
		return nil, err
	case len(last.Exchanges) > 0:
		facts = append(facts, fact{"Last used", r.drawAge(last.Exchanges[0].At)})
	case last.Searched.IsZero():
		facts = append(facts, fact{"Last used", newTextPart("never")})
	default:
		facts = append(facts, fact{"Last used", part{"several", []part{newTextPart("before"), newTimePart(last.Searched)}}})
	}
	return facts, nil
}

// addKeyBudgets adds the budgets that limit a key alone.
func addKeyBudgets(r *request, p *recordPage, k *admin.Key) error {
	if !r.who.Can(auth.BudgetsRead) {
		return nil
	}
	budgets, err := r.service().Budgets().List(r.ctx(), r.who, k.TenantID, k.ID, admin.Page{Limit: pageSize})
	list, err := readAll(budgets, err, pageSize+1)
	if err != nil {
		return err
	}
	p.add(part{"heading", "Budgets"})
	for i := range list {
		u, err := r.service().Budgets().ReadUsage(r.ctx(), r.who, list[i].ID)
		if err != nil {
			return err
		}
		b := budgetRow{list[i], u}
		p.add(part{"facts", []fact{
			{b.Name, part{"several", []part{
				newLinkPart(buildBudgetPath(b.ID), formatUSDText(u.Spent)+" of "+formatUSDText(b.Limit)+" "+namePeriod(b.Period)),
				{"share", b},
				newStatePart(b.State()),
			}}},
		}})
	}
	if len(list) == 0 {
		p.add(newHintPart("No budget limits this key alone. Budgets of its workspace and of all workspaces apply too."))
	}
	if r.who.Can(auth.BudgetsWrite) && k.Status == "active" {
		to := "/budgets?tenant=" + url.QueryEscape(k.TenantID) + "&key=" + url.QueryEscape(k.ID) + "#new"
		p.add(part{"actions", []part{{"link", link{Path: to, Text: "Create budget for this key", Class: "button"}}}})
	}
	return nil
}

// addKeySettings adds the form that changes a key.
func addKeySettings(r *request, p *recordPage, k *admin.Key) {
	switch {
	case k.Source == "file":
		p.add(newHintPart("This key is defined in the configuration file. Change it there."))
		return
	case k.Status != "active" || !r.mayChangeKey(k):
		return
	}
	initial := newForm("name", k.Name, "tier", k.Tier, "tags", joinWords(k.Tags), "models", joinWords(k.Models), "owner", k.Owner)
	known := listScopeOptions()
	for _, s := range k.Scopes {
		initial.Values.Add("scopes", s)
		if !slices.ContainsFunc(known, func(o Option) bool { return o.Value == s }) {
			known = append(known, Option{Value: s, Label: s})
		}
	}
	if k.ExpiresAt != nil {
		initial.Values.Set("expires_at", k.ExpiresAt.UTC().Format(time.DateOnly))
	}
	hint := "hint=Check at least one."
	fields := []field{newInput("name", "Name", "required"), newExpiryField(), newModelsField()}
	if r.who.Can(auth.KeysUnlimited) {
		hint = "hint=If none is checked, the key has all scopes."
		fields = append(fields, newInput("tags", "Tags", "hint=Words that policies can decide on, separated by commas."))
	}
	if owners := r.listOwnerChoices(k); owners != nil {
		fields = append(fields, newChoice("owner", "Owner", owners, "hint=They can change, rotate and revoke the key."))
	}
	fields = append(fields, newTierField(), newCheckboxes("scopes", "Scopes", known, "wide", hint))
	p.add(r.newFormPart(formView{
		ID: "settings", Heading: "Settings", Action: buildKeyPath(k.TenantID, k.ID), Button: "Save key", Tag: admin.ComputeTag(*k),
	}, initial, fields...))
}

// changeKey carries the form of a key out.
func (h *workspacePages) changeKey(r *request, f *Form) error {
	tenant, id := r.Param("tenant"), r.Param("key")
	old, err := r.service().Keys().Get(r.ctx(), r.who, tenant, id)
	if err != nil {
		return err
	}
	scopes := f.readValues("scopes")
	change := admin.KeyChange{Name: f.readOptionalText("name"), Scopes: &scopes}
	if tier := f.readText("tier"); tier != old.Tier {
		change.Tier = &tier
	}
	if f.Values.Has("tags") {
		tags := f.readWords("tags")
		change.Tags = &tags
	}
	if models := f.readWords("models"); !slices.Equal(models, old.Models) {
		change.Models = &models
	}
	if owner := f.readText("owner"); f.Values.Has("owner") && owner != old.Owner {
		change.Owner = &owner
	}
	// The form shows the day of an expiry, which may be at any time of that day.
	if day := f.readText("expires_at"); old.ExpiresAt == nil && day != "" || old.ExpiresAt != nil && day != old.ExpiresAt.UTC().Format(time.DateOnly) {
		text := ""
		if end := f.readEndOfDay("expires_at"); end != nil {
			text = end.Format(time.RFC3339)
		}
		change.ExpiresAt = &text
	}
	if change, err = checkChange(f, change); err != nil {
		return err
	}
	_, err = r.service().Keys().Update(r.ctx(), r.who, tenant, id, change, f.readTag())
	return r.finish(err, buildKeyPath(tenant, id), "Key saved. It applies to the next request.")
}
