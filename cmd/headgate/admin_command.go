package main

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/policies"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/plugins/webhook"
	"github.com/headgate-dev/headgate/stages/schema"
)

// byHand runs an administrative operation on the store, beside a gateway that may be running. Who has the database and
// its key needs no other credential; the audit chain is told all the same.
func byHand(c *cobra.Command, f *flags, do func(ctx context.Context, s *admin.Service) error) (err error) {
	cfg, _, err := f.load()
	if err != nil {
		return err
	}
	ctx := c.Context()
	r, err := openStore(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close(context.WithoutCancel(ctx))) }()
	r.printWarnings(c.ErrOrStderr())
	r.writer = store.NewWriter(r.db, store.WriterOptions{})
	node, err := nodeName(ctx, r.db, cfg)
	if err != nil {
		return err
	}
	if r.audit, err = audit.OpenGuest(ctx, r.db, r.writer, r.master.AuditKey(), audit.AsNode(node)); err != nil {
		return err
	}
	if r.lic, err = openLicense(ctx, cfg, r); err != nil {
		return err
	}
	if err := r.lic.Check(ctx); err != nil {
		return err
	}
	file, err := filePolicies(cfg)
	if err != nil {
		return err
	}
	webhooks, err := r.master.Box("webhooks")
	if err != nil {
		return err
	}
	var guards admin.Box // nil without the master password, which the specification wants for it
	if os.Getenv(passwordVar) != "" {
		if guards, err = r.master.Box("guardrail plugins"); err != nil {
			return err
		}
	}
	sender, err := webhook.NewSender(webhook.SenderOptions{AllowPrivate: cfg.Webhooks.AllowPrivate, CAFile: cfg.Webhooks.CAFile})
	if err != nil {
		return err
	}
	err = do(ctx, admin.New(admin.Options{
		Store: r.db, Audit: r.audit, License: r.lic, LicenseKeeper: r.lic, AuditKey: r.master.AuditKey(), Plane: nowhere{cfg: cfg}, NewID: newID, Now: time.Now, Version: version,
		WebhookBox: webhooks, PluginBox: guards, Subscribers: uncalled{sender: sender}, CheckSchema: schema.Check,
		PolicyService: policies.New(policies.Options{Store: r.db, Language: policyLanguage(cfg), NewID: newID, File: func() []core.PolicyRecord { return file }}),
	}))
	var e *core.Error
	if errors.As(err, &e) && e.Err == nil {
		return errors.New(e.Public)
	}
	return err
}

// operator is who runs a command, on behalf of a user or of nobody.
func operator(u *store.User) *auth.Actor {
	who := &auth.Actor{ID: auth.ViaCLI, Name: "headgate", Roles: []auth.Role{auth.RoleOwner}, Via: auth.ViaCLI}
	if u != nil {
		who.UserID, who.Roles, who.Tenant = u.ID, auth.KnownRoles(u.Roles), u.TenantID
	}
	return who
}

// findUser finds a user by their e-mail address or id.
func findUser(ctx context.Context, db *store.DB, name string) (store.User, error) {
	if email, err := admin.Address(name); err == nil {
		name = email
	}
	u, err := db.Users().GetByEmail(ctx, name)
	if errors.Is(err, store.ErrNotFound) {
		u, err = db.Users().Get(ctx, name)
	}
	if errors.Is(err, store.ErrNotFound) {
		return u, errors.New("there is no such user; headgate users list shows those there are")
	}
	return u, err
}
