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

// PluginPath names a module.
type PluginPath struct {
	File string `path:"file" maxLength:"128" doc:"The module's file in the plugins folder." example:"card-check.wasm"`
}

// upload is a module as a form.
type upload struct {
	Name      string        `form:"name" required:"false" doc:"The file's name in the plugins folder. That of the uploaded file unless sent."`
	Module    huma.FormFile `form:"module" required:"true" doc:"The WebAssembly module."`
	Manifest  huma.FormFile `form:"manifest" required:"false" doc:"The manifest beside it, unless the module holds its own."`
	Signature huma.FormFile `form:"signature" required:"false" doc:"The minisign signature, where trust is signed."`
}

// longestModule bounds an upload, in bytes: a module, its manifest and its signature.
const (
	longestModule = 64 << 20
	longestForm   = 64 << 10 // of what is around the parts
)

// plugins adds the operations on the plugins folder.
func (a *API) plugins() {
	const tag = "Plugins"
	s := a.Service
	handleList(a, Operation{
		ID: "listPlugins", Method: http.MethodGet, Path: "/plugins", Tag: tag, Summary: "List plugins, their versions and trials", Permission: auth.PluginsRead,
	}, func(ctx context.Context, who *auth.Actor, _ *struct{ Page }, p admin.Page) (admin.List[admin.Plugin], error) {
		return s.Plugins().List(ctx, who, p)
	})
	handle(a, Operation{
		ID: "installPlugin", Method: http.MethodPost, Path: "/plugins", Tag: tag, Summary: "Check a module, and put it into the plugins folder",
		Permission: auth.PluginsWrite, Status: http.StatusCreated, MaxBody: longestModule,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		RawBody huma.MultipartFormFiles[upload]
	},
	) (*answer[admin.PluginInstalled], error) {
		u, err := parts(in.RawBody.Data())
		if err != nil {
			return nil, err
		}
		return body(s.Plugins().Install(ctx, who, u))
	})
	handle(a, Operation{
		ID: "inspectPlugin", Method: http.MethodGet, Path: "/plugins/{file}", Tag: tag, Summary: "Tell what a module in the plugins folder is, and what it may touch",
		Permission: auth.PluginsRead,
	}, func(ctx context.Context, who *auth.Actor, in *PluginPath) (*answer[admin.PluginInspection], error) {
		return body(s.Plugins().Inspect(ctx, who, in.File))
	})
	handle(a, Operation{
		ID: "rollbackPlugin", Method: http.MethodPost, Path: "/plugins/{file}/rollback", Tag: tag, Summary: "Put the version of a module back that served before the last was installed",
		Permission: auth.PluginsWrite, Errors: []int{http.StatusConflict},
	}, func(ctx context.Context, who *auth.Actor, in *PluginPath) (*answer[admin.PluginInstalled], error) {
		return body(s.Plugins().Rollback(ctx, who, in.File))
	})
	handle(a, Operation{
		ID: "removePlugin", Method: http.MethodDelete, Path: "/plugins/{file}", Tag: tag, Summary: "Take a module out of the plugins folder",
		Permission: auth.PluginsWrite, Status: http.StatusNoContent,
	}, func(ctx context.Context, who *auth.Actor, in *PluginPath) (*none, error) {
		return done(s.Plugins().Remove(ctx, who, in.File))
	})
	for _, promote := range []bool{true, false} {
		o := Operation{
			ID: "rejectPlugin", Method: http.MethodPost, Path: "/plugins/{file}/reject", Tag: tag, Summary: "Refuse the version of a module that lies in the plugins folder",
			Permission: auth.PluginsWrite, Status: http.StatusNoContent, Errors: []int{http.StatusConflict},
		}
		if promote {
			o.ID, o.Path, o.Summary = "promotePlugin", "/plugins/{file}/promote", "Let the version of a module that lies in the plugins folder serve, whatever its trial says"
		}
		handle(a, o, func(ctx context.Context, who *auth.Actor, in *struct {
			PluginPath
			Body struct {
				Digest string `json:"digest" pattern:"^[0-9a-fA-F]{64}$" doc:"SHA-256 of the version, as the list shows it." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
			}
		},
		) (*none, error) {
			return done(s.Plugins().Decide(ctx, who, in.File, in.Body.Digest, promote))
		})
	}
}

// parts reads an uploaded form.
func parts(f *upload) (admin.PluginUpload, error) {
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
			return u, &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: "the form could not be read to its end", Err: err}
		}
		*p.to = b
	}
	return u, nil
}
