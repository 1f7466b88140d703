package pii

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each row is of a class that was wrong in ordinary packages.
func TestNamesAndNumbersOfPackagesAreNoPersonalData(t *testing.T) {
	e := engine(t, Options{})
	for _, text := range []string{
		"[2507.18336722, 4943.28425668, 2386.25591391] * u.Mpc,", "parse('DE01000000000000000048')", "parse('DE99000000000000000030')",
		"E 4 0 5 6 0 4 2 1 4 1 1 3 3 4 2 3 3 4 1 1\nF 2 3", "R 2 1 1 3 4 2 5 2 2 2 3 3 6 3 3 2 2 1\nS 5",
		`Eax: "0000:0000:0000:0000:0000:0000:0000:1101",`, `Edx: "0000:0000:0000:0000:0000:0000:0000:0000",`, `expectedKey: "http.github.com.foo.df3158dafc823e6847d9bcaf79328446",`,
		`Ecx: "0110:1100:0110:0101:0111:0100:0110:1110",`,
		`client.Scan(ctx, 0, redisPrefix+"::*", 100)`, "NOTE = \"\"\"::\n\n    Number of hosts", "url(M2.49.51%203.39%201.42.91.9%201.42)",
		`"104.0.0.0,104.0.1293.47",`, "<https://arxiv.org/abs/astro-ph/0602086>", "from Hogg 1999, hep-ph/9905116", "j.cell.2006.01.040 PMID 16564017",
		".push.call({length:4294967296},1)", "g.min.call(g,2147483648,d)", "[+1.1540628161, -0.0129042997]", "113.649471640 +31.888282216 = 07:34:35.87",
		"Latitude = +31 57 48.0   Longitude", "docker://${IMAGE_NAME}:4-githubaction@${DIGEST}", "azureservicebus://SAS_POLICY_NAME:SAS_KEY@NAMESPACE",
		"docker run --rm --user 1234:1234 image", "podman exec -u 1000:1000 box id",
		`wantKey: "app::artifact::sha256:8652b9f0cb4c0599575e5a003f5906876e10c1ceb2ab9fe1786712dac14a50cf",`, `key: "GHSA-v23v-6jw2-98fq"`,
		`"Secret":"LA_kwDOCsUTCM75TTQL"`, `fileKey := "wsmn24bux7wo113/al1h9ijdeojtsjy/300_Jsjq7RdBgA.png"`,
		`Key: "key-vim.host.PortGroup.Port-33554436",`, `expectedKey: "git.github.com.Taskfile.yml.39d28c1ff36f973705ae188b991258bb",`,
		`token === "xterm256Background" ? x : y`, "for _, newPassword := range passwordList {", "`passwd = `+newPlausibleSecret(`[a-z]{30}`)",
	} {
		assert.Empty(t, e.Detect(nil, text), text)
	}
}

// What the rules for the rows above must not hide.
func TestWhatIsLikeNamesAndNumbersOfPackagesIsFound(t *testing.T) {
	e := engine(t, Options{})
	for text, want := range map[string]string{
		"aadhaar 2386.25591391": "2386.25591391", "2386.2559.1391": "2386.2559.1391", "2386 2559 1391": "2386 2559 1391",
		"DE89370400440532013000": "DE89370400440532013000", "my card: 4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1": "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
		"card 2 4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1":  "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
		"0000:0000:0000:0000:0000:0000:0000:0001": "0000:0000:0000:0000:0000:0000:0000:0001", `net.Listen("tcp", "::")`: "::",
		"2001:0000:0000:0000:0000:0000:0000:0001": "2001:0000:0000:0000:0000:0000:0000:0001", "hosts=104.0.0.0,104.0.12.47": "104.0.0.0 104.0.12.47",
		"call (214) 748-3647": "(214) 748-3647", "call 2147483647": "2147483647", "ph/0602086555": "0602086555", "phone:2147483648": "2147483648",
		"call me at +1.2125550187": "+1.2125550187", "mobile +31.612345678": "+31.612345678", "tel +31 57 48 01 22": "+31 57 48 01 22",
		"https://${USER}:hunter2@${HOST}/": "${USER}:hunter2", "redis://APP_USER:Zx9KEY@db": "APP_USER:Zx9KEY",
		"curl --user 1234:1234 https://x": "1234:1234", "docker run x curl -u 1234:1234 https://x": "1234:1234", "curl -u kim:hunter2xyz https://x": "kim:hunter2xyz",
		`Key: "q8Zr2LmX0vTn4KpW9sBd"`: "q8Zr2LmX0vTn4KpW9sBd", `expectedKey: "q8Zr2LmX0vTn4KpW9sBd"`: "q8Zr2LmX0vTn4KpW9sBd",
		`apiKey: "live.acme.eu.9f86d081884c7d659a2feaa0c55ad015"`: "live.acme.eu.9f86d081884c7d659a2feaa0c55ad015",
		`token == "abc123realToken9x"`:                            "abc123realToken9x", `if password == "hunter2" {`: "hunter2", "password := hunter2": "hunter2",
		`token: "9f86d081:q8Zr2LmX0vTn4KpW9sBd"`: "9f86d081:q8Zr2LmX0vTn4KpW9sBd", `secret_key = "Zm9v/YmFy9x2LmX0vTn4.KpW9sBd"`: "Zm9v/YmFy9x2LmX0vTn4.KpW9sBd",
		"password=Zx9$kQ2{pLr8vT": "Zx9$kQ2{pLr8vT", "password=Zx9kQ2{pLr8vT": "Zx9kQ2{pLr8vT", `password == "INTERNAL"`: "INTERNAL",
		"<user>kim</user> <password>\nhunter2x</password>": "hunter2x", "  <password>\n    hunter2x\n": "hunter2x", "`passwd = `+Zx9(kQ2`": "+Zx9(kQ2",
	} {
		var got []string
		for _, m := range e.Detect(nil, text) {
			got = append(got, text[m.Start:m.End])
		}
		assert.Equal(t, want, strings.Join(got, " "), text)
	}
}
