package socket

import (
	"strings"

	"github.com/headgate-dev/headgate/core"
)

// maxLanes limits the lanes of a socket.
const maxLanes = 32

// lanes are the conversations of a socket: the newest response of each lane.
type lanes struct{ list []*lane }

// lane is the newest response of a lane, and the conversation with it.
type lane struct {
	name, id string
	items    []byte // of the conversation, separated by commas
	size     int64  // counted bytes
}

// find returns the items of the conversation that ends with a response; none for the id "".
func (l *lanes) find(id string) ([]byte, *core.Error) {
	if id == "" {
		return nil, nil
	}
	for _, at := range l.list {
		if at.id == id {
			return at.items, nil
		}
	}
	return nil, &core.Error{
		Kind: core.InvalidRequest, Code: "previous_response_not_found", Param: "previous_response_id",
		Public: "the previous response is not kept on this connection; send the whole conversation without previous_response_id",
	}
}

// store keeps the conversation after a turn, unless it takes too much memory. A new lane replaces the oldest one if there
// are too many.
func (l *lanes) store(s *Sockets, tenant, name, id string, input, output []byte) {
	at := -1
	for i := range l.list {
		if l.list[i].name == name {
			at = i
		}
	}
	if at < 0 && len(l.list) == maxLanes {
		at = 0
	}
	if at >= 0 {
		l.remove(s, tenant, at)
	}
	size := int64(len(input) + len(output) + 1)
	if !s.reserve(tenant, size) {
		return
	}
	items := make([]byte, 0, size)
	items = append(items, input...)
	if len(items) > 0 && len(output) > 0 {
		items = append(items, ',')
	}
	l.list = append(l.list, &lane{name: strings.Clone(name), id: strings.Clone(id), items: append(items, output...), size: size})
}

// evict forgets a response whose continuation has failed, as providers do.
func (l *lanes) evict(s *Sockets, tenant, id string) {
	for i := range l.list {
		if id != "" && l.list[i].id == id {
			l.remove(s, tenant, i)
			return
		}
	}
}

func (l *lanes) remove(s *Sockets, tenant string, i int) {
	s.reserve(tenant, -l.list[i].size)
	l.list = append(l.list[:i], l.list[i+1:]...)
}

// drop removes all lanes.
func (l *lanes) drop(s *Sockets, tenant string) {
	for len(l.list) > 0 {
		l.remove(s, tenant, 0)
	}
}
