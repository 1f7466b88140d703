package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/fleet"
	"github.com/headgate-dev/headgate/core/store"
	"github.com/headgate-dev/headgate/core/telemetry"
	"github.com/headgate-dev/headgate/core/vault"
	"github.com/headgate-dev/headgate/plugins"
)

// node is a gateway that takes its configuration from a control plane: its database
// holds the records as a replica, and what else there is of the configuration as one
// sealed setting, replaced with the records in one transaction.
type node struct {
	cfg    *config.Config // what the machine has for itself
	client *fleet.Client
	tel    *telemetry.Telemetry
	name   string

	version atomic.Int64 // of the copy
	ahead   atomic.Int64 // of the control plane, when it is older than the copy; else 0
	away    atomic.Bool  // the control plane does not answer
	spooled atomic.Bool  // records cannot be handed over
	site    atomic.Pointer[fleet.Site]
	asked   map[string]time.Time // requests for approval that were handed over, and until when that counts; forward's own
}

// isNode reports whether a configuration is a node's.
func isNode(cfg *config.Config) bool { return cfg.Fleet.ControlPlane != "" }

// openNode joins the fleet: it takes the newest configuration from the control plane,
// or goes on with the copy of the last one. Without either it waits.
func openNode(ctx context.Context, cfg *config.Config, tel *telemetry.Telemetry) (_ *node, err error) {
	db, err := store.Open(ctx, cfg.Store.URL)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close(ctx)) }()
	n := &node{cfg: cfg, tel: tel, asked: map[string]time.Time{}}
	if n.name, err = nodeName(ctx, db, cfg); err != nil {
		return nil, err
	}
	n.client, err = fleet.NewClient(fleet.ClientOptions{
		URL: cfg.Fleet.ControlPlane, Secret: cfg.Fleet.Secret.Reveal(), Node: n.name, CAFile: cfg.Fleet.CAFile,
	})
	if err != nil {
		return nil, err
	}
	site, version, err := readCopy(ctx, db, cfg)
	switch {
	case err == nil:
		n.site.Store(site)
		n.version.Store(version)
	case !errors.Is(err, store.ErrNotFound):
		return nil, err
	default:
		if t, err := db.Tenants(ctx); err != nil || len(t) > 0 {
			return nil, errors.Join(err, errors.New("store.url: the database holds records of its own, which those of the control plane would take the place of; give the node another file"))
		}
	}
	return n, n.join(ctx, db)
}

// nodeName is what the node is called for good, as its audit chain is. A console has a chain of its own beside that of
// the gateway whose database or folder it shares.
func nodeName(ctx context.Context, db *store.DB, cfg *config.Config) (string, error) {
	name, err := gatewayName(ctx, db, cfg)
	if cfg.Role == config.RoleConsole && err == nil {
		name += consoleChain
	}
	return name, err
}

// consoleChain ends the name of a console's audit chain.
const consoleChain = ".console"

func gatewayName(ctx context.Context, db *store.DB, cfg *config.Config) (string, error) {
	switch {
	case cfg.Fleet.Node == "":
		return ownName(ctx, db)
	case isNode(cfg):
		life, err := db.SettingOnce(ctx, lifeSetting, []byte(newID()[:6]))
		return cfg.Fleet.Node + "." + string(life), err
	}
	return cfg.Fleet.Node, nil
}

// lifeSetting names the life of a node's database. The records of a node that begins anew on an empty disk under its old
// name are numbered from 1 again: without a mark of its own the control plane would take them for ones that it has.
const lifeSetting = "node_life"

// readCopy opens what a node has kept; store.ErrNotFound when there is nothing yet.
func readCopy(ctx context.Context, db *store.DB, cfg *config.Config) (*fleet.Site, int64, error) {
	sealed, err := db.Setting(ctx, store.CopySetting)
	if err != nil {
		return nil, 0, err
	}
	_, plain, err := fleet.NewSealer(cfg.Fleet.Secret.Reveal()).OpenCopy(sealed)
	if err != nil {
		return nil, 0, fmt.Errorf("the node's copy of the configuration: %w", err)
	}
	var site fleet.Site
	if err := json.Unmarshal(plain, &site); err != nil {
		return nil, 0, fmt.Errorf("the node's copy of the configuration: %w", err)
	}
	version, err := db.Version(ctx)
	return &site, version, err
}

// joinPause is how long a node without a copy waits before it asks again.
const joinPause = time.Second

