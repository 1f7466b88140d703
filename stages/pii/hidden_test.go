package pii

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each row was hidden by a rule that was made for code and reached too far.
func TestRulesForCodeDoNotHideWhatStandsAlone(t *testing.T) {
	e := engine(t, Options{})
	hex := "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	for text, want := range map[string]string{
		"My login is in this <password>\nhunter2x\n</password>": "hunter2x",
		"use the <api_key>\nq8Zr2LmX0vTn4KpW9sBd\n</api_key>":   "q8Zr2LmX0vTn4KpW9sBd",
		"docker://kim:q8Zr2LmX0vTn4KpW@registry:5000/app":       "kim:q8Zr2LmX0vTn4KpW",
		"docker://kim:q8Zr2LmX0vTn4KpW@localhost:5000/app":      "kim:q8Zr2LmX0vTn4KpW",
		`webhook_secret: "T0AB3CD9E/q8Zr2LmX0vTn4KpW9sBd.json"`: "T0AB3CD9E/q8Zr2LmX0vTn4KpW9sBd.json",
		`api_key: "u1/q8Zr2LmX0vTn4KpW9sBd.json"`:               "u1/q8Zr2LmX0vTn4KpW9sBd.json",
		`api_key: "sha256:` + hex + `"`:                         "sha256:" + hex,
		`if secret == "Winter2024Password" {`:                   "Winter2024Password",
		`if api_key == "staple256Horsebattery" {`:               "staple256Horsebattery",
		"amqp://PROD_APP:BLUE_HORSE_STAPLE@mq:5672/x":           "PROD_APP:BLUE_HORSE_STAPLE",
		`api_key: "GHSA-q8Zr2LmX0vTn4K"`:                        "GHSA-q8Zr2LmX0vTn4K",
	} {
		var got []string
		for _, m := range e.Detect(nil, text) {
			got = append(got, text[m.Start:m.End])
		}
		assert.Equal(t, []string{want}, got, text)
	}
	text, got := "phone +31.201234567 +31.612345678", []string(nil)
	for _, m := range e.Detect(nil, text) {
		got = append(got, text[m.Start:m.End])
	}
	assert.Equal(t, []string{"+31.201234567", "+31.612345678"}, got)
}
