package pii

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A twinRow is a text in which nothing may be found, and a twin of it with one value, or none.
type twinRow struct{ benign, twin, value string }

// assertTwins checks that what is found in both texts of each row is right, also when they come in pieces.
func assertTwins(t *testing.T, rows []twinRow) {
	t.Helper()
	e := engine(t, Options{})
	for _, row := range rows {
		assert.Empty(t, e.Detect(nil, row.benign), row.benign)
		var got []string
		for _, m := range e.Detect(nil, row.twin) {
			got = append(got, row.twin[m.Start:m.End])
		}
		assert.Equal(t, row.value, strings.Join(got, " "), row.twin)
		assertAnyCutting(t, e, row.benign+" and more of it.", 3)
		assertAnyCutting(t, e, row.twin+" and more of it.", 3)
	}
}

// Each row is of a class that was wrong in the ninth set of packages, and its twin is what the rule for it must not hide. A twin with
// no value has none.
func TestClassesOfTheNinthSetAndTheirTwins(t *testing.T) {
	assertTwins(t, []twinRow{
		// Labels and names behind the name of a password.
		{`"relabeling": {"password": "Client Secret"}`, `{"password": "Clientele Secretive"}`, "Clientele"},
		{`"password": "Private Key (PEM)"`, `"password": "Private9 Key"`, "Private9"},
		{`"password": "Slack token for the channel"`, `"password": "Slacker tokenless"`, "Slacker"},
		{`"password": "access token (OAuth)"`, `"password": "excess tokens7"`, "excess"},
		{`login(password="SOME_TOKEN")`, `login(password="SOME_TIGER")`, "SOME_TIGER"},
		{`c.MarkFlagsMutuallyExclusive("tpm-key-password", "cert-selector")`, `c.Set("tpm-key-password", "cert-selector")`, "cert-selector"},
		{`conflicts("key-password", "key-file")`, `conflicts("key-password", "key-file7")`, "key-file7"},
		{`X509_ISSUER_KEY = "x509Issuer"`, `X509_ISSUER_KEY = "x509Qsmzpr"`, "x509Qsmzpr"},
		{`oauth2_server_id_token: "oauth2ServerId"`, `session_token: "q8Zr2LmX0vTn4K"`, "q8Zr2LmX0vTn4K"},

		// Parameters of queries.
		{"?password=none&user=kim", "?password=hunter2&user=kim", "hunter2"},
		{"?password=&user=hunter2", "password=tr0ub4dor&3", "tr0ub4dor&3"},
		{"/login?password=null&amp;user=kim", "/login?password=hunter2&amp;user=kim", "hunter2"},
		{"?pwd=abc&next=hunter2", "pwd=ab&c=hunter2", "ab&c=hunter2"},
		{"?token=user&page=2", "?api_key=q8Zr2LmX0vTn4KpW9sBd&page=2", "q8Zr2LmX0vTn4KpW9sBd"},
		{"?password=none#", "?password=S3c#retPW", "S3c#retPW"},
		{"?token=name#q8Zr2LmX0vTn4KpW9sBd", "?token=q8Zr2LmX0vTn4KpW9sBd#top", "q8Zr2LmX0vTn4KpW9sBd"},

		// Sections, and colons.
		{"(see §18.3.1.63)", "(see 18.3.1.63, the host)", "18.3.1.63"},
		{"cfRule § 18.3.1.63", "cfRule ç host 18.3.1.63", "18.3.1.63"},
		{`test("15.9.5.43 Date.prototype.toISOString()")`, `test("15.9.5.43 Datenbank")`, "15.9.5.43"},
		{"scope ::= host '::' IDENT", "scope of host '::'", "::"},
		{`host "::" (port | "x")`, `host "::" or all`, "::"},
		{"too many colons in address '::'", "too many users at address '::'", "::"},
		{"host 0::/system.slice/ssh.service", "host 0::/0", "0::/0"},

		// Users of machines.
		{"http://kim@work:pass@example.com", "https://user:pass word@example.com", "word@example.com"},
		{"https://user:pass@example.com", "https://example.org mail:kim@example.com", "kim@example.com"},
		{"http://user@name:pass@host.example.com/x", "http://example.org/user@name:pass@host.example.com", "pass@host.example.com"},
		{"https://example.org:8080 ", "https://example.org:8080 kim@example.com", "kim@example.com"},
		{"git clone kim@host.example.com:owner/repo.git", "git log kim@example.com:owner repo.git", "kim@example.com"},
		{"rsync kim@host.example.com:public/docs .", "write kim@example.com: public/docs", "kim@example.com"},
		{"scp kim@host.example.com:build/out.", "login kim@example.com:hunter/2x ", "kim@example.com"},
		{"--user=system:kube-proxy", "--user=system:Kube9proxy", "system:Kube9proxy"},
		{"docker run \\\n  --user 1000:1001 image", "curl -v \\\n  --user 1000:1001 image", "1000:1001"},
		{"run --user 1000:1000 image", "curl --user 1000:1000 image", "1000:1000"},

		// Numbers, and a key.
		{`"checksumSeed": 4539824553459855,`, `"checksumCard": 4539824553459855,`, "4539824553459855"},
		{"seed = 4539824553459855", "seeded 4539824553459855", "4539824553459855"},
		{"phones: 12345 54321", "phones: 12345 54329", "12345 54329"},
		{"sheet.cell(1, 20130101)", "cell (0171 2345678)", "(0171 2345678"},
		{"-----BEGIN PRIVATE KEY-----\nfake\n-----END PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nMHcCAQEE\n-----END PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nMHcCAQEE\n-----END PRIVATE KEY-----"},
	})
}

