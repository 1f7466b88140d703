package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/plugins/remote"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/recall"
	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/stages"
	"github.com/headgate-dev/headgate/stages/budget"
	"github.com/headgate-dev/headgate/wasm"
)

// buildChain builds the links in the order of the configuration.
func buildChain(
	ctx context.Context,
	cfg *config.Config,
	dir *folder,
	with stages.Host,
	note func(remote.Observed),
	absent func(file string) bool,
) (_ *chain.Chain, err error) {
	b := &chainBuilder{cfg: cfg, dir: dir, with: with, note: note, absent: absent}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close(ctx))
		}
	}()
	b.entries, b.added = addRecordLinks(cfg.Links(), with)
	for i := range b.entries {
		b.with.Links = append(b.with.Links, b.entries[i].Name)
	}
	for i := range b.entries {
		l := &b.entries[i]
		if err := b.addLink(ctx, l, i); err != nil {
			return nil, WrapLinkError(l, err)
		}
	}
	for i := range b.links {
		b.links[i].Implied = b.added[b.links[i].Name]
		watchShadow(&b.links[i], with.Shadow)
	}
	if err := b.checkRoom(); err != nil {
		return nil, err
	}
	return chain.New(b.links, with.Tokens)
}

// checkRoom reports links that records imply and for which the written ones leave no room.
func (b *chainBuilder) checkRoom() error {
	var implied []string
	for i := range b.links {
		if b.links[i].Implied {
			implied = append(implied, b.links[i].Name)
		}
	}
	if n := len(b.links); n > chain.MaxLinks && len(implied) > 0 {
		return fmt.Errorf(
			"chain: %d links are written, and stored policies, budgets, schemas and guardrail plugins need %d more (%s), but a chain has at most %d links;"+
				" remove links, or write those of the names yourself",
			n-len(implied), len(implied), strings.Join(implied, ", "), chain.MaxLinks,
		)
	}
	return nil
}

// chainBuilder builds the links of one chain.
type chainBuilder struct {
	cfg    *config.Config
	dir    *folder
	with   stages.Host
	note   func(remote.Observed)
	absent func(file string) bool // optional

	entries []config.Link
	added   map[string]bool // links that the records imply
	links   []chain.Link    // built so far
}

// close closes the stages of a chain that could not be built.
func (b *chainBuilder) close(ctx context.Context) (err error) {
	for i := range b.links {
		if s, ok := b.links[i].Stage.(core.Closer); ok {
			err = errors.Join(err, s.Close(ctx))
		}
	}
	return err
}

// addLink builds a link, or, for a plugins link, the links at its place in the chain.
func (b *chainBuilder) addLink(ctx context.Context, l *config.Link, at int) error {
	switch l.Kind() {
	case "stage":
		return b.addStage(l, at)
	case "wasm":
		return b.addModule(ctx, l)
	case "webhook":
		st, err := buildWebhook(l, b.note)
		if err != nil {
			return err
		}
		b.links = append(b.links, newGuardLink(l, l.Name, st, remote.Phases))
	case "guard":
		st, err := buildGuard(l, b.note, &b.with)
		if err != nil {
			return err
		}
		if b.with.Memory != nil {
			st.UseMemory(b.with.Memory)
		}
		b.links = append(b.links, newGuardLink(l, l.Name, st, remote.Phases))
	case "guardrail_plugins":
		if b.with.Guards != nil { // otherwise the records are unknown here
			b.links = append(b.links, newGuardLink(l, l.Name, b.with.Guards, remote.Phases))
		}
	case "process":
		return b.addProcess(ctx, l)
	case "plugins":
		return b.addFolder(ctx, l, at)
	}
	return nil
}

func (b *chainBuilder) addStage(l *config.Link, at int) error {
	b.with.Name, b.with.Place, b.with.Chain = l.Name, at, listKinds(b.entries, at, b.added)
	st, err := stages.New(l.Stage, l.Config, b.with)
	if err != nil {
		return err
	}
	if s, ok := st.(interface{ ForRecords() core.Stage }); ok && b.added[l.Name] {
		st = s.ForRecords()
	}
	link := newLink(l, l.Name, st, stages.FindPhases(l.Stage))
	link.Redacts, link.Guards = stages.Redacts(l.Stage), stages.Guards(l.Stage)
	link.Counts = l.Stage == budget.Name
	link.CPU = cmp.Or(l.Limits.CPU, defaultCPU)
	b.links = append(b.links, link)
	return nil
}

// defaultCPU is the CPU time of a compiled-in stage per MiB. Texts that are made to be slow take less than a second; ordinary
// ones take a hundredth.
const defaultCPU = time.Second

