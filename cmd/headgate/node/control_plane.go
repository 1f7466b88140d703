package node

import (
	"context"
	"crypto/hmac"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/manage/fleet"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/vault"
)

// controlPlane gives nodes access to the gateway.
type controlPlane struct {
	g     *gateway
	files *fleetFiles

	mu   sync.Mutex
	seen map[string]store.FleetNode // last stored state of each node
	take map[string]*sync.Mutex     // by node, serializes its batches
}

var _ fleet.Source = (*controlPlane)(nil)

// newInternalAPI serves the nodes of a fleet.
func (g *gateway) newInternalAPI(cfg *config.Config) http.Handler {
	p := &controlPlane{g: g, files: &fleetFiles{dir: cfg.Plugins.Dir}, seen: map[string]store.FleetNode{}, take: map[string]*sync.Mutex{}}
	return fleet.NewHandler(fleet.Options{
		Source: p, Secret: cfg.Fleet.Secret.Reveal(), Now: time.Now,
		Failed: func(err error) { g.tel.Log.Error().Err(err).Msg("a node's request failed") },
	})
}

// ReadVersion returns the configuration version.
func (p *controlPlane) ReadVersion(ctx context.Context) (int64, error) {
	return p.g.rec.DB.Config().ReadVersion(ctx)
}

// fullConfig is the response of /internal/v1/config/full.
type fullConfig struct {
	Version int64          `json:"version"`
	Tenants []admin.Tenant `json:"tenants"`
	Routes  []admin.Route  `json:"routes"`
	APIKeys []admin.Key    `json:"api_keys"`
}

// ReadFull returns the configuration as the specification defines it, without key hashes.
func (p *controlPlane) ReadFull(ctx context.Context) (any, error) {
	db := p.g.rec.DB
	out := fullConfig{Tenants: []admin.Tenant{}, Routes: plane{p.g}.Routes(), APIKeys: []admin.Key{}}
	var err error
	if out.Version, err = db.Config().ReadVersion(ctx); err != nil { // read first: a later version covers concurrent changes
		return nil, err
	}
	tiers := map[string]string{}
	for t, err := range db.Tenants().Iterate(ctx, store.Cursor{}, 0) {
		if err != nil {
			return nil, err
		}
		view := admin.ViewTenant(&t)
		out.Tenants, tiers[t.ID] = append(out.Tenants, view), view.Tier
	}
	stored, err := db.Routes().List(ctx)
	if err != nil {
		return nil, err
	}
	for i := range stored {
		out.Routes = append(out.Routes, admin.ViewRoute(&stored[i]))
	}
	for k, err := range db.Keys().ListByOwner(ctx, "", store.Cursor{}, 0) {
		if err != nil {
			return nil, err
		}
		out.APIKeys = append(out.APIKeys, admin.ViewKey(&k, tiers[k.TenantID]))
	}
	return out, nil
}

// DescribeSite returns what accompanies every bundle: the configuration in force here.
func (p *controlPlane) DescribeSite(ctx context.Context) (fleet.Site, error) {
	g := p.g
	if err := vault.CreateMissingKeys(ctx, g.rec.DB, g.rec.Master); err != nil {
		return fleet.Site{}, err
	}
	g.mu.Lock()
	cfg := g.cfg
	g.mu.Unlock()
	text, err := cfg.MarshalShared()
	if err != nil {
		return fleet.Site{}, err
	}
	files, err := p.files.list()
	return fleet.Site{Config: text, Master: g.rec.Master.Share(), Files: files}, err
}

// ReadRows exports what changed after since, or everything.
func (p *controlPlane) ReadRows(ctx context.Context, since int64, begin func(full bool) error, each func(*store.Row) error) (int64, error) {
	return p.g.rec.DB.Fleet().Export(ctx, since, begin, each)
}

// ReadFile opens a file of the plugins folder by its digest.
func (p *controlPlane) ReadFile(_ context.Context, digest string) ([]byte, error) {
	return p.files.open(digest)
}

// seenEvery is the minimum interval between two writes of a node's last contact.
const seenEvery = 15 * time.Second

// RecordContact records a node's request and its configuration version.
func (p *controlPlane) RecordContact(name string, version int64) {
	now := time.Now()
	p.mu.Lock()
	old, known := p.seen[name]
	due := !known || old.Version != version || now.Sub(old.SeenAt) > seenEvery || now.Before(old.SeenAt)
	if due {
		p.seen[name] = store.FleetNode{Name: name, Version: version, SeenAt: now}
	}
	p.mu.Unlock()
	if !due {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), shadowTimeout)
	defer cancel()
	own, err := p.g.rec.DB.Config().ReadVersion(ctx)
	if err == nil {
		err = p.g.rec.DB.Fleet().SaveNode(ctx, name, version)
	}
	if err != nil {
		p.g.tel.Log.Error().Err(err).Msg("a node could not be written down")
		return
	}
	if version > own {
		p.g.tel.Log.Error().Str("node", name).Int64("node_version", version).Int64("config_version", own).
			Msg(
				"a node has a newer configuration than this control plane, which may have been put back to an older copy; once what it holds is right, run: headgate fleet resume",
			)
	}
}

// configurationMark is the setting that detects whether the file has changed since the last start.
const configurationMark = "configuration.mark"

// advanceVersion advances the configuration version if the shared part of the file has changed.
func advanceVersion(ctx context.Context, r *Records, cfg *config.Config) error {
	text, err := cfg.MarshalShared()
	if err != nil {
		return err
	}
	mark := r.Master.ComputeDigest("configuration", text)
	old, err := r.DB.Settings().Get(ctx, configurationMark)
	if errors.Is(err, store.ErrNotFound) { // the first configuration already has a version
		_, err = r.DB.Settings().InsertOnce(ctx, configurationMark, mark)
		return err
	}
	if err != nil || hmac.Equal(old, mark) {
		return err
	}
	return r.DB.Settings().Change(ctx, configurationMark, mark, "configuration")
}

// configTopic is the topic of configuration changes.
const configTopic = "config"

// notifyNodes notifies all processes that share the state of a newer configuration.
func (g *gateway) notifyNodes(ctx context.Context) {
	n, ok := g.state.(state.Noticer)
	if g.mu.Lock(); !g.cfg.Role.Administers() {
		ok = false
	}
	g.mu.Unlock()
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if err := n.Notify(ctx, configTopic); err != nil {
		g.tel.Log.Debug().Err(err).Msg("nodes could not be notified; they poll anyway")
	}
}

// watchChanges makes the gateway check for changes whenever another process announces one.
func (g *gateway) watchChanges(ctx context.Context, hear func()) {
	if n, ok := g.state.(state.Noticer); ok {
		n.ReceiveNotices(ctx, configTopic, hear)
	}
}

// lockNode serializes the batches of one node.
func (p *controlPlane) lockNode(node string) (unlock func()) {
	p.mu.Lock()
	m := p.take[node]
	if m == nil {
		m = new(sync.Mutex)
		p.take[node] = m
	}
	p.mu.Unlock()
	m.Lock()
	return m.Unlock
}
