package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/shadow"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// chainLinkHandlers serve the page of one stage of the chain, with what it would have done in shadow mode.
type chainLinkHandlers struct {
	shadow *shadow.Log // nil on a node that serves no traffic
}

func (h *chainLinkHandlers) mount(c *Console) {
	const one = "/chain/links/:link"
	c.mountGet(one, auth.ChainRead, h.show)
	c.mountGet(one+"/export", auth.ChainWrite, h.export)
	c.mountPost(one+"/mode", auth.ChainWrite, handleForm(h.setMode, h.show))
	c.mountPost(one+"/remove", auth.ChainWrite, handleForm(h.remove, h.show))
	c.mountPost(one+"/mark", auth.ChainWrite, handleForm(h.mark, h.show))
	c.mountPost(one+"/clear", auth.ChainWrite, handleForm(h.clear, h.show))
}

func buildChainLinkPath(name string) string { return "/chain/links/" + url.PathEscape(name) }

// chainLinkPage is the data of the page.
type chainLinkPage struct {
	Link     admin.ChainLink
	Settings string // JSON; "" for a link of the file
	Tag      string
	Form     *Form

	Here    bool // this node serves traffic, and keeps results
	Result  shadow.Result
	Label   string           // of the examples that are listed; "" lists all
	Listed  []shadow.Example // newest first
	More    int              // examples that are not listed
	Names   *names
	Exports int // examples with context
}

// maxListed limits the examples of a page, so that it stays light.
const maxListed = 50

// Path returns the address of the page.
func (p *chainLinkPage) Path() string { return buildChainLinkPath(p.Link.Name) }

// Share returns the share of exchanges, in percent.
func (p *chainLinkPage) Share(n int64) string {
	if p.Result.Judged == 0 {
		return "–"
	}
	return strconv.FormatFloat(100*float64(n)/float64(p.Result.Judged), 'f', 1, 64) + " %"
}

// Precision returns the share of marked examples of a label that are right.
func (*chainLinkPage) Precision(c shadow.LabelCount) string {
	if c.Right+c.Wrong == 0 {
		return "–"
	}
	return strconv.Itoa(100*c.Right/(c.Right+c.Wrong)) + " %"
}

// findLink returns a link of the chain, with the chain's version.
func (h *chainLinkHandlers) findLink(r *request) (l admin.ChainLink, c admin.Chain, err error) {
	if c, err = r.service().Chain().Get(r.ctx(), r.who); err != nil {
		return l, c, err
	}
	at := slices.IndexFunc(c.Links, func(l admin.ChainLink) bool { return l.Name == r.Param("link") })
	if at < 0 {
		return l, c, newMissingLinkError()
	}
	return c.Links[at], c, nil
}

func (h *chainLinkHandlers) show(r *request) error {
	l, c, err := h.findLink(r)
	if err != nil {
		return err
	}
	p := &chainLinkPage{
		Link: l, Tag: admin.ComputeTag(c), Form: r.sent, Here: h.shadow != nil, Label: r.Query("label"), Names: r.openWorkspaceNames(),
	}
	if l.Config != nil {
		text, err := json.Marshal(l.Config)
		if err != nil {
			return err
		}
		p.Settings = indentJSON(text)
	}
	p.Result, _ = h.shadow.Read(l.Name)
	contexts := r.who.Can(auth.ChainWrite)
	for _, e := range p.Result.Examples {
		if e.HasContext {
			p.Exports++
		}
		if p.Label != "" && e.Label != p.Label {
			continue
		}
		if len(p.Listed) == maxListed {
			p.More++
			continue
		}
		if !contexts {
			e.Before, e.Match, e.After, e.HasContext = "", "", "", false
		}
		p.Listed = append(p.Listed, e)
	}
	return r.show("chain-link", l.Name, p)
}

