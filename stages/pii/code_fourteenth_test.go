package pii

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each row is of a class that was wrong in the fourteenth set of packages, and its twin is what the rule for it must not hide.
func TestClassesOfTheFourteenthSetAndTheirTwins(t *testing.T) {
	assertTwins(t, []twinRow{
		{`"messageId": "<CAEddw6POFV_On91m+ZoL_SN8B_M2goDe@amazon.example.org>"`, `"sender": "<CAEddw6POFV@example.org>"`, "CAEddw6POFV@example.org"},
		{"\"name\": \"Message-ID\",\n \"value\": \"<61967230-7A45-4A9D@example.com>\"", "\"name\": \"To\",\n \"value\": \"<61967230-7A45-4A9D@example.com>\"", "61967230-7A45-4A9D@example.com"},
		{"Message-ID: <20240229.abcdef@mail.example.org>", "Message-ID: <1@x>\nFrom: <kim.larsen1990@example.org>", "kim.larsen1990@example.org"},
		{"dsn: 'https://public@sentry.example.com/1'", "mail: 'https://kim.l@sentry.example.com/1'", "kim.l@sentry.example.com"},
		{`success("http://user@mysite.com")`, `mail "user@mysite.com"`, "user@mysite.com"},
		{`Digest realm="testrealm@host.com"`, `Digest name="testrealm@host.com"`, "testrealm@host.com"},
		{`Sprintf("u%d@x.com", id)`, `"Sprintf %kim@x.com"`, "kim@x.com"},
		{"$ git clone gitolite@code.test\n", "$ git config user.email gitolite@code.test\n", "gitolite@code.test"},
		{`["", "a.test:8080@b.test"]`, `["", "qq:10001@qq.com"]`, "10001@qq.com"},
		{`"redis_port": "redis_url", "redis_password": "redis_url"`, `"redis_port": "redis_tiger", "redis_password": "redis_tiger"`, "redis_tiger"},
		{`"redis_password": "redis_url", "redis_port": "redis_url"`, `"redis_password": "redis_url", "redis_port": "6379"`, "redis_url"},
		{`PASSWORD: "LoginType" = "m.login.password"`, `PASSWORD: "LoginType"`, "LoginType"},
		{"signing_key = device.ed25519\n", "signing_key = d3v1ce.kx25519qz7\n", "d3v1ce.kx25519qz7"},
		{`license_key: '40HexadecimalCharacters'`, `license_key: '40HexadecimalChar7Qz9'`, "40HexadecimalChar7Qz9"},
		{
			"-----BEGIN RSA PRIVATE KEY-----\n    ... (private key in base64 encoding) ...\n    -----END RSA PRIVATE KEY-----",
			"-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAKj34GkxFhD90vcN\n-----END RSA PRIVATE KEY-----",
			"-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAKj34GkxFhD90vcN\n-----END RSA PRIVATE KEY-----",
		},
	})
}

// A true key behind words about it is found.
func TestAKeyBehindWordsAboutItIsFound(t *testing.T) {
	text := "-----BEGIN RSA PRIVATE KEY-----\n... (cut)\nMIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf\n-----END RSA PRIVATE KEY-----"
	got := engine(t, Options{}).Detect(nil, text)
	assert.Len(t, got, 1)
	assertAnyCutting(t, engine(t, Options{}), text+" and more of it.", 3)
}

// What each rule for those classes might hide, of secrets and addresses as people write them.
func TestRulesOfTheFourteenthSetHideNoSecrets(t *testing.T) {
	e := engine(t, Options{})
	for _, c := range []struct{ rule, texts string }{
		{"identifiers of mails", `
			Message-ID and From: <kim.larsen1990@example.org>|EMAIL kim.larsen1990@example.org
			message-id: <x> kim.larsen1990@example.org|EMAIL kim.larsen1990@example.org
			Message-ID: <kim@example.org>|EMAIL kim@example.org
			In-Reply-To: kim.larsen1990@example.org|EMAIL kim.larsen1990@example.org
			{"name": "From", "value": "<kim.larsen1990@example.org>"}|EMAIL kim.larsen1990@example.org
			References and mail <kim.larsen1990@example.org>|EMAIL kim.larsen1990@example.org`},
		{"users that are no addresses", `
			https://kim.larsen@sentry.example.com/1|EMAIL kim.larsen@sentry.example.com
			kim@sentry.example.com|EMAIL kim@sentry.example.com
			user@example.org|EMAIL user@example.org
			http://kim.l@example.org|EMAIL kim.l@example.org
			realm="kim.larsen@example.org"|EMAIL kim.larsen@example.org
			realm: "kim@example.org"|EMAIL kim@example.org
			realm = "kim@example.org"|EMAIL kim@example.org
			git clone from kim@example.org|EMAIL kim@example.org
			100% s@example.org|EMAIL s@example.org
			mail:80@example.org|EMAIL 80@example.org
			a.b:123456@example.org|EMAIL 123456@example.org
			"u%40d@x.com"|EMAIL d@x.com`},
		{"secrets", `
			"app_user": "kim", "app_password": "app_user"|PASSWORD app_user
			-----BEGIN PRIVATE KEY-----\n...(MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v8VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g)-----END PRIVATE KEY-----|PRIVATE_KEY -----BEGIN PRIVATE KEY-----\n...(MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v8VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g)-----END PRIVATE KEY-----
			"redis_password": "redis_url"|PASSWORD redis_url
			"redis_password": "redis_urlx"|PASSWORD redis_urlx
			"redis_password": "redis_url9"|PASSWORD redis_url9
			"db_password": "redis_url"|PASSWORD redis_url
			"redis_password": "redis-url"|PASSWORD redis-url
			password: "LoginType", x = "y"|PASSWORD LoginType
			password = "LoginType" = "y"|PASSWORD LoginType
			api_key = "x7Kq2.ed25519"|API_KEY x7Kq2.ed25519
			api_key = 40Hexad3cimalCharacters|API_KEY 40Hexad3cimalCharacters
			api_key = qz7HexadecimalKx94|API_KEY qz7HexadecimalKx94`},
	} {
		for line := range strings.Lines(strings.TrimSpace(c.texts)) {
			text, want, _ := strings.Cut(strings.TrimSpace(line), "|")
			var got []string
			for _, m := range e.Detect(nil, text) {
				got = append(got, m.Type+" "+text[m.Start:m.End])
			}
			assert.Equal(t, want, strings.Join(got, " "), "%s: %s", c.rule, text)
		}
	}
}