func (b *chainBuilder) addModule(ctx context.Context, l *config.Link) error {
	st, err := buildModuleStage(ctx, b.dir, l, b.with)
	var unusable *plugins.UnusableError
	switch {
	case errors.As(err, &unusable) && b.absent != nil && b.absent(l.Wasm):
		b.links = append(b.links, newGuardLink(l, l.Name, plugins.NewUnusableStage(unusable), core.NewPhaseSet(core.Request, core.Response)))
	case err != nil:
		return err
	default:
		b.attachMemory(st)
		link := makeModuleLink(l, l.Name, st)
		b.links = append(b.links, link)
		return checkCalls(l, link.Counts, &b.with)
	}
	return nil
}

func (b *chainBuilder) addProcess(ctx context.Context, l *config.Link) error {
	st, err := b.dir.buildProcess(ctx, l, b.with.State, b.with.Offers)
	if err != nil {
		return err
	}
	link := newGuardLink(l, l.Name, st.Wrap(), st.Phases())
	b.links = append(b.links, link)
	if link.Phases&^st.Phases() != 0 {
		return errors.New("`phases`: the plugin does not support all of them; omit the setting, or the phases that it does not support")
	}
	return checkCalls(l, link.Counts, &b.with)
}

// addFolder adds a link for each module of the plugins folder that no link names, while the chain has room.
func (b *chainBuilder) addFolder(ctx context.Context, l *config.Link, at int) error {
	if _, err := wasm.ReadSettings(l.Config); err != nil {
		return err
	}
	b.dir.Sweep(func(file string) bool { return isNamedInChain(b.cfg, file) })
	room := chain.MaxLinks - len(b.links) - (len(b.entries) - at - 1) // reserve room for the remaining links
	for _, file := range b.dir.Names() {
		if isNamedInChain(b.cfg, file) {
			continue
		}
		name := strings.TrimSuffix(file, ".wasm")
		if slices.ContainsFunc(b.entries, func(l config.Link) bool { return l.Name == name }) { // a dropped file must not take a link's name
			name = file
		}
		st, err := b.dir.OpenStage(ctx, file, l.Config, convertLimits(l), buildModuleDeps(l, name, &b.with))
		if ctx.Err() != nil {
			return fmt.Errorf("plugin %q: %w", file, err)
		}
		if err != nil { // no link names the file: the folder reports the problem, and the other modules serve
			if _, reported := errors.AsType[*plugins.UnusableError](err); !reported {
				b.dir.RecordRefusal(file, err)
			}
			continue
		}
		if room--; room < 0 { // otherwise every later change would be refused
			b.dir.RecordUnplaced(file, st.Version().Digest, chain.MaxLinks)
			if err := st.Close(ctx); err != nil {
				return err
			}
			continue
		}
		b.attachMemory(st)
		b.links = append(b.links, makeModuleLink(l, name, st))
	}
	return nil
}

// attachMemory gives a module's stage the memory of verdicts, if its manifest says that it may be remembered.
func (b *chainBuilder) attachMemory(st core.Stage) {
	if r, ok := st.(recall.Stage); ok && b.with.Memory != nil {
		r.SetMemory(b.with.Memory)
	}
}

// WrapLinkError adds the link and the location of its settings to an error. A decoding error of settings has its own
// location.
func WrapLinkError(l *config.Link, err error) error {
	var placed *config.Problems
	if at := l.Config.Pos(); at != "" && !errors.As(err, &placed) {
		return fmt.Errorf("%s: chain link %q: %w", at, l.Name, err)
	}
	return fmt.Errorf("chain link %q: %w", l.Name, err)
}

// listKinds returns what the links run, as seen by the link at a place: the name of a stage or module, or "" for a stage of
// the same kind, to which it cannot delegate. A configured link does not see added ones, which take part in fewer exchanges;
// an added link sees all.
func listKinds(chain []config.Link, place int, added map[string]bool) []string {
	out, own := make([]string, len(chain)), &chain[place]
	for i := range chain {
		switch l := &chain[i]; {
		case added[l.Name] && !added[own.Name]:
		case l.Stage == "":
			out[i] = l.Kind()
		case i == place || l.Stage != own.Stage || l.Covers(own):
			out[i] = l.Stage
		}
	}
	return out
}

// isNamedInChain reports whether a link of the chain names the module.
func isNamedInChain(cfg *config.Config, file string) bool {
	return slices.ContainsFunc(cfg.Chain, func(l config.Link) bool { return l.Wasm == file })
}
