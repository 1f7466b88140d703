package console

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// pluginHandlers serve plugins.
type pluginHandlers struct {
	running func() []RunningLink
}

// mostUpload bounds an uploaded module with what belongs to it, in bytes, as the administrative API does.
const mostUpload = 64<<20 + 64<<10

// plugins mounts plugins.
func (h *pluginHandlers) mount(c *Console) {
	c.get("/plugins", auth.PluginsRead, h.listPlugins)
	c.upload("/plugins", auth.PluginsWrite, mostUpload, h.uploadPlugin)
	c.get("/plugins/:file", auth.PluginsRead, h.showPlugin)
	c.post("/plugins/:file/promote", auth.PluginsWrite, h.decidePlugin(true))
	c.post("/plugins/:file/reject", auth.PluginsWrite, h.decidePlugin(false))
	c.post("/plugins/:file/rollback", auth.PluginsWrite, h.rollbackPlugin)
	c.post("/plugins/:file/delete", auth.PluginsWrite, h.removePlugin)
}

func pluginPath(file string) string { return "/plugins/" + url.PathEscape(file) }

// pluginList is what the list shows.
type pluginList struct {
	Plugins  []pluginRow
	Webhooks []webhookLink
	Form     *Form
}

// pluginRow is a plugin, with its counts put together.
type pluginRow struct{ admin.Plugin }

// webhookLink is a link of the chain that asks a guard over HTTP.
type webhookLink struct {
	admin.ChainLink
	Running *RunningLink
}

// Kind is how the plugin runs.
func (p pluginRow) Kind() string {
	if p.Process != nil {
		return "process"
	}
	return "Wasm"
}

// StateName is the state, as it is shown.
func (p pluginRow) StateName() string {
	switch {
	case p.Process != nil:
		return strings.ReplaceAll(p.Process.State, "_", " ")
	case p.OutOfService:
		return "out of service"
	}
	return p.State
}

// VersionName is the version of what serves.
func (p pluginRow) VersionName() string {
	if p.Process != nil {
		return p.Process.Version
	}
	return p.Version
}

// Asked is how often it was asked.
func (p pluginRow) Asked() uint64 {
	if p.Process != nil {
		return p.Process.Calls
	}
	return p.Calls
}

// FaultsBy are its faults by kind, and Failed is their sum.
func (p pluginRow) FaultsBy() map[string]uint64 {
	if p.Process != nil {
		return p.Process.Faults
	}
	return p.Faults
}

// Failed is how many of its calls have failed.
func (p pluginRow) Failed() (n uint64) {
	for _, of := range p.FaultsBy() {
		n += of
	}
	return n
}

// MeanTime is the mean time of a call in microseconds.
func (p pluginRow) MeanTime() float64 {
	if p.Process != nil {
		return float64(p.Process.BusyMs) * 1e3 / float64(max(p.Process.Calls, 1))
	}
	return p.MeanMicros
}

// Short is the beginning of a digest.
func (p pluginRow) Short() string { return p.Digest[:min(len(p.Digest), 12)] }

// mostPlugins bounds the list.
const mostPlugins = 1000

// everyPlugin reads the list whole: it is that of a folder.
func (h *pluginHandlers) everyPlugin(r *request) ([]pluginRow, error) {
	l, err := r.service().Plugins().List(r.ctx(), r.who, admin.Page{})
	list, err := all(l, err, mostPlugins)
	rows := make([]pluginRow, len(list))
	for i := range list {
		rows[i] = pluginRow{list[i]}
	}
	return rows, err
}

func (h *pluginHandlers) listPlugins(r *request) error { return h.pluginsPage(r, newForm(), nil) }

func (h *pluginHandlers) pluginsPage(r *request, f *Form, refused error) error {
	rows, err := h.everyPlugin(r)
	if err != nil {
		return err
	}
	p := pluginList{Plugins: rows, Form: f}
	if r.who.Can(auth.ChainRead) {
		chain, err := r.service().Chain().Get(r.ctx(), r.who)
		if err != nil {
			return err
		}
		running := h.running()
		for _, l := range chain.Links {
			if l.Kind != "webhook" {
				continue
			}
			w := webhookLink{ChainLink: l}
			if at := slices.IndexFunc(running, func(o RunningLink) bool { return o.Name == l.Name }); at >= 0 {
				w.Running = &running[at]
			}
			p.Webhooks = append(p.Webhooks, w)
		}
	}
	if refused != nil {
		return r.again("plugins", "Plugins", p, f, refused)
	}
	return r.show("plugins", "Plugins", p)
}

