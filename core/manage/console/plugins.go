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

// maxUpload limits an uploaded module with its manifest and signature, in bytes. The administrative API has the same limit.
const maxUpload = 64<<20 + 64<<10

func (h *pluginHandlers) mount(c *Console) {
	c.mountGet("/plugins", auth.PluginsRead, h.listPlugins)
	c.mountUpload("/plugins", auth.PluginsWrite, maxUpload, h.uploadPlugin)
	c.mountGet("/plugins/:file", auth.PluginsRead, h.showPlugin)
	c.mountPost("/plugins/:file/promote", auth.PluginsWrite, h.decidePlugin(true))
	c.mountPost("/plugins/:file/reject", auth.PluginsWrite, h.decidePlugin(false))
	c.mountPost("/plugins/:file/rollback", auth.PluginsWrite, h.rollbackPlugin)
	c.mountPost("/plugins/:file/delete", auth.PluginsWrite, h.removePlugin)
}

func buildPluginPath(file string) string { return "/plugins/" + url.PathEscape(file) }

// pluginList is the data of the list.
type pluginList struct {
	Plugins  []pluginRow
	Webhooks []webhookLink
	Form     *Form
}

// pluginRow is a plugin with the same counters for modules and processes.
type pluginRow struct{ admin.Plugin }

// webhookLink is a webhook stage of the chain.
type webhookLink struct {
	admin.ChainLink
	Running *RunningLink
}

// Kind returns how the plugin runs.
func (p pluginRow) Kind() string {
	if p.Process != nil {
		return "process"
	}
	return "Wasm"
}

// StateName returns the state in words.
func (p pluginRow) StateName() string {
	switch {
	case p.Process != nil:
		return strings.ReplaceAll(p.Process.State, "_", " ")
	case p.OutOfService:
		return "out of service"
	}
	return p.State
}

// VersionName returns the serving version.
func (p pluginRow) VersionName() string {
	if p.Process != nil {
		return p.Process.Version
	}
	return p.Version
}

// CountCalls returns the number of calls.
func (p pluginRow) CountCalls() uint64 {
	if p.Process != nil {
		return p.Process.Calls
	}
	return p.Calls
}

// FaultsBy returns the faults by kind.
func (p pluginRow) FaultsBy() map[string]uint64 {
	if p.Process != nil {
		return p.Process.Faults
	}
	return p.Faults
}

// CountFaults returns the number of faults.
func (p pluginRow) CountFaults() (n uint64) {
	for _, of := range p.FaultsBy() {
		n += of
	}
	return n
}

// MeanTime returns the mean time of a call in microseconds.
func (p pluginRow) MeanTime() float64 {
	if p.Process != nil {
		return float64(p.Process.BusyMs) * 1e3 / float64(max(p.Process.Calls, 1))
	}
	return p.MeanMicros
}

// Short returns the first characters of the digest.
func (p pluginRow) Short() string { return p.Digest[:min(len(p.Digest), 12)] }

// maxPlugins limits the list.
const maxPlugins = 1000

// readPlugins reads all plugins of the folder.
func (h *pluginHandlers) readPlugins(r *request) ([]pluginRow, error) {
	l, err := r.service().Plugins().List(r.ctx(), r.who, admin.Page{})
	list, err := readAll(l, err, maxPlugins)
	rows := make([]pluginRow, len(list))
	for i := range list {
		rows[i] = pluginRow{list[i]}
	}
	return rows, err
}

func (h *pluginHandlers) listPlugins(r *request) error {
	rows, err := h.readPlugins(r)
	if err != nil {
		return err
	}
	p := pluginList{Plugins: rows, Form: r.chooseForm("/plugins", newForm())}
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
	return r.show("plugins", "Plugins", p)
}

func (h *pluginHandlers) uploadPlugin(r *request) error {
	f, clean, err := r.parseFiles(maxUpload)
	defer clean()
	if f == nil {
		return r.refuse(newForm(), err, h.listPlugins)
	}
	u := admin.PluginUpload{File: f.readText("name")}
	called := ""
	for _, part := range []struct {
		name string
		to   *[]byte
	}{{"signature", &u.Signature}, {"manifest", &u.Manifest}, {"module", &u.Module}} {
		if *part.to, called, err = r.readUploaded(part.name); err != nil {
			return err
		}
	}
	u.File = cmp.Or(u.File, called)
	if len(u.Module) == 0 {
		f.addError("module", "Choose the file of a module. It ends in .wasm.")
		return r.refuse(f, f.reportErrors(), h.listPlugins)
	}
	made, err := r.service().Plugins().Install(r.ctx(), r.who, u)
	if err != nil {
		return r.refuse(f, err, h.listPlugins)
	}
	return r.redirectWithNotice(buildPluginPath(made.File), "Module accepted: "+describeTests(made)+" It serves within seconds.")
}

// describeTests describes the tests that a module passed before it was stored.
func describeTests(p admin.PluginInstalled) string {
	says := strings.TrimSpace(p.Name+" "+p.Version) + " passed the required tests"
	if p.Samples == 0 {
		return says + "; its manifest has no samples."
	}
	return says + " and the " + formatPlural(p.Samples, "sample") + " of its manifest."
}

// pluginPage is the data of the page of one plugin.
type pluginPage struct {
	Plugin  pluginRow
	Here    bool // the module is in the folder
	Holds   admin.PluginInspection
	Links   []string
	Earlier bool
}

// Differs reports whether the folder holds another version than the serving one.
func (p pluginPage) Differs() bool { return p.Here && p.Holds.Digest != p.Plugin.Digest }

func (h *pluginHandlers) showPlugin(r *request) error {
	rows, err := h.readPlugins(r)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(rows, func(p pluginRow) bool { return p.File == r.Param("file") })
	if at < 0 {
		return &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "This plugin does not exist. It may have been removed."}
	}
	p := pluginPage{Plugin: rows[at]}
	if r.GetHeader(fragmentHeader) == "" && p.Plugin.Process == nil { // the live part does not show the module
		p.Holds, err = r.service().Plugins().Inspect(r.ctx(), r.who, p.Plugin.File)
		if e := core.ConvertError(err); err != nil && e.Kind != core.NotFound {
			return err
		}
		p.Here = err == nil
	}
	return r.show("plugin", p.Plugin.File, p)
}

func (h *pluginHandlers) decidePlugin(promote bool) func(*request) error {
	return func(r *request) error {
		f, err := r.parseForm()
		if err != nil {
			return err
		}
		if err := r.service().Plugins().Decide(r.ctx(), r.who, r.Param("file"), f.readText("digest"), promote); err != nil {
			return err
		}
		if promote {
			return r.redirectWithNotice(buildPluginPath(r.Param("file")), "Version promoted. It serves within seconds.")
		}
		return r.redirectWithNotice(buildPluginPath(r.Param("file")), "Version rejected. The serving version stays.")
	}
}

func (h *pluginHandlers) rollbackPlugin(r *request) error {
	v, err := r.service().Plugins().Rollback(r.ctx(), r.who, r.Param("file"))
	if err != nil {
		return err
	}
	return r.redirectWithNotice(buildPluginPath(r.Param("file")), "Earlier version restored: "+describeTests(v)+" It serves within seconds.")
}

func (h *pluginHandlers) removePlugin(r *request) error {
	if err := r.service().Plugins().Remove(r.ctx(), r.who, r.Param("file")); err != nil {
		return err
	}
	return r.redirectWithNotice("/plugins", "Module removed from the plugins folder.")
}
