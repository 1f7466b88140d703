package pii

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each row is of a class that was wrong in the eleventh set of packages, and its twin is what the rule for it must not hide.
func TestClassesOfTheEleventhSetAndTheirTwins(t *testing.T) {
	assertTwins(t, []twinRow{
		{"/guide?token=%5Bredacted%5D&x=1", "/guide?password=%5Bredacted%5Dx9", "%5Bredacted%5Dx9"},
		{"https://%5Bredacted%5D@example.test/", "to %5Dkim@example.test", "kim@example.test"},
		{"fetch?url=https%3A%2F%2F%255Bredacted%255D%40x.test", "fetch?to=%255Bkim%40x.test", "kim%40x.test"},
		{`"form.fever_password": "Fever-Passwort (optional)"`, `"form.fever_password": "Fever-Passw0rt9"`, "Fever-Passw0rt9"},
		{`"All sent data is unreadable without the given password.": "Alle mappen van dit apparaat"`, `"the given password.": "Mappen"`, "Mappen"},
		{`"GUI Password": "Autentiseringslösenord för"`, `"GUI Password": "Autentiseringslösen9 för"`, "Autentiseringslösen9"},
		{`"fever_password": "Fever bi̍t-bé"`, `"fever_password": "Fever bit-be"`, "Fever"},
		{`"fever_password": "Ntfy parolası (isteğe bağlı)"`, `"fever_password": "Ntfy parolar (isteğe bağlı)"`, "Ntfy"},
		{`"GUI Password": "Wachtwurd foar ferifikaasje"`, `"GUI Password": "Wachtfjild foar ferifikaasje"`, "Wachtfjild"},
		{`strmsg('+', "1234567890-0") // tel`, `strmsg('+', "0301234567-0") // tel 0301234567-0`, "0301234567-0"},
		{"random:index/randomPassword:RandomPassword::param", "random:index/randomPassword=param9", "param9"},
		{
			"set system proxy password <password>\n\n   Some proxies require the clients to authenticate before they connect.",
			"set system proxy <password>\n\n   Some9\n</password>", "Some9",
		},
		{"https://Org@bitbucket.org/Org/Repo.git", "write to Org@bitbucket.org", "Org@bitbucket.org"},
		{"path: wasbs://data@account.blob.example.net/x", "path: https://data@account.blob.example.net/x", "data@account.blob.example.net"},
		{"https://$FURY_TOKEN@push.example.io/kim", "pay $5 to kim@push.example.io", "kim@push.example.io"},
		{"Public key: h1HkYlSuHdJN6Qv4Hz4bBzjGg5WUty+U1L7DJsZy1iE=", "Private key: h1HkYlSuHdJN6Qv4Hz4bBzjGg5WUty+U1L7DJsZy1iE=", "h1HkYlSuHdJN6Qv4Hz4bBzjGg5WUty+U1L7DJsZy1iE="},
		{
			"service dns name <name> password <password>\n\n   Configure `<password>` used when authenticating the update.",
			"service dns name <name> password <password>\n\n   Configure7 the update of it and more.", "Configure7",
		},
		{
			"enrtree://AM5FCQLWIZX2QFPNJAP7VUERCCRNGRHWZG3YYHIUV7BVDQ5FDPRT2@nodes.example.org",
			"https://AM5FCQLWIZX2QFPNJAP7VUERCCRNGRHWZG3YYHIUV7BVDQ5FDPRT2@nodes.example.org", "AM5FCQLWIZX2QFPNJAP7VUERCCRNGRHWZG3YYHIUV7BVDQ5FDPRT2",
		},
		{"mock_register_at_fork.call_args", "_kim_larsen_at_example.org_", "_kim_larsen_at_example.org"},
		{"proxy->password = proxy_data->password;", "proxy->password = hunter2-> ", "hunter2-"},
		{"address 2001:470:xxxx:1::1/64", "address xbox:2001:db8::1/64", "2001:db8::1/64"},
		{"https://username:access_token@example.com/x", "https://username:access9token@example.com/x", "username:access9token"},
		{"mobile or weight_count == 4080512)", "mobile or office == 4080512)", "4080512"},
		{`user=FILE0 password=FILE1 0=a`, `user=FILE0 password=FILE1x 0=a`, "FILE1x"},
		{`wantAuth = "AWS4-ECDSA-P256-SHA256"`, `wantAuth = "AWS4-KX7Q2-9ZPM4-QW8EL3"`, "AWS4-KX7Q2-9ZPM4-QW8EL3"},
		{"Example: main@a.out.js:1337:42", "Example: main@a.example.js.org:1337", "main@a.example.js.org"},
		{`host = temp.partition("?")[::2]`, `host "http://[2001::2]"`, "2001::2"},
		{"password='/config/auth/my.key'", "password='/config/auth9/my.key'", "/config/auth9/my.key"},
		{`"encrypted-password": "$6$Vt68...F0"`, `"encrypted-password": "$6$Vt68F0aB"`, "$6$Vt68F0aB"},
	})
}