func (h *pluginHandlers) uploadPlugin(r *request) error {
	f, clean, err := r.files(mostUpload)
	defer clean()
	if f == nil {
		return h.pluginsPage(r, newForm(), err)
	}
	u := admin.PluginUpload{File: f.text("name")}
	called := ""
	for _, part := range []struct {
		name string
		to   *[]byte
	}{{"signature", &u.Signature}, {"manifest", &u.Manifest}, {"module", &u.Module}} {
		if *part.to, called, err = r.uploaded(part.name); err != nil {
			return err
		}
	}
	u.File = cmp.Or(u.File, called)
	if len(u.Module) == 0 {
		f.wrong("module", "Choose the file of a module, which ends in .wasm.")
		return h.pluginsPage(r, f, f.ok())
	}
	made, err := r.service().Plugins().Install(r.ctx(), r.who, u)
	if err != nil {
		return h.pluginsPage(r, f, err)
	}
	return r.done(pluginPath(made.File), "The module is accepted: "+tried(made)+" The gateway takes it up within seconds.")
}

// tried says what a module was tried with before it was put into the folder.
func tried(p admin.PluginInstalled) string {
	says := strings.TrimSpace(p.Name+" "+p.Version) + " got through the texts that every module must"
	switch p.Samples {
	case 0:
		return says + "; its manifest has no samples."
	case 1:
		return says + ", and found what it should in the sample of its manifest."
	}
	return says + ", and found what it should in the " + count(p.Samples) + " samples of its manifest."
}

// pluginPage is what the page of one plugin shows.
type pluginPage struct {
	Plugin  pluginRow
	Here    bool // its module lies in the folder
	Holds   admin.PluginInspection
	Links   []string
	Earlier bool
}

// Differs reports whether another version lies in the folder than the one that serves.
func (p pluginPage) Differs() bool { return p.Here && p.Holds.Digest != p.Plugin.Digest }

func (h *pluginHandlers) showPlugin(r *request) error {
	rows, err := h.everyPlugin(r)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(rows, func(p pluginRow) bool { return p.File == r.Param("file") })
	if at < 0 {
		return &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "There is no such plugin. It may have been removed."}
	}
	p := pluginPage{Plugin: rows[at]}
	if r.GetHeader(fragmentHeader) == "" && p.Plugin.Process == nil { // what is kept live needs no look at the module
		p.Holds, err = r.service().Plugins().Inspect(r.ctx(), r.who, p.Plugin.File)
		if e := core.AsError(err); err != nil && e.Kind != core.NotFound {
			return err
		}
		p.Here = err == nil
	}
	return r.show("plugin", p.Plugin.File, p)
}

func (h *pluginHandlers) decidePlugin(promote bool) func(*request) error {
	return func(r *request) error {
		f, err := r.form()
		if err != nil {
			return err
		}
		if err := r.service().Plugins().Decide(r.ctx(), r.who, r.Param("file"), f.text("digest"), promote); err != nil {
			return err
		}
		if promote {
			return r.done(pluginPath(r.Param("file")), "The version is promoted. It serves within seconds.")
		}
		return r.done(pluginPath(r.Param("file")), "The version is rejected. What served before goes on.")
	}
}

func (h *pluginHandlers) rollbackPlugin(r *request) error {
	v, err := r.service().Plugins().Rollback(r.ctx(), r.who, r.Param("file"))
	if err != nil {
		return err
	}
	return r.done(pluginPath(r.Param("file")), "The earlier version is put back: "+tried(v)+" It serves within seconds.")
}

func (h *pluginHandlers) removePlugin(r *request) error {
	if err := r.service().Plugins().Remove(r.ctx(), r.who, r.Param("file")); err != nil {
		return err
	}
	return r.done("/plugins", "The module is taken out of the plugins folder.")
}
