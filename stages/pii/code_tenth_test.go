package pii

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each row is of a class that was wrong in the tenth set of packages, and its twin is what the rule for it must not hide.
func TestClassesOfTheTenthSetAndTheirTwins(t *testing.T) {
	assertTwins(t, []twinRow{
		{`"srcMap":"381:3252:7:-:0;;;;3631:50::-;;`, "hosts;3631:50::1;", "3631:50::1"},
		{"0;;2001:470::-;", "hosts;2001:470::;", "2001:470::"},
		{"DEFAULT:!PSK:!kECDHEPSK:!aNULL", "PSK:!kRabbitHole:!aNULL9", "!kRabbitHole:!aNULL9"},
		{"@KX_ECDHE_PSK: ECDHE-PSK key exchange", "HOME_PSK: ECHO-PSK key", "ECHO-PSK"},
		{"HIGH:PSK:AES256-SHA256:!MD5", "psk:DRAGONFLY9:ROSES", "DRAGONFLY9:ROSES"},
		{`"organizationNumber": 4539824553459855,`, `"organizationCard": 4539824553459855,`, "4539824553459855"},
		{"/organizations/4539824553459855/members", "/cards/4539824553459855/members", "4539824553459855"},
		{`"z_score": 4539824553459855`, `"scorecard": 4539824553459855`, "4539824553459855"},
		{"n_object_garbage_at_end.json", "n_object_at_end.example.org", "n_object_at_end.example.org"},
		{"const maxTimestamp = +253402300799", "const maxPhone = +253402300799", "+253402300799"},
		{"postgres://u@example.com:1/db", "imap://u@example.com/INBOX", "u@example.com"},
		{"invalid flags: --user 1234:1234, use --uid", "curl: --user 1234:1234, use", "1234:1234,"},
		{"e.call(this,a,67108864|b)", "call us,67108865|b", "67108865"},
		{`call: "M448 64.5c.5 1.5a448 448 0 00448 448.3 0 0049 30 901820 l.3"`, `call: "C448 64.5, 0049 30 901820 l.3"`, "0049 30 901820"},
		{`password === "x-oauth-basic"`, `password === "x-oauth-basic7"`, "x-oauth-basic7"},
		{`"password": "My key (required)"`, `"password": "My key (R7!kQ2#zz)"`, "My key (R7!kQ2#zz)"},
	})
}

