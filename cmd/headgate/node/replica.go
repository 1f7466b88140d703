package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/manage/fleet"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/telemetry"
)

// replica is a gateway that takes its configuration from a control plane. Its database holds the records as a replica,
// and the rest of the configuration as one sealed setting that is replaced in the same transaction.
type replica struct {
	cfg    *config.Config // the machine's own settings
	client *fleet.Client
	tel    *telemetry.Telemetry
	name   string

	version atomic.Int64 // of the replica
	ahead   atomic.Int64 // the control plane's version if it is behind the replica, else 0
	away    atomic.Bool  // the control plane does not respond
	spooled atomic.Bool  // records cannot be delivered
	site    atomic.Pointer[fleet.Site]
	asked   map[string]time.Time // delivered approval requests and until when that counts; only for forward
}

// isNode reports whether the configuration is that of a node.
func isNode(cfg *config.Config) bool { return cfg.Fleet.ControlPlane != "" }

// openReplica joins the fleet. It loads the newest configuration from the control plane, or continues with its replica.
// With neither it waits.
func openReplica(ctx context.Context, cfg *config.Config, tel *telemetry.Telemetry) (_ *replica, err error) {
	db, err := store.Open(ctx, cfg.Store.URL)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close(ctx)) }()
	n := &replica{cfg: cfg, tel: tel, asked: map[string]time.Time{}}
	if n.name, err = findNodeName(ctx, db, cfg); err != nil {
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
		if t, err := db.Tenants().List(ctx); err != nil || len(t) > 0 {
			return nil, errors.Join(
				err,
				errors.New(
					"store.url: the database already holds records, which those of the control plane would replace; give the node another file",
				),
			)
		}
	}
	return n, n.join(ctx, db)
}

// findNodeName returns the permanent name of the node and of its audit chain. A console has a separate chain from the
// gateway whose database or folder it shares.
func findNodeName(ctx context.Context, db *store.DB, cfg *config.Config) (string, error) {
	name, err := findGatewayName(ctx, db, cfg)
	if cfg.Role == config.RoleConsole && err == nil {
		name += consoleChain
	}
	return name, err
}

// consoleChain is the suffix of a console's chain name.
const consoleChain = ".console"

func findGatewayName(ctx context.Context, db *store.DB, cfg *config.Config) (string, error) {
	switch {
	case cfg.Fleet.Node == "":
		return readOwnName(ctx, db)
	case isNode(cfg):
		life, err := db.Settings().InsertOnce(ctx, lifeSetting, []byte(NewID()[:6]))
		return cfg.Fleet.Node + "." + string(life), err
	}
	return cfg.Fleet.Node, nil
}

// lifeSetting identifies the lifetime of a node's database. If a node restarts with an empty disk under its old name,
// its records are numbered from 1 again; without this mark the control plane would skip them as already stored.
const lifeSetting = "node_life"

// readCopy opens the stored configuration, or returns store.ErrNotFound.
func readCopy(ctx context.Context, db *store.DB, cfg *config.Config) (*fleet.Site, int64, error) {
	sealed, err := db.Settings().Get(ctx, store.CopySetting)
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
	version, err := db.Config().ReadVersion(ctx)
	return &site, version, err
}

// joinPause is the interval between requests of a node without a replica.
const joinPause = time.Second

func (n *replica) join(ctx context.Context, db *store.DB) error {
	told := false
	for {
		_, err := n.pollConfiguration(ctx, db)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case n.site.Load() != nil:
			n.tel.Log.Warn().Err(
				err,
			).Int64(
				"config_version",
				n.version.Load(),
			).Msg(
				"the control plane does not answer; the copy of its configuration is in force",
			)
			return nil
		case !told:
			told = true
			n.tel.Log.Warn().Err(
				err,
			).Msg(
				"the control plane does not answer, and there is no copy of its configuration yet; it is asked until it does",
			)
		}
		select {
		case <-time.After(joinPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// fleetUpdate is the result of a request to the control plane.
type fleetUpdate struct {
	records bool // records have changed
	site    bool // the configuration or files have changed
}

// awayLonger is the maximum pause between requests while the control plane does not respond.
const awayLonger = 5 * time.Second

// listWarnings returns the warnings for the status document.
func (n *replica) listWarnings() (list []string) {
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
