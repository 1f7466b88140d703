package console

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// configHandlers export and import the configuration.
type configHandlers struct{}

// gitops mounts export and import of the configuration.
func (h *configHandlers) mount(c *Console) {
	c.get("/configuration", auth.ConfigRead, func(r *request) error { return r.show("configuration", "Configuration", &importPage{Form: newForm()}) })
	c.get("/configuration/export", auth.ConfigRead, h.exportConfig)
	c.post("/configuration", auth.ConfigWrite, h.importConfig)
}

// importPage is what export and import show.
type importPage struct {
	Form    *Form
	Planned *admin.ConfigImported // what an import would do
}

func (h *configHandlers) exportConfig(r *request) error {
	doc, err := r.service().GitOps().Export(r.ctx(), r.who)
	if err != nil {
		return err
	}
	if r.Query("format") == "json" {
		b, err := json.MarshalIndent(doc, "", "  ")
		if err != nil {
			return err
		}
		r.file("headgate.json")
		r.Data(http.StatusOK, "application/json", b)
		return nil
	}
	r.file("headgate.yaml")
	r.Header("Content-Type", "application/yaml")
	return doc.WriteYAML(r.Writer)
}

// importConfig shows what an import would change; what was shown is done when it is sent again with the word do.
func (h *configHandlers) importConfig(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	page := &importPage{Form: f}
	doc, err := admin.ReadConfig([]byte(f.Values.Get("document")))
	if err != nil {
		err = &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Param: "document", Public: strings.TrimPrefix(err.Error(), "yaml: ")}
		return r.again("configuration", "Configuration", page, f, err)
	}
	do := f.text("do") != ""
	done, err := r.service().GitOps().Import(r.ctx(), r.who, doc, f.on("prune"), !do)
	if err != nil {
		return r.again("configuration", "Configuration", page, f, err)
	}
	if do {
		return r.done("/configuration", "The configuration is imported: "+count(len(done.Changes))+" changes are in force.")
	}
	page.Planned = &done
	return r.show("configuration", "Configuration", page)
}