// What each rule for those classes might hide, of secrets and addresses as people write them.
func TestRulesOfTheTenthSetHideNoSecrets(t *testing.T) {
	e := engine(t, Options{})
	for _, c := range []struct{ rule, texts string }{
		{"entries of source maps", `
			;2001:470::;|IP_ADDRESS 2001:470::
			allow 10.0.0.1;2001:470::;2001:db8::|IP_ADDRESS 2001:470::
			2001:500::1;2600:1406::;2a00::1|IP_ADDRESS 2600:1406::
			;;2001:db8::;;|IP_ADDRESS 2001:db8::
			host;3631:50::1;|IP_ADDRESS 3631:50::1
			a;fe80::-b|IP_ADDRESS fe80::
			dns=2001:4860::;2001:4860::8844|IP_ADDRESS 2001:4860::8844
			;2001:470::/32;|IP_ADDRESS 2001:470::/32
			;2400:3200:: ;|IP_ADDRESS 2400:3200::
			i;o;2620::;|IP_ADDRESS 2620::`},
		{"lists of ciphers", `
			psk=DRAGONFLY|PASSWORD DRAGONFLY
			psk="HXQZKWPTLM"|PASSWORD HXQZKWPTLM
			WIFI_PSK: HORSE-STAPLE|PASSWORD HORSE-STAPLE
			WIFI_PSK=HIGH-MEDIUM-LOW|PASSWORD HIGH-MEDIUM-LOW
			psk:DRAGONFLY9|PASSWORD DRAGONFLY9
			"psk":"NULL-AES-DES"|PASSWORD NULL-AES-DES
			PSK:!QAZ@WSX#EDC|PASSWORD !QAZ@WSX#EDC
			wpa_psk=correct-horse|PASSWORD correct-horse
			WPA_PSK="Q7HXZKWPT"|PASSWORD Q7HXZKWPT
			passwd=+ABCDEF:GHIJ|PASSWORD +ABCDEF:GHIJ
			"psk": "AES128GCM9Kq"|PASSWORD AES128GCM9Kq`},
		{"numbers of organisations and scores", `
			organization card: 4539824553459855|CREDIT_CARD 4539824553459855
			"organizationCard": "4539824553459855"|CREDIT_CARD 4539824553459855
			"organization": "4539824553459855"|CREDIT_CARD 4539824553459855
			org_id: 4539 8245 5345 9855|CREDIT_CARD 4539 8245 5345 9855
			score: 4539 8245 5345 9855|CREDIT_CARD 4539 8245 5345 9855
			"scored": 4539824553459855|CREDIT_CARD 4539824553459855
			"scorecard": 4539824553459855|CREDIT_CARD 4539824553459855
			/users/4539824553459855|CREDIT_CARD 4539824553459855
			orgs/x/4539824553459855|CREDIT_CARD 4539824553459855
			"id": 4539824553459855|CREDIT_CARD 4539824553459855
			"number": 4539824553459855|CREDIT_CARD 4539824553459855`},
		{"names of files", `
			kim_at_example.org|EMAIL kim_at_example.org
			kim_larsen_at_work.py|EMAIL kim_larsen_at_work.py
			kim_at_example.json.org|EMAIL kim_at_example.json.org
			kim_larsen_at_mail.example.md|EMAIL kim_larsen_at_mail.example.md
			kim.larsen-at-example.rs|EMAIL kim.larsen-at-example.rs
			kim_at_example_dot_org|EMAIL kim_at_example_dot_org
			kim__at__example.net|EMAIL kim__at__example.net
			kim.larsen_at_json.org|EMAIL kim.larsen_at_json.org
			kim@end.org|EMAIL kim@end.org
			json_at_go.dev|EMAIL json_at_go.dev`},
		{"times behind a plus", `
			timestamp of the call +253402300799|PHONE +253402300799
			maxPhone = +253402300799|PHONE +253402300799
			time: +14155552671|PHONE +14155552671
			date=+14155552671|PHONE +14155552671
			at: +14155552671|PHONE +14155552671
			epoch: +1 415 555 2671|PHONE +1 415 555 2671
			timestamp, +14155552671|PHONE +14155552671
			timestamps: +14155552671|PHONE +14155552671
			secondary: +14155552671|PHONE +14155552671
			reset = +14155552671|PHONE +14155552671`},
		{"keys of pairs", `
			{"key": "q8Zr2LmX0vTn4KpW9sBd", "secret": "x"}|API_KEY q8Zr2LmX0vTn4KpW9sBd
			{"Key": "q8Zr2LmX0vTn4KpW9sBd"}|API_KEY q8Zr2LmX0vTn4KpW9sBd
			{"api_key": "q8Zr2LmX0vTn4KpW9sBd", "value": "x"}|API_KEY q8Zr2LmX0vTn4KpW9sBd
			{"secret_key": "q8Zr2LmX0vTn4KpW9sBd", "value": 1}|API_KEY q8Zr2LmX0vTn4KpW9sBd
			{"key": "q8Zr2LmX0vTn4KpW9sBd", "values": []}|API_KEY q8Zr2LmX0vTn4KpW9sBd
			{"value": "x", "key": "q8Zr2LmX0vTn4KpW9sBd"}|API_KEY q8Zr2LmX0vTn4KpW9sBd
			{"key": "q8Zr2LmX0vTn4KpW9sBd"}, {"value": "x"}|API_KEY q8Zr2LmX0vTn4KpW9sBd
			key: q8Zr2LmX0vTn4KpW9sBd, value: 1|API_KEY q8Zr2LmX0vTn4KpW9sBd
			{"key": "ghp_q8Zr2LmX0vTn4KpW9sBdQ7fHc3yJg1eRu5Aa", "value": 1}|API_KEY ghp_q8Zr2LmX0vTn4KpW9sBdQ7fHc3yJg1eRu5Aa
			{"token": "q8Zr2LmX0vTn4KpW9sBd", "value": 1}|API_KEY q8Zr2LmX0vTn4KpW9sBd`},
		{"users of databases", `
			imap://kim@example.com/|EMAIL kim@example.com
			https://kim@example.com/|EMAIL kim@example.com
			sip://kim@example.com|EMAIL kim@example.com
			ldap://kim@example.com|EMAIL kim@example.com
			mailto://kim@example.com|EMAIL kim@example.com
			postgres: kim@example.com|EMAIL kim@example.com
			mysql -u kim@example.com|EMAIL kim@example.com
			postgres://db.example.com/x kim@example.com|EMAIL kim@example.com
			postgres://kim:hunter2@example.com/db|URL_CREDENTIALS kim:hunter2
			postgres://host/db?user=kim@example.com|EMAIL kim@example.com`},
		{"numbers of users and groups", `
			curl --user 1234:1234, then|URL_CREDENTIALS 1234:1234,
			curl -u 1000:1000 https://a.example|URL_CREDENTIALS 1000:1000
			run --user 1000:1001, image|URL_CREDENTIALS 1000:1001,
			run --user 1000:1001 image|URL_CREDENTIALS 1000:1001
			run --user 1000:1000x image|URL_CREDENTIALS 1000:1000x
			run --user kim:1000, image|URL_CREDENTIALS kim:1000,
			run --user 1000:hunter2, image|URL_CREDENTIALS 1000:hunter2,
			run --user 123456:123456, image|URL_CREDENTIALS 123456:123456,
			run --user 1234:12345, image|URL_CREDENTIALS 1234:12345,
			docker login --user 1000:1001, image|URL_CREDENTIALS 1000:1001,`},
		{"powers of two", `
			tel:67108864|PHONE 67108864
			phone=67108864&x=1|PHONE 67108864
			call 67108864|PHONE 67108864
			call,67108865|PHONE 67108865
			Tel. 67108864, Kim|PHONE 67108864
			"phone": "67108864"|PHONE 67108864
			phone: 6710 8864|PHONE 6710 8864
			call +4967108864|PHONE +4967108864
			call (0221) 4294967296|PHONE (0221) 4294967296
			fax:33554432,|PHONE 33554432`},
		{"paths of pictures", `
			Tel M 0171 2345678|PHONE 0171 2345678
			T 0221-4534567 M tel 0171-2345678|PHONE 0171-2345678
			T0221.4534567, M0171, tel 0171-2345678|PHONE 0171-2345678
			v1.4.4 c2.8.3 tel 0171 2345678|PHONE 0171 2345678
			l2.2-2.2c.27-.27 Tel. 0221 4534567|PHONE 0221 4534567
			<path d="M6.6l2.2-2.2c.2z"/><a>call 0221 4534567|PHONE 0221 4534567
			<path d="M6.6l2.2-2.2c.2z"/> +49 30 901820|PHONE +49 30 901820
			"M6.6l2.2-2.2c.2z","+49 30 901820"|PHONE +49 30 901820
			1.4, 2.8, 3.7, +49 30 901820|PHONE +49 30 901820
			12.50 M 14.20 L 8.90 tel 0171 2345678|PHONE 0171 2345678`},
		{"the password of a user that is a token", `
			password = "x-oauth-basic7"|PASSWORD x-oauth-basic7
			password = "x-oauth"|PASSWORD x-oauth
			password = "X-Oauth-Basic"|PASSWORD X-Oauth-Basic
			https://q8Zr2LmX0vTn4KpW9sBd:x-oauth-basic@github.com|URL_CREDENTIALS q8Zr2LmX0vTn4KpW9sBd:x-oauth-basic`},
		{"passwords of several words", `
			"password": "My key (R7!kQ2#zz)"|PASSWORD My key (R7!kQ2#zz)
			"password": "Access key (R7!kQ2#zz)"|PASSWORD Access key (R7!kQ2#zz)
			'pwd': 'it is W!nter2024x'|PASSWORD it is W!nter2024x
			DB_PASSWORD="Db: Pa5s&Word99"|PASSWORD Db: Pa5s&Word99
			"passphrase": "a b c d Tr0ub4dor&3"|PASSWORD a b c d Tr0ub4dor&3
			<add key="Password" value="My pw G7$xPq!2vL" />|PASSWORD My pw G7$xPq!2vL
			password: "to R7!kQ2#zz, ok"|PASSWORD to R7!kQ2#zz, ok
			"db": {"password": "x R7+kQ2zzz" }|PASSWORD x R7+kQ2zzz
			passwd = "X Y R7^kQ2zzz"|PASSWORD X Y R7^kQ2zzz
			"password": "[R7!kQ2#zz] is it"|PASSWORD [R7!kQ2#zz] is it`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			for line := range strings.Lines(strings.TrimSpace(c.texts)) {
				text, want, _ := strings.Cut(strings.TrimSpace(line), "|")
				assert.Contains(t, listFound(e, text), want, text)
				assertAnyCutting(t, e, text+" and more of it.", 3)
			}
		})
	}
}

// Labels and sentences behind the name of a password that no word makes a password of several words.
func TestLabelsWithShortFirstWordsAreNoPasswords(t *testing.T) {
	e := engine(t, Options{})
	for _, text := range []string{
		`"password": "Min 8 chars (A-Z, a-z, 0-9, !@#$)"`, `"password": "at least 1 of !@#$%^&*"`, `"password": "is [A-Za-z0-9]+ only"`,
		`"password": "No. 1 (required)"`, `"password": "or SHA-256/Base64"`, `"password": "The %1$sFoo9Bar is"`, `"password": "to ${User1}#a"`,
		`"password": "An Kim9@example.de"`, `"password": "a {{User1}}#x"`, `"password": "New (8+)"`, `"password": "PIN (4-6 digits)"`,
	} {
		for _, v := range listFound(e, text) {
			assert.NotContains(t, v, "PASSWORD", text)
		}
		assertAnyCutting(t, e, text+" and more of it.", 3)
	}
}
