package pii

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each text has a secret, an address or a number that a rule against the wrong findings of three sets of packages had hidden.
func TestSecretsThatRulesOfTheTenthToTwelfthSetHid(t *testing.T) {
	e := engine(t, Options{})
	for _, c := range []struct{ name, text, want string }{
		// Users of URLs.
		{"an old token of GitHub", "git clone https://3f786850e387550fdab836ed7e6dc881de23001b@github.com/a/b", "URL_CREDENTIALS 3f786850e387550fdab836ed7e6dc881de23001b"},
		{"an app password of Bitbucket", "https://ATBBq8Zr2LmX0vTn4KpW9sBd@bitbucket.org/a", "URL_CREDENTIALS ATBBq8Zr2LmX0vTn4KpW9sBd"},
		{"a token of sixteen characters", "https://q8Zr2LmX0vTn4KpW@gitlab.com/a", "URL_CREDENTIALS q8Zr2LmX0vTn4KpW"},
		{"a token of an index of packages", "pip --index-url https://0123abcd9f8e7d6c5b4a392817e6f5d4@pypi.acme.com", "URL_CREDENTIALS 0123abcd9f8e7d6c5b4a392817e6f5d4"},
		{"base32 in capitals", "https://K7QX2ZPM4LWT3RV5YB6NJ2HG7FD4SA3C@push.acme.com/x", "URL_CREDENTIALS K7QX2ZPM4LWT3RV5YB6NJ2HG7FD4SA3C"},
		{"base32 in small letters", "https://k7qx2zpm4lwt3rv5yb6nj2hg7fd4sa3c@dev.acme.com/x", "URL_CREDENTIALS k7qx2zpm4lwt3rv5yb6nj2hg7fd4sa3c"},
		{"a token before a host with other letters", "https://q8Zr2LmX0vTn4KpW@münchen.example/a", "URL_CREDENTIALS q8Zr2LmX0vTn4KpW"},
		{"a token before a host that is a variable", "https://q8Zr2LmX0vTn4KpW@${HOST}/a", "URL_CREDENTIALS q8Zr2LmX0vTn4KpW"},
		{"a token of a service for errors", "https://b8b6cfd5dab95e1258d80963c3db73bf@errors.example.us/4", "URL_CREDENTIALS b8b6cfd5dab95e1258d80963c3db73bf"},
		{"a token whose sign is escaped", "https://q8Zr2LmX0vTn4KpW%40gitlab.com/a", "EMAIL q8Zr2LmX0vTn4KpW%40gitlab.com"},
		{"a name with a point at a server of repositories", "https://kim.larsen@github.com/x", "EMAIL kim.larsen@github.com"},
		{"a name with digits at a server of repositories", "https://kim1984@github.com/x", "EMAIL kim1984@github.com"},
		{"a sign of a currency in quotes", `"$kim.larsen@acme.com"`, "EMAIL kim.larsen@acme.com"},
		{"a sign of a currency in backticks", "`$kim@acme.com`", "EMAIL kim@acme.com"},
		{"a formula of LaTeX", "$kim.larsen@acme.com$", "EMAIL kim.larsen@acme.com"},
		{"a currency before an address", "US$kim@acme.com", "EMAIL kim@acme.com"},
		{"an address that is the user of a database", "mongodb://kim.larsen@gmail.com:pw123456@cluster0.example.net/x", "EMAIL kim.larsen@gmail.com"},
		{"a short address that is the user of a database", "mongodb://kim@gmail.com:pw123456@cluster0.example.net/x", "EMAIL kim@gmail.com"},
		{"a name with a point that is the user of a database", "DATABASE_URL=postgres://kim.larsen@acme.com:5432/db", "EMAIL kim.larsen@acme.com"},
		{"an escaped address that is the user of a database", "postgresql://kim.larsen%40acme.com:@10.0.0.1/db", "EMAIL kim.larsen%40acme.com"},
		{"an escaped short address that is the user of a database", "postgresql://kim%40acme.com:@10.0.0.1/db", "EMAIL kim%40acme.com"},
		{"random letters as the user of a database", "postgres://qzRtLmXvTnKpWsBd@acme.com:5432/db", "EMAIL qzRtLmXvTnKpWsBd@acme.com"},
		{"a key in groups as the user of a database", "postgres://AES9-RSA77-QX8Z2@acme.com/x", "EMAIL AES9-RSA77-QX8Z2@acme.com"},
		{"a written address before a word", "kim_larsen_at_gmail.com_or_kim", "EMAIL kim_larsen_at_gmail.com"},
		{"a written address in a name", `"kim_larsen_at_example.com_home"`, "EMAIL kim_larsen_at_example.com"},

		// Passwords of words.
		{"a compound of a season", `"password":"Sommerpasswort"`, "PASSWORD Sommerpasswort"},
		{"a compound without quotes", "password=Sommerpasswort", "PASSWORD Sommerpasswort"},
		{"a compound without quotes before a sentence", "db_password=Sommerpasswort for all of us", "PASSWORD Sommerpasswort"},
		{"a compound of a test", "password=Testpasswort", "PASSWORD Testpasswort"},
		{"a compound in small letters", `"password": "geheimespasswort"`, "PASSWORD geheimespasswort"},
		{"a name before a word for a password", `"password": "Anna-Passwort"`, "PASSWORD Anna-Passwort"},
		{"a Czech word behind a hyphen", "password=moje-heslo", "PASSWORD moje-heslo"},
		{"a Spanish word behind a hyphen", `"password": "mi-clave"`, "PASSWORD mi-clave"},
		{"a name before a Spanish word", "password=juan-clave", "PASSWORD juan-clave"},
		{"a Dutch compound", `"password": "mijnwachtwoord"`, "PASSWORD mijnwachtwoord"},
		{"the key of a network for guests", `"psk": "Gastpasswort"`, "PASSWORD Gastpasswort"},
		{"a passphrase behind a short sentence", `"my password.": "Correct horse battery"`, "PASSWORD Correct"},
		{"a passphrase behind a question", `"What is the db password?" : "Rosen sind rot"`, "PASSWORD Rosen"},
		{"a dollar and points", "password=$up3r...Secret!9", "PASSWORD $up3r...Secret!9"},
		{"a dollar and points behind a colon", "password: $ecret...Pa55", "PASSWORD $ecret...Pa55"},
		{"a password alone behind a tag and an empty line", "my password <password>\n\n  Correct9horse!", "PASSWORD Correct9horse!"},
		{"a password of words behind a tag and an empty line", "set the system proxy password <password>\n\n  Correct horse battery staple", "PASSWORD Correct"},
		{
			"a long value of an element of XML",
			"set the config password <password>\n\n  Correct-horse-battery-staple-of-many-words-that-are-long-and-longer-still7\n</password>",
			"PASSWORD Correct-horse-battery-staple-of-many-words-that-are-long-and-longer-still7",
		},
		{"two colons behind a name in small letters", "user:password::Hunter2x", "PASSWORD Hunter2x"},
		{"two colons before a mark", "kim::password::hunter2!", "PASSWORD hunter2!"},
		{"two colons behind one word", "Kim:Password::Sommerregen", "PASSWORD Sommerregen"},
		{"a word in escaped brackets", "?password=%5Bsummer%5D", "PASSWORD %5Bsummer%5D"},
		{"two colons before a digit", "type:Password::hunter2", "PASSWORD hunter2"},
		{"a word and a year", "password=FILE2024", "PASSWORD FILE2024"},
		{"words with slashes and a point", "password: /summer/rain.txt", "PASSWORD /summer/rain.txt"},
		{"more words with slashes and a point", "password: /my/summer/rain.key", "PASSWORD /my/summer/rain.key"},
		{"an arrow between names", "password=Kim->Anna2", "PASSWORD Kim-"},
		{"an arrow between words", "password=kim->anna", "PASSWORD kim-"},

		// Keys.
		{"the key of a republic", "republic key: q8Zr2LmX0vTn4KpW9sBd", "API_KEY q8Zr2LmX0vTn4KpW9sBd"},
		{"a key that is not public", "non-public key = q8Zr2LmX0vTn4KpW9sBd", "API_KEY q8Zr2LmX0vTn4KpW9sBd"},
		{"a key that is not to be public", "Do not make this public Key: q8Zr2LmX0vTn4KpW9sBd", "API_KEY q8Zr2LmX0vTn4KpW9sBd"},
		{"a key that must never be public", "Don't make this public key: q8Zr2LmX0vTn4KpW9sBd", "API_KEY q8Zr2LmX0vTn4KpW9sBd"},
		{"a key with two names of algorithms", `api_key = "AES9-RSA77-QX8Z2"`, "API_KEY AES9-RSA77-QX8Z2"},
		{"a key that begins as a mode of a cipher", `api_key = "AES-256-GCM-X7Q"`, "API_KEY AES-256-GCM-X7Q"},
		{"a key of a pair", `{"key":"q8Zr2LmX0vTn4KpW9sBd","value":"stripe"}`, "API_KEY q8Zr2LmX0vTn4KpW9sBd"},

		// Numbers and addresses.
		{"a number with an extension", "Tel. 1761234567-8", "PHONE 1761234567-8"},
		{"the number of a fax with an extension", "Fax 1234567890-5", "PHONE 1234567890-5"},
		{"a number at work with an extension", "Phone (work): 1765551234-5", "PHONE 1765551234-5"},
		{"a long number with an extension", "Tel. 4917612345678-9", "PHONE 4917612345678-9"},
		{"a word for a time in a sentence", "call for 30 seconds: +14155552671", "PHONE +14155552671"},
		{"a word for a time alone", "seconds=+14155552671", "PHONE +14155552671"},
		{"a count with a phone in its name", `"phone_count": "171234567"`, "PHONE 171234567"},
		{"a limit with a phone in its name", "phone_limit: 5551234", "PHONE 5551234"},
		{"a name that ends as an organisation", `"borg_no": 4539824553459855`, "CREDIT_CARD 4539824553459855"},
		{"a power of two in parentheses", "tel. (4194304)", "PHONE (4194304"},
		{"a power of two in parentheses of a sentence", "call me: (4194304)", "PHONE (4194304"},
		{"a power of two in a list", `"phone": [4194304]`, "PHONE 4194304"},
		{"a power of two in a row of a table", "tel|4194304|", "PHONE 4194304"},
		{"a power of two behind a comma", "telephone,4194304", "PHONE 4194304"},
		{"a power of two behind a name of two words", `"phone_number":16777216,`, "PHONE 16777216"},
		{"a power of two behind a name with capitals", `"workPhone":16777216,`, "PHONE 16777216"},
		{"an address behind two names", "host:xx:2001:db8::1", "IP_ADDRESS 2001:db8::1"},
		{"a long address behind two names", "matrix:x:2001:db8:85a3::8a2e:370:7334", "IP_ADDRESS 2001:db8:85a3::8a2e:370:7334"},
		{"an address behind a word of hexadecimal letters", "cafe:x:2001:db8::1", "IP_ADDRESS 2001:db8::1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Contains(t, listFound(e, c.text), c.want, c.text)
			assertAnyCutting(t, e, c.text+" and more of it.", 3)
		})
	}
}

// What rules for those sets found that is no secret.
func TestNamesOfVersionsAndIssuesAreNoPasswords(t *testing.T) {
	e := engine(t, Options{})
	for _, text := range []string{
		`"password": "Use C++17Std mode"`, `"password": "See issue Foo#1234Bar please"`, `"password": "See issue Foo#1234"`,
	} {
		assert.Empty(t, listFound(e, text), text)
		assertAnyCutting(t, e, text+" and more of it.", 3)
	}
}
