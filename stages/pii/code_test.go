package pii

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCodeAndShellsAreNoSecrets(t *testing.T) {
	e := engine(t, Options{})
	for _, text := range []string{
		`@method_decorator(sensitive_post_parameters("password", "client_secret"))`, `get_argument("password", default="")`,
		`not_supported_before("PQchangePassword", 170000)`, "input[type=password]::-moz-placeholder{color:#b2dbfb;opacity:1}",
		":param hashed_password: Pre-hashed password (use instead)", `SIGN_IN_WITH_PASSWORD = "/v1/accounts:signInWithPassword",`,
		`case"resetPassword":return"PASSWORD_RESET";`, `DECIMAL128_KEY = "__decimal128__";`, "password = _auth$split2[1];", `const defaultPwd = "defaultPwd"`,
		"const VAPID_KEY = 'BDOU99-h67HcA6JeFXHbSNMu7e2yNNu3RzoMj8TM4W88jITfq7ZmPvIM1Iv-4_l2LxQcYwhqby2xGpWwzjfAnG4'",
		"http://localhost:8888/?token=c8de56fa... :: /Users/you", "XNBytesField(\"auth_key\", 0x5F4DCC3B5AA765D61D8327DEB882CF99, 16)",
		"foo('DB_PASSWORD', 'hunter2!')", "--password is required", "deploy --token <token>", "run --password $PASS", "make -p hunter2x", "--key value",
		"the login page password reset", `"pwd": "IPython.core.magics.osm:OSMagics",`, "# passwd    = 1*SAFE ; MUST accept", "password = <your matrix password>\n    room_id = #room:x",
		"--new-password=<password> --new-full-name=<full name>", `password = "ssword"`, `throw Error("Incorrect key passphrase: "+e.message)`, "password: `secret${i}`,",
		"pubkey: '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',", "{nkey: UCNGL4W5QX66CFX6A6DCBVDH5VOHMI7B2UZZU7TXAUQQSI2JPHULCKBR}",
		"username ALL=(ALL:ALL) NOPASSWD: /usr/sbin/setcap", "\t\tPassword: b64Pwd,\n", "'Lock-Token': 'urn:uuid:a515cfa4-5da4-22e1-f5b5-00a0451e6bf7'",
		`"password": "lookup_json_string(http.request.body.raw, \"pw\")"`, "/serve/ok?key=%7Benv.CADDY_REWRITE_TEST_SECRET%7D", `{"name": "password", "value": "Password"}`, "--secret-file config.json", "PSK:-PSK:HIGH", "mkdir -p build2x/out",
		"PWD=/home/kim/project", `cmd.Env = append(cmd.Env, "PWD="+dir)`, `docker run --rm -v "$PWD":/app -w /app image`, `Setenv("PWD", "/tmp")`,
		"const password = await prompt('Password')", "if (req.body.password === user.password) {", "user.password = req.body.password;",
		"password: Optional[str] = None,", "login(user=user, password=password_of_user)", "self.passwd = config['password']", "password := args[3]",
		"\tPassword: c.Password,\n", "const password = this.options.proxy.password || ''", `"IAMUserChangePassword": "arn:aws:iam::aws:policy/x"`,
		`"parse-passwd": "^1.0.0"`, `invalidPassword = "incorrect-password"`, "user_pass = '%s:%s' % (user, pw)", `FTINTRP_W_D:  "FTINTRP.W.D",`,
		"PrivateKey: testRSA2048PrivateKey,", "expectedSecretKey: secretKey32,", `"result_key": "AssetBundleExportJobSummaryList"`,
		`"AWS::KMS::Key": "2b447c471bc70388"`, `"key": "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"`,
		`"ClientToken": "5236cffc-ee13-4a32-bb5b-388d9da09d96"`, "AccountIDKey = `s3_disable_express_session_auth`", `"S3Key": "AKIAIOSFODNN7EXAMPLE"`,
		`x25519_key: x25519.X25519PublicKey,`, `vkey := "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"`,
		`"tokenizer.ggml.tokens": "c6e66de1841f04de8b8d236d461ab720a4c9b9b5"`, `{"70.1.key":"NzAuMS52YWw="}`, "socks5h://<username>:<password>@proxy-host",
		`{"passwd:shell", "group:name"}`, `"RequestToken": "5f40c577-3534-4b20-9599-0b0123456789"`, `AccessToken: "TestGetServerConfigFromS2Av2_token",`, `var rsaPrivateKey = test1024Key`,
		`"client_secret": "idpexamplesecret456"`, "tpmkey:uuid=7f468c16-cb7f-11e1-824d-b3a4f4b20343;storage=user", "pkcs11:token=Root%20CA%20Certificates;serial=1",
		"sig_key:        51:C4:0C:6D:7E:A5:6C:D8:8F:B4:3A:DF:91:78:4F:18:BC:D5:E4:C5", `toolskey = "VS%0.f0COMNTOOLS" % version`,
		"error_per_key = 100000.0/first_set_max_id", "--key='AAAAB3NzaC1yc2EAAAADAQABAAAB...ZrPg+DZJIwPab2wPlveLh+ut1L'", "make sc_prohibit_test_background_without_cleanup_",
		"cat /etc/passwd > /dev/null", "use pwd->pw_uid. This", ":type passphrase: :py:data:`bytes`", `{"pvkPassword": "Private key password 1"}`,
		`the function identified by "repeat" is overwritten`, "--passwd=FILE use FILE", `\fB\-P\fP,\ \fB\-\-passwd=DATEI\fP`, `ERRCODE_INVALID_PASSWORD = "28P01"`, "s.setUserArenaChunkToFault()", "the password is wrong", "if the password is required,",
		"password = keystoneauth1.loading._plugins.identity.generic:Password", `"password=auth.cli:PasswordPlugin",`, `rate_limit_password = "10/minute"`,
		`"change_password": "5/m/user"`, "THROTTLE_RATES = {'password': '100/days'}", "def sign(key: ed25519.Ed25519PrivateKey | None)",
		"Private-Lines: many", "Private-Lines: 0\nAAAAIGq8Zr2LmX0vTn4KpW9sBd", "Credential=AKIDEXAMPLE/20110909/us-east-1/host/aws4_request, x",
	} {
		for _, m := range e.Detect(nil, text) {
			assert.Falsef(t, isSecretType(m.Type), "%s %q in %s", m.Type, text[m.Start:m.End], text)
		}
	}
}