func (n *node) join(ctx context.Context, db *store.DB) error {
	told := false
	for {
		_, err := n.look(ctx, db)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case n.site.Load() != nil:
			n.tel.Log.Warn().Err(err).Int64("config_version", n.version.Load()).Msg("the control plane does not answer; the copy of its configuration is in force")
			return nil
		case !told:
			told = true
			n.tel.Log.Warn().Err(err).Msg("the control plane does not answer, and there is no copy of its configuration yet; it is asked until it does")
		}
		select {
		case <-time.After(joinPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// taken says what came of a look at the control plane.
type taken struct {
	records bool // there are other records
	site    bool // there is another configuration, or other files
}

// look asks for the version, and takes a newer configuration.
func (n *node) look(ctx context.Context, db *store.DB) (taken, error) {
	have := n.version.Load()
	v, err := n.client.Version(ctx, have)
	if err != nil {
		return taken{}, err
	}
	switch {
	case v < have: // it was put back to an older copy of itself; see docs/fleet.md
		if n.ahead.Swap(v) != v {
			n.tel.Log.Error().Int64("config_version", have).Int64("control_plane_version", v).
				Msg("the control plane has an older configuration than this node, which keeps its own; it may have been put back to an older copy: see headgate fleet resume")
		}
		return taken{}, nil
	case v == have && n.site.Load() != nil:
		n.ahead.Store(0)
		return taken{}, nil
	}
	n.ahead.Store(0)
	if n.site.Load() == nil {
		have = 0
	}
	b, err := n.client.Bundle(ctx, have)
	if err != nil {
		return taken{}, err
	}
	return n.take(ctx, db, b)
}

// take puts a bundle in the place of what there is.
func (n *node) take(ctx context.Context, db *store.DB, b *fleet.Bundle) (taken, error) {
	old := n.site.Load()
	if b.Version < n.version.Load() {
		return taken{}, fmt.Errorf("%w: version %d", store.ErrOlder, b.Version)
	}
	if _, err := vault.Shared(b.Master); err != nil {
		return taken{}, err
	}
	if old != nil && string(old.Master) != string(b.Master) {
		return taken{}, errors.New("the control plane has another master key than before: what this node has sealed and signed would be lost; start it with a new store.url")
	}
	changed, err := n.fetch(ctx, b.Files)
	if err != nil {
		return taken{}, err
	}
	site := b.Site
	plain, err := json.Marshal(site)
	if err != nil {
		return taken{}, err
	}
	sealed, err := n.client.Sealer().SealCopy(b.Version, b.Issued, plain)
	if err != nil {
		return taken{}, err
	}
	if err := db.Import(ctx, b.Version, b.Full, map[string][]byte{store.CopySetting: sealed}, b.Records); err != nil {
		return taken{}, err
	}
	n.site.Store(&site)
	n.version.Store(b.Version)
	return taken{records: true, site: changed || old == nil || string(old.Config) != string(site.Config)}, nil
}

// fetch brings the plugins folder to what the control plane has in its own.
func (n *node) fetch(ctx context.Context, want []fleet.File) (changed bool, err error) {
	dir := n.cfg.Plugins.Dir
	if len(want) > 0 {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return false, err
		}
	}
	files := &fleetFiles{dir: dir}
	have, err := files.list()
	if err != nil {
		return false, err
	}
	left := map[string]string{} // digests by name
	for _, f := range have {
		left[f.Name] = f.Digest
	}
	// The lock comes last, as it says which of the others may run.
	for _, last := range []bool{false, true} {
		for _, f := range want {
			if (f.Name == plugins.LockFile) != last {
				continue
			}
			if !forNodes(f.Name) || f.Name != filepath.Base(f.Name) || f.Size > mostFile {
				return changed, fmt.Errorf("the control plane names a file that is none for nodes")
			}
			same := left[f.Name] == f.Digest
			delete(left, f.Name)
			if same {
				continue
			}
			b, err := n.client.File(ctx, f)
			if err != nil {
				return changed, err
			}
			if err := plugins.Replace(filepath.Join(dir, f.Name), b); err != nil {
				return changed, err
			}
			changed = true
		}
	}
	for name := range left {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			return changed, err
		}
		changed = true
	}
	return changed, nil
}

// awayLonger is how long the pause between two questions grows to while nobody answers.
const awayLonger = 5 * time.Second

// follow asks for newer configurations until ctx ends. wake hurries it.
func (n *node) follow(ctx context.Context, db *store.DB, wake <-chan struct{}, took func(taken)) {
	pause := n.cfg.Fleet.Poll
	for {
		// A fifth more or less, so that nodes that were started together do not ask together.
		t := time.NewTimer(pause*4/5 + rand.N(pause*2/5))
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-wake:
			t.Stop()
		case <-t.C:
		}
		got, err := n.look(ctx, db)
		if ctx.Err() != nil {
			return
		}
		switch {
		case err == nil && n.away.Swap(false):
			n.tel.Log.Info().Msg("the control plane answers again")
		case err != nil && !n.away.Swap(true):
			n.tel.Log.Warn().Err(err).Msg("the configuration cannot be taken from the control plane; the last one stays in force")
		}
		if pause = n.cfg.Fleet.Poll; err != nil {
			pause = max(pause, min(2*pause, awayLonger))
		}
		if got.records {
			took(got)
		}
	}
}

// warnings are for the status document.
func (n *node) warnings() (list []string) {
	if n.away.Load() {
		list = append(list, "the control plane does not answer; the last configuration stays in force")
	}
	if n.spooled.Load() {
		list = append(list, "records cannot be handed to the control plane; they are kept")
	}
	if v := n.ahead.Load(); v != 0 {
		list = append(list, fmt.Sprintf("the control plane is at version %d, behind this node", v))
	}
	return list
}
