package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/providers/token"
)

const (
	// maxUsers limits the users whose tokens are kept, maxUsersOfTenant those of one tenant. Of a tenant with too many, the one
	// that has not called for longest is forgotten first.
	maxUsers         = 1024
	maxUsersOfTenant = 256
	// maxExchanges limits the users whose first exchange is under way, maxExchangesOfTenant those of one tenant.
	maxExchanges         = 64
	maxExchangesOfTenant = 16
	// maxUserToken limits the token of a user in bytes.
	maxUserToken = 16 << 10
)

// userKey identifies a user by the tenant and a digest of the token.
type userKey [sha256.Size]byte

// users are the identities towards a server by the tokens of users. It is safe for concurrent use.
type users struct {
	fetch func(subject string) token.Fetch
	now   func() time.Time

	mu    sync.Mutex
	known map[userKey]*user // those for whom the token endpoint has issued a token
	fresh map[userKey]*user // those whose first exchange is under way
}

// user is the identity that goes with one token: another token of the same person is another user.
type user struct {
	identity

	tenant  string
	expires time.Time // of the user's own token; zero: it does not say
	used    time.Time
	waiting int    // callers that wait for the first exchange
	giveUp  func() // ends exchanges
}

func newUsers(fetch func(subject string) token.Fetch) *users {
	return &users{fetch: fetch, now: time.Now, known: map[userKey]*user{}, fresh: map[userKey]*user{}}
}

// get returns the identity of a user and its token for the server. What was exchanged for a token lives no longer than that token
// says of itself; whether the token is genuine is up to the token endpoint, and until it has said so nothing is kept of the user.
func (u *users) get(ctx context.Context, caller tools.User) (*identity, string, error) {
	key, who, err := u.enter(caller)
	if err != nil {
		return nil, "", err
	}
	value, err := who.tokens.Get(ctx)
	u.leave(key, who, err == nil)
	if err != nil {
		return nil, "", err
	}
	return &who.identity, value, nil
}

// enter finds a user, or adds one whose first exchange may begin. The caller must leave.
func (u *users) enter(caller tools.User) (userKey, *user, error) {
	subject := caller.Token
	switch {
	case subject == "":
		return userKey{}, nil, tools.NewMissingUserError()
	case len(subject) > maxUserToken, strings.ContainsFunc(subject, func(r rune) bool { return r <= ' ' || r > '~' }):
		return userKey{}, nil, tools.NewUserError("holds no token")
	}
	key, now := userKey(sha256.Sum256([]byte(caller.Tenant+"\x00"+subject))), u.now()
	u.mu.Lock()
	defer u.mu.Unlock()
	who := u.known[key]
	if who == nil {
		who = u.fresh[key]
	}
	isNew := who == nil
	if isNew {
		who = u.newUser(caller)
	}
	if !who.expires.IsZero() && !now.Before(who.expires) {
		delete(u.known, key)
		return key, nil, tools.NewUserError("has expired; get a new one from the identity provider")
	}
	if isNew {
		if len(u.fresh) >= maxExchanges || countUsers(u.fresh, who.tenant) >= maxExchangesOfTenant {
			return key, nil, newTooManyExchangesError()
		}
		u.fresh[key] = who
	}
	who.used = now
	who.waiting++
	return key, who, nil
}

// newUser returns a user without a token for the server.
func (u *users) newUser(caller tools.User) *user {
	life, giveUp := context.WithCancel(context.Background())
	fetch := u.fetch(caller.Token)
	who := &user{tenant: caller.Tenant, expires: readExpiry(caller.Token), giveUp: giveUp}
	who.tokens = token.NewCache(func(ctx context.Context) (token.Token, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(life, cancel)()
		return fetch(ctx)
	})
	return who
}

// leave says that a caller has a token, or waits no longer. A user is kept once there is a token, and a first exchange ends with the
// last caller that waits for it.
func (u *users) leave(key userKey, who *user, hasToken bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	who.waiting--
	if u.fresh[key] != who {
		return
	}
	switch {
	case hasToken:
		delete(u.fresh, key)
		u.makeRoom(who.tenant)
		u.known[key] = who
	case who.waiting == 0:
		delete(u.fresh, key)
		who.giveUp()
	}
}

// makeRoom forgets a user if there are too many: one of the tenant if that has its share, or else of the tenant with the most. The
// caller holds the lock.
func (u *users) makeRoom(tenant string) {
	counts := map[string]int{}
	for _, who := range u.known {
		counts[who.tenant]++
	}
	switch {
	case counts[tenant] >= maxUsersOfTenant:
	case len(u.known) < maxUsers:
		return
	default:
		for other, n := range counts {
			if n > counts[tenant] {
				tenant = other
			}
		}
	}
	var oldest userKey
	var at time.Time
	for key, who := range u.known {
		if who.tenant == tenant && (at.IsZero() || who.used.Before(at)) {
			oldest, at = key, who.used
		}
	}
	delete(u.known, oldest)
}

// countUsers returns how many users of a map are a tenant's.
func countUsers(of map[userKey]*user, tenant string) (n int) {
	for _, who := range of {
		if who.tenant == tenant {
			n++
		}
	}
	return n
}

func newTooManyExchangesError() error {
	return &core.Error{
		Kind: core.Unavailable, Code: core.CodeOverloaded, RetryAfter: time.Second,
		Public: "too many tokens of users are being exchanged for this MCP server; try again",
	}
}

// readExpiry returns when a JWT expires, or zero for another token. Its signature is not checked.
func readExpiry(subject string) time.Time {
	parts := strings.Split(subject, ".")
	if len(parts) != 3 {
		return time.Time{}
	}
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	var doc struct {
		Expires float64 `json:"exp"`
	}
	if err != nil || json.Unmarshal(claims, &doc) != nil || doc.Expires <= 0 || doc.Expires > 1<<40 {
		return time.Time{}
	}
	return time.Unix(int64(doc.Expires), 0)
}
