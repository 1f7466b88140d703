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

// chain mounts the chain.
func (h *chainHandlers) mount(c *Console) {
	c.get("/chain", auth.ChainRead, h.showChain)
	c.post("/chain", auth.ChainWrite, h.saveChain)
	c.post("/chain/reset", auth.ChainWrite, h.resetChain)
}

// RunningLink is a link of the chain that this node runs, and what it has done since the start.
type RunningLink struct {
	Name    string
	Phases  []string
	Mode    string
	OnFault string
	// Implied links are added by the gateway, for records that need them.
	Implied bool
	Calls   uint64
	// Blocks are the requests and answers that it refused, or in shadow would have refused.
	Blocks uint64
	Faults uint64
	Time   time.Duration
}

// Mean is the mean time of a call.
func (l RunningLink) Mean() time.Duration {
	if l.Calls == 0 {
		return 0
	}
	return l.Time / time.Duration(l.Calls)
}

// chainPage is what the page of the chain shows: the chain as it is saved, or a draft of another arrangement.
type chainPage struct {
	Saved    admin.Chain
	Tag, Now string // of the version that the draft began with, and of that which is saved
	Draft    bool
	Stale    bool // the chain was saved anew since then
	Against  diff // what of the draft differs from what is saved now
	Rows     []chainRow
	Others   []RunningLink // that the file does not write, or that a link stands for
	Issues   []admin.ChainIssue
	Refused  bool // the draft cannot be saved
	Moved    string
	Measures bool // this node runs the chain
	Form     *Form
}

// chainRow is one link of the arrangement that is shown.
type chainRow struct {
	admin.ChainLink
	Place       int // from 1
	First, Last bool
	Running     *RunningLink
	Issues      []admin.ChainIssue
	Faulty      bool   // its issues keep the draft from being saved
	Was         string // the saved mode, where it is another one
}

// KindName is what a link runs, in words.
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
	move(draft.Links, r.Query("move"))
	name, _, _ := strings.Cut(r.Query("move"), ":")
	p, err := h.chainPage(r, draft, r.Query("tag"))
	if err != nil {
		return err
	}
	p.Moved = name
	return r.show("chain", "Chain", p)
}

// readArrangement reads the links and modes of a form, which stand in order.
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
		return a, nil // there is no draft
	}
	return a, admin.Bounded(a)
}

// move moves a link up or down, as a button says: its name, a colon, and up or down.
func move(links []admin.ArrangedLink, what string) {
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

// chainPage holds a draft against the chain as it is saved; without links there is no draft.
func (h *chainHandlers) chainPage(r *request, draft admin.Arrangement, tag string) (*chainPage, error) {
	saved, err := r.service().Chain().Get(r.ctx(), r.who)
	if err != nil {
		return nil, err
	}
	now := admin.Tag(saved)
	p := &chainPage{Saved: saved, Tag: now, Now: now, Issues: saved.Issues, Form: newForm()}
	links := saved.Links
	if len(draft.Links) > 0 {
		p.Stale = tag != "" && tag != now
		if p.Stale {
			p.Tag = tag
		}
		tried, err := r.service().Chain().Arrange(r.ctx(), r.who, draft, true, "")
		var e *core.Error
		switch faults := admin.ChainFaults(draft, err); {
		case err == nil:
			links, p.Issues = tried.Links, tried.Issues
		case faults != nil:
			links, p.Issues, p.Refused = drafted(draft, saved.Links), faults, true
		case errors.As(err, &e) && e.HTTPStatus() < http.StatusInternalServerError: // it has links that there are not
			p.Form.Error = sentence(e.Public) + " Below is the chain as it is saved."
		default:
			return nil, err
		}
		p.Against = diffOf(chainText(saved.Links), chainText(links))
		p.Draft = !p.Against.Same()
	}
	p.rows(links, h.running())
	return p, nil
}

// drafted are the links of an arrangement that cannot be saved.
func drafted(a admin.Arrangement, saved []admin.ChainLink) []admin.ChainLink {
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

// chainText is an arrangement in lines, to be compared.
func chainText(links []admin.ChainLink) string {
	var b strings.Builder
	for _, l := range links {
		b.WriteString(l.Name + " (" + l.Mode + ")\n")
	}
	return b.String()
}

// rows puts together what is known of each link.
func (p *chainPage) rows(links []admin.ChainLink, running []RunningLink) {
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
	p.Issues = slices.DeleteFunc(slices.Clone(p.Issues), func(i admin.ChainIssue) bool { return known(i.Link) }) // they stand beside it
}

func (h *chainHandlers) saveChain(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	draft, err := readArrangement(f.Values["link"], f.Values["mode"])
	if err == nil && len(draft.Links) == 0 {
		err = &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: "The form names no stage. Open the page again."}
	}
	if err != nil {
		return err
	}
	if _, err = r.service().Chain().Arrange(r.ctx(), r.who, draft, false, admin.Match(cmp.Or(f.Values.Get("over"), f.Values.Get("tag")))); err == nil {
		return r.done("/chain", "The chain is saved. The gateway takes it up within seconds.")
	}
	p, unread := h.chainPage(r, draft, f.Values.Get("tag"))
	if unread != nil {
		return unread
	}
	if p.Refused || p.Stale {
		err = f.blame("The chain is not saved. What is in the way stands below.")
	}
	p.Form = f
	return r.again("chain", "Chain", p, f, err)
}

// blame is an error that says what stands on the page already, in words of its own.
func (f *Form) blame(says string) error {
	return &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: says}
}

func (h *chainHandlers) resetChain(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	if err := r.service().Chain().Reset(r.ctx(), r.who, admin.Match(f.Values.Get("tag"))); err != nil {
		return err
	}
	return r.done("/chain", "The chain is as the configuration file says. The gateway takes it up within seconds.")
}
