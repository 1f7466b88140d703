package socket

import (
	"encoding/json"
	"slices"

	"github.com/headgate-dev/headgate/core"
)

// conversation are the items of a session as the client knows them, without their sound.
type conversation struct {
	list []liveItem
	size int64
}

type liveItem struct {
	id  string
	raw json.RawMessage
}

// listItems returns the items in order.
func (c *conversation) listItems() []json.RawMessage {
	out := make([]json.RawMessage, 0, len(c.list))
	for i := range c.list {
		out = append(out, c.list[i].raw)
	}
	return out
}

// find returns an item, or nil.
func (c *conversation) find(id string) *liveItem {
	for i := range c.list {
		if c.list[i].id == id {
			return &c.list[i]
		}
	}
	return nil
}

// findLastID returns the id of the last item, or "".
func (c *conversation) findLastID() string {
	if len(c.list) == 0 {
		return ""
	}
	return c.list[len(c.list)-1].id
}

// check refuses an item for which the conversation has no room.
func (c *conversation) check(l *live, raw []byte) *core.Error {
	if c.size+int64(len(raw)) > l.maxMessage {
		return &core.Error{
			Kind: core.TooLarge, Code: core.CodeTooLarge, Public: "the conversation of this session is larger than a request may be; delete items, or open another session",
		}
	}
	return nil
}

// add inserts an item after another one, by default at the end. It replaces an item with the same id. If memory runs out,
// it ends the session.
func (c *conversation) add(l *live, id string, raw json.RawMessage, after string) bool {
	c.remove(l, id)
	raw = removeSound(raw)
	if !l.s.reserve(l.who.Tenant, int64(len(raw))) {
		l.close(1013, "the sockets of this tenant hold too many bytes; try again later")
		return false
	}
	c.size += int64(len(raw))
	at := len(c.list)
	if i := slices.IndexFunc(c.list, func(it liveItem) bool { return it.id == after }); after != "" && i >= 0 {
		at = i + 1
	} else if after == "root" {
		at = 0
	}
	c.list = slices.Insert(c.list, at, liveItem{id, raw})
	return true
}

func (c *conversation) remove(l *live, id string) {
	i := slices.IndexFunc(c.list, func(it liveItem) bool { return it.id == id })
	if i < 0 || id == "" {
		return
	}
	n := int64(len(c.list[i].raw))
	l.s.reserve(l.who.Tenant, -n)
	c.size -= n
	c.list = slices.Delete(c.list, i, i+1)
}

// drop removes all items.
func (c *conversation) drop(l *live) {
	l.s.reserve(l.who.Tenant, -c.size)
	*c = conversation{}
}

// removeSound returns an item without the sound of its parts.
func removeSound(raw json.RawMessage) json.RawMessage {
	m, err := readMembers(raw)
	var parts []members
	if err != nil || json.Unmarshal(m["content"], &parts) != nil {
		return raw
	}
	had := false
	for _, p := range parts {
		if p["audio"] != nil {
			had = true
			delete(p, "audio")
		}
	}
	if !had {
		return raw
	}
	if m["content"], err = encodePlain(parts); err != nil {
		return raw
	}
	if short, err := m.encode(); err == nil {
		return short
	}
	return raw
}
