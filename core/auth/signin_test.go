package auth_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

const rightPassword = "correct horse battery"

// addUser stores a user with rightPassword.
func (s *scene) addUser(t *testing.T, id string) {
	t.Helper()
	_, err := s.db.Users().Insert(s.ctx, store.User{
		ID: id, Email: id + "@example.com", Name: id, Password: auth.HashPassword(rightPassword), Status: store.UserActive,
		Roles: []string{string(auth.RoleOwner)},
	})
	require.NoError(t, err)
}

// signIn returns the status of an attempt from an address.
func (s *scene) signIn(address, id, password string) int {
	_, err := s.SignIn(auth.WithAddress(context.Background(), address+":4711"), id+"@example.com", password)
	if err == nil {
		return 200
	}
	return core.ConvertError(err).HTTPStatus()
}

func TestAGuesserLocksOutNoUserAtAnotherAddress(t *testing.T) {
	s := newScene(t, nil)
	s.addUser(t, "ada")
	s.addUser(t, "bob")
	for range 20 {
		require.Equal(t, 401, s.signIn("192.0.2.66", "ada", "wrong"))
	}
	assert.Equal(t, 429, s.signIn("192.0.2.66", "ada", rightPassword), "the guesser waits, even with the right one")
	assert.Equal(t, 200, s.signIn("192.0.2.66", "bob", rightPassword), "another user at that address does not")
	assert.Equal(t, 200, s.signIn("192.0.2.1", "ada", rightPassword), "nor does the user elsewhere")
	s.step(time.Minute)
	assert.Equal(t, 200, s.signIn("192.0.2.66", "ada", rightPassword))
}

func TestGuessingFromManyAddressesIsLimitedWithoutLockingTheUserOutOfTheirOwn(t *testing.T) {
	s := newScene(t, nil)
	s.addUser(t, "ada")
	require.Equal(t, 200, s.signIn("192.0.2.1", "ada", rightPassword))
	statuses := map[int]int{}
	for i := range 120 {
		statuses[s.signIn(fmt.Sprintf("198.51.100.%d", i), "ada", "wrong")]++
	}
	assert.Equal(t, map[int]int{401: 100, 429: 20}, statuses)
	assert.Equal(t, 200, s.signIn("192.0.2.1", "ada", rightPassword), "from where the user has signed in before")
	assert.Equal(t, 429, s.signIn("203.0.113.5", "ada", rightPassword), "from elsewhere the user waits with the guessers")
}
