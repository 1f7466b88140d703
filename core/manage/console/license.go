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

func (h *licenseHandlers) mount(c *Console) {
	c.mountGet("/license", auth.LicenseRead, h.showLicense)
	c.mountPost("/license", auth.LicenseWrite, h.setLicense)
	c.mountPost("/license/remove", auth.LicenseWrite, h.removeLicense)
}

// licensePage is the data of the page.
type licensePage struct {
	License admin.LicenseView
	Form    *Form
	now     time.Time
}

// Days returns the number of whole days until the licence expires. It is negative afterwards.
func (p *licensePage) Days() int {
	return int(math.Floor(p.License.ExpiresAt.Sub(p.now).Hours() / 24))
}

// CountDaysPast returns the number of days since the licence expired.
func (p *licensePage) CountDaysPast() int { return -1 - p.Days() }

// Grace returns the number of days left in the grace period.
func (p *licensePage) Grace() int { return p.Days() + license.GraceDays }

// GraceDays returns the length of the grace period.
func (licensePage) GraceDays() int { return license.GraceDays }

// Names returns the features in words.
func (licensePage) Names() map[string]string {
	return map[string]string{
		license.Latency: "latency records", license.Priority: "priority of workspaces", license.Chargeback: "chargeback reports",
		license.Reports: "compliance reports", license.Detokenize: "detokenization", license.Schemas: "output schemas",
	}
}

// Share returns a count in per cent of its limit, at most 100.
func (licensePage) Share(q *admin.Quota) int64 { return min(100, q.Count*100/max(1, *q.Limit)) }

func (h *licenseHandlers) showLicense(r *request) error {
	v, err := r.service().Licenses().Get(r.ctx(), r.who)
	if err != nil {
		return err
	}
	return r.show("license", "Licence", &licensePage{v, r.chooseForm("/license", newForm()), h.now()})
}

// setLicense sets a licence that was pasted or uploaded.
func (h *licenseHandlers) setLicense(r *request) error {
	f, text, err := r.readLicenseForm()
	var v admin.LicenseView
	if err == nil {
		v, err = r.service().Licenses().Set(r.ctx(), r.who, text)
	}
	if e := core.ConvertError(err); err != nil && e.Param == "license" && f.readText("license") == "" {
		f.addError("file", capitalizeSentence(e.Public))
		err = f.reportErrors()
	}
	if err != nil {
		return r.refuse(f, err, h.showLicense)
	}
	told := "Licence set."
	if v.Status == string(license.Degraded) {
		told = "Licence set. It has expired, so features that need a licence are off."
	}
	return r.redirectWithNotice("/license", told)
}

// readLicenseForm reads a form with a licence as text or as a file. It returns the form with an error too.
func (r *request) readLicenseForm() (f *Form, text string, err error) {
	f = newForm()
	if err := r.Request.ParseMultipartForm(maxForm); err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return f, "", &core.Error{
			Kind: core.InvalidRequest, Code: core.CodeInvalidValue,
			Public: "The form cannot be parsed, or the file is too large for a licence.", Err: err,
		}
	}
	if r.Request.MultipartForm != nil {
		defer func() { _ = r.Request.MultipartForm.RemoveAll() }() // temporary files of this request
	}
	if r.Request.PostForm != nil {
		f.Values = r.Request.PostForm
	}
	text = strings.TrimSpace(f.Values.Get("license"))
	file, head, err := r.Request.FormFile("file")
	switch {
	case err == nil && head.Size > 0:
		defer func() { _ = file.Close() }() // opened for reading
		if head.Size > license.MaxBytes {
			f.addError("file", "The file is larger than 16 KiB, so it is not a licence.")
			return f, "", f.reportErrors()
		}
		b, err := io.ReadAll(file)
		if err != nil {
			return f, "", &core.Error{
				Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: "The file cannot be read. Send it again.",
				Err: err,
			}
		}
		f.Values.Set("license", "") // errors concern the file
		return f, normalizeLicense(string(b)), nil
	case text == "":
		f.addError("license", "Paste the licence, or choose its file.")
	}
	return f, normalizeLicense(text), f.reportErrors()
}

// normalizeLicense restores the line breaks that the signature covers. Forms and some editors add carriage returns.
func normalizeLicense(text string) string {
	return strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n") + "\n"
}

func (h *licenseHandlers) removeLicense(r *request) error {
	if err := r.service().Licenses().Remove(r.ctx(), r.who); err != nil {
		return err
	}
	return r.redirectWithNotice("/license", "Licence removed.")
}
