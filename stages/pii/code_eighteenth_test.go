package pii

import "testing"

// Each row is of a class that was wrong in the eighteenth set of packages, and its twin is what the rule for it must not hide.
func TestClassesOfTheEighteenthSetAndTheirTwins(t *testing.T) {
	assertTwins(t, []twinRow{
		{`"package-1@XX.XX.XX"`, `"kim@XX.example.org"`, "kim@XX.example.org"},
		{"load('bunny@0.5x.png')", "load('bunny@5xx.example.org')", "bunny@5xx.example.org"},
		{
			"key = 'xpub6D4BDPcP2GT577Vvch3R8wDkScZWzQzMMUm3PWbmWvVJrZwQY4VUNgqFJPMM3No2dFDFGTsxxpG5uJh7n7epu4trkrX7x7DogT5Uv6fcLW5'",
			"key = 'ppub6D4BDPcP2GT577Vvch3R8wDkScZWzQzMMUm3PWbmWvVJrZwQY4VUN'", "ppub6D4BDPcP2GT577Vvch3R8wDkScZWzQzMMUm3PWbmWvVJrZwQY4VUN",
		},
		{`"widget_key": "xql_1618303947361"`, `"api_key": "xql_1618303947361"`, "xql_1618303947361"},
		{"removing call ([5631828](https://github.com/x))", "removing call 5631828", "5631828"},
		{`image == "demisto/stix2:1.0.0.204"`, `image == "demisto.example:1.0.0.204"`, "1.0.0.204"},
	})
}

// What each rule for those classes might hide, of secrets and addresses as people write them.
func TestRulesOfTheEighteenthSetHideNoSecrets(t *testing.T) {
	assertFinds(t, Options{}, `
		kim@xx.example.org|EMAIL kim@xx.example.org
		kim@0.5xx.org|EMAIL kim@0.5xx.org
		kim@2x4.example.org|EMAIL kim@2x4.example.org
		key = "xpub6D4BDPcP2GT577Vvch3R8wD"|API_KEY xpub6D4BDPcP2GT577Vvch3R8wD
		widget_api_key: "xql_1618303947361"|API_KEY xql_1618303947361
		call ([202-555-0143](tel:2025550143))|PHONE 202-555-0143 PHONE 2025550143
		http://a/b:1.0.0.204|IP_ADDRESS 1.0.0.204
		client/server:10.0.0.204|IP_ADDRESS 10.0.0.204
		peer:1.0.0.204|IP_ADDRESS 1.0.0.204`)
}
