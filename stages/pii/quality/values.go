package main

import (
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
)

// A filler makes what stands in place of a name in a text of contexts.txt.
type filler struct {
	*rand.Rand
	region string // the country of the text, for telephone numbers
}

// makeValue makes a value of one of the six types. The style names a way of writing it; without one it is drawn.
func (f *filler) makeValue(name, style string) string {
	switch name {
	case "EMAIL":
		return f.makeEmail()
	case "CREDIT_CARD":
		return f.makeCard(style)
	case "US_SSN":
		return f.makeSSN(style)
	case "IBAN":
		return f.makeIBAN(style)
	case "IP_ADDRESS":
		if style == "v6" || style == "" && f.IntN(4) == 0 {
			return f.makeIPv6()
		}
		return f.makeIPv4()
	case "PHONE":
		return f.makePhone(style)
	}
	panic("no such type: " + name)
}

func (f *filler) draw(of ...string) string { return of[f.IntN(len(of))] }

// drawBetween draws a number of a closed range.
func (f *filler) drawBetween(low, high int) int { return low + f.IntN(high-low+1) }

// write fills a form: # is a digit, h a small hexadecimal digit, A a capital letter; all else stands as it is.
func (f *filler) write(form string) string {
	var b strings.Builder
	for _, c := range form {
		switch c {
		case '#':
			c = rune('0' + f.IntN(10))
		case 'h':
			c = rune("0123456789abcdef"[f.IntN(16)])
		case 'A':
			c = rune('A' + f.IntN(26))
		}
		b.WriteRune(c)
	}
	return b.String()
}

var (
	firstNames = strings.Fields(`anna ben carla dmitri elif fatima george hana ivan julia kenji lars
		maria nadia omar paula quentin rosa sven tomasz uma victor wei yara zoe`)
	lastNames = strings.Fields(`smith mueller garcia rossi tanaka okafor kowalski andersson nguyen silva
		patel haddad oconnor vandijk petrov lopez weber moreau costa yilmaz`)
	hostNames = strings.Fields(`northwind-labs bluepeak gridline hafenwerk solmar kite-systems
		oakandpine tessera meridian9 lumen-health uni-altona stadtwerke-nord`)
	hostEnds = strings.Fields("com com com org net io de co.uk fr es it nl pl se com.br in co.jp com.au ch edu dev health consulting")
)

func (f *filler) makeEmail() string {
	first, last := f.draw(firstNames...), f.draw(lastNames...)
	local := f.draw(first+"."+last, first[:1]+last, first+"_"+last, first, last+f.write("##"), first+"."+last+f.write("#"),
		first+"+"+f.draw("news", "billing", "x1"), strings.ToUpper(first[:1])+first[1:]+"."+strings.ToUpper(last[:1])+last[1:],
		f.draw("support", "info", "billing", "no-reply", "hr.team"))
	host := f.draw(hostNames...) + "." + f.draw(hostEnds...)
	if f.IntN(5) == 0 {
		host = f.draw("mail", "eu", "corp", "students") + "." + host
	}
	if f.IntN(6) == 0 {
		host = f.draw("gmail.com", "outlook.com", "yahoo.co.jp", "gmx.de", "web.de", "orange.fr", "libero.it", "hotmail.com")
	}
	return local + "@" + host
}

// closeLuhn appends the digit that makes the sum of Luhn right.
func closeLuhn(digits string) string {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 0 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return digits + string(rune('0'+(10-sum%10)%10))
}

// cardForms are numbers of issuers without the last digit.
var cardForms = strings.Fields(`4############## 4############## 4############## 51############# 54############# 55############# 2321###########
	34############ 37############ 6011########### 3530########### 36###########`)

func (f *filler) makeCard(style string) string {
	number := closeLuhn(f.write(f.draw(cardForms...)))
	separator := " "
	switch style {
	case "plain":
		return number
	case "dashed":
		separator = "-"
	case "":
		switch f.IntN(3) {
		case 0:
			return number
		case 1:
			separator = "-"
		}
	}
	groups := []int{4, 4, 4, 4}
	switch len(number) {
	case 15:
		groups = []int{4, 6, 5}
	case 14:
		groups = []int{4, 6, 4}
	}
	var parts []string
	for _, n := range groups {
		parts, number = append(parts, number[:n]), number[n:]
	}
	return strings.Join(parts, separator)
}

func (f *filler) makeSSN(style string) string {
	area := f.drawBetween(1, 665)
	if f.IntN(4) == 0 {
		area = f.drawBetween(667, 899)
	}
	group, serial := f.drawBetween(1, 99), f.drawBetween(1, 9999)
	if style == "plain" {
		return fmt.Sprintf("%03d%02d%04d", area, group, serial)
	}
	return fmt.Sprintf("%03d-%02d-%04d", area, group, serial)
}

// accounts are the forms of the account numbers in IBANs of a country.
var accounts = map[string]string{
	"DE": "##################", "FR": "#######################", "GB": "AAAA##############", "NL": "AAAA##########",
	"ES": "####################",
	"IT": "A######################", "CH": "#################", "AT": "################", "BE": "############",
	"PL": "########################",
	"SE": "####################", "NO": "###########", "DK": "##############", "FI": "##############", "PT": "#####################",
	"IE": "AAAA##############", "CZ": "####################", "LU": "################", "AE": "###################",
	"TR": "######################",
}

