package admin

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
)

// PluginUpload is a module, and what belongs beside it.
type PluginUpload struct {
	File      string // such as card-check.wasm
	Module    []byte
	Manifest  []byte // nil: it has its own, or none
	Signature []byte // nil: there is none
}

// PluginInstalled is a module that was put into the plugins folder.
type PluginInstalled struct {
	File    string `json:"file"`
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Digest  string `json:"digest" doc:"SHA-256 of the module, in hex."`
	Samples int    `json:"samples" doc:"How many samples of its manifest it was tried with, besides the texts that every module must get through."`
}

// PluginFolder is the plugins folder of the running gateway.
type PluginFolder interface {
	// Plugins are those that links have asked for.
	Plugins() []Plugin
	// Install checks a module as the gateway would load it, and puts it into the folder. An error of the module is a
	// RefusedPlugin.
	Install(ctx context.Context, u PluginUpload) (PluginInstalled, error)
	// Remove takes a module and what lies beside it away; false: there is none.
	Remove(ctx context.Context, file string) (bool, error)
	// Decide notes what an operator says of the version that lies in the folder; false: it has another digest, or is gone.
	Decide(ctx context.Context, file, digest string, promote bool) (bool, error)
	// Inspect tells what the version is that lies in the folder, without running it; false: there is none.
	Inspect(ctx context.Context, file string) (PluginInspection, bool, error)
	// Rollback puts the version back that served before the last one was installed; false: there is none. It serves
	// without a trial.
	Rollback(ctx context.Context, file string) (PluginInstalled, bool, error)
}

// RefusedPlugin says why a module cannot be used.
type RefusedPlugin struct{ Reason error }

// Error gives the reason.
func (r *RefusedPlugin) Error() string { return r.Reason.Error() }

// Unwrap gives the reason.
func (r *RefusedPlugin) Unwrap() error { return r.Reason }

var pluginFile = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,120}\.wasm$`)

// List lists the plugins that the chain has asked for.
func (s Plugins) List(ctx context.Context, who *auth.Actor, page Page) (List[Plugin], error) {
	if _, err := s.svc.allow(ctx, who, auth.PluginsRead, ""); err != nil {
		return List[Plugin]{}, err
	}
	return listOf(s.svc.Folder.Plugins(), page, func(p Plugin) string { return p.File })
}

// Install puts a module into the plugins folder. With a trial configured it runs in shadow beside the version that
// serves.
func (s Plugins) Install(ctx context.Context, who *auth.Actor, u PluginUpload) (PluginInstalled, error) {
	if _, err := s.svc.allow(ctx, who, auth.PluginsWrite, ""); err != nil {
		return PluginInstalled{}, err
	}
	if !pluginFile.MatchString(u.File) {
		return PluginInstalled{}, invalidValue("name", "a module's file is named with letters, digits, dots, dashes and underscores, and ends in .wasm")
	}
	v, err := s.svc.Folder.Install(ctx, u)
	if err != nil {
		return PluginInstalled{}, mapPluginError(err)
	}
	return v, s.publish(ctx, who, "install", v.File)
}

// mapPluginError is the refusal of a module, where that is what happened.
func mapPluginError(err error) error {
	var refused *RefusedPlugin
	if errors.As(err, &refused) {
		return &core.Error{Kind: core.InvalidRequest, Code: "plugin_refused", Param: "module", Public: "the module is refused: " + refused.Error()}
	}
	return err
}

// Remove takes a module out of the plugins folder.
func (s Plugins) Remove(ctx context.Context, who *auth.Actor, file string) error {
	if _, err := s.svc.allow(ctx, who, auth.PluginsWrite, ""); err != nil {
		return err
	}
	if !pluginFile.MatchString(file) {
		return notFound("plugin")
	}
	there, err := s.svc.Folder.Remove(ctx, file)
	if err != nil {
		return err
	}
	if !there {
		return notFound("plugin")
	}
	return s.publish(ctx, who, deleted, file)
}

// Decide lets the version of a module that lies in the folder serve, or refuses it.
func (s Plugins) Decide(ctx context.Context, who *auth.Actor, file, digest string, promote bool) error {
	if _, err := s.svc.allow(ctx, who, auth.PluginsWrite, ""); err != nil {
		return err
	}
	if !pluginFile.MatchString(file) {
		return notFound("plugin")
	}
	there, err := s.svc.Folder.Decide(ctx, file, strings.ToLower(digest), promote)
	if err != nil {
		return err
	}
	if !there {
		return conflict(CodeConflict, "the folder holds no version of the module with this digest; list the plugins, and decide about what is there")
	}
	action := "reject"
	if promote {
		action = "promote"
	}
	return s.publish(ctx, who, action, file)
}

// publish advances the configuration version, as the folder is no part of the store.
func (s Plugins) publish(ctx context.Context, who *auth.Actor, action, file string) error {
	if err := s.svc.Store.Config().Advance(ctx, "plugin", file); err != nil {
		return err
	}
	return s.svc.publishChange(ctx, who, action, "plugin", file, "")
}