// changeLinks stores the chain after a change of its arrangement.
func (h *chainLinkHandlers) changeLinks(r *request, f *Form, change func(a *admin.Arrangement, at int)) error {
	l, c, err := h.findLink(r)
	if err != nil {
		return err
	}
	a := keepArrangement(c.Links)
	change(&a, slices.IndexFunc(a.Links, func(x admin.ArrangedLink) bool { return x.Name == l.Name }))
	if len(a.Links) == 0 { // the only link was added: without it, the file applies
		return r.service().Chain().Reset(r.ctx(), r.who, f.readTag())
	}
	if _, err = r.service().Chain().Arrange(r.ctx(), r.who, a, false, f.readTag()); err != nil {
		return explainChainFaults(a, err)
	}
	return nil
}

func (h *chainLinkHandlers) setMode(r *request, f *Form) error {
	mode := f.readText("mode")
	if mode != "enforce" && mode != "shadow" {
		return f.newRefusedError("Choose enforce or shadow.")
	}
	err := h.changeLinks(r, f, func(a *admin.Arrangement, at int) { a.Links[at].Mode = mode })
	name := r.Param("link")
	if mode == "enforce" {
		return r.finish(err, buildChainLinkPath(name), name+" is enforced within seconds.")
	}
	return r.finish(err, buildChainLinkPath(name), name+" runs in shadow mode within seconds.")
}

func (h *chainLinkHandlers) remove(r *request, f *Form) error {
	l, _, err := h.findLink(r)
	if err == nil && !l.Added {
		err = f.newRefusedError("The stage is in the configuration file. Remove it there.")
	}
	if err != nil {
		return err
	}
	if err := h.changeLinks(r, f, func(a *admin.Arrangement, at int) { a.Links = slices.Delete(a.Links, at, at+1) }); err != nil {
		return err
	}
	h.shadow.Clear(l.Name)
	return r.redirectWithNotice("/chain", l.Name+" was removed from the chain.")
}

func (h *chainLinkHandlers) mark(r *request, f *Form) error {
	number, mark := f.readNumber("number"), f.readText("mark")
	if mark != shadow.MarkRight && mark != shadow.MarkWrong && mark != "" {
		return f.newRefusedError("Choose right or wrong.")
	}
	if !h.shadow.Mark(r.Param("link"), number, mark) {
		return f.newRefusedError("The example is no longer kept. Newer ones have taken its place.")
	}
	path := buildChainLinkPath(r.Param("link"))
	if label := f.readText("label"); label != "" {
		path += "?label=" + url.QueryEscape(label)
	}
	r.Redirect(http.StatusSeeOther, path+"#x-"+strconv.FormatInt(number, 10))
	return nil
}

func (h *chainLinkHandlers) clear(r *request, _ *Form) error {
	h.shadow.Clear(r.Param("link"))
	return r.redirectWithNotice(buildChainLinkPath(r.Param("link")), "Counting begins again.")
}

// testCase is an example as test data: a line that `headgate scan guard` and `headgate scan pii` read, and what was found.
type testCase struct {
	ID    string `json:"id"`
	Text  string `json:"text"`
	Link  string `json:"link"`
	Label string `json:"label"`
	// Expected says whether the text should be found: by the reader's mark, or null without one.
	Expected *bool `json:"expected"`
}

func (h *chainLinkHandlers) export(r *request) error {
	l, _, err := h.findLink(r)
	if err != nil {
		return err
	}
	result, _ := h.shadow.Read(l.Name)
	r.setDownloadName(l.Name + "-examples.jsonl")
	r.Header("Content-Type", "application/x-ndjson; charset=utf-8")
	r.Status(http.StatusOK)
	enc := json.NewEncoder(r.Writer)
	enc.SetEscapeHTML(false)
	for _, e := range slices.Backward(result.Examples) {
		if !e.HasContext {
			continue
		}
		c := testCase{ID: strconv.FormatInt(e.Number, 10), Text: e.Text(), Link: l.Name, Label: e.Label}
		if e.Mark != "" {
			right := e.Mark == shadow.MarkRight
			c.Expected = &right
		}
		if enc.Encode(c) != nil {
			panic(http.ErrAbortHandler) // closes the connection, so that half a file does not look complete
		}
	}
	return nil
}