// What each rule for those classes might hide, of secrets and addresses as people write them.
func TestRulesOfTheEleventhSetHideNoSecrets(t *testing.T) {
	e := engine(t, Options{})
	for _, c := range []struct{ rule, texts string }{
		{"words in escaped brackets, and addresses behind escaped bytes", `
			?password=%5Bhunter2%5D|PASSWORD %5Bhunter2%5D
			?password=%5Bredacted%5D7Kq|PASSWORD %5Bredacted%5D7Kq
			?password=%5Babc|PASSWORD %5Babc
			?password=redacted%5D9x|PASSWORD redacted%5D9x
			?token=%5Bq8Zr2LmX0vTn4KpW9sBd%5D|API_KEY %5Bq8Zr2LmX0vTn4KpW9sBd%5D
			?to=%20kim@example.org|EMAIL kim@example.org
			?to=%3Ckim@example.org%3E|EMAIL kim@example.org
			?to=%253Ckim%40example.org|EMAIL kim%40example.org
			5D@example.org|EMAIL 5D@example.org
			?to=5D@example.org|EMAIL 5D@example.org`},
		{"labels in translations", `
			"password": "Sommer-Regen9"|PASSWORD Sommer-Regen9
			"password": "blue-house"|PASSWORD blue-house
			"wifi_password": "Kaffee-Haus"|PASSWORD Kaffee-Haus
			"password": "Passwort-Kaffee9"|PASSWORD Passwort-Kaffee9
			"db_password": "Mein-Pa55wort"|PASSWORD Mein-Pa55wort
			"Database Password": "Correct horse battery"|PASSWORD Correct
			"The password": "Correct horse battery"|PASSWORD Correct
			"password": "Kim7-passwort"|PASSWORD Kim7-passwort
			"my password.": "hunter2"|PASSWORD hunter2
			"this is my password.": "Tr0ub4dor"|PASSWORD Tr0ub4dor`},
		{"names of resources and usage lines", `
			db password:hunter2!|PASSWORD hunter2!
			password::hunter2!|PASSWORD hunter2!
			user password::hunter2!|PASSWORD hunter2!
			{"a":1,"password":"hunter2!"}|PASSWORD hunter2!
			<user>kim</user><password>hunter2!</password>|PASSWORD hunter2!
			the password <password>hunter2!</password>|PASSWORD hunter2!
			set password hunter2, password = hunter2!|PASSWORD hunter2!
			<a> <password>hunter2!</password>|PASSWORD hunter2!
			cfg:password = hunter2!|PASSWORD hunter2!
			/password=hunter2!|PASSWORD hunter2!`},
		{"users of URLs", `
			https://kim@example.org/x|EMAIL kim@example.org
			https://kim.larsen@corp.example.com/x|EMAIL kim.larsen@corp.example.com
			mailto:kim@bitbucket.org|EMAIL kim@bitbucket.org
			kim@gitlab.com|EMAIL kim@gitlab.com
			https://kim:hunter2@bitbucket.org/x|URL_CREDENTIALS kim:hunter2
			mail b8b6cfd5dab95e1258d80963c3db73bf@example.us|EMAIL b8b6cfd5dab95e1258d80963c3db73bf@example.us
			$: kim@example.org|EMAIL kim@example.org
			US$ kim@example.org|EMAIL kim@example.org
			"$kim.larsen-7@example.org"|EMAIL kim.larsen-7@example.org
			https://q8Zr2LmX@example.org/|EMAIL q8Zr2LmX@example.org`},
		{"public keys and names of algorithms", `
			private key: h1HkYlSuHdJN6Qv4Hz4bBzjGg5WUty+U1L7DJsZy1iE=|API_KEY h1HkYlSuHdJN6Qv4Hz4bBzjGg5WUty+U1L7DJsZy1iE=
			public api_key: q8Zr2LmX0vTn4KpW9sBd|API_KEY q8Zr2LmX0vTn4KpW9sBd
			public: key=q8Zr2LmX0vTn4KpW9sBd|API_KEY q8Zr2LmX0vTn4KpW9sBd
			republic, key: q8Zr2LmX0vTn4KpW9sBd|API_KEY q8Zr2LmX0vTn4KpW9sBd
			public secret: q8Zr2LmX0vTn4KpW9sBd|API_KEY q8Zr2LmX0vTn4KpW9sBd
			auth = "RSA-9F2K7Q-XM4PZ8-LW3T"|API_KEY RSA-9F2K7Q-XM4PZ8-LW3T
			auth = "AES1-QX7K9-ZPM42-LWT83"|API_KEY AES1-QX7K9-ZPM42-LWT83
			token: SHA-7QK2-9ZXM-4PLW|API_KEY SHA-7QK2-9ZXM-4PLW
			secret = TLS_q8Zr2LmX0vTn4KpW9sBd_X|API_KEY TLS_q8Zr2LmX0vTn4KpW9sBd_X
			license_key: KX7Q2-9ZPM4-QW8EL-3RT5Y|API_KEY KX7Q2-9ZPM4-QW8EL-3RT5Y`},
		{"numbers behind names and dashes", `
			tel 030 1234567-0|PHONE 030 1234567-0
			tel 0301234567-0|PHONE 0301234567-0
			tel +49 30 1234567-0|PHONE +49 30 1234567-0
			tel 2125550187-2|PHONE 2125550187-2
			phone_count: 0301234567|PHONE 0301234567
			phone: 4080512|PHONE 4080512
			mobile_number == 4080512|PHONE 4080512
			phone_desk: 4080512|PHONE 4080512
			mobile count 4080512|PHONE 4080512
			phone count = 2125550187|PHONE 2125550187`},
		{"stand-ins, paths and members", `
			password=FILE-9x|PASSWORD FILE-9x
			password=MYFILE1|PASSWORD MYFILE1
			password="FILE1A"|PASSWORD FILE1A
			password='/Pa55/w0rd.key'|PASSWORD /Pa55/w0rd.key
			password='/x.key'|PASSWORD /x.key
			password='Kim/x/y.key'|PASSWORD Kim/x/y.key
			password='/Correct/horse/battery'|PASSWORD /Correct/horse/battery
			password=$6$Vt68F0..aB1|PASSWORD $6$Vt68F0..aB1
			password=hunter2->|PASSWORD hunter2-
			https://user:Access-Token9@example.org|URL_CREDENTIALS user:Access-Token9
			https://user:MasterKey@example.org|URL_CREDENTIALS user:MasterKey
			https://kim:access_token@example.org|URL_CREDENTIALS kim:access_token`},
		{"addresses", `
			host:2001:db8::1|IP_ADDRESS 2001:db8::1
			box:2001:db8::1|IP_ADDRESS 2001:db8::1
			x:2001:db8::1|IP_ADDRESS 2001:db8::1
			xx:2001:db8::1|IP_ADDRESS 2001:db8::1
			ip=2001:db8::1|IP_ADDRESS 2001:db8::1
			http://[2001:db8::1]/|IP_ADDRESS 2001:db8::1
			ping ([::1])|IP_ADDRESS ::1
			kim_at_example.org_|EMAIL kim_at_example.org
			kim@a.example.js.org:42|EMAIL kim@a.example.js.org
			kim-larsen-at-example.org|EMAIL kim-larsen-at-example.org`},
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
