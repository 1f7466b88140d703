package pii

import "testing"

// Each row is of a class that was wrong in the seventeenth set of packages, and its twin is what the rule for it must not hide.
func TestClassesOfTheSeventeenthSetAndTheirTwins(t *testing.T) {
	assertTwins(t, []twinRow{
		{"'CLIENT1key1': 'CLIENT1value1'", "'CLIENT1key1': 'CLIENT1valve1x7'", "CLIENT1valve1x7"},
		{"center_text.go:17.32,18.31 1 11", "text me:17.32,(202) 555-0143", "(202) 555-0143"},
		{`tmpl.stylesheetToken = "lwc-143n22jptum";`, `tmpl.sheetToken = "lwc-143n22jptum";`, "lwc-143n22jptum"},
		{`'<img src="//user:pass@sample.com/path">'`, `'<img src="/user/pass@sample.com/path">'`, "pass@sample.com"},
		{"<td>4503599627370500</td>", "<td>4503599627360501</td>", "4503599627360501"},
		{`{"password": "ticket expired"}`, `{"password": "ticket7 expired9"}`, "ticket7"},
		{":arxiv:`math-ph/0609050`", "maths phone/0609050", "0609050"},
		{"The legacy password is dead.** Use", "The legacy password is d3ad.** Use", "d3ad"},
		{"3.297-1.23.653 1.653.242 2.874.118 3.176.77.84 1.236 1.91", "peers 3.176.77.84 1.236", "3.176.77.84"},
		{"sudo apt-get install --yes msodbcsql18=18.5.1.1-1\n", "sudo run --yes host=18.5.1.1-1\n", "18.5.1.1"},
	})
}

// What each rule for those classes might hide, of secrets and addresses as people write them.
func TestRulesOfTheSeventeenthSetHideNoSecrets(t *testing.T) {
	assertFinds(t, Options{}, `
		api_key = "x7Kq9Zvalue4Lm2P"|API_KEY x7Kq9Zvalue4Lm2P
		phone: 17.32, 202-555-0143|PHONE 202-555-0143
		token = "lwc143n22jptumQ"|API_KEY lwc143n22jptumQ
		see //kim@sample.com/path|EMAIL kim@sample.com
		"kim: pass@sample.com"|EMAIL pass@sample.com
		"password": "open sesame"|PASSWORD open
		"password": "tiger7 lily wrong"|PASSWORD tiger7
		"password": "expired"|PASSWORD expired
		the password is hunter2.**|PASSWORD hunter2
		the password is hunter2_|PASSWORD hunter2
		servers 3.176.77.84 4.176.77.84 and|IP_ADDRESS 3.176.77.84 IP_ADDRESS 4.176.77.84
		install from host=18.5.1.1|IP_ADDRESS 18.5.1.1
		\x00kim@grep.be|EMAIL kim@grep.be
		x00kim@grep.be|EMAIL x00kim@grep.be
		\xavier@grep.be|EMAIL xavier@grep.be`)
}
