package wasm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// view is what a guest may see: the parts that its manifest asks for and the operator grants.
type view struct {
	fields  uint64 // bits by field
	sources sourceSet
}

func (v view) hasField(f abi.Field) bool { return f < 64 && v.fields&(1<<f) != 0 }

// seesAll reports whether no text is hidden from the guest.
func (v view) seesAll() bool {
	for s := abi.SourceSystem; s <= abi.SourceOther; s++ {
		if !v.sources.has(s) {
			return false
		}
	}
	return true
}

// buildView combines the manifest and the grant. A capability that the plugin asks for but is not granted is an error: its imports either
// exist or not.
func buildView(m *Manifest, g *foreign.Grant) (v view, err error) {
	v = m.Reads.buildView(m.Kind)
	granted, err := ReadGrant(g)
	if err != nil {
		return view{}, err
	}
	for _, c := range m.Capabilities {
		if g.Capabilities != nil && !slices.Contains(g.Capabilities, c) {
			return view{}, fmt.Errorf(
				"the plugin asks for the capability %q, which grant.capabilities does not hold; add it, or take the plugin out",
				c,
			)
		}
	}
	v.fields &= granted.fields
	v.sources &= granted.sources
	return v, nil
}

// ReadGrant checks the names in a grant. Granting more than a plugin asks for is not an error: one grant may apply to a whole folder.
func ReadGrant(g *foreign.Grant) (view, error) {
	v := view{fields: ^uint64(0), sources: ^sourceSet(0)}
	var err error
	if g.Fields != nil {
		if v.fields, err = parseFields("grant.fields", g.Fields); err != nil {
			return view{}, err
		}
	}
	if g.Text != nil {
		if v.sources, err = parseSources("grant.text", g.Text); err != nil {
			return view{}, err
		}
	}
	for _, c := range g.Capabilities {
		if !slices.Contains(capabilities, c) {
			return view{}, fmt.Errorf("grant.capabilities: unknown capability %q; write %s", stripControls(c, 40), strings.Join(capabilities, ", "))
		}
	}
	return v, nil
}

func parseFields(where string, names []string) (set uint64, err error) {
	for _, name := range names {
		f, ok := abi.ParseField(name)
		if !ok {
			return 0, fmt.Errorf("%s: %q is not a field; the fields are %s", where, stripControls(name, 40), strings.Join(abi.FieldNames(), ", "))
		}
		set |= 1 << f
	}
	return set, nil
}

func parseSources(where string, names []string) (set sourceSet, err error) {
	for _, name := range names {
		src, ok := abi.ParseSource(name)
		if !ok {
			return 0, fmt.Errorf(
				"%s: unknown source %q; write system, user, assistant, tool_args, tool_result, reasoning, definition or other",
				where,
				stripControls(name, 40),
			)
		}
		set |= 1 << src
	}
	return set, nil
}

// streamedText is one text of a streamed answer.
type streamedText struct {
	kind core.SegmentKind
	text []byte
}

func (t *streamedText) viewText() string { return zerocopy.String(t.text) }

// listSegments returns the segments that the guest may see.
func (c *talk) listSegments() []int32 {
	if c.listed {
		return c.visible
	}
	c.listed = true
	switch {
	case c.body != nil:
		for k := range c.body.Segments {
			if s := &c.body.Segments[k]; c.s.see.sources.has(classifySource(s.Role, s.Kind)) {
				c.visible = append(c.visible, int32(k))
			}
		}
	default:
		for k := range c.texts {
			if c.s.see.sources.has(classifySource(core.RoleAssistant, c.texts[k].kind)) {
				c.visible = append(c.visible, int32(k))
			}
		}
	}
	return c.visible
}

// findSegment returns the index of the guest's i-th segment, and its text.
func (c *talk) findSegment(i uint64) (k int, text string) {
	list := c.listSegments()
	if uint64(uint32(i)) >= uint64(len(list)) {
		endWithBreach("it named a segment that there is not")
	}
	k = int(list[uint32(i)])
	if c.body != nil {
		return k, c.body.ReadText(k)
	}
	return k, c.texts[k].viewText()
}

func handleSegCount(c *talk, i *instance, stack []uint64) {
	fresh := !c.listed
	stack[0] = uint64(len(c.listSegments()))
	if fresh && c.body != nil {
		c.charge(i, 8*len(c.body.Segments))
		return
	}
	c.charge(i, 0)
}

func handleSegInfo(c *talk, i *instance, stack []uint64) {
	k, text := c.findSegment(stack[0])
	c.charge(i, len(text)/8) // it may have just been decoded
	info := abi.SegInfo{Role: abi.RoleAssistant, Kind: abi.SegText, Len: uint32(len(text))}
	if c.body != nil {
		s := &c.body.Segments[k]
		info.Role, info.Kind = uint8(s.Role), uint8(s.Kind)
		info.Source = classifySource(s.Role, s.Kind)
		if s.Joined {
			info.Flags = abi.SegJoined
		}
	} else {
		info.Kind = uint8(c.texts[k].kind)
		info.Source = classifySource(core.RoleAssistant, c.texts[k].kind)
	}
	stack[0] = abi.PackSeg(info)
}

func handleSegRead(c *talk, i *instance, stack []uint64) {
	_, text := c.findSegment(stack[0])
	off := int(uint32(stack[1]))
	if off > len(text) {
		endWithBreach("it read behind the end of a segment")
	}
	n := min(len(text)-off, int(uint32(stack[3])))
	copy(readBytes(i, stack[2], uint64(n)), text[off:])
	c.read += uint64(n)
	c.charge(i, n)
	stack[0] = uint64(n)
}
