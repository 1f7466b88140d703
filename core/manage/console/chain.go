package console

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// chainHandlers serve the chain.
type chainHandlers struct {
	running func() []RunningLink
}

func (h *chainHandlers) mount(c *Console) {
	c.mountGet("/chain", auth.ChainRead, h.showChain)
	c.mountPost("/chain", auth.ChainWrite, h.saveChain)
	c.mountPost("/chain/reset", auth.ChainWrite, h.resetChain)
}

// RunningLink is a link of the chain of this node, with its counters since the start.
type RunningLink struct {
	Name    string
	Phases  []string
	Mode    string
	OnFault string
	// Implied links are added by the gateway for database records.
	Implied bool
	Calls   uint64
	// Blocks counts the requests and answers that it refused, or would have refused in shadow mode.
	Blocks uint64
	Faults uint64
	Time   time.Duration
}

// Mean returns the mean time of a call.
func (l RunningLink) Mean() time.Duration {
	if l.Calls == 0 {
		return 0
	}
	return l.Time / time.Duration(l.Calls)
}

// chainPage is the data of the page: the saved chain, or a draft of another arrangement.
type chainPage struct {
	Saved    admin.Chain
	Tag, Now string // of the version that the draft is based on, and of the saved one
	Draft    bool
	Stale    bool // another version was saved since then
	Against  diff // the difference between the draft and the saved chain
	Rows     []chainRow
	Others   []RunningLink // implied links, and links behind a wildcard
	Issues   []admin.ChainIssue
	Refused  bool // the draft cannot be saved
	Moved    string
	Measures bool // this node runs the chain
	// Broken says why the configuration file cannot be read. The page then shows only what this node runs.
	Broken string
	Form   *Form
}

// chainRow is one link of the arrangement.
type chainRow struct {
	admin.ChainLink
	Place       int // from 1
	First, Last bool
	Running     *RunningLink
	Issues      []admin.ChainIssue
	Faulty      bool   // its issues prevent saving
	Was         string // the saved mode, if it differs
}

// Path returns the address of the page of the link.
func (l chainRow) Path() string { return buildChainLinkPath(l.Name) }

// KindName returns the kind of a link in words.
func (l chainRow) KindName() string {
	switch l.Kind {
	case "wasm":
		return "Wasm plugin"
	case "plugins":
		return "all other Wasm plugins"
	case "process":
		return "process plugin"
	case "guardrail_plugins":
		return "guardrail plugins"
	}
	return l.Kind
}

func (h *chainHandlers) showChain(r *request) error {
	draft, err := readArrangement(r.QueryArray("link"), r.QueryArray("mode"))
	if err != nil {
		return err
	}
	moveLink(draft.Links, r.Query("move"))
	name, _, _ := strings.Cut(r.Query("move"), ":")
	p, err := h.newChainPage(r, draft, r.Query("tag"))
	if err != nil {
		return err
	}
	p.Moved = name
	return r.show("chain", "Chain", p)
}

// readArrangement reads the links of a form with their modes, in order.
func readArrangement(links, modes []string) (admin.Arrangement, error) {
	var a admin.Arrangement
	for i, name := range links {
		l := admin.ArrangedLink{Name: name}
		if i < len(modes) {
			l.Mode = modes[i]
		}
		a.Links = append(a.Links, l)
	}
	if len(links) == 0 {
		return a, nil // no draft
	}
	return a, admin.CheckBounds(a)
}

// moveLink moves a link. what is the value of a button: the name of the link, a colon, and up or down.
func moveLink(links []admin.ArrangedLink, what string) {
	i := strings.LastIndexByte(what, ':')
	if i < 0 {
		return
	}
	from := slices.IndexFunc(links, func(l admin.ArrangedLink) bool { return l.Name == what[:i] })
	to := from - 1
	if what[i+1:] == "down" {
		to = from + 1
	}
	if from >= 0 && to >= 0 && to < len(links) {
		links[from], links[to] = links[to], links[from]
	}
}

