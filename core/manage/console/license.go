package console

import (
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/license"
)

// licenseHandlers serve the licence of the installation.
type licenseHandlers struct {
	now func() time.Time
}

// license mounts the licence of the installation, and what was used by month.
func (h *licenseHandlers) mount(c *Console) {
	c.get("/license", auth.LicenseRead, h.showLicense)
	c.post("/license", auth.LicenseWrite, h.setLicense)
	c.post("/license/remove", auth.LicenseWrite, h.removeLicense)
}

// licensePage is what the page of the licence shows.
type licensePage struct {
	License admin.LicenseView
	Form    *Form
	now     time.Time
}

// Days is how many whole days the licence lasts, or how many ago it ended: that is below 0.
func (p *licensePage) Days() int {
	return int(math.Floor(p.License.ExpiresAt.Sub(p.now).Hours() / 24))
}

// Past is how many days ago the licence ended.
func (p *licensePage) Past() int { return -1 - p.Days() }

// Grace is how many days of grace are left.
func (p *licensePage) Grace() int { return p.Days() + license.GraceDays }

// GraceDays is how long all goes on after the end of a licence.
func (licensePage) GraceDays() int { return license.GraceDays }

// Names are the features in words.
func (licensePage) Names() map[string]string {
	return map[string]string{
		license.Latency: "latency records", license.Priority: "priority of workspaces", license.Chargeback: "chargeback reports",
		license.Reports: "compliance reports", license.Detokenize: "looking behind placeholders", license.Schemas: "output schemas",
	}
}

// Share is a count in per cent of its limit, at most 100.
func (licensePage) Share(q *admin.Quota) int64 { return min(100, q.Count*100/max(1, *q.Limit)) }

func (h *licenseHandlers) showLicense(r *request) error { return h.licensePage(r, newForm(), nil) }

func (h *licenseHandlers) licensePage(r *request, f *Form, refused error) error {
	v, err := r.service().Licenses().Get(r.ctx(), r.who)
	if err != nil {
		return err
	}
	p := &licensePage{v, f, h.now()}
	if refused != nil {
		return r.again("license", "Licence", p, f, refused)
	}
	return r.show("license", "Licence", p)
}

// setLicense takes the text of a licence file, pasted or uploaded.
func (h *licenseHandlers) setLicense(r *request) error {
	f, text, err := r.licenseForm()
	var v admin.LicenseView
	if err == nil {
		v, err = r.service().Licenses().Set(r.ctx(), r.who, text)
	}
	if e := core.AsError(err); err != nil && e.Param == "license" && f.text("license") == "" {
		f.wrong("file", sentence(e.Public))
		err = f.ok()
	}
	if err != nil {
		return h.licensePage(r, f, err)
	}
	told := "The licence is set."
	if v.Status == string(license.Degraded) {
		told = "The licence is set, and it has expired: what needs one is off."
	}
	return r.done("/license", told)
}

// licenseForm reads a form that may bring a file. The form is there with an error too.
func (r *request) licenseForm() (f *Form, text string, err error) {
	f = newForm()
	if err := r.Request.ParseMultipartForm(maxForm); err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return f, "", &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: "The form cannot be read, or the file is too large to be a licence.", Err: err}
	}
	if r.Request.MultipartForm != nil {
		defer func() { _ = r.Request.MultipartForm.RemoveAll() }() // files of this request
	}
	if r.Request.PostForm != nil {
		f.Values = r.Request.PostForm
	}
	text = strings.TrimSpace(f.Values.Get("license"))
	file, head, err := r.Request.FormFile("file")
	switch {
	case err == nil && head.Size > 0:
		defer func() { _ = file.Close() }() // it was read
		if head.Size > license.MostBytes {
			f.wrong("file", "It is longer than 16 KiB: this is no licence file.")
			return f, "", f.ok()
		}
		b, err := io.ReadAll(file)
		if err != nil {
			return f, "", &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: "The file cannot be read. Send it once more.", Err: err}
		}
		f.Values.Set("license", "") // what is refused is the file's
		return f, lines(string(b)), nil
	case text == "":
		f.wrong("license", "Paste the licence, or choose its file.")
	}
	return f, lines(text), f.ok()
}

// lines ends the lines of a licence as it was signed: forms and some editors put a carriage return there too.
func lines(text string) string {
	return strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n") + "\n"
}

func (h *licenseHandlers) removeLicense(r *request) error {
	if err := r.service().Licenses().Remove(r.ctx(), r.who); err != nil {
		return err
	}
	return r.done("/license", "The licence is removed.")
}
