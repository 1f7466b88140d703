package node

import (
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/plugins/oci"
)

// spareArtifacts is how many artifacts the store keeps that nothing names, the newest first: to go back to one of them needs no registry.
const spareArtifacts = 8

// cleanArtifacts removes unused artifacts from the store. The configuration applies even if that fails.
func cleanArtifacts(g *gateway, cfg *config.Config) {
	if isConsole(cfg) {
		return
	}
	if err := pruneArtifacts(cfg); err != nil {
		g.tel.Log.Warn().Err(err).Msg("unused artifacts of plugins could not be removed")
	}
}

// pruneArtifacts removes what the store holds beyond the artifacts that the configuration or plugins.lock names and some spare ones.
func pruneArtifacts(cfg *config.Config) error {
	var keep []oci.Reference
	for _, text := range cfg.Plugins.Artifacts {
		if ref, err := oci.ParseReference(text); err == nil {
			keep = append(keep, ref)
		}
	}
	lock, err := plugins.ReadLock(cfg.Plugins.Dir)
	if err != nil && !plugins.IsMissing(err) {
		return err // what it lists is not known, so nothing is removed
	}
	return oci.Prune(findArtifactStore(cfg), keep, spareArtifacts, func(file, digest string) bool {
		return lock != nil && lock.Has(file, digest)
	})
}