var accountCountries = strings.Fields("DE DE FR GB NL ES IT CH AT BE PL SE NO DK FI PT IE CZ LU AE TR")

// computeIBANCheck computes the two check digits of ISO 7064 mod 97-10.
func computeIBANCheck(country, account string) int {
	var digits strings.Builder
	for _, c := range account + country + "00" {
		if c >= 'A' {
			fmt.Fprintf(&digits, "%d", c-'A'+10)
			continue
		}
		digits.WriteRune(c)
	}
	n, _ := new(big.Int).SetString(digits.String(), 10)
	return 98 - int(n.Mod(n, big.NewInt(97)).Int64())
}

func (f *filler) makeIBAN(style string) string {
	country := f.region
	if accounts[country] == "" || f.IntN(3) == 0 {
		country = f.draw(accountCountries...)
	}
	account := f.write(accounts[country])
	return f.groupIBAN(fmt.Sprintf("%s%02d%s", country, computeIBANCheck(country, account), account), style)
}

func (f *filler) groupIBAN(iban, style string) string {
	if style == "plain" || style == "" && f.IntN(2) == 0 {
		return iban
	}
	var parts []string
	for ; len(iban) > 4; iban = iban[4:] {
		parts = append(parts, iban[:4])
	}
	return strings.Join(append(parts, iban), " ")
}

func (f *filler) makeIPv4() string {
	switch f.IntN(5) {
	case 0:
		return fmt.Sprintf("10.%d.%d.%d", f.IntN(256), f.IntN(256), f.drawBetween(1, 254))
	case 1:
		return fmt.Sprintf("192.168.%d.%d", f.IntN(256), f.drawBetween(1, 254))
	}
	return fmt.Sprintf("%d.%d.%d.%d", f.drawBetween(11, 223), f.IntN(256), f.IntN(256), f.drawBetween(1, 254))
}

func (f *filler) makeIPv6() string {
	form := f.draw("2001:db8:hhhh:hhhh:hhhh:hhhh:hhhh:hhhh", "2a0h:hhhh:hhhh::hh", "fe80::hhhh:hhff:fehh:hhhh", "2001:db8::hh:h",
		"fd4h:hhhh:hhhh:1::h",
		"2607:f8h0:4005:80h::200e")
	return netip.MustParseAddr(f.write(form)).String()
}

// phones are ways of writing telephone numbers of a country, the first three for callers abroad. E is an exchange of North America.
var phones = map[string][]string{
	"US": {
		"+1 (415) E-####", "+1 212-E-####", "+1646E####", "+1 617 E ####", "(503) E-####", "303-E-####", "512.E.####",
		"1-800-E-####", "(206)E-####",
	},
	"DE": {
		"+49 30 8######", "+49 (0)89 4#######", "+491715######", "+49 171 5######", "0049 40 3######", "030 8######", "0171/5######",
		"089 / 4# ## ## #", "0221-9######",
	},
	"GB": {
		"+44 20 7946 0###", "+44 (0)161 496 0###", "+447700900###", "+44 7911 123###", "020 7946 0###", "0161 496 0###",
		"07700 900###", "01632 960###",
	},
	"FR": {"+33 6 1# ## ## ##", "+33 (0)1 42 ## ## ##", "+3361#######", "06 1# ## ## ##", "01 42 ## ## ##", "01.42.##.##.##", "061#######"},
	"ES": {"+34 612 ## ## ##", "+34 91 5## ## ##", "+346########", "612 ### ###", "91 5## ## ##", "6########"},
	"IT": {"+39 06 69## ####", "+39 333 ### ####", "+39333#######", "333 #######", "02 8### ####", "347-#######"},
	"NL": {"+31 6 2#######", "+31 20 624 ####", "+3162#######", "06-2#######", "020 624 ####", "06 2#######"},
	"PL": {"+48 601 ### ###", "+48 22 629 ## ##", "+48601######", "601 ### ###", "22 629 ## ##", "601-###-###"},
	"BR": {"+55 11 98###-####", "+55 (21) 98###-####", "+551198#######", "(11) 98###-####", "(21) 32##-####", "11 98###-####"},
	"IN": {"+91 98### #####", "+91-98########", "+9198########", "98### #####", "098### #####", "98########"},
	"JP": {"+81 3-32##-####", "+81 90-8###-####", "+81908#######", "03-32##-####", "090-8###-####", "06-62##-####"},
	"AU": {"+61 4 12## ####", "+61 2 93## ####", "+61412######", "0412 ### ###", "(02) 93## ####", "02 93## ####"},
	"SE": {"+46 70 8## ## ##", "+46 8 509 ### ##", "+46708######", "070-8## ## ##", "08-509 ### ##", "0708 ## ## ##"},
	"CH": {"+41 44 2## ## ##", "+41 79 2## ## ##", "+41792######", "044 2## ## ##", "079 2## ## ##"},
	"MX": {"+52 55 52## ####", "+52 33 36## ####", "+525552######", "55 52## ####", "33 36## ####"},
}

func (f *filler) makePhone(style string) string {
	forms := phones[f.region]
	if style == "intl" {
		forms = phones[f.draw(slices.Sorted(maps.Keys(phones))...)][:3]
	}
	exchange := fmt.Sprintf("%d%d%d", f.drawBetween(2, 9), f.drawBetween(2, 9), f.IntN(10)) // none that ends in 11
	return f.write(strings.Replace(f.draw(forms...), "E", exchange, 1))
}
