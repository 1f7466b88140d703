package console

import (
	"time"

	"github.com/headgate-dev/headgate/core/manage/admin"
)

func (h *workspaceHandlers) createKey(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	if err := r.once(f); err != nil {
		return err
	}
	scopes := f.Values["scopes"]
	n := admin.NewKey{Name: f.text("name"), Scopes: &scopes, Tier: f.text("tier"), Tags: f.words("tags"), ExpiresAt: f.endOfDay("expires_at")}
	if len(scopes) == 0 {
		scopes = []string{} // everything, for those who may give that
	}
	if err = f.ok(); err == nil {
		err = admin.Bounded(n)
	}
	var made admin.Key
	if err == nil {
		made, err = r.service().Keys().Create(r.ctx(), r.who, r.Param("tenant"), n)
	}
	w, unread := h.workspace(r)
	if unread != nil {
		return unread
	}
	if err != nil {
		w.New = f
		return r.again("workspace", w.Workspace.Name, w, f, err)
	}
	w.Made = &made
	return r.show("workspace", w.Workspace.Name, w)
}

func (h *workspaceHandlers) rotateKey(r *request) error {
	f, err := r.form()
	if err == nil {
		err = r.once(f)
	}
	if err != nil {
		return err
	}
	made, err := r.service().Keys().Rotate(r.ctx(), r.who, r.Param("tenant"), r.Param("key"), "")
	if err != nil {
		return err
	}
	w, err := h.workspace(r)
	if err != nil {
		return err
	}
	w.Made = &made
	return r.show("workspace", w.Workspace.Name, w)
}

func (h *workspaceHandlers) revokeKey(r *request) error {
	if err := r.service().Keys().Revoke(r.ctx(), r.who, r.Param("tenant"), r.Param("key"), ""); err != nil {
		return err
	}
	return r.done(workspacePath(r.Param("tenant")), "The key is revoked. It authenticates no more.")
}

// endOfDay is the last moment of a day that a field names, UTC; nil: the field is empty.
func (f *Form) endOfDay(name string) *time.Time {
	v := f.text(name)
	if v == "" {
		return nil
	}
	day, err := time.Parse(time.DateOnly, v)
	if err != nil {
		f.wrong(name, "Write a day as YYYY-MM-DD, such as 2027-01-31.")
		return nil
	}
	end := day.AddDate(0, 0, 1).Add(-time.Second)
	return &end
}