// newChainPage compares a draft with the saved chain. A draft without links shows the saved chain.
func (h *chainHandlers) newChainPage(r *request, draft admin.Arrangement, tag string) (*chainPage, error) {
	saved, err := r.service().Chain().Get(r.ctx(), r.who)
	if e := core.ConvertError(err); err != nil && e.Code == admin.CodeConfigInvalid {
		return &chainPage{Broken: capitalizeSentence(e.Public), Others: h.running(), Form: newForm()}, nil
	}
	if err != nil {
		return nil, err
	}
	now := admin.ComputeTag(saved)
	p := &chainPage{Saved: saved, Tag: now, Now: now, Issues: saved.Issues, Form: newForm()}
	links := saved.Links
	if len(draft.Links) > 0 {
		p.Stale = tag != "" && tag != now
		if p.Stale {
			p.Tag = tag
		}
		tried, err := r.service().Chain().Arrange(r.ctx(), r.who, draft, true, "")
		var e *core.Error
		switch faults := admin.ListChainFaults(draft, err); {
		case err == nil:
			links, p.Issues = tried.Links, tried.Issues
		case faults != nil:
			links, p.Issues, p.Refused = listDraftLinks(draft, saved.Links), faults, true
		case errors.As(err, &e) && e.HTTPStatus() < http.StatusInternalServerError: // it names unknown links
			p.Form.Error = capitalizeSentence(e.Public) + " The saved chain is shown below."
		default:
			return nil, err
		}
		p.Against = diffTexts(formatChain(saved.Links), formatChain(links))
		p.Draft = !p.Against.Same()
	}
	p.addRows(links, h.running())
	return p, nil
}

// listDraftLinks returns the links of an arrangement that cannot be saved.
func listDraftLinks(a admin.Arrangement, saved []admin.ChainLink) []admin.ChainLink {
	out := make([]admin.ChainLink, 0, len(a.Links))
	for _, d := range a.Links {
		for _, l := range saved {
			if l.Name == d.Name {
				l.Mode = d.Mode
				out = append(out, l)
			}
		}
	}
	return out
}

// formatChain returns an arrangement as lines for a comparison.
func formatChain(links []admin.ChainLink) string {
	var b strings.Builder
	for _, l := range links {
		b.WriteString(l.Name + " (" + l.Mode + ")\n")
	}
	return b.String()
}

// addRows combines the saved, drafted and running state of each link.
func (p *chainPage) addRows(links []admin.ChainLink, running []RunningLink) {
	p.Measures = len(running) > 0
	for i, l := range links {
		row := chainRow{ChainLink: l, Place: i + 1, First: i == 0, Last: i == len(links)-1, Faulty: p.Refused}
		for _, s := range p.Saved.Links {
			if s.Name == l.Name && s.Mode != l.Mode {
				row.Was = s.Mode
			}
		}
		if at := slices.IndexFunc(running, func(o RunningLink) bool { return o.Name == l.Name }); at >= 0 {
			row.Running = &running[at]
			row.Phases = running[at].Phases
		}
		row.Issues = slices.Collect(func(yield func(admin.ChainIssue) bool) {
			for _, issue := range p.Issues {
				if issue.Link == l.Name && !yield(issue) {
					return
				}
			}
		})
		p.Rows = append(p.Rows, row)
	}
	known := func(name string) bool {
		return slices.ContainsFunc(links, func(l admin.ChainLink) bool { return l.Name == name })
	}
	for _, l := range running {
		if !known(l.Name) {
			p.Others = append(p.Others, l)
		}
	}
	p.Issues = slices.DeleteFunc(slices.Clone(p.Issues), func(i admin.ChainIssue) bool { return known(i.Link) }) // shown beside the link
}

func (h *chainHandlers) saveChain(r *request) error {
	f, err := r.parseForm()
	if err != nil {
		return err
	}
	draft, err := readArrangement(f.Values["link"], f.Values["mode"])
	if err == nil && len(draft.Links) == 0 {
		err = &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: "The form contains no stages. Reload the page."}
	}
	if err != nil {
		return err
	}
	if _, err = r.service().Chain().Arrange(r.ctx(), r.who, draft, false, admin.Match(cmp.Or(f.Values.Get("over"),
		f.Values.Get("tag")))); err == nil {
		return r.redirectWithNotice("/chain", "Chain saved. It applies within seconds.")
	}
	p, unread := h.newChainPage(r, draft, f.Values.Get("tag"))
	if unread != nil {
		return unread
	}
	if p.Refused || p.Stale {
		err = f.newRefusedError("Chain not saved. See the problems below.")
	}
	p.Form = f
	return r.showRefused("chain", "Chain", p, f, err)
}

// newRefusedError returns an error with its own text for a refusal that the page explains.
func (f *Form) newRefusedError(says string) error {
	return &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: says}
}

func (h *chainHandlers) resetChain(r *request) error {
	f, err := r.parseForm()
	if err != nil {
		return err
	}
	if err := r.service().Chain().Reset(r.ctx(), r.who, admin.Match(f.Values.Get("tag"))); err != nil {
		return err
	}
	return r.redirectWithNotice("/chain", "Chain reset to the configuration file. It applies within seconds.")
}
