package admin

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
)

// PluginUpload is a module with its manifest and signature.
type PluginUpload struct {
	File      string // such as card-check.wasm
	Module    []byte
	Manifest  []byte // nil if the module embeds one or has none
	Signature []byte // optional
}

// PluginInstalled is a module that was stored in the plugins folder.
type PluginInstalled struct {
	File    string `json:"file"`
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Digest  string `json:"digest" doc:"The SHA-256 digest of the module in hexadecimal."`
	Samples int    `json:"samples" doc:"The number of samples in its manifest that it was tested with, in addition to the texts that every module must handle."`
}

// PluginFolder is the plugins folder of the running gateway.
type PluginFolder interface {
	// Plugins returns the plugins that links of the chain use.
	Plugins() []Plugin
	// Install checks a module like the gateway does when it loads one, and stores it in the folder. A problem of the module
	// is a RefusedPlugin.
	Install(ctx context.Context, u PluginUpload) (PluginInstalled, error)
	// Remove removes a module with its manifest and signature, or returns false if it does not exist.
	Remove(ctx context.Context, file string) (bool, error)
	// Decide records the decision about the version in the folder, or returns false if the folder does not contain the
	// digest.
	Decide(ctx context.Context, file, digest string, promote bool) (bool, error)
	// Inspect describes the version in the folder without running it, or returns false if the file does not exist.
	Inspect(ctx context.Context, file string) (PluginInspection, bool, error)
	// Rollback restores the version that was active before the last installation, without a trial, or returns false if there
	// is none.
	Rollback(ctx context.Context, file string) (PluginInstalled, bool, error)
}

// RefusedPlugin is the error of an unusable module.
type RefusedPlugin struct{ Reason error }

// Error returns the reason.
func (r *RefusedPlugin) Error() string { return r.Reason.Error() }

// Unwrap returns the reason.
func (r *RefusedPlugin) Unwrap() error { return r.Reason }

var pluginFile = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,120}\.wasm$`)

// List lists the plugins that the chain uses.
func (s Plugins) List(ctx context.Context, who *auth.Actor, page Page) (List[Plugin], error) {
	if _, err := s.svc.authorize(ctx, who, auth.PluginsRead, ""); err != nil {
		return List[Plugin]{}, err
	}
	return newList(s.svc.Folder.Plugins(), page, func(p Plugin) string { return p.File })
}

// Install stores a module in the plugins folder. If a trial is configured it runs in shadow mode beside the active version.
func (s Plugins) Install(ctx context.Context, who *auth.Actor, u PluginUpload) (PluginInstalled, error) {
	if _, err := s.svc.authorize(ctx, who, auth.PluginsWrite, ""); err != nil {
		return PluginInstalled{}, err
	}
	if !pluginFile.MatchString(u.File) {
		return PluginInstalled{}, newInvalidValueError("name", "write letters, digits, dots, dashes and underscores, ending in .wasm")
	}
	v, err := s.svc.Folder.Install(ctx, u)
	if err != nil {
		return PluginInstalled{}, mapPluginError(err)
	}
	return v, s.publish(ctx, who, "install", v.File)
}

// mapPluginError turns a RefusedPlugin into an answer and returns other errors unchanged.
func mapPluginError(err error) error {
	var refused *RefusedPlugin
	if errors.As(err, &refused) {
		return &core.Error{
			Kind:   core.InvalidRequest,
			Code:   "plugin_refused",
			Param:  "module",
			Public: "the module is refused: " + refused.Error(),
		}
	}
	return err
}

// Remove removes a module from the plugins folder.
func (s Plugins) Remove(ctx context.Context, who *auth.Actor, file string) error {
	if _, err := s.svc.authorize(ctx, who, auth.PluginsWrite, ""); err != nil {
		return err
	}
	if !pluginFile.MatchString(file) {
		return newNotFoundError("plugin")
	}
	there, err := s.svc.Folder.Remove(ctx, file)
	if err != nil {
		return err
	}
	if !there {
		return newNotFoundError("plugin")
	}
	return s.publish(ctx, who, deleted, file)
}

// Decide activates or rejects the version of a module in the folder.
func (s Plugins) Decide(ctx context.Context, who *auth.Actor, file, digest string, promote bool) error {
	if _, err := s.svc.authorize(ctx, who, auth.PluginsWrite, ""); err != nil {
		return err
	}
	if !pluginFile.MatchString(file) {
		return newNotFoundError("plugin")
	}
	there, err := s.svc.Folder.Decide(ctx, file, strings.ToLower(digest), promote)
	if err != nil {
		return err
	}
	if !there {
		return newConflictError(
			CodeConflict,
			"the folder contains no version of the module with this digest; list the plugins and repeat the request with a current digest",
		)
	}
	action := "reject"
	if promote {
		action = "promote"
	}
	return s.publish(ctx, who, action, file)
}

// publish advances the configuration version, because the folder is not part of the store.
func (s Plugins) publish(ctx context.Context, who *auth.Actor, action, file string) error {
	if err := s.svc.Store.Config().Advance(ctx, "plugin", file); err != nil {
		return err
	}
	return s.svc.publishChange(ctx, who, action, "plugin", file, "", nil, nil)
}