// The same for packages that were read between the ninth and the tenth set.
func TestClassesReadBeforeTheTenthSetAndTheirTwins(t *testing.T) {
	assertTwins(t, []twinRow{
		{"parsep://AppID:MasterKey@Hostname", "parsep://appid:masterkey7@Hostname", "appid:masterkey7"},
		{"twilio://AccountSid:AuthToken@FromPhoneNo", "twilio://AccountSid:AuthToken9@FromPhoneNo", "AccountSid:AuthToken9"},
		{"x://AppName:AccessToken@host", "x://Template:AccessToken@host", "Template:AccessToken"},
		{"x://client_id:client_secret@host", "x://client_id:client_qmzpr@host", "client_id:client_qmzpr"},
		{"mail://myuserid:mypass@host", "mail://myuserid:mypast7@host", "myuserid:mypast7"},
		{"mailto://userid:password@example.com", "mailto:password@example.com", "password@example.com"},
		{"twist://password:login/#channel", "twist, password:login/#channel", "login/#channel"},
		{"sfr://user:password>@spaceId/To", "<password>@spaceId7</password>", "@spaceId7"},
		{"Use PASS <password> during registration", "<password> during9</password>", "during9"},
		{"?password=none&_csrf=hunter2", "?password=Admin_123&_csrf=", "Admin_123"},
		{
			"ZXlKMGVYQmxJam9pZEdWNGRGOWtaV3gwWVNJc0luUmxlSFFpT2lJZ2IyWWdkR2hsSUdSa",
			"ZXlKaGJHY2lPaUpJVXpJMU5pSjkuZXlKemRXSWlPaUl4TWpNMEluMC5kR2hsTFhOcFoyNWhkSFZ5WlE",
			"ZXlKaGJHY2lPaUpJVXpJMU5pSjkuZXlKemRXSWlPaUl4TWpNMEluMC5kR2hsTFhOcFoyNWhkSFZ5WlE",
		},
		{"see examples/wrap_strings_at_column.IN.textproto", "see kim_strings_at_example.org", "kim_strings_at_example.org"},
		{"if the remote cluster is <= 2.4.0.0 then", "if the remote ip <= 2.4.0.1 then", "2.4.0.1"},
		{"// Runspace pool host call - MS-PSRP 2.2.4.1", "// Runspace pool host call PSRP 2.2.4.1", "2.2.4.1"},
		{"https://maker.ifttt.com/use/WEBHOOK_ID/EVENT_ID_AND_MORE", "https://maker.ifttt.com/use/a3nHB7gA9TfBQSqJAHklod", "https://maker.ifttt.com/use/a3nHB7gA9TfBQSqJAHklod"},
		{`"call"}],"created":1782321616,"id"`, `"call"}],"number":1782321616,"id"`, "1782321616"},
		{`phone call, "updatedAt": 1782321616`, "call me at: 2125550187", "2125550187"},
		{"phone call, updated_at=1782321616", "phone call, kim_at=1782321616", ""},
		{"Cell cooling surface area: 0.0060484", "Cell phone: 0.171.6048412", "0.171.6048412"},
		{"https://faq.whatsapp.com/539178204879377/", "WhatsApp 539178204879", "539178204879"},
	})
}

// The name of a team may be filled with one letter; what opens the webhook is the last part.
func TestWebhooksOfTeamsWithFilledNamesAreFound(t *testing.T) {
	e := engine(t, Options{})
	const hook = "https://hooks.slack.com/services/T024TTTTT/BBB72BBL/q8Zr2LmX0vTn4KpW9sBd"
	assert.Equal(t, []string{"API_KEY " + hook}, listFound(e, "post to "+hook))
	assert.Empty(t, listFound(e, "post to https://hooks.slack.com/services/T024TTTTT/BBB72BBL/XXXXXXXXXXXXXXXXXXXXXXXX"))
}
