package bridge

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

const (
	// maxSessions limits the sessions that the gateway keeps with one server.
	maxSessions = 1024
	// idleSession is how long a session is kept without a call.
	idleSession = 10 * time.Minute
	// openTime limits opening a session.
	openTime = 30 * time.Second
)

var errVersion = errors.New("the server has chosen a revision of the protocol that is not supported")

// session is a session with a legacy server. It belongs to one key and to clients that say the same of themselves.
type session struct {
	ready   chan struct{} // closed when it is open, or cannot be opened
	id      string
	version string
	result  []byte // of initialize
	err     error
	used    time.Time
}

// sessions are the sessions with one server.
type sessions struct {
	mu   sync.Mutex
	open map[string]*session
}

// get returns the session of a caller, and opens one if there is none.
func (ss *sessions) get(ctx context.Context, up tools.Upstream, p *core.Principal, c client) (key string, s *session, err error) {
	sum := sha256.New()
	for _, part := range [...][]byte{[]byte(ownerOf(p)), c.capabilities, c.info} {
		_, _ = fmt.Fprintf(sum, "%d:", len(part))
		_, _ = sum.Write(part)
	}
	key = string(sum.Sum(nil))
	ss.mu.Lock()
	s = ss.open[key]
	if s == nil {
		ss.evict(up)
		s = &session{ready: make(chan struct{})}
		ss.open[key] = s
		go ss.start(context.WithoutCancel(ctx), up, key, s, c)
	}
	s.used = time.Now()
	ss.mu.Unlock()
	select {
	case <-s.ready:
		return key, s, s.err
	case <-ctx.Done():
		return key, nil, ctx.Err()
	}
}

// evict drops sessions that nobody has used for long, or the oldest if there are too many. The lock is held.
func (ss *sessions) evict(up tools.Upstream) {
	if ss.open == nil {
		ss.open = map[string]*session{}
	}
	oldest, now := "", time.Now()
	for key, s := range ss.open {
		switch {
		case now.Sub(s.used) > idleSession:
			ss.close(up, key, s)
		case oldest == "" || s.used.Before(ss.open[oldest].used):
			oldest = key
		}
	}
	if len(ss.open) >= maxSessions {
		ss.close(up, oldest, ss.open[oldest])
	}
}

// close ends a session without waiting for the server. The lock is held.
func (ss *sessions) close(up tools.Upstream, key string, s *session) {
	delete(ss.open, key)
	go func() {
		<-s.ready
		if s.id == "" {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), openTime)
		defer cancel()
		_ = up.End(ctx, s.id, s.version) // a server need not support that
	}()
}

// drop forgets a session that the server does not know any more.
func (ss *sessions) drop(key string, s *session) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if ss.open[key] == s {
		delete(ss.open, key)
	}
}

// start opens a session.
func (ss *sessions) start(ctx context.Context, up tools.Upstream, key string, s *session, c client) {
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	defer close(s.ready)
	defer func() {
		if r := recover(); r != nil { // nothing else would keep it from ending the process
			s.err = fmt.Errorf("panic in opening a session: %v", r)
		}
		if s.err != nil {
			ss.drop(key, s)
		}
	}()
	s.err = s.begin(ctx, up, c)
}

func (s *session) begin(ctx context.Context, up tools.Upstream, c client) error {
	params := appendMember([]byte{'{'}, "protocolVersion", splice.AppendString(nil, mcp.LegacyVersion))
	params = appendMember(params, "capabilities", c.capabilities)
	params = append(appendMember(params, "clientInfo", c.info), '}')
	body := request(newID(), mcp.MethodInitialize, params)
	call, x, err := scan(body, mcp.Legacy, "")
	if err != nil {
		return err
	}
	data, head, err := ask(ctx, up, &tools.Message{Call: call, Body: body}, x)
	if err != nil {
		return err
	}
	if call.Answer.Failed {
		return errInvalid
	}
	s.version = call.Answer.Protocol
	if era, ok := mcp.EraOf(s.version); !ok || era != mcp.Legacy {
		return errVersion
	}
	s.id, s.result = head.Session, member(data, "result")
	return tell(ctx, up, s, request("", mcp.NoticeInitialized, nil))
}

// tell sends a message of the gateway's own that has no response.
func tell(ctx context.Context, up tools.Upstream, s *session, body []byte) error {
	call, _, err := scan(body, mcp.Legacy, s.version)
	if err != nil {
		return err
	}
	a, err := up.Send(ctx, &tools.Message{Call: call, Body: body, Session: s.id})
	if err != nil {
		return err
	}
	return a.Close()
}
