package pii

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each row is of a class that was wrong in the thirteenth set of packages or in the recorded session of an agent, and its twin is what the
// rule for it must not hide.
func TestClassesOfTheThirteenthSetAndTheirTwins(t *testing.T) {
	assertTwins(t, []twinRow{
		{`"sig" : "3006020101020101",`, `"sig" : "3006020101020200",`, "3006020101020200"},
		{"\t\t\t8192:  {0: 1820574113220693541, 1: 6255563087371431461},", "{0: 4539824553459855, 1: 6255563087371431461}", "4539824553459855 6255563087371431461"},
		{"for port in 9337 8085 8892 8004 9328; do", "for aadhaar in 9337 8085 8892 2386 2559 1391; do", "9337 8085 8892"},
		{".. autoclass:: core.parameters.parameter_at_instant.ParameterAtInstant\n", "write to kim_larsen_at_example.Org\n", "kim_larsen_at_example.Org"},
		{"https://owner@organization.git.cloudforge.com/name.git", "mail owner@organization.cloudforge.com", "owner@organization.cloudforge.com"},
		{"git@x https://pat@dev.azure.com/organization/_git/name", "https://pat7.k@dev.azure.com/organization", "pat7.k@dev.azure.com"},
		{"custom-user@github.com:owner/name", "custom-user@github.com: owner/name", "custom-user@github.com"},
		{"companyname@vs-ssh.visualstudio.com:main/owner/name", "companyname@example.com:main/owner/name", "companyname@example.com"},
		{`views: { 'foo.bar@baz.qux': {} }`, `views: { 'foo.bar@baz.org': {} }`, "foo.bar@baz.org"},
		{`"source":"import flask\n@main.route('/')\ndef index():"`, `"source":"to\nkim@main.route.org"`, "kim@main.route.org"},
		{"https://www.postgresql.org/message-id/0cdc5485-cb3c-5e16-4a46-e3b2f7a41322%40ya.ru", "https://www.example.org/contact/0cdc5485-cb3c%40ya.ru", "0cdc5485-cb3c%40ya.ru"},
		{"https://lore.kernel.org/r/20240229-bpf-v2-1-abcdef@kernel.example.org", "https://lore.kernel.org/r/kim.larsen@example.org", "kim.larsen@example.org"},
		{"  \"types-setuptools==65.6.0.2\",", "x-real-ip==65.6.0.2", "65.6.0.2"},
		{"'phone-number': '000-000-0000'", "'phone-number': '000-555-0142'", "000-555-0142"},
		{"query('10', 'gene therapy', '10.1002/14651858.CD007652.pub6')", "call (10.1002/14651858)", "(10.1002/14651858"},
		{"500     600          700         800 900 1000    1100    1200", "fax 500   call 800 900 1000", "800 900 1000"},
		{`validator.__call__("1423456789")`, `please call "1423456789"`, "1423456789"},
		{`'password': '/String/Key[text()="Password"]/../Value'`, `'password': '/Str1ng[Key7'`, "/Str1ng[Key7"},
		{`Encryption("secret-password", "aes-256-cbc", iv)`, `Encryption("secret-password", "aes-256-kim", iv)`, "aes-256-kim"},
		{"'hidden':          'change',\n        'password':        'change',\n", "'user':  'change',\n  'password':  'change',\n", "change"},
		{`URN("urn:dev::random:index/password:Password::my-pw")`, `URN("index/user:Password::my-pw9")`, "my-pw9"},
		{"* resource/random_password: `number` was deprecated", "* resource/random_password: `n0mber` is mine", "n0mber"},
	})
}

