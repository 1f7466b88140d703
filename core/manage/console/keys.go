package console

import (
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// listScopeOptions returns the scopes of keys.
func listScopeOptions() []Option {
	return newOptions("completions:write", "Completions, Messages, Responses", "embeddings:write", "Embeddings",
		"models:read", "List models", "batches:write", "Batches and files",
		"tools:list", "List tools", "tools:call", "Call tools", "agents:list", "See agents", "agents:call", "Use agents")
}

// listKeyColumns returns the columns of the list of keys.
func listKeyColumns() []column[admin.Key] {
	return []column[admin.Key]{
		{"Name", "", func(r *request, k admin.Key) part { return newLinkPart(buildKeyPath(k.TenantID, k.ID), k.Name) }},
		{"Prefix", "", func(_ *request, k admin.Key) part { return newCodePart(k.KeyPrefix + "…") }},
		{"Status", "", func(_ *request, k admin.Key) part { return newStatePart(k.Status) }},
		{"Scopes", "", func(_ *request, k admin.Key) part {
			if len(k.Scopes) == 0 {
				return newTextPart("all")
			}
			return newTextPart(strings.Join(k.Scopes, ", "))
		}},
		{"Expires", "", func(_ *request, k admin.Key) part { return newExpiryPart(k.ExpiresAt) }},
		{"Created", "", func(_ *request, k admin.Key) part { return newDatePart(k.CreatedAt) }},
		newActionsColumn("Actions", newKeyActions),
	}
}

func newKeyActions(r *request, k admin.Key) part {
	if !r.mayChangeKey(&k) || k.Status == "revoked" {
		return newTextPart("")
	}
	path := buildKeyPath(k.TenantID, k.ID)
	var out []part
	if k.Status == "active" {
		out = append(out, newConfirmPart(confirmation{
			Opens: "Rotate…", Class: "small", Says: "This creates a new key with the same name. The old one works until its grace period ends.",
			Action: path + "/rotate", Button: "Rotate " + k.Name, Once: true,
		}))
	}
	return part{"several", append(out, r.newTypedConfirmPart(confirmation{
		Opens: "Revoke…", Class: "small", Says: "Calls with this key are rejected from now on. This cannot be undone.",
		Action: path + "/revoke", Button: "Revoke " + k.Name,
	}, k.Name))}
}

// addKeys adds the keys of a workspace, and the form that creates one.
func (h *workspacePages) addKeys(r *request, p *recordPage, tenant string) error {
	if err := h.addOwnKeys(r, p, tenant); err != nil {
		return err
	}
	if r.who.Can(auth.KeysRead) {
		keys, err := r.service().Keys().List(r.ctx(), r.who, tenant, r.readWindow())
		rows, err := readPage(r, keys, err)
		if err != nil {
			return err
		}
		p.add(part{"heading", "Keys"}, part{"table", newTable(r, listKeyColumns(), rows, nil,
			"This workspace has no keys yet. Create one below for the application that calls models.")})
	}
	if !r.who.Can(auth.KeysCreate) {
		return nil
	}
	hint := "hint=Check at least one."
	if r.who.Can(auth.KeysUnlimited) {
		hint = "hint=If none is checked, the key has all scopes."
	}
	limits, err := r.service().Keys().GetTemplate(r.ctx(), r.who, tenant)
	if err != nil {
		return err
	}
	p.add(r.newFormPart(formView{
		Intro: newTemplateHint(limits), ID: "new-key", Heading: "New key", Action: buildWorkspacePath(tenant) + "/keys", Anchor: "main",
		Button: "Create key", Once: true,
	},
		newForm("scopes", "completions:write", "scopes", "models:read"), newInput("name", "Name", "required", "id=key-name", "placeholder=ci"),
		newExpiryField("id=key-expires"), newModelsField("id=key-models"), newCheckboxes("scopes", "Scopes", listScopeOptions(), "wide", hint)))
	return nil
}

func (h *workspacePages) createKey(r *request, f *Form) error {
	scopes := f.readValues("scopes") // an empty list grants all scopes, if the user may grant them
	n, err := checkChange(f, admin.NewKey{
		Name: f.readText("name"), Scopes: &scopes, Tier: f.readText("tier"), Tags: f.readWords("tags"), ExpiresAt: f.readEndOfDay("expires_at"),
		Models: f.readWords("models"),
	})
	if err != nil {
		return err
	}
	created, err := r.service().Keys().Create(r.ctx(), r.who, r.Param("tenant"), n)
	if err != nil {
		return err
	}
	return h.show(r, &created)
}

func (h *workspacePages) rotateKey(r *request, _ *Form) error {
	created, err := r.service().Keys().Rotate(r.ctx(), r.who, r.Param("tenant"), r.Param("key"), "")
	if err != nil {
		return err
	}
	return h.show(r, &created)
}

func (h *workspacePages) revokeKey(r *request) error {
	err := r.service().Keys().Revoke(r.ctx(), r.who, r.Param("tenant"), r.Param("key"), "")
	return r.finish(err, buildWorkspacePath(r.Param("tenant")), "Key revoked. Calls with it are rejected.")
}

// newExpiryPart draws when a key or a token expires.
func newExpiryPart(t *time.Time) part {
	if t == nil {
		return newTextPart("never")
	}
	return newTimePart(t)
}

// readEndOfDay returns the last second of the day in a field, in UTC, or nil if the field is empty.
func (f *Form) readEndOfDay(name string) *time.Time {
	v := f.readText(name)
	if v == "" {
		return nil
	}
	day, err := time.Parse(time.DateOnly, v)
	if err != nil {
		f.addError(name, "Write a day as YYYY-MM-DD, such as 2027-01-31.")
		return nil
	}
	end := day.AddDate(0, 0, 1).Add(-time.Second)
	return &end
}