func TestSecretsInCodeAndShellsAreFound(t *testing.T) {
	e := engine(t, Options{})
	for text, want := range map[string]string{
		"password=kim.van.larsen:Sesame": "kim.van.larsen:Sesame",
		`password = "hunter2"`:           "hunter2", "PASSWORD=hunter2x\n": "hunter2x", `db.connect(password="swordfish")`: "swordfish",
		"host=db user=app password=sesame sslmode=off": "sesame", "Server=x;Password=sesame;": "sesame", "pwd=tr0ub4dor&3": "tr0ub4dor&3",
		`"api_key": "f62e5bcda4fae4f82370da0c6f20697b8f8447ef"`: "f62e5bcda4fae4f82370da0c6f20697b8f8447ef", "SENDGRID_KEY=q8Zr2LmX0vTn4KpW9sBd": "q8Zr2LmX0vTn4KpW9sBd",
		"CREATE USER app IDENTIFIED BY 'tiger7';": "tiger7", `ALTER ROLE app WITH PASSWORD 'sesame!'`: "sesame!", "my password is tr0ub4dor.": "tr0ub4dor",
		"Password is 'Xy7!abc', thanks": "Xy7!abc", "vck_" + randomKey(40): "vck_" + randomKey(40), "use ctx7sk-3c2a9f7e-51b0-4d8c-9e6f-7a1b2c3d4e5f": "ctx7sk-3c2a9f7e-51b0-4d8c-9e6f-7a1b2c3d4e5f",
		"Authorization: SSWS 00QCjAl4MlVxWPXMabcdefghijklmnoSSXfaXWFWF5": "00QCjAl4MlVxWPXMabcdefghijklmnoSSXfaXWFWF5", "EAAZ" + randomKey(120): "EAAZ" + randomKey(120),
		`{"key": "q8Zr2LmX0vTn4KpW9sBd"}`:                         "q8Zr2LmX0vTn4KpW9sBd",
		"machine git.example.com login kim password Q8zr2LmX0v\n": "Q8zr2LmX0v", "machine a.example\n  login kim\n  account dev\n  password hunter2\n": "hunter2",
		"deploy --token q8Zr2LmX0vTn4KpW9sBd now": "q8Zr2LmX0vTn4KpW9sBd", "kubeadm join 10.x --token abcdef.0123456789abcdef": "abcdef.0123456789abcdef",
		"sshpass -p 'hunter2!' ssh kim@host": "hunter2!", "mysql -u root -phunter2x shop": "hunter2x", "define( 'DB_PASSWORD', 'hunter2!' );": "hunter2!",
		`{"name": "DB_PASSWORD", "value": "hunter2!"}`: "hunter2!", "  - name: DB_PASSWORD\n    value: hunter2!\n": "hunter2!",
		`<add key="ClearTextPassword" value="hunter2!" />`: "hunter2!", "0/9c1b2f3a4d5e6f708192a3b4c5d6e7f8": "0/9c1b2f3a4d5e6f708192a3b4c5d6e7f8",
	} {
		var got []string
		for _, m := range e.Detect(nil, text) {
			got = append(got, text[m.Start:m.End])
		}
		assert.Equal(t, []string{want}, got, text)
	}
}