// What each rule for those classes might hide, of secrets and addresses as people write them.
func TestRulesOfTheThirteenthSetHideNoSecrets(t *testing.T) {
	e := engine(t, Options{})
	for _, c := range []struct{ rule, texts string }{
		{"cards among numbers of programs", `
			{"sig": "4111111111111111"}|CREDIT_CARD 4111111111111111
			card 30569309025904|CREDIT_CARD 30569309025904
			{1: 4539824553459855, 2: 5425709660906571}|CREDIT_CARD 4539824553459855 CREDIT_CARD 5425709660906571
			{1: 1820574113220693541, 2: 5425709660906571}|CREDIT_CARD 5425709660906571
			id: 1820574113220693541, card: 6255563087371431461|CREDIT_CARD 6255563087371431461`},
		{"numbers in groups of four", `
			aadhaar 2386 2559 1391|IN_AADHAAR 2386 2559 1391
			aadhaar 2386 2559 1391 8004 9328|IN_AADHAAR 2386 2559 1391
			uid 9337 8085 8892 8004 9328|IN_AADHAAR 9337 8085 8892
			aadhaar 2386 2559 1391 2024|IN_AADHAAR 2386 2559 1391
			2386 2559 1391 2024 paid|IN_AADHAAR 2386 2559 1391
			2386 2559 1391, 8085 8004|IN_AADHAAR 2386 2559 1391`},
		{"users of remotes and names with an at", `
			kim.larsen@github.com:owner/name is my mail|EMAIL kim.larsen@github.com
			kim@gitlab.com:hunter2/x9|EMAIL kim@gitlab.com
			write kim@team.visualstudio.com today|EMAIL kim@team.visualstudio.com
			kim@dev.azure.com|EMAIL kim@dev.azure.com
			n@example.org|EMAIL n@example.org
			"to\nn@example.org"|EMAIL n@example.org
			"to\tkim@example.org"|EMAIL kim@example.org
			C:\kim@example.org|EMAIL kim@example.org
			kim_at_example.com|EMAIL kim_at_example.com
			kim_larsen_at_firma.DE|EMAIL kim_larsen_at_firma.DE
			foo@baz.com|EMAIL foo@baz.com
			/message-id/kim@example.org|EMAIL kim@example.org
			/messages/0cdc5485cb3c5e16@example.org|EMAIL 0cdc5485cb3c5e16@example.org`},
		{"versions behind ==", `
			db-replica==81.2.69.142|IP_ADDRESS 81.2.69.142
			"web-frontend==203.0.113.9"|IP_ADDRESS 203.0.113.9
			my-node==10.1.2.3|IP_ADDRESS 10.1.2.3
			ip.src==65.6.0.2|IP_ADDRESS 65.6.0.2
			if src-addr==65.6.0.2:|IP_ADDRESS 65.6.0.2
			ip == 65.6.0.2|IP_ADDRESS 65.6.0.2
			host-ip=="65.6.0.2"|IP_ADDRESS 65.6.0.2
			peer-a==65.6.0.2|IP_ADDRESS 65.6.0.2
			$remote-x==65.6.0.2|IP_ADDRESS 65.6.0.2
			remotehost==65.6.0.2|IP_ADDRESS 65.6.0.2`},
		{"numbers that are no phone", `
			phone 800 900 1000|PHONE 800 900 1000
			tel 700 800 900 1000|PHONE 700 800 900 1000
			fax: 000-555-0142|PHONE 000-555-0142
			call 10.1002/14651858|PHONE 10.1002/14651858
			call("+1 212 555 0142")|PHONE +1 212 555 0142
			call 212-555-0142|PHONE 212-555-0142
			__call 1423456789|PHONE 1423456789`},
		{"passwords beside code", `
			password: /tmp[abc]9|PASSWORD /tmp[abc
			password = "aes-kim-9"|PASSWORD aes-kim-9
			password = "rsa-2"|PASSWORD rsa-2
			'hidden': 'yes', 'password': 'swordfish'|PASSWORD swordfish
			'username': 'admin', 'password': 'admin'|PASSWORD admin
			'button': 'login', 'password': 'login7'|PASSWORD login7
			user:Password::hunter2!|PASSWORD hunter2!
			a/user:Password::hunter2!|PASSWORD hunter2!
			resource/db_password: hunter2!|PASSWORD hunter2!
			* resource/db_password: "swordfish"|PASSWORD swordfish
			secrets/db_password: ` + "`swordfish`" + `|PASSWORD swordfish`},
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
