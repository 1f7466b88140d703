package pii

import (
	"fmt"
	"slices"
	"strings"
)

// Packs of types. A type belongs to one; "default" is the eighteen types that are found by default, and "all" is every
// type.
const (
	packCore    = "core"
	packSecrets = "secrets"
	packBank    = "bank"
	packDevice  = "device"
	packPerson  = "person"
	packDocs    = "documents"
	packUS      = "us"
	packHealth  = "health"
	packCA      = "ca"
	packUK      = "uk"
	packANZ     = "anz"
	packEU      = "eu"
	packLatam   = "latam"
	packIN      = "in"
	packAPAC    = "apac"
	packAfrica  = "africa"

	packDefault = "default"
	packAll     = "all"
)

// ListPacks lists the names of the packs.
func ListPacks() []string {
	var names []string
	for i := range builtin {
		if !slices.Contains(names, builtin[i].pack) {
			names = append(names, builtin[i].pack)
		}
	}
	slices.Sort(names)
	return append([]string{packDefault, packAll}, names...)
}

// extraPacks are types that belong to a second pack: those that a hospital or a country needs together.
var extraPacks = map[string][]string{
	"UK_NHS": {packHealth}, "AU_MEDICARE": {packHealth}, "US_NPI": {packUS}, "US_MBI": {packUS}, "US_DEA": {packUS},
	"US_SSN": {packUS}, "US_ITIN": {packUS}, "US_ABA_ROUTING": {packUS}, "IN_AADHAAR": {packIN}, "UK_SORT_CODE": {packUK},
	"DE_ID_CARD": {packEU}, "HK_ID": {packAPAC}, "TW_ID": {packAPAC}, "PK_CNIC": {packAPAC}, "ZA_ID": {packAfrica},
	"IBAN": {packBank}, "CREDIT_CARD": {packBank}, "URL": {packDevice}, "UUID": {packDevice},
}

// selectTypes returns the rows of the table that the names of types and packs select. Without names it selects the
// defaults; the type "all" also selects every type.
func selectTypes(types, packs []string) ([]bool, error) {
	on := make([]bool, len(builtin))
	if len(types) == 0 && len(packs) == 0 {
		packs = []string{packDefault}
	}
	for _, name := range types {
		if name == packAll {
			packs = append(slices.Clone(packs), packAll)
			continue
		}
		i := findRow(name)
		if i < 0 {
			return nil, fmt.Errorf("pii type %q: unknown, have %s", name, strings.Join(ListTypes(), ", "))
		}
		on[i] = true
	}
	for _, pack := range packs {
		if !slices.Contains(ListPacks(), pack) {
			return nil, fmt.Errorf("pii pack %q: unknown, have %s", pack, strings.Join(ListPacks(), ", "))
		}
		for i := range builtin {
			d := &builtin[i]
			if pack == packAll || pack == packDefault && !d.off || pack == d.pack || slices.Contains(extraPacks[d.name], pack) {
				on[i] = true
			}
		}
	}
	return on, nil
}

// findRow returns the index of a type in the table, or -1.
func findRow(name string) int {
	return slices.IndexFunc(builtin, func(d detector) bool { return d.name == name })
}
