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
	// maxSessions limits the sessions that the gateway keeps with one server, maxOfTenant those of one tenant, and maxIdle
	// those of a tenant beyond which its oldest idle one makes room for another.
	maxSessions = 1024
	maxOfTenant = 256
	maxIdle     = 32
	// idleSession is how long a session is kept without a call.
	idleSession = 10 * time.Minute
	// openTime limits opening a session.
	openTime = 30 * time.Second
)

var errVersion = errors.New("the server has chosen a revision of the protocol that is not supported")

// session is a session with a legacy server. It belongs to one key and to clients with the same description.
type session struct {
	key     string
	tenant  string
	calls   int           // in flight, including those that wait for the client; guarded by the lock of sessions
	ready   chan struct{} // closed when it is open, or cannot be opened
	id      string
	version string
	result  []byte // of initialize
	err     error
	used    time.Time
	// user is a context with the user on whose behalf the session is open, in which it is ended.
	user context.Context
}

// sessions are the sessions with one server.
type sessions struct {
	mu   sync.Mutex
	open map[string]*session
}

// get returns the session of a caller, which it opens if necessary. The caller must call leave when the call has ended.
func (ss *sessions) get(ctx context.Context, up tools.Upstream, p *core.Principal, c client) (*session, error) {
	sum := sha256.New()
	for _, part := range [...][]byte{[]byte(formatOwner(p)), c.capabilities, c.info} {
		_, _ = fmt.Fprintf(sum, "%d:", len(part))
		_, _ = sum.Write(part)
	}
	s, err := ss.acquire(ctx, up, string(sum.Sum(nil)), cutTenant(formatOwner(p)), c)
	if err != nil {
		return nil, err
	}
	select {
	case <-s.ready:
		err = s.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		ss.release(s)
		return nil, err
	}
	return s, nil
}

// acquire counts a call in a session, which may still be about to open.
func (ss *sessions) acquire(ctx context.Context, up tools.Upstream, key, tenant string, c client) (*session, error) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	s := ss.open[key]
	if s == nil {
		if !ss.makeRoom(up, tenant) {
			return nil, newTooManySessionsError()
		}
		s = &session{key: key, tenant: tenant, ready: make(chan struct{}), user: tools.DetachUser(ctx)}
		ss.open[key] = s
		go ss.start(context.WithoutCancel(ctx), up, s, c)
	}
	s.calls++
	s.used = time.Now()
	return s, nil
}

// release says that a call of a session has ended.
func (ss *sessions) release(s *session) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	s.calls--
	s.used = time.Now()
}

// newTooManySessionsError returns the error of a call for which no session may be opened.
func newTooManySessionsError() *core.Error {
	return &core.Error{
		Kind: core.Unavailable, Code: core.CodeOverloaded, RetryAfter: time.Second,
		Public: "too many sessions with the server are in use; wait until some calls have ended",
	}
}

// makeRoom closes sessions that have been idle for idleSession, and the tenant's oldest idle session if it has many. It
// never closes another tenant's session for room, or one that a call uses. It reports false if there is no room. The caller
// holds the lock.
func (ss *sessions) makeRoom(up tools.Upstream, tenant string) bool {
	if ss.open == nil {
		ss.open = map[string]*session{}
	}
	var oldest *session
	own, now := 0, time.Now()
	for _, s := range ss.open {
		if s.calls == 0 && now.Sub(s.used) > idleSession {
			ss.close(up, s)
			continue
		}
		if s.tenant != tenant {
			continue
		}
		own++
		if s.calls == 0 && (oldest == nil || s.used.Before(oldest.used)) {
			oldest = s
		}
	}
	if oldest != nil && (own >= maxIdle || len(ss.open) >= maxSessions) {
		ss.close(up, oldest)
		own--
	}
	return own < maxOfTenant && len(ss.open) < maxSessions
}

// close ends a session without waiting for the server. The caller holds the lock.
func (ss *sessions) close(up tools.Upstream, s *session) {
	delete(ss.open, s.key)
	go func() {
		<-s.ready
		s.end(up)
	}()
}

// end ends the session at the server, if it is open there.
func (s *session) end(up tools.Upstream) {
	if s.id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(s.user, openTime)
	defer cancel()
	_ = up.End(ctx, s.id, s.version) // a server need not support that
}

// drop removes a session that the server no longer knows.
func (ss *sessions) drop(s *session) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if ss.open[s.key] == s {
		delete(ss.open, s.key)
	}
}

// start opens a session.
func (ss *sessions) start(ctx context.Context, up tools.Upstream, s *session, c client) {
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	defer close(s.ready)
	defer func() {
		if r := recover(); r != nil { // it must not end the process
			s.err = fmt.Errorf("panic while opening a session: %v", r)
		}
		if s.err != nil {
			ss.drop(s)
			go s.end(up)
		}
	}()
	s.err = s.begin(ctx, up, c)
}

// begin opens the session. After an error, the server may have opened it nevertheless.
func (s *session) begin(ctx context.Context, up tools.Upstream, c client) error {
	params := appendMember([]byte{'{'}, "protocolVersion", splice.AppendString(nil, mcp.LegacyVersion))
	params = appendMember(params, "capabilities", c.capabilities)
	params = append(appendMember(params, "clientInfo", c.info), '}')
	body := formatRequest(newID(), mcp.MethodInitialize, params)
	call, x, err := scanMessage(body, mcp.Legacy, "")
	if err != nil {
		return err
	}
	data, head, err := sendRequest(ctx, up, &tools.Message{Call: call, Body: body}, x)
	if err != nil {
		return err
	}
	s.id = head.Session
	if call.Answer.Failed {
		return errInvalid
	}
	s.version = call.Answer.Protocol
	if era, ok := mcp.FindEra(s.version); !ok || era != mcp.Legacy {
		return errVersion
	}
	s.result = findMember(data, "result")
	return sendNotification(ctx, up, s, formatRequest("", mcp.NoticeInitialized, nil))
}

// open opens a session for one stream. A client that hangs up does not wait for it, and what the server has opened then is ended.
func (s *session) open(ctx context.Context, up tools.Upstream, c client) error {
	s.user = tools.DetachUser(ctx)
	opened := make(chan error, 1)
	go func() {
		inner, cancel := context.WithTimeout(context.WithoutCancel(ctx), openTime)
		defer cancel()
		defer func() {
			if r := recover(); r != nil { // it must not end the process
				opened <- fmt.Errorf("panic while opening a session: %v", r)
			}
		}()
		opened <- s.begin(inner, up, c)
	}()
	select {
	case err := <-opened:
		if err != nil {
			go s.end(up)
		}
		return err
	case <-ctx.Done():
		go func() {
			<-opened //nolint:errcheck // either way, the server may have opened it
			s.end(up)
		}()
		return ctx.Err()
	}
}

// sendNotification sends a message of the gateway's own that has no response.
func sendNotification(ctx context.Context, up tools.Upstream, s *session, body []byte) error {
	call, _, err := scanMessage(body, mcp.Legacy, s.version)
	if err != nil {
		return err
	}
	a, err := up.Send(ctx, &tools.Message{Call: call, Body: body, Session: s.id})
	if err != nil {
		return err
	}
	return a.Close()
}
