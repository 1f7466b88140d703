package license_test

import (
	"bytes"
	"crypto/ed25519"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/license"
)

var issued = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func pair(seed byte) (ed25519.PrivateKey, ed25519.PublicKey) {
	k := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
	return k, k.Public().(ed25519.PublicKey)
}

func terms() license.License {
	return license.License{
		ID:        "l1",
		Licensee:  "Acme “Ltd”",
		Type:      license.Production,
		IssuedAt:  issued,
		ExpiresAt: issued.Add(365 * 24 * time.Hour),
	}
}

func TestALicenceComesThroughItsFile(t *testing.T) {
	key, public := pair(1)
	_, other := pair(2)
	want := terms()
	want.Features = []string{license.Reports}
	file, err := license.Sign(want, key)
	require.NoError(t, err)
	got, err := license.Parse(file, []ed25519.PublicKey{other, public})
	require.NoError(t, err)
	assert.Len(t, got.Digest, 64)
	assert.Equal(t, license.FormatKeyID(public), got.Key)
	got.Digest, got.Key = "", ""
	assert.Equal(t, &want, got)
}

func TestEveryChangedByteOfALicenceIsFound(t *testing.T) {
	key, public := pair(1)
	file, err := license.Sign(terms(), key)
	require.NoError(t, err)
	end := bytes.LastIndex(file, []byte("\n")) // the last line break is not signed, nor needed
	for i := range file[:end] {
		changed := bytes.Clone(file)
		changed[i] ^= 1
		_, err := license.Parse(changed, []ed25519.PublicKey{public})
		require.ErrorIs(t, err, license.ErrFile, "byte %d, %q", i, file[i])
	}
	for name, c := range map[string]struct{ file, want string }{
		"nothing":        {"", "its first line"},
		"another file":   {"PNG", "its first line"},
		"no signature":   {strings.Split(string(file), "signature ")[0], "signature, is missing"},
		"too long":       {string(file) + strings.Repeat(" ", license.MaxBytes), "longer"},
		"something more": {string(file) + "x", "last line"},
		"spaces before":  {" " + string(file), "its first line"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := license.Parse([]byte(c.file), []ed25519.PublicKey{public})
			require.ErrorContains(t, err, c.want)
		})
	}
	_, other := pair(2)
	_, err = license.Parse(file, []ed25519.PublicKey{other})
	require.ErrorContains(t, err, "license.keys")
}

func TestTermsThatMakeNoSenseAreNotSigned(t *testing.T) {
	key, _ := pair(1)
	for name, change := range map[string]func(*license.License){
		"no licensee":     func(l *license.License) { l.Licensee = " " },
		"another type":    func(l *license.License) { l.Type = "FREE" },
		"ends at once":    func(l *license.License) { l.ExpiresAt = l.IssuedAt },
		"unknown feature": func(l *license.License) { l.Features = []string{"flying"} },
	} {
		t.Run(name, func(t *testing.T) {
			l := terms()
			change(&l)
			_, err := license.Sign(l, key)
			require.ErrorIs(t, err, license.ErrFile)
		})
	}
}

func TestTheStateFollowsTheClock(t *testing.T) {
	l := terms()
	end, day := l.ExpiresAt, 24*time.Hour
	for _, c := range []struct {
		at      time.Time
		want    license.State
		inForce bool
	}{
		{issued, license.Valid, true},
		{end.Add(-30*day - 1), license.Valid, true},
		{end.Add(-30 * day), license.ExpiringSoon, true},
		{end.Add(-1), license.ExpiringSoon, true},
		{end, license.GracePeriod, true},
		{end.Add(14*day - 1), license.GracePeriod, true},
		{end.Add(14 * day), license.Degraded, false},
		{end.Add(1000 * day), license.Degraded, false},
	} {
		assert.Equal(t, c.want, l.FindState(c.at), "at %s", c.at)
		assert.Equal(t, c.inForce, l.Unlocks(license.Chargeback, c.at))
		assert.True(t, l.Unlocks(license.Reports, c.at), "reports outlive the licence, with a footer")
		assert.Equal(t, c.inForce, l.AllowsMoreTenants(3, c.at))
		assert.True(t, l.AllowsMoreTenants(2, c.at), "three are free")
	}
	var none *license.License
	assert.Equal(t, license.None, none.FindState(issued))
	assert.Equal(t, license.Development, license.FindPosture(none))
	assert.Equal(t, license.ForProduction, license.FindPosture(&l))
	assert.False(t, none.Unlocks(license.Reports, issued))
	assert.False(t, none.AllowsMoreTenants(3, issued))
	assert.True(t, none.AllowsMoreTenants(2, issued))
	l.Features = []string{license.Reports}
	assert.True(t, l.Unlocks(license.Reports, issued))
	assert.False(t, l.Unlocks(license.Schemas, issued))
	assert.False(t, l.Unlocks("flying", issued))
	l.Features = []string{license.Schemas}
	assert.False(t, l.Unlocks(license.Reports, end.Add(14*day)), "what it never held it does not leave behind")
}

func FuzzParse(f *testing.F) {
	key, public := pair(1)
	file, err := license.Sign(terms(), key)
	require.NoError(f, err)
	f.Add(file)
	f.Add([]byte("headgate licence 1\n{}\nsignature a b\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := license.Parse(text, []ed25519.PublicKey{public})
		if err != nil {
			require.ErrorIs(t, err, license.ErrFile)
			return
		}
		assert.True(t, bytes.HasPrefix(text, file[:len(file)-1]), "only what was signed is a licence")
		assert.Equal(t, "Acme “Ltd”", l.Licensee)
	})
}
