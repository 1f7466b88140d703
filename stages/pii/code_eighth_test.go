package pii

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each row is of a class that was wrong in the eighth set of packages or in sessions of a shell, and its twin is what the rule for it must
// not hide. A twin with no value has none.
func TestClassesOfTheEighthSetAndTheirTwins(t *testing.T) {
	e := engine(t, Options{})
	const uuid = "9f583ef0-ed83-4a38-aef3-eb9ce3f7a57f"
	for _, row := range []struct{ benign, twin, value string }{
		// Addresses of machines and names of packages with an '@'.
		{"https://user:password@host.example.com/path", "https://host.example.com/user:kim@host.example.com", "kim@host.example.com"},
		{`"wss://user:secret@conductor.example.com:8443/v1"`, `"wss://conductor.example.com", "kim:secret@conductor.example.com"`, "secret@conductor.example.com"},
		{"postgres://nouser:nopass@db.example.com:5432/x", "sip:kim@db.example.com:5060", "kim@db.example.com"},
		{"git clone ssh://git@example.com/owner/name.git", "see https://example.com/ or kim@example.com", "kim@example.com"},
		{"Merge of git+ssh://iano@git.example.org/git/xcb", "Merge of iano@git.example.org/git/xcb", "iano@git.example.org"},
		{"handle `git@github.com` in remotes", "Daniel <git@danielschaefer.me>", "git@danielschaefer.me"},
		{`<script src="react-dom@17.0.2.production.min.js">`, "kim@163.com", "kim@163.com"},
		{"npm pack foo@1.2.3.tgz", "kim@17.example.com", "kim@17.example.com"},
		{"getty@tty1.service loaded active running", "kim@tty1.services", "kim@tty1.services"},
		{"user-runtime-dir@1000.mount", "user@1000.mountain.example", "user@1000.mountain.example"},
		{"this@MainActivity.window.decorView", "thisone@mainactivity.example", "thisone@mainactivity.example"},
		{"super@ViewModel.onCleared()", "super@example.com", "super@example.com"},
		{"logo@dark.svg", "full/kim@example.org.html", "kim@example.org.html"},

		// Versions.
		{`UserAgentVersion: "99.0.0.0",`, `"Address": "99.0.0.0",`, "99.0.0.0"},
		{`ExpectedVersion: "118.0.0.0",`, `"Address": "118.0.0.0",`, "118.0.0.0"},
		{"agent.BrowserVersion()) // 118.0.0.0", "route add 118.0.0.0/8", "118.0.0.0/8"},
		{"Mobile/15E148 Klarna/23.49.256", "Mobile/212.555.0187", "212.555.0187"},
		{"Mobile Safari/537.36 Instagram 309.0.0.40.113 Android", "Mobile 06.12.34.56.78 Android", "06.12.34.56.78"},
		{`ip.replace(/^::ffff:/, "")`, `ip.replace("::ffff:10.1.2.3", "")`, "::ffff:10.1.2.3"},
		{"java 11.0.2.7 from SDK 4.21.0.100", "javac on 203.0.113.7", "203.0.113.7"},
		{"released jdk-17.0.9.1", "released host-17.0.9.1", "17.0.9.1"},
		{"* @since 4.21.0.100", "* offline since 203.0.113.7 left", "203.0.113.7"},

		// Numbers in rows.
		{"x\n0004512 0008 0000 0000 0000 2500 0001 0000 0000\n", "x\n0004512 4539 8245 5345 9855\n", "4539 8245 5345 9855"},
		{"x\n0013808 8000 0178 0f2d 8585 0000 8000 0278 7500\n", "aadhaar 2386 2559 1391", "2386 2559 1391"},
		{"x\n0013808 17 71 56 64 20 11 37 11 20 00 00 00 00 00 00 00\n", "call 0013808 17 71 56", "0013808 17 71 56"},
		{"call.go\n 11019631      8 -r--r--r--   1 root", "call\n 11019631      8 is mine", "11019631"},
		{"text:\nname1 NA 0.000 30.000\n", "text 0301.901820", ""},
		{"text NA 10.500 30.250", "call 030.901820", ""},
		{"d='M5 64A448 448 0 00448 448 448 448 0' phone", "phone: a 1, 0044 20 7946 0958", "0044 20 7946 0958"},

		{"x\n0010740 103 114  97 109  95 105 110 118\n call", "call 0010740 103 114", "0010740 103 114"},
		{"x\n003000  149717832 2768603976 1207959951   41205893\n003010 2202587391   12781764          0          0\n", "003010 2202587391", "003010 2202587391"},
		{"x\n 7047 0001 0000 0000 bc20 0001 0000 0000\n", "aadhaar\n 2386 2559 1391", "2386 2559 1391"},
		{"x\n 2500 0001 0000 0000 0008 0000 0000 0000\n", "x\n 4111 1111 1111 1111 5555 5555 5555 4444\n", "4111 1111 1111 1111 5555 5555 5555 4444"},
		{"x\n0004ce0 ba38 0001 0000 05e8 001c 8000 0038 850f\n", "BA39 1290 0794 0102 8494", "BA39 1290 0794 0102 8494"},
		{"the time of a call\n\n:100644 100644 f93e69599e59", "call 100644 100645", "100644 100645"},
		{"* 4c18a7f0 Bound the time of a call\n* 96377110 Find attacks", "* people to call\n* 96377110 Kim", "96377110"},
		{"libhttp-message-perl 6.44-1 200 Debian", "message 644-1200 555", "644-1200 555"},
		{"/Call/Call.so\n13901825 22976 1790647147.0 /usr/lib", "call\n0171 234 56 78\n", "0171 234 56 78"},
		{"var INSTRUCTION_ERROR__CALL_DEPTH = 4615032;", "var SUPPORT_PHONE = 4615032;", "4615032"},
		{"SMS_SENDER_MAX_CALLS: 4155032", "SMS_SENDER_NUMBER: 4155032", "4155032"},
		{`Messages: []string{"1692632647899-0"}`, `Messages: "169263264789-0187"`, ""},
		{"with an error message since 4.5.18 (2015) anyway", "message 4.518 (2015) 187", "4.518 (2015) 187"},
		{"x\n0041560 177604 102417 004073\ncall", "x\n0041560 177604", "0041560 177604"},
		{"link/loopback 00:00:00:00:00:00 brd", "link/ether 00:00:5e:00:53:01 brd", "00:00:5e:00:53:01"},
		{"AXIF\nEAAAAOjYzgAASYnFSIXAD4SfGgAASI2c+JMADAABIice6", "AXIF\nEAAAl3q8Zr2LmX0vTn4KpW9sBdQ7fH", "EAAAl3q8Zr2LmX0vTn4KpW9sBdQ7fH"},

		// Names and values of other things.
		{"types/token.py,sha256=Sk-MU-_KyGgztvV20ofmE9UGq9dbUDkbEGT-QDVM,338", "token=Sk-MU-_KyGgztvV20ofmE9UGq9dbUDkbEGT-QDVM", "Sk-MU-_KyGgztvV20ofmE9UGq9dbUDkbEGT-QDVM"},
		{"gpg --recv-key C0FCF8642D830C53246211400346653590B3795B", "gpg --symmetric-key C0FCF8642D830C53246211400346653590B3795B", "C0FCF8642D830C53246211400346653590B3795B"},
		{"* @PSK_8:\t8-PSK modulation", "PSK_8: my-8-PSK-wifi", "my-8-PSK-wifi"},
		{`ssh-public-keys="VtTxzlPJtIivthmLOmWdRDFy5l27pKUTwL"`, `ssh-secret-key="VtTxzlPJtIivthmLOmWdRDFy5l27pKUTwL"`, "VtTxzlPJtIivthmLOmWdRDFy5l27pKUTwL"},
		{`"Postman-Token": "` + uuid + `"`, `"X-Postmark-Server-Token": "` + uuid + `"`, uuid},
		{`"RotationToken": "` + uuid + `"`, `"AutomationToken": "` + uuid + `"`, uuid},
		{
			`"signatures":[{"keyid":"","sig":"MEUCIQClJhJ2mS78MWy4L32wxd8gPXYwpvyn0nmuY9r5t8iiAIgHKKoIJbKAKQ8i"}]`,
			"https://x.blob.example/c?sv=2020&sig=q8Zr2LmX0vTn4KpW9sBdQ7fHc3yJg1eRu5Aa6Z", "q8Zr2LmX0vTn4KpW9sBdQ7fHc3yJg1eRu5Aa6Z",
		},
		{
			`"sig" : "MEUCIQClJhJ2mS78MWy4L32wxd8gPXYwpvyn0nmuY9r5t8iiAIgHKKoIJbKAKQ8i"`,
			"SharedAccessSignature sig=q8Zr2LmX0vTn4KpW9sBdQ7fHc3yJg1eRu5Aa6Z", "q8Zr2LmX0vTn4KpW9sBdQ7fHc3yJg1eRu5Aa6Z",
		},
		{
			`"auth_key": "MEUCIQClJhJ2mS78MWy4L32wxd8gPXYwpvyn0nmuY9r5t8iiAIgHKKoIJbKAKQ8i"`,
			`"auth_key": "MHcCAQEEIIGlRFZq8Zr2LmX0vTn4KpW9sBdQ7fHc3yJg1eRu5Aa6Z"`, "MHcCAQEEIIGlRFZq8Zr2LmX0vTn4KpW9sBdQ7fHc3yJg1eRu5Aa6Z",
		},
		{`"key": "OGQ1NTk2YjQtMTgxMy00MjM4LWIyNGItNmRhZDhlM2QxYzBj"`, `"key": "YUIzZEU5Zkc3aEoya0w1bU44cFEx"`, "YUIzZEU5Zkc3aEoya0w1bU44cFEx"},
		{`"key": "intelligent%2Dtier%2Dtest.dat"`, `"key": "q8Zr2LmX0v%2FTn4KpW9sBd"`, "q8Zr2LmX0v%2FTn4KpW9sBd"},
		{`targetKey := "metadata123123.mp4"`, `targetKey := "q8Zr2LmX0vTn4KpW.mp4"`, "q8Zr2LmX0vTn4KpW.mp4"},
		{
			`"url": "git@github.com:i18next/i18next-multiload-backend-adapter.git"`,
			`"github.com": "q8Zr2LmX0vTn4KpW9sBdQ7fHc3yJg1eRu5Aa6Z"`, "q8Zr2LmX0vTn4KpW9sBdQ7fHc3yJg1eRu5Aa6Z",
		},
		{"passwd: /usr/bin/chage\ncoreutils: /usr/bin/chcon", "passwd: /hunter2/chage", "/hunter2/chage"},
		{`password: "/var/lib/app/credentials"`, `password: "/run9secrets"`, "/run9secrets"},
		{"e[e.ILLEGAL_AES_PASSWORD=2028]=x", "e[password=2028]", "2028"},
		{"kErrorWrongUserPassword = 17009,", "kAdminUserPassword = 17009,", "17009"},
		{"  --pass <password>  Alias of -a", "<host>h</host> <pass>x</pass> <password>  Alias9</password>", "Alias9"},
		{"htpasswd <file> <user> <password>\nUpdates the file", "<user>kim</user> <password>\nUpdates9</password>", "Updates9"},
		{
			`"-----BEGIN PRIVATE KEY-----\nNONONONO\n-----END PRIVATE KEY-----"`,
			`"-----BEGIN PRIVATE KEY-----\nMHcCAQEE\n-----END PRIVATE KEY-----"`, `-----BEGIN PRIVATE KEY-----\nMHcCAQEE\n-----END PRIVATE KEY-----`,
		},
		{"git+https://xxxx:x-oauth-basic@github.com/a/b", "git+https://f3a9c04be51d:x-oauth-basic@github.com/a/b", "f3a9c04be51d:x-oauth-basic"},
	} {
		assert.Empty(t, e.Detect(nil, row.benign), row.benign)
		var got []string
		for _, m := range e.Detect(nil, row.twin) {
			got = append(got, row.twin[m.Start:m.End])
		}
		assert.Equal(t, row.value, strings.Join(got, " "), row.twin)
	}
}

func TestTokensOfAppsAndLongTokensAreFound(t *testing.T) {
	e := engine(t, Options{})
	for _, text := range []string{
		"214748364712345|q8Zr2LmX0vTn4KpW9sBdQ7fHc3y", "see 2147483647123456|q8Zr2LmX-vTn4KpW_sBdQ7fHc3y now",
		"xoxb-" + randomKey(420), "xoxp-" + randomKey(700),
	} {
		assert.NotEmpty(t, e.Detect(nil, text), text)
	}
	for _, text := range []string{
		"|214748364712345|a word and more words that follow it", "214748364712345|thiscolumnhastwentysevenchars", "21474836471|q8Zr2LmX0vTn4KpW9sBdQ7fHc3y",
		"214748364712345|xxxxxxxxxxxxxxxxxxxxxxxxxxx", "214748364712345|q8Zr2LmX0vTn4KpW9sBdQ7fHc3yq8Zr2LmX0vTn4KpW9sBd",
	} {
		assert.Empty(t, e.Detect(nil, text), text)
	}
}
