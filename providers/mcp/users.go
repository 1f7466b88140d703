package mcp

import (
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
	// maxUsers limits the users whose tokens are kept. The one that has not called for longest is forgotten first.
	maxUsers = 1024
	// maxUserToken limits the token of a user in bytes.
	maxUserToken = 16 << 10
)

// users are the identities towards a server by the tokens of users. It is safe for concurrent use.
type users struct {
	fetch func(subject string) token.Fetch
	now   func() time.Time

	mu    sync.Mutex
	known map[[sha256.Size]byte]*user
}

// user is the identity that goes with one token: another token of the same person is another user.
type user struct {
	identity

	expires time.Time // of the user's own token; zero: it does not say
	used    time.Time
}

func newUsers(fetch func(subject string) token.Fetch) *users {
	return &users{fetch: fetch, now: time.Now, known: map[[sha256.Size]byte]*user{}}
}

// find returns the identity of a user. What was exchanged for a token lives no longer than that token says of itself; whether the
// token is genuine is up to the token endpoint.
func (u *users) find(subject string) (*identity, error) {
	if subject == "" {
		return nil, newUserTokenError("is missing: this server is called on behalf of a user, whose token goes with each request")
	}
	if len(subject) > maxUserToken || strings.ContainsFunc(subject, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, newUserTokenError("holds no token")
	}
	key, now := sha256.Sum256([]byte(subject)), u.now()
	u.mu.Lock()
	defer u.mu.Unlock()
	who := u.known[key]
	if who == nil {
		who = &user{expires: readExpiry(subject)}
		who.tokens = token.NewCache(u.fetch(subject))
	}
	if !who.expires.IsZero() && !now.Before(who.expires) {
		delete(u.known, key)
		return nil, newUserTokenError("has expired; get a new one from the identity provider")
	}
	who.used = now
	if u.known[key] == nil {
		u.makeRoom()
		u.known[key] = who
	}
	return &who.identity, nil
}

// makeRoom forgets a user if there are too many. The caller holds the lock.
func (u *users) makeRoom() {
	if len(u.known) < maxUsers {
		return
	}
	var oldest [sha256.Size]byte
	var at time.Time
	for key, who := range u.known {
		if at.IsZero() || who.used.Before(at) {
			oldest, at = key, who.used
		}
	}
	delete(u.known, oldest)
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

func newUserTokenError(what string) error {
	return &core.Error{
		Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Param: tools.HeaderUserToken,
		Public: "the header " + tools.HeaderUserToken + " " + what,
	}
}
