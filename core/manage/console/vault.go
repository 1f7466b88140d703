package console

import (
	"cmp"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// vaultHandlers serve the vault of personal data.
type vaultHandlers struct{}

func (h *vaultHandlers) mount(c *Console) {
	c.mountGet("/pii", auth.Detokenize, h.showVault)
	c.mountPost("/pii/detokenize", auth.Detokenize, h.detokenize)
	c.mountPost("/pii/delete", auth.TokensDelete, h.deleteTokens)
}

// vaultPage is the data of the page.
type vaultPage struct {
	Filter, Form      *Form
	Workspaces, Whose []Option
	Stats             admin.PIIStats
	Name              string // of the chosen workspace; "" for all
	Result            *string
	Restored          int // restored placeholders
	Unlicensed        bool
}

// typeCount is the number of stored values of a type.
type typeCount struct {
	Type  string
	Count int64
}

// Types returns the counts, largest first.
func (p *vaultPage) Types() []typeCount {
	out := make([]typeCount, 0, len(p.Stats.Types))
	for t, n := range p.Stats.Types {
		out = append(out, typeCount{t, n})
	}
	slices.SortFunc(out, func(a, b typeCount) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Type, b.Type)) })
	return out
}

func (h *vaultHandlers) showVault(r *request) error {
	p, err := h.newVaultPage(r, r.readQueryForm())
	if err != nil {
		return err
	}
	return r.show("pii", "PII vault", p)
}

// newVaultPage reads the data of the page for the workspace in a form.
func (h *vaultHandlers) newVaultPage(r *request, f *Form) (*vaultPage, error) {
	tenant := f.readText("tenant")
	p := &vaultPage{Filter: newForm("tenant", tenant), Form: f, Unlicensed: !r.isLicensed(admin.FeatureDetokenize)}
	var err error
	if p.Workspaces, err = r.listWorkspaceChoices("All workspaces"); err != nil {
		return nil, err
	}
	p.Whose = append(newOptions("", "Choose one"), p.Workspaces[min(1, len(p.Workspaces)):]...)
	if p.Stats, err = r.service().PII().CountValues(r.ctx(), r.who, tenant); err != nil {
		return nil, err
	}
	if tenant != "" {
		t, err := r.service().Tenants().Get(r.ctx(), r.who, tenant)
		if err != nil {
			return nil, err
		}
		p.Name = t.Name
	}
	return p, nil
}

// detokenize answers with the text and its restored values. It does not store them.
func (h *vaultHandlers) detokenize(r *request) error {
	f, err := r.parseForm()
	if err != nil {
		return err
	}
	d := admin.Detokenize{Text: f.Values.Get("text"), TenantID: f.readText("tenant"), Reason: f.readText("reason")}
	if d.TenantID == "" {
		f.addError("tenant", "Choose the workspace of the placeholders.")
	}
	if strings.TrimSpace(d.Text) == "" {
		f.addError("text", "Paste a text with placeholders, such as {{PII_EMAIL_…}}.")
	}
	if d.Reason == "" {
		f.addError("reason", "Write a reason. It is written to the audit chain.")
	}
	if err = f.reportErrors(); err == nil {
		err = admin.CheckBounds(d)
	}
	var out admin.Detokenized
	if err == nil {
		out, err = r.service().PII().Detokenize(r.ctx(), r.who, d)
	}
	of := newForm()
	if f.Errors["tenant"] == "" {
		of.Values.Set("tenant", d.TenantID)
	}
	p, unread := h.newVaultPage(r, of)
	if unread != nil {
		return unread
	}
	p.Form = f
	if err != nil {
		return r.showRefused("pii", "PII vault", p, f, err)
	}
	p.Result = &out.Text
	p.Restored = strings.Count(d.Text, placeholder) - strings.Count(out.Text, placeholder)
	return r.show("pii", "PII vault", p)
}

// placeholder is the prefix of placeholders.
const placeholder = "{{PII_"

func (h *vaultHandlers) deleteTokens(r *request) error {
	f, err := r.parseForm()
	if err != nil {
		return err
	}
	n, err := r.service().PII().DeleteTokens(r.ctx(), r.who, f.readText("tenant"))
	if err != nil {
		return err
	}
	return r.redirectWithNotice("/pii", formatPlural(n.TokensRemoved, "value")+" deleted. Their placeholders can no longer be restored.")
}
