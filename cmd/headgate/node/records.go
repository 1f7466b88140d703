package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/vault"
)

// PasswordVar is the environment variable with the master password. Only this file reads it.
const PasswordVar = "HEADGATE_ENCRYPTION_MASTER_PASSWORD"

// Records are the store and its writers.
type Records struct {
	DB     *store.DB
	Master *vault.Master
	writer *store.Writer
	audit  *audit.Log
	vault  *vault.Vault
	start  audit.Start
	lic    *admin.LicenseKeeper
	clock  *settledClock
	id     *databaseIdentity
	warns  []string
}

// OpenStore opens the database and the keys that seal its records. It initializes an empty database.
func OpenStore(ctx context.Context, cfg *config.Config) (*Records, error) {
	return openStore(ctx, cfg, &databaseIdentity{})
}

// OpenExisting is OpenStore for commands that only read. It refuses an empty database and does not change it.
func OpenExisting(ctx context.Context, cfg *config.Config) (*Records, error) {
	return openStore(ctx, cfg, &databaseIdentity{existing: true})
}

func openStore(ctx context.Context, cfg *config.Config, id *databaseIdentity) (*Records, error) {
	db, err := store.Open(ctx, cfg.Store.URL, buildStoreOptions(cfg, id)...)
	if err != nil {
		return nil, err
	}
	m, warning, err := loadMaster(ctx, db, cfg, id.unsealed)
	if err != nil {
		return nil, errors.Join(err, db.Close(ctx))
	}
	r := &Records{DB: db, Master: m, id: id}
	if warning != "" {
		r.warns = append(r.warns, warning)
	}
	return r, nil
}

// loadMaster returns the master key. A node gets the control plane's. If reads is set, a database without a key gets
// one that ends with the process.
func loadMaster(ctx context.Context, db *store.DB, cfg *config.Config, reads bool) (*vault.Master, string, error) {
	if !isNode(cfg) {
		if reads {
			m, err := createPassingMaster(ctx, db)
			if m != nil || err != nil {
				return m, "", err
			}
		}
		return vault.LoadMaster(ctx, db, os.Getenv(PasswordVar))
	}
	site, _, err := readCopy(ctx, db, cfg)
	if errors.Is(err, store.ErrNotFound) {
		return nil, "", errors.New("the node has no copy of its control plane's configuration yet; start it once with headgate serve")
	}
	if err != nil {
		return nil, "", err
	}
	m, err := vault.OpenShared(site.Master)
	return m, "", err
}

// openRecords opens the store for a gateway that serves.
func openRecords(ctx context.Context, cfg *config.Config, onError func(error, int)) (*Records, error) {
	r, err := OpenStore(ctx, cfg)
	if err != nil {
		return nil, err
	}
	compress, err := r.DB.Audit().FindCompressionStart(ctx)
	if err != nil {
		return nil, errors.Join(err, r.DB.Close(ctx))
	}
	r.writer = store.NewWriter(r.DB, store.WriterOptions{OnError: onError, MaxBytes: int(cfg.Audit.Queue), CompressFrom: compress})
	node, err := findNodeName(ctx, r.DB, cfg)
	if err == nil {
		r.audit, r.start, err = audit.Open(ctx, r.DB, r.writer, r.Master.AuditKey(), audit.WithNode(node))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("audit log: %w", err), r.writer.Close(ctx), r.DB.Close(ctx))
	}
	if r.lic, err = openLicense(ctx, cfg, r); err != nil {
		return nil, errors.Join(err, r.Close(ctx))
	}
	if err := r.lic.Refresh(ctx); err != nil {
		return nil, errors.Join(err, r.Close(ctx))
	}
	if err := r.lic.LastError(); err != nil {
		r.warns = append(r.warns, err.Error()+"; the gateway goes on without a licence")
	}
	if r.vault, err = vault.New(r.DB, r.writer, r.Master, vault.Options{TTL: cfg.Vault.TTL}); err != nil {
		return nil, errors.Join(err, r.Close(ctx))
	}
	if err := r.id.save(ctx, r.DB); err != nil {
		return nil, errors.Join(err, r.Close(ctx))
	}
	r.warns = append(r.warns, r.id.warns...)
	return r, nil
}

// Close writes what is queued and closes the store.
func (r *Records) Close(ctx context.Context) error {
	var errs []error
	if r.audit != nil {
		errs = append(errs, r.audit.Close(ctx))
	}
	if r.writer != nil {
		errs = append(errs, r.writer.Close(ctx))
	}
	return errors.Join(append(errs, r.DB.Close(ctx))...)
}

// checkReady returns why the process must not receive requests. Exchanges need room in the queue but no database, so a
// gateway keeps serving during an outage of the database; a console cannot.
func (r *Records) checkReady(ctx context.Context, cfg *config.Config) error {
	if err := r.DB.CheckHealth(); err != nil {
		return err
	}
	if !cfg.Role.Governs() {
		_, err := r.DB.Config().ReadVersion(ctx)
		return err
	}
	if r.writer.Stats().Full {
		return store.ErrBusy
	}
	return nil
}

func (r *Records) printWarnings(w io.Writer) {
	for _, text := range r.warns {
		_, _ = fmt.Fprintln(w, "warning:", text) // a closed terminal cannot be reported
	}
}
