package admin

import (
	"context"
	"encoding/json"

	"github.com/headgate-dev/headgate/core/auth"
)

// PluginInspection is what a module in the plugins folder is, and what it may touch.
type PluginInspection struct {
	File         string          `json:"file"`
	Size         int64           `json:"size" doc:"In bytes."`
	Digest       string          `json:"digest"`
	Manifest     json.RawMessage `json:"manifest,omitempty"`
	ManifestFrom string          `json:"manifestFrom,omitempty" enum:"module,beside"`
	Name         string          `json:"name"`
	Version      string          `json:"version,omitempty"`
	Kind         string          `json:"kind,omitempty" example:"detector"`
	Labels       []string        `json:"labels" nullable:"false" doc:"What it finds."`
	Samples      int             `json:"samples" doc:"How many it is tried with before it serves."`
	Phases       []string        `json:"phases" nullable:"false"`
	Text         []string        `json:"text" nullable:"false" doc:"The parts of an exchange whose text it sees."`
	Fields       []string        `json:"fields" nullable:"false" doc:"The fields of an exchange that it sees."`
	Capabilities []string        `json:"capabilities" nullable:"false" doc:"What of the gateway it may use."`
	Memory       int64           `json:"memory" doc:"What an instance begins with, in bytes."`
	Exports      []string        `json:"exports" nullable:"false"`
	Imports      []string        `json:"imports" nullable:"false"`
	Signature    string          `json:"signature" enum:"none,unchecked,good,bad"`
	SignatureKey string          `json:"signatureKey,omitempty"`
	SignedAs     string          `json:"signedAs,omitempty" doc:"The comment that was signed with it, or what is wrong with the signature."`
	Pinned       string          `json:"pinned" doc:"Whether plugins.lock lists the digest: yes, no, or why nobody knows."`
	Problem      string          `json:"problem,omitempty" doc:"Why it cannot be loaded."`
	Earlier      *PluginEarlier  `json:"earlier,omitempty"`
}

// PluginEarlier is the version that served before, kept to be put back.
type PluginEarlier struct {
	Version string `json:"version,omitempty"`
	Digest  string `json:"digest"`
}

// Inspect tells what a module in the plugins folder is, without running it.
func (s Plugins) Inspect(ctx context.Context, who *auth.Actor, file string) (PluginInspection, error) {
	if _, err := s.svc.allow(ctx, who, auth.PluginsRead, ""); err != nil {
		return PluginInspection{}, err
	}
	if !pluginFile.MatchString(file) {
		return PluginInspection{}, notFound("plugin")
	}
	v, there, err := s.svc.Folder.Inspect(ctx, file)
	if err == nil && !there {
		err = notFound("plugin")
	}
	return v, err
}

// Rollback puts the version back that served before the last one was installed. It serves without a trial.
func (s Plugins) Rollback(ctx context.Context, who *auth.Actor, file string) (PluginInstalled, error) {
	if _, err := s.svc.allow(ctx, who, auth.PluginsWrite, ""); err != nil {
		return PluginInstalled{}, err
	}
	if !pluginFile.MatchString(file) {
		return PluginInstalled{}, notFound("plugin")
	}
	v, there, err := s.svc.Folder.Rollback(ctx, file)
	if err != nil {
		return PluginInstalled{}, mapPluginError(err)
	}
	if !there {
		return PluginInstalled{}, conflict(CodeConflict, "no earlier version of the module is kept: only one that was installed over by the API or the console is")
	}
	return v, s.publish(ctx, who, "rollback", file)
}
