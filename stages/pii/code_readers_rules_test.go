package pii

import "testing"

// A reader compared the rules for the fifteenth to the eighteenth set with those of a day before and found these values, which they hid.
func TestRulesOfTheFifteenthToEighteenthSetHideNothingThatWasFound(t *testing.T) {
	for _, row := range []struct{ name, lines string }{
		{"a month may be the name of a person before a phone number", `
			Call June 202-555-0143|PHONE 202-555-0143
			April 415-555-2671, August 415-555-2672|PHONE 415-555-2671 PHONE 415-555-2672
			call June 12 34 56 78 90|PHONE 12 34 56 78 90
			phone June 30 2012 5678|PHONE 30 2012 5678
			phone December 21 19.87|`},
		{"the password of a URL without a scheme is at least part of an address", `
			url: "//deploy:s3cr3tPw0rd@git.example.org/repo.git"|EMAIL s3cr3tPw0rd@git.example.org
			"//a:kim.larsen@example.org"|EMAIL kim.larsen@example.org
			src="//user:pass@example.com/x.js"|`},
		{"people have addresses at the projects of SSH", `
			From: Damien Miller <djm@openssh.com>|EMAIL djm@openssh.com
			Damien Miller djm@openssh.com wrote|EMAIL djm@openssh.com
			mail aris2@libssh.org now|EMAIL aris2@libssh.org
			<kim-l2@openssh.com>|EMAIL kim-l2@openssh.com
			ask djm@openssh.com.au|EMAIL djm@openssh.com.au
			tell kim-l2@openssh.community|EMAIL kim-l2@openssh.community
			aes128-gcm@openssh.com, |
			curve25519-sha256@libssh.org now|`},
		{"a comment follows an address in brackets", `
			kim@stadt.wien(Kim Larsen)|EMAIL kim@stadt.wien
			kim@firma.shop(work)|EMAIL kim@firma.shop
			KIM@FIRMA.SHOP(WORK)|EMAIL KIM@FIRMA.SHOP
			kim@firma.tech()|EMAIL kim@firma.tech
			U@S.sqrt()|`},
		{"a requirement has an address", `
			requirements: 192.0.2.17|IP_ADDRESS 192.0.2.17
			server requirement 10.1.2.3|IP_ADDRESS 10.1.2.3
			server requirement 8.8.4.4|IP_ADDRESS 8.8.4.4
			Requirement 192.0.2.17|IP_ADDRESS 192.0.2.17
			Requirement 12.6.7.15: the system|`},
		{"an identifier is an address that ends in a year", `
			uid: kimberly.larsen.19841207@example.org|EMAIL kimberly.larsen.19841207@example.org
			cid:kim1984@example.org|EMAIL kim1984@example.org
			uid: 4mm2ak3in2j3pllqdk1ubtbp9p@example.org|
			cid:part3.msg.1@example.org|`},
		{"a password is made of words that labels and messages have", `
			{"password":"mysecretvalue1"}|PASSWORD mysecretvalue1
			resetPassword = "ResetTheWorld"|PASSWORD ResetTheWorld
			change_password: "changemeplease"|PASSWORD changemeplease
			change_password: "Changeover"|PASSWORD Changeover
			password: "rosebud invalid"|PASSWORD rosebud
			confirm_password: "Confirmar"|
			{"password": "link expired."}|`},
		{"a key is behind names that are often public", `
			secret: my_folder/other-folder/Xk9fK2mPq8Zt4Lx7Wv1Rn3Bc6|API_KEY my_folder/other-folder/Xk9fK2mPq8Zt4Lx7Wv1Rn3Bc6
			hashed_api_key: Xk9fK2mPq8Zt4Lx7Wv1Rn3Bc6|API_KEY Xk9fK2mPq8Zt4Lx7Wv1Rn3Bc6
			see https://x.example.org/token:Xk9fK2mPq8Zt4Lx7Wv1Rn3Bc6|API_KEY Xk9fK2mPq8Zt4Lx7Wv1Rn3Bc6
			see https://x.example.org:8080/token:Xk9fK2mPq8Zt4Lx7Wv1Rn3Bc6|API_KEY Xk9fK2mPq8Zt4Lx7Wv1Rn3Bc6
			"hashed_token": "d41d8cd98f00b204e9800998ecf8427e"|`},
		{"the user of a domain of Windows begins with the letter of an escape", `
			corp\robert.larsen@x.org|EMAIL robert.larsen@x.org
			the user is Corp\nina@x.org|EMAIL nina@x.org
			login="acme\tom.larsen@x.org"|EMAIL tom.larsen@x.org
			C:\temp\rob@x.org|EMAIL rob@x.org
			C:\nina@x.org|EMAIL nina@x.org
			\\server\share\tom@x.org|EMAIL tom@x.org
			so she wrote\nkim@x.org|EMAIL kim@x.org
			so she wrote\r\nkim@x.org|EMAIL kim@x.org`},
	} {
		t.Run(row.name, func(t *testing.T) { assertFinds(t, Options{}, row.lines) })
	}
}
