package rest

import (
	"context"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// PluginPath names a plugin file.
type PluginPath struct {
	File string `path:"file" maxLength:"128" doc:"The file of the module in the plugins folder." example:"card-check.wasm"`
}

// upload is the form with which a module is uploaded.
type upload struct {
	Name      string        `form:"name" required:"false" doc:"The name of the file in the plugins folder. By default that of the uploaded file."`
	Module    huma.FormFile `form:"module" required:"true" doc:"The WebAssembly module."`
	Manifest  huma.FormFile `form:"manifest" required:"false" doc:"The manifest, unless the module embeds one."`
	Signature huma.FormFile `form:"signature" required:"false" doc:"The minisign signature, needed if plugins.trust is signed."`
}

// Size limits in bytes.
const (
	maxModuleBody   = 64 << 20 // a module, its manifest and its signature
	maxFormOverhead = 64 << 10 // what multipart encoding adds
)

// addPlugins adds the operations on the plugins folder.
func (a *API) addPlugins() {
	const tag = "Plugins"
	s := a.Service.Plugins()
	registerPagedList(a, Operation{
		ID:         "listPlugins",
		Method:     http.MethodGet,
		Path:       "/plugins",
		Tag:        tag,
		Summary:    "List plugins with their versions and trials",
		Permission: auth.PluginsRead,
	}, func(ctx context.Context, who *auth.Actor, _ *struct{ Page }, p admin.Page) (admin.List[admin.Plugin], error) {
		return s.List(ctx, who, p)
	})
	registerOperation(a, Operation{
		ID: "installPlugin", Method: http.MethodPost, Path: "/plugins", Tag: tag, Summary: "Check a module and store it in the plugins folder",
		Permission: auth.PluginsWrite, Status: http.StatusCreated, MaxBody: maxModuleBody,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		RawBody huma.MultipartFormFiles[upload]
	},
	) (*valueAnswer[admin.PluginInstalled], error) {
		u, err := readUpload(in.RawBody.Data())
		if err != nil {
			return nil, err
		}
		return answerValue(s.Install(ctx, who, u))
	})
	registerOperation(a, Operation{
		ID:         "inspectPlugin",
		Method:     http.MethodGet,
		Path:       "/plugins/{file}",
		Tag:        tag,
		Summary:    "Get the manifest and the permissions of a module in the plugins folder",
		Permission: auth.PluginsRead,
	}, func(ctx context.Context, who *auth.Actor, in *PluginPath) (*valueAnswer[admin.PluginInspection], error) {
		return answerValue(s.Inspect(ctx, who, in.File))
	})
	registerOperation(a, Operation{
		ID:         "rollbackPlugin",
		Method:     http.MethodPost,
		Path:       "/plugins/{file}/rollback",
		Tag:        tag,
		Summary:    "Restore the version of a module that was active before the last installation",
		Permission: auth.PluginsWrite,
		Errors:     []int{http.StatusConflict},
	}, func(ctx context.Context, who *auth.Actor, in *PluginPath) (*valueAnswer[admin.PluginInstalled], error) {
		return answerValue(s.Rollback(ctx, who, in.File))
	})
	registerOperation(a, Operation{
		ID: "removePlugin", Method: http.MethodDelete, Path: "/plugins/{file}", Tag: tag, Summary: "Remove a module from the plugins folder",
		Permission: auth.PluginsWrite, Status: http.StatusNoContent,
	}, func(ctx context.Context, who *auth.Actor, in *PluginPath) (*emptyAnswer, error) {
		return answerEmpty(s.Remove(ctx, who, in.File))
	})
	for _, promote := range []bool{true, false} {
		o := Operation{
			ID:         "rejectPlugin",
			Method:     http.MethodPost,
			Path:       "/plugins/{file}/reject",
			Tag:        tag,
			Summary:    "Reject the version of a module in the plugins folder",
			Permission: auth.PluginsWrite,
			Status:     http.StatusNoContent,
			Errors:     []int{http.StatusConflict},
		}
		if promote {
			o.ID, o.Path, o.Summary = "promotePlugin", "/plugins/{file}/promote", "Activate the version of a module in the plugins folder, regardless of its trial"
		}
		registerOperation(a, o, func(ctx context.Context, who *auth.Actor, in *struct {
			PluginPath
			Body struct {
				Digest string `json:"digest" pattern:"^[0-9a-fA-F]{64}$" doc:"The SHA-256 digest of the version, as the list shows it." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
			}
		},
		) (*emptyAnswer, error) {
			return answerEmpty(s.Decide(ctx, who, in.File, in.Body.Digest, promote))
		})
	}
}

// readUpload reads an uploaded form.
func readUpload(f *upload) (admin.PluginUpload, error) {
	u := admin.PluginUpload{File: f.Name}
	if u.File == "" {
		u.File = f.Module.Filename
	}
	for _, p := range []struct {
		from *huma.FormFile
		to   *[]byte
	}{{&f.Module, &u.Module}, {&f.Manifest, &u.Manifest}, {&f.Signature, &u.Signature}} {
		if !p.from.IsSet {
			continue
		}
		b, err := io.ReadAll(p.from)
		if err != nil {
			return u, &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: "the form ended early; send it again", Err: err}
		}
		*p.to = b
	}
	return u, nil
}
