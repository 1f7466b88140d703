package admin

import (
	"context"
	"encoding/json"

	"github.com/headgate-dev/headgate/core/auth"
)

// PluginInspection describes a module in the plugins folder and its permissions.
type PluginInspection struct {
	File         string          `json:"file"`
	Size         int64           `json:"size" doc:"In bytes."`
	Digest       string          `json:"digest"`
	Manifest     json.RawMessage `json:"manifest,omitempty"`
	ManifestFrom string          `json:"manifestFrom,omitempty" enum:"module,beside"`
	Name         string          `json:"name"`
	Version      string          `json:"version,omitempty"`
	Kind         string          `json:"kind,omitempty" example:"detector"`
	Labels       []string        `json:"labels" nullable:"false" doc:"The labels of its findings."`
	Samples      int             `json:"samples" doc:"The number of test samples before activation."`
	Phases       []string        `json:"phases" nullable:"false"`
	Text         []string        `json:"text" nullable:"false" doc:"The parts of an exchange whose text it can read."`
	Fields       []string        `json:"fields" nullable:"false" doc:"The fields of an exchange that it can read."`
	Capabilities []string        `json:"capabilities" nullable:"false" doc:"The host functions that it may call."`
	Memory       int64           `json:"memory" doc:"The initial memory of an instance in bytes."`
	Exports      []string        `json:"exports" nullable:"false"`
	Imports      []string        `json:"imports" nullable:"false"`
	Signature    string          `json:"signature" enum:"none,unchecked,good,bad"`
	SignatureKey string          `json:"signatureKey,omitempty"`
	SignedAs     string          `json:"signedAs,omitempty" doc:"The trusted comment of the signature, or the error in it."`
	Pinned       string          `json:"pinned" doc:"Whether plugins.lock lists the digest: yes, no, or the error of reading it."`
	Problem      string          `json:"problem,omitempty" doc:"Why the module cannot be loaded."`
	Earlier      *PluginEarlier  `json:"earlier,omitempty"`
}

// PluginEarlier is the previously active version, kept for a rollback.
type PluginEarlier struct {
	Version string `json:"version,omitempty"`
	Digest  string `json:"digest"`
}

// Inspect describes a module in the plugins folder without running it.
func (s Plugins) Inspect(ctx context.Context, who *auth.Actor, file string) (PluginInspection, error) {
	if _, err := s.svc.authorize(ctx, who, auth.PluginsRead, ""); err != nil {
		return PluginInspection{}, err
	}
	if !pluginFile.MatchString(file) {
		return PluginInspection{}, newNotFoundError("plugin")
	}
	v, there, err := s.svc.Folder.Inspect(ctx, file)
	if err == nil && !there {
		err = newNotFoundError("plugin")
	}
	return v, err
}

// Rollback restores the version that was active before the last installation. It becomes active without a trial.
func (s Plugins) Rollback(ctx context.Context, who *auth.Actor, file string) (PluginInstalled, error) {
	if _, err := s.svc.authorize(ctx, who, auth.PluginsWrite, ""); err != nil {
		return PluginInstalled{}, err
	}
	if !pluginFile.MatchString(file) {
		return PluginInstalled{}, newNotFoundError("plugin")
	}
	v, there, err := s.svc.Folder.Rollback(ctx, file)
	if err != nil {
		return PluginInstalled{}, mapPluginError(err)
	}
	if !there {
		return PluginInstalled{}, newConflictError(
			CodeConflict,
			"no earlier version of the module is stored; only installations through the API or the console keep one",
		)
	}
	return v, s.publish(ctx, who, "rollback", file)
}
