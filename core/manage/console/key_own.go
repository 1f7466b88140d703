package console

import (
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// newModelsField declares the field with the models that a key may ask for.
func newModelsField(settings ...string) field {
	return newInput("models", "Models", append(settings, "mono", "placeholder=gpt-4o*, claude-*",
		"hint=The key can ask only for these, separated by commas; * stands for any text. Empty: all.")...)
}

// mayChangeKey reports whether the reader may change a key. Developers may if it is theirs and their workspace has a
// template for keys.
func (r *request) mayChangeKey(k *admin.Key) bool {
	if !k.MayChange(r.who) || r.who.Can(auth.KeysManage) {
		return k.MayChange(r.who)
	}
	owns, known := r.owns[k.TenantID]
	if !known {
		t, err := r.service().Keys().GetTemplate(r.ctx(), r.who, k.TenantID)
		owns = err == nil && (len(t.Models) > 0 || t.Days > 0 || t.Keys > 0 || t.Monthly != nil)
		if r.owns == nil {
			r.owns = map[string]bool{}
		}
		r.owns[k.TenantID] = owns
	}
	return owns
}

// listOwnKeyColumns are the columns of the list of one's own keys.
func listOwnKeyColumns() []column[admin.Key] {
	all := listKeyColumns()
	spent := column[admin.Key]{"Spent in 30 days", "num", func(r *request, k admin.Key) part {
		sum, err := r.readKeyUsage(&k)
		if err != nil {
			return newTextPart("–")
		}
		return newUSDPart(sum.Cost)
	}}
	return []column[admin.Key]{all[0], all[1], all[2], spent, all[4], all[6]}
}

// maxShownOwn limits the list of one's own keys on the page of a workspace. Each costs a sum over its records.
const maxShownOwn = 10

// addOwnKeys adds the reader's own keys, if they manage only those.
func (h *workspacePages) addOwnKeys(r *request, p *recordPage, tenant string) error {
	if r.who.Can(auth.KeysManage) || !r.who.Can(auth.KeysOwn) {
		return nil
	}
	own, err := r.service().Keys().ListOwn(r.ctx(), r.who, tenant)
	if err != nil {
		return err
	}
	rows := list[admin.Key]{Rows: own[:min(len(own), maxShownOwn)], First: true}
	p.add(part{"heading", "Your keys"}, part{"table", newTable(r, listOwnKeyColumns(), rows, nil,
		"You have no keys here yet. Create one below.")})
	return nil
}

// newTemplateHint says what the template permits, for those whom it limits.
func newTemplateHint(t admin.KeyTemplate) part {
	var says []string
	if len(t.Models) > 0 {
		says = append(says, "ask for "+joinWords(t.Models))
	}
	if t.Days > 0 {
		says = append(says, "expire within "+formatPlural(t.Days, "day"))
	}
	if t.Monthly != nil {
		says = append(says, "spend "+formatUSDText(*t.Monthly)+" per month")
	}
	text := ""
	if len(says) > 0 {
		text = "Your keys can " + strings.Join(says, ", ") + ". "
	}
	if t.Keys > 0 {
		text += "You can have " + formatPlural(t.Keys, "active key") + "."
	}
	if text == "" {
		return part{}
	}
	return newHintPart(strings.TrimSpace(text))
}

// addTemplate adds the form that limits the keys of developers.
func (h *workspacePages) addTemplate(r *request, p *recordPage, t *admin.Tenant) {
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	p.add(r.newFormPart(formView{
		ID: "key-template", Heading: "Keys of developers", Action: buildWorkspacePath(t.ID) + "/key-template", Anchor: "key-template",
		Button: "Save limits", Plain: true, Tag: admin.ComputeTag(*t),
		Intro: newHintPart("Developers create, rotate and revoke their own keys. These limits apply to the keys that they create or change from now on. " +
			"An empty field sets no limit."),
	}, newForm("models", joinWords(t.Template.Models), "days", number(t.Template.Days), "keys", number(t.Template.Keys),
		"monthly_usd", formatAmount(t.Template.Monthly)),
		newInput("models", "Models", "mono", "id=template-models", "placeholder=gpt-4o*, claude-*"),
		newInput("days", "Days until a key expires", "type=number", "min=0", "max=3650"),
		newInput("keys", "Active keys of one developer", "type=number", "min=0", "max=1000"),
		newInput("monthly_usd", "Budget of each new key per month, USD", "mono")))
}

// saveTemplate carries out the form of the limits.
func (h *workspacePages) saveTemplate(r *request, f *Form) error {
	t := admin.KeyTemplate{
		Models: f.readWords("models"), Days: int(f.readNumber("days")), Keys: int(f.readNumber("keys")), Monthly: f.readUSD("monthly_usd"),
	}
	change, err := checkChange(f, admin.TenantChange{Template: &t})
	if err != nil {
		return err
	}
	_, err = r.service().Tenants().Update(r.ctx(), r.who, r.Param("tenant"), change, f.readTag())
	return r.finish(err, buildWorkspacePath(r.Param("tenant")), "Limits saved.")
}

// findOwnerName returns the name of the owner of a key, or the id if the reader has no permission to read it.
func (r *request) findOwnerName(k *admin.Key) string {
	if k.Owner == "" {
		return ""
	}
	if k.Owner == r.who.UserID {
		return r.who.Name + " (you)"
	}
	if u, err := r.service().Users().Get(r.ctx(), r.who, k.Owner); err == nil {
		return u.Name
	}
	if u, err := r.service().Members().Get(r.ctx(), r.who, k.TenantID, k.Owner); err == nil {
		return u.Name
	}
	return k.Owner
}

// listOwnerChoices returns the members whom a key can be given to, or nil if the reader may not give it.
func (r *request) listOwnerChoices(k *admin.Key) []Option {
	if !r.who.Can(auth.KeysManage) {
		return nil
	}
	out := newOptions("", "nobody")
	members, err := r.service().Members().List(r.ctx(), r.who, k.TenantID, admin.Page{Limit: maxChoices})
	list, err := readAll(members, err, maxChoices)
	if err != nil {
		return nil
	}
	known := k.Owner == ""
	for i := range list {
		known = known || list[i].ID == k.Owner
		out = append(out, Option{Value: list[i].ID, Label: list[i].Name})
	}
	if !known {
		out = append(out, Option{Value: k.Owner, Label: r.findOwnerName(k)})
	}
	return out
}