// randomKey makes n letters and digits, the same each time.
func randomKey(n int) string {
	const chars = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	b, x := make([]byte, n), uint32(7)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = chars[(x>>8)%uint32(len(chars))]
	}
	return string(b)
}

func TestNumbersInCodeAreNoCardsOrAddresses(t *testing.T) {
	e := engine(t, Options{})
	for _, text := range []string{
		"int64(6715870808026712034), // Int63()", "Rational(385045107874520059, 390625000000000000))", "org-4747474747474747,bucket-4242424242424242:m",
		`"arn:aws:iam::867139942017:role/x"`, "# 31.7.8.3: Vector Loads", "// 12.1.1.4 handle codings", `src := "s[::]+"`, `"11.5.9.0.sb00039210.r1"`,
		"82e81795| CALL 18344066(PC)", "v 10.1.2.3 is out", "//0x0000 .quad 6587304654631931588", "movabsq      $36028797027352577, %rcx",
		"https://marc.example/?l=kernel&m=112256338703880&w=2", "0000000: 2e54 4820 5858 4420 3120 2241  .TH XXD", "V4L2_CID_CODEC_BASE + 301)",
		"CVC_ATTRIBUTE_2, /* 1862 */", "(Coverity CID 121)", "if cid > 255 {", "// WHATWG 13.2.5.32, if we see", "Albert Cid\n    Copyright © 2015 Kim", "libx (1:0.2.2.2-3) unstable", "java-1.8.0-openjdk-1.8.0.121-0.b13", "Policy 0.12.0.0 documentation",
		"Classifier: Development Status :: 5 - Production", "a server listening on 3000::\n\n  meow", `want: "%5B::1%5D:8080"`, `"::ffff:" + ipv4_address`,
		"// a registered tag 101(103(0))", "the call of dirent.h,v 1.30 2016/01/22 23:31", "messages\n## 0.9.1 (2020-07-22)", "message=[123 34 105 110 116 49 34 58 48]",
		"00140054|\tCALL 5(PC)", "text on December 31, 2013 2012", "call failed: expected 50331648 bytes in a string", "messages from 1000-1199 are",
		"call 00840.847755445 6533", "00000000  00 00 01 04 0a 1f 00 00  00 68 00 00 00 13 65 63  |.........", "45 50 76 05 85 3e 00 00  00 43 64 69 66 66 69 65  |EPv",
		"00 05 64 69 66 66 09 0a  3e 30", "math.Pow(ar, 5)+1088.0/121275*ar",
		"text 0084 0004 00 00 B4 81 Ext", "XOpenDisplay call 520|26 1 00032625 1 5|value", "cvc\n\tcase 131:\n", "    // [23.2.4.2] capacity", "PROGBITS        00000000 000034 000000 00  AX",
	} {
		assert.Empty(t, e.Detect(nil, text), text)
	}
	for _, text := range []string{`{"v": "10.1.2.3"}`, "v = 81.2.69.142", `"v":"81.2.69.142"`, "aadhaar 867139942017", "card-4539824553459855", "src=:: dst=::1", "listen on [::1]:80", "ip 0.0.0.0", "call 030 901820 (9 am)", "0049 30 901820", "00 49 30 90 18 20", "text (0151) 2345678", "10.0.0.1-10.0.0.9", "4539824553459855, 5425709660906571"} {
		assert.NotEmpty(t, e.Detect(nil, text), text)
	}
}

