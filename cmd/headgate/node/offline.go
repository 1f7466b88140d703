package node

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/policies"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/plugins/webhook"
	"github.com/headgate-dev/headgate/stages/schema"
)

// Administer runs an administrative operation on the store, possibly beside a running gateway. Access to the database
// and its key is the only credential required, but the operation is recorded in the audit chain.
func (f *Options) Administer(ctx context.Context, errOut io.Writer, do func(ctx context.Context, s *admin.Service) error) (err error) {
	cfg, _, err := f.Load()
	if err != nil {
		return err
	}
	r, err := f.OpenRecords(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close(context.WithoutCancel(ctx))) }()
	r.printWarnings(errOut)
	if _, err := readProviders(ctx, r, cfg); err != nil { // routes may name them
		return err
	}
	r.writer = store.NewWriter(r.DB, store.WriterOptions{})
	node, err := findNodeName(ctx, r.DB, cfg)
	if err != nil {
		return err
	}
	if r.audit, err = audit.OpenGuest(ctx, r.DB, r.writer, r.Master.AuditKey(), audit.WithNode(node)); err != nil {
		return err
	}
	if r.lic, err = openLicense(ctx, cfg, r); err != nil {
		return err
	}
	check := r.lic.Refresh
	if f.ReadOnly {
		check = r.lic.Load
	}
	if err := check(ctx); err != nil {
		return err
	}
	file, err := ListFilePolicies(cfg)
	if err != nil {
		return err
	}
	webhooks, err := r.Master.NewBox("webhooks")
	if err != nil {
		return err
	}
	guards, err := r.Master.NewBox("guardrail plugins")
	if err != nil {
		return err
	}
	sender, err := webhook.NewSender(webhook.SenderOptions{AllowPrivate: cfg.Webhooks.AllowPrivate, CAFile: cfg.Webhooks.CAFile})
	if err != nil {
		return err
	}
	servers, err := openServers(ctx, cfg, r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, servers.close()) }()
	box, err := openAgentBox(r)
	if err != nil {
		return err
	}
	serverBox, err := openServerBox(r)
	if err != nil {
		return err
	}
	peers := &offlineAgents{cfg: cfg, rec: r, box: box}
	defer func() { err = errors.Join(err, peers.close()) }()
	err = do(ctx, admin.New(admin.Options{
		Store:         r.DB,
		Audit:         r.audit,
		License:       r.lic,
		LicenseKeeper: r.lic,
		AuditKey:      r.Master.AuditKey(),
		KeyGrace:      cfg.Admin.KeyGrace,
		Plane:         offlinePlane{cfg: cfg},
		Tools:         servers,
		Peers:         peers,
		AgentBox:      box,
		ServerBox:     serverBox,
		NewID:         NewID,
		Now:           time.Now,
		Version:       f.Version,
		WebhookBox:    webhooks,
		PluginBox:     guards,
		Subscribers:   urlChecker{sender: sender},
		CheckSchema:   schema.Check,
		PolicyService: policies.New(
			policies.Options{Store: r.DB, Language: NewPolicyLanguage(cfg), NewID: NewID, File: func() []policydoc.Record { return file }},
		),
	}))
	var e *core.Error
	if errors.As(err, &e) && e.Err == nil {
		return errors.New(e.Public)
	}
	return err
}
