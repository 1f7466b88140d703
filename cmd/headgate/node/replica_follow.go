package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/headgate-dev/headgate/core/manage/fleet"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/vault"
	"github.com/headgate-dev/headgate/plugins"
)

// pollConfiguration requests the version and loads a newer configuration.
func (n *replica) pollConfiguration(ctx context.Context, db *store.DB) (fleetUpdate, error) {
	have := n.version.Load()
	v, err := n.client.FetchVersion(ctx, have)
	if err != nil {
		return fleetUpdate{}, err
	}
	switch {
	case v < have: // it was restored from a backup; see docs/fleet.md
		if n.ahead.Swap(v) != v {
			n.tel.Log.Error().Int64("config_version", have).Int64("control_plane_version", v).
				Msg(
					"the control plane has an older configuration than this node, which keeps its own; it may have been put back to an older copy: see headgate fleet resume",
				)
		}
		return fleetUpdate{}, nil
	case v == have && n.site.Load() != nil:
		n.ahead.Store(0)
		return fleetUpdate{}, nil
	}
	n.ahead.Store(0)
	if n.site.Load() == nil {
		have = 0
	}
	b, err := n.client.FetchBundle(ctx, have)
	if err != nil {
		return fleetUpdate{}, err
	}
	return n.applyBundle(ctx, db, b)
}

// applyBundle replaces the node's configuration and records by a bundle.
func (n *replica) applyBundle(ctx context.Context, db *store.DB, b *fleet.Bundle) (fleetUpdate, error) {
	old := n.site.Load()
	if b.Version < n.version.Load() {
		return fleetUpdate{}, fmt.Errorf("%w: version %d", store.ErrOlder, b.Version)
	}
	if _, err := vault.OpenShared(b.Master); err != nil {
		return fleetUpdate{}, err
	}
	if old != nil && string(old.Master) != string(b.Master) {
		return fleetUpdate{}, errors.New(
			"the control plane has another master key than before: what this node has sealed and signed would be lost; start it with a new store.url",
		)
	}
	changed, err := n.syncFiles(ctx, b.Files)
	if err != nil {
		return fleetUpdate{}, err
	}
	site := b.Site
	plain, err := json.Marshal(site)
	if err != nil {
		return fleetUpdate{}, err
	}
	sealed, err := n.client.Sealer().SealCopy(b.Version, b.Issued, plain)
	if err != nil {
		return fleetUpdate{}, err
	}
	if err := db.Fleet().Import(ctx, b.Version, b.Full, map[string][]byte{store.CopySetting: sealed}, b.Records); err != nil {
		return fleetUpdate{}, err
	}
	n.site.Store(&site)
	n.version.Store(b.Version)
	return fleetUpdate{records: true, site: changed || old == nil || string(old.Config) != string(site.Config)}, nil
}

// syncFiles synchronizes the plugins folder with the control plane's.
func (n *replica) syncFiles(ctx context.Context, want []fleet.File) (changed bool, err error) {
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
	// Replace the lock last, because it states which of the others may run.
	for _, last := range []bool{false, true} {
		for _, f := range want {
			if (f.Name == plugins.LockFile) != last {
				continue
			}
			if !isForNodes(f.Name) || f.Name != filepath.Base(f.Name) || f.Size > maxFile {
				return changed, fmt.Errorf("the control plane names a file that nodes must not read")
			}
			same := left[f.Name] == f.Digest
			delete(left, f.Name)
			if same {
				continue
			}
			b, err := n.client.FetchFile(ctx, f)
			if err != nil {
				return changed, err
			}
			if err := plugins.ReplaceFile(filepath.Join(dir, f.Name), b); err != nil {
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

// follow polls for newer configurations until ctx ends. wake triggers an immediate poll.
func (n *replica) follow(ctx context.Context, db *store.DB, wake <-chan struct{}, took func(fleetUpdate)) {
	pause := n.cfg.Fleet.Poll
	for {
		// Add 20 % jitter, so that nodes that started together do not poll together.
		t := time.NewTimer(pause*4/5 + rand.N(pause*2/5))
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-wake:
			t.Stop()
		case <-t.C:
		}
		got, err := n.pollConfiguration(ctx, db)
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