// TestSectionsAndTablesOfOrdinaryCodeAreNoValues has classes that were wrong in ordinary code and documents.
func TestSectionsAndTablesOfOrdinaryCodeAreNoValues(t *testing.T) {
	e := engine(t, Options{})
	for name, text := range map[string]string{
		"a section in a sentence":              "starting from the initial 13.2.5.1 \"Data state\"",
		"sections in parentheses":              "a value of 45455\n(11.3.3.2 and 11.3.3.5 of the ISO specification)",
		"a section in a comment":               "/* port state definitions (43.4.2.2 in the 802.3ad standard) */",
		"a section that heads a comment":       "/*\n * 15.3.1.3 SCTP_REMOTE_ERROR\n",
		"a section in a column of a table":     "//     ...       T.Z.E1    r45.A-    13.2.5.44 Comment start dash state\n",
		"a section of three digits at its end": "bursts as in\n *\t802.11-2016 9.4.2.168 \"Fine Timing",
		"a version of the kernel":              "doesn't compile with linux 2.6.8.1/9",
		"a column of a dump in text":           "0x30, 0x30, //  |00600.0000000.00|",
		"addresses of a program's parts":       "absolute_0x200 A 200\ntext_0x1000 t 1000 100\nbss_0x2000 b 2000 120",
		"a sum and wide columns":               "[48..57]   [52..61]   +4        3  0123456789",
		"a product":                            "byte(uint64(i+int(n)+1) * 2654435761)",
		"characters in hexadecimal":            "# 00CC; 0069 0307 0300; 00CC; 00CC; lt;",
		"a size behind the name of a device":   `"formFactor": "PHONE", "heapSize": 256000000,`,
		"tests that failed":                    "IGNORED: failed tests: 571 612 1056\n",
		"the hash of a commit":                 "the call has been removed.\n   (merge 7063693 js/rebase later",
		"a range of ports":                     "the text of 30000-32767 is",
		"a list of names and values":           `key1="value1":key2=value2:key3=value3Index1,value3Index2`,
		"a name in a program":                  "dest_key='Ec2SubnetId',",
		"the colour of a printer":              `pdf.AddSpotColor("PANTONE 145 CVC", 0, 42, 100, 25)`,
		"the nonce of a WebSocket":             "Sec-WebSocket-Key: q8Zr2LmX0vTn4KpW9sBd7A==",
		"the nonce of the standard":            `map[string]string{"key": "dGhlIHNhbXBsZSBub25jZQ=="}`,
		"the server of CVS":                    "cvs://:pserver:anoncvs@sources.example.com:/cvs/src",
		"a section behind its sign":            "/** §13.2.4.2's \"special\" category, and §13.2.5.36). */",
		"a range of sections":                  "# IEEE802.1D-2004 12.10.2.4-5\n",
		"the version of an engine":             `"security": false, "v8": "14.6.202.34"`,
		"a sum behind digits":                  "n=this._imul(n,5)+3864292196}let g",
		"a version and its date":               "at singe call site\n\n0.0.0 / 2014-06-15\n",
		"a form that is filled in":             `"+44131 496 0###", "+44(0)1632 960 ###"`,
		"a path of numbers":                    "http://www.bakom.example/themen/telekom/00479/00607/index.html",
		"the key of a map":                     "'rpc_s_call_cancelled',\n    382312564: 'rpc_s_fault_addr_error',",
		"names with a point":                   "L{MethodInjectionTestsMixin.attemptRequestWithMaliciousMethod} in",
		"a name behind itself":                 "Ed25519PrivateKey = ed25519.Ed25519PrivateKey\n",
		"a type of a database":                 `Column("indkey", INT2VECTOR),`,
		"a type of a program":                  "pbkdf2Sync(password: Uint8Array, salt: Uint8Array); streamToken: Uint8Array;",
		"the version of a package":             `"pbkdf2-password": "1.2.1",`,
		"a method of a string":                 `prompt = "{}@{}'s password: ".format(user, host)`,
		"a comparison":                         "if self.update_password == 'always' and",
		"the key of a package archive":         "id: 0x9FED2BCBDCD29CDF762678CBAED4B06F473041FA\n",
		"a command among arguments":            `self.runScript("pwd", "lpwd", "cd ..")`,
		"a key of crosses":                     `private_key:'-----BEGIN PRIVATE KEY-----xxxxxxx\n-----END PRIVATE KEY-----\n',`,
		"a section with a title in capitals":   "('Data', STAT_SERVER_0),\n    )\n\n# 2.2.4.40 SERVER_INFO_101\n",
		"the number of an error":               "exports.ER_NOT_VALID_PASSWORD = 1819;\nNEW_PASSWORD = 0x102A\nRPC_S_AUTH_NOKEY = 0X16C9A0F3\n",
		"a serial number":                      "\n0xE12343434343434343434EAB3484343434343434\n",
	} {
		assert.Empty(t, e.Detect(nil, text), "%s: %s", name, text)
	}
}

