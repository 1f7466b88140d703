package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// lookAlikes are ways of writing things that are no values, by their names in contexts.txt; see filler.write.
var lookAlikes = map[string][]string{
	"hex6": {"hhhhhh"}, "hex12": {"hhhhhhhhhhhh"}, "hex16": {"hhhhhhhhhhhhhhhh"}, "hex32": {strings.Repeat("h", 32)},
	"sha1": {strings.Repeat("h", 40)}, "sha256": {strings.Repeat("h", 64)}, "uuid": {"hhhhhhhh-hhhh-4hhh-9hhh-hhhhhhhhhhhh"},
	"hexword":  {"dead", "beef", "face", "add", "cafe", "fed", "bad", "decade", "facade", "abc", "dec", "de"},
	"version3": {"#.#.#", "1.##.#", "0.#.##", "2#.#.0"}, "oid": {"1.3.6.1.4.1.####", "2.5.29.##", "1.2.840.113549.1.1.##", "1.3.6.1.2.1.1.#"},
	"orderid": {"ORD-######", "10######", "#######", "A-#####"}, "int": {"1###", "3##", "2####", "6#"}, "digits12": {
		"123#########",
		"4###########",
	},
	"digits16": {"################"}, "float": {"0.################", "-1.############e-05", "3.1##############"},
	"snowflake": {"1##################", "7#################"}, "unixtime": {"17########", "16########"}, "unixms": {"17###########"},
	"unixnano": {"17#################"},
	"isodate":  {"2024-0#-1#", "2023-1#-0#"}, "stamp": {"2024051#1#3###", "2023112#-10####"}, "clock": {"1#:3#:5#", "0#:0#:0#.###"},
	"tracking": {"1Z999AA1##########", "9400 1000 0000 0000 ####"}, "isbn": {"978-3-16-1#####-#", "978-0-306-40###-#"},
	"ean":     {"4006381######", "5901234######"},
	"invoice": {"2024-00###", "INV/2024/####", "RE-2024-####"}, "partno": {"3##-4#-####X", "B1#-##-####", "##-###-####"},
	"zip4":   {"941##-####", "100##-####"},
	"caseno": {"4 O 12#/23", "23-cv-0####", "VII ZR 2##/22", "2024/11/3##"}, "ein": {"12-3######"}, "cas": {"7732-18-5", "64-17-5", "50-00-0"},
	"vat": {"DE1########"}, "vatgb": {"GB 3## #### ##"}, "sku": {"SKU-##-####-A", "KX-###-##B", "LOT##A###"},
	"licence": {"AAAAA-A#A#A-##AAA-AAAAA"},
	"patent":  {"7,6##,### B2", "10,1##,###"}, "doi": {"10.1000/1##", "10.1145/336####.34#####"}, "issn": {"1234-5679", "0378-595X"},
	"amount": {"$1,2##,###", "+12,###,###", "USD 3 ### ###"}, "amountde": {"1.234.###,##", "12.###.###", "1 234 ###,##"},
	"amountfr": {"1 234 ###,##", "12 ### ###"},
	"path":     {"1#.2#,3#.4# 5#.6#,1#.7#", "1## 2## 3##"}, "coord": {"52.5#####", "-13.4#####"}, "build": {"2024.1#.0#.1", "20240#1#.3"},
	"siret": {"8## ### ### 000##"}, "cep": {"013##-###"}, "base64": {"AAAAaaAAbbAAAAccAAAAddAAAAeeAAAA"}, "npm": {
		"left-pad@1.#.#",
		"@types/node@20.#.##", "@scope/pkg@^3.#.0", "react@18.#.0",
	},
	"msgid": {"hhhhhhhhhhhh.hhhh@mx.northwind.example", "2024051#1#3###.A#hhhh@mail.gridline.example"},
}

// computedLookAlikes are the others, which makeLookAlike computes.
var computedLookAlikes = []string{"version4", "section", "badip", "badcard", "badiban", "badssn"}

func isLookAlike(name string) bool {
	return lookAlikes[name] != nil || slices.Contains(computedLookAlikes, name)
}

// makeLookAlike makes something that is no value of the six types.
func (f *filler) makeLookAlike(name string) string {
	switch name {
	case "version4":
		return fmt.Sprintf("%d.%d.%d.%d", f.drawBetween(1, 130), f.IntN(30), f.IntN(250), f.IntN(200))
	case "section":
		return fmt.Sprintf("%d.%d.%d.%d", f.drawBetween(1, 12), f.drawBetween(1, 9), f.drawBetween(1, 9), f.drawBetween(1, 20))
	case "badip":
		return fmt.Sprintf("%d.%d.%d.%d", f.drawBetween(256, 999), f.IntN(256), f.IntN(256), f.IntN(256))
	case "badcard":
		card := f.makeCard("plain")
		wrong := card[:len(card)-1] + strconv.Itoa((int(card[len(card)-1]-'0')+f.drawBetween(1, 9))%10)
		if f.IntN(2) == 0 && len(wrong) == 16 {
			return wrong[:4] + " " + wrong[4:8] + " " + wrong[8:12] + " " + wrong[12:]
		}
		return wrong
	case "badiban":
		country := f.draw(accountCountries...)
		account := f.write(accounts[country])
		wrong := 2 + (computeIBANCheck(country, account)-2+f.drawBetween(1, 90))%97
		return f.groupIBAN(fmt.Sprintf("%s%02d%s", country, wrong, account), "")
	case "badssn":
		ssn := f.makeSSN("")
		return f.draw("000"+ssn[3:], "666"+ssn[3:], ssn[:4]+"00"+ssn[6:], ssn[:7]+"0000")
	}
	forms := lookAlikes[name]
	if forms == nil {
		panic("no such look-alike: " + name)
	}
	return f.write(f.draw(forms...))
}

// newFiller returns a filler for texts of a region that makes the same values again for the same numbers.
func newFiller(region string, a, b uint64) *filler {
	return &filler{Rand: rand.New(rand.NewPCG(a, b)), region: region}
}