func TestValuesThatResembleSectionsAndTablesAreFound(t *testing.T) {
	e := engine(t, Options{})
	for text, want := range map[string]string{
		"connect to 13.2.5.44 now": "IP_ADDRESS 13.2.5.44", `"13.2.5.44"`: "IP_ADDRESS 13.2.5.44", "host=13.2.5.44": "IP_ADDRESS 13.2.5.44",
		"at 13.2.5.44:8080 it": "IP_ADDRESS 13.2.5.44", "see 10.2.5.44 there": "IP_ADDRESS 10.2.5.44", "from 54.0.0.1 on": "IP_ADDRESS 54.0.0.1",
		"\n13.2.5.44 - - [10/Oct/2000": "IP_ADDRESS 13.2.5.44", "ssh kim@x; ssh 13.2.5.44": "IP_ADDRESS 13.2.5.44", "from 54.23.81.7 on": "IP_ADDRESS 54.23.81.7",
		"call 4444-5555": "PHONE 4444-5555", "phone 98765-43210": "PHONE 98765-43210", "Fax: 1000 100": "PHONE 1000 100", "call 212 555 0187": "PHONE 212 555 0187",
		"at 212 555 0187": "PHONE 212 555 0187", "0044 2079 4609 58": "PHONE 0044 2079 4609 58", "Kim +49  30  901820": "PHONE +49  30  901820",
		"CVC, 123": "CARD_CVV 123", `setProperty("cvv", "123")`: "CARD_CVV 123", "redis://:hunter2x@host/0": "URL_CREDENTIALS :hunter2x",
		"(mobil)+4915123456789": "PHONE +4915123456789", "wallet 0x9fed2bcbdcd29cdf762678cbaed4b06f473041fa": "CRYPTO_ADDRESS 0x9fed2bcbdcd29cdf762678cbaed4b06f473041fa",
		"call 5550187000: he": "PHONE 5550187000", "password=.hunter2x": "PASSWORD .hunter2x", "password = '12.34.56.78'": "PASSWORD 12.34.56.78",
		"655 437 108 office\n": "PHONE 655 437 108", "085 175 7641-Office, 3660170548-Fax": "PHONE 3660170548", "030 901820 (work)": "PHONE 030 901820",
		"0171 2345678, mobil": "", "3660170548 home.": "PHONE 3660170548", "card 060426070011 please": "CREDIT_CARD 060426070011",
	} {
		if want == "" {
			assert.Empty(t, listFound(e, text), text)
			continue
		}
		assert.Contains(t, listFound(e, text), want, text)
	}
	for _, text := range []string{"1000000 home.", "took 16777216 work", "5551234567 homes", "3660170548-Faxes", "home.work 1234567-home.html"} {
		assert.Empty(t, listFound(e, text), text)
	}
}
